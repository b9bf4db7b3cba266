/* Reads the options of criterion.def, which say what a rule makes equal between groups. */
#ifndef CLI_CRITERION_H
#define CLI_CRITERION_H

#include "args/args.h"
#include "common/json.h"
#include "common/out.h"

typedef struct cli_criterion {
    dp2dp_criterion criterion;
    int labelled; /* the criterion compares people with the same label */
    int unaware;  /* the rule must not see the group */
    dp2dp_counted counted;
    dp2dp_dither dither;
    dp2dp_dither_key dither_key;
} cli_criterion;

/* Reads --criterion, --counted and --unaware, and refuses combinations that do not work, such as a
 * solver that works only for demographic parity. The rest of *out is 0. */
dp2dp_status cli_criterion_read(const cli_args *args, cli_criterion *out, dp2dp_error *error);

/* Does what cli_criterion_read does, for a criterion and a solver that the caller chose. Does not
 * check --positive. */
dp2dp_status cli_criterion_choose(const cli_args *args, const char *criterion, const char *solver,
                                  cli_criterion *out, dp2dp_error *error);
/* Returns whether the criterion is about true or false positive rates, so that --positive may name
 * a class. */
int cli_criterion_is_rate(const cli_criterion *c);

/* Sets the criterion and --positive in *options, and in *out the dither that the rule needs. If
 * class_names is NULL, the classes are 0, 1, ... */
dp2dp_status cli_criterion_options(const cli_args *args, const char *const *class_names,
                                   size_t classes, cli_criterion *out, dp2dp_fit_options *options,
                                   dp2dp_error *error);

/* Returns whether the labels of the pool are read. */
int cli_criterion_reads_labels(const cli_criterion *c);
/* Sets the members of *options that depend on the criterion. */
void cli_criterion_pool(const cli_criterion *c, size_t groups, size_t classes,
                        dp2dp_pool_options *options);

#endif
