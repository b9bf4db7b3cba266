/* Reads the options of criterion.def, which say what a rule makes equal between groups. */
#ifndef CLI_CRITERION_H
#define CLI_CRITERION_H

#include "args/args.h"
#include "common/json.h"
#include "common/out.h"

typedef struct cli_criterion {
    dp2dp_criterion criterion;
    int labelled; /* 1: the criterion depends on labels */
    int unaware;  /* 1: the rule must not see the group */
    dp2dp_counted counted;
    dp2dp_dither dither;
    dp2dp_dither_key dither_key;
} cli_criterion;

/* Reads --criterion, --counted and --unaware into *out, and sets the rest of *out to 0. Refuses
 * combinations that do not work, such as equalized odds with a solver that works only for
 * demographic parity. */
dp2dp_status cli_criterion_read(const cli_args *args, cli_criterion *out, dp2dp_error *error);

/* Does the same as cli_criterion_read, but takes the criterion and the solver from the caller, and
 * does not check --positive. */
dp2dp_status cli_criterion_choose(const cli_args *args, const char *criterion, const char *solver,
                                  cli_criterion *out, dp2dp_error *error);
/* Returns whether the criterion is about true or false positive rates. Only with such a criterion
 * can --positive name a class. */
int cli_criterion_is_rate(const cli_criterion *c);

/* Sets `criterion` and, if --positive is given, `positive` in *options. Also sets out->dither and
 * out->dither_key; a dither is a random number that is added to scores. If class_names is NULL, the
 * classes are 0, 1, ... */
dp2dp_status cli_criterion_options(const cli_args *args, const char *const *class_names,
                                   size_t classes, cli_criterion *out, dp2dp_fit_options *options,
                                   dp2dp_error *error);

/* Returns whether a fit with this criterion reads the labels of the pool. */
int cli_criterion_reads_labels(const cli_criterion *c);
/* Sets the members of *options that depend on the criterion. */
void cli_criterion_pool(const cli_criterion *c, size_t groups, size_t classes,
                        dp2dp_pool_options *options);

#endif
