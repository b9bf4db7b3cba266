/* What a rule makes equal between groups, and how: the options of criterion.def. */
#ifndef CLI_CRITERION_H
#define CLI_CRITERION_H

#include "args/args.h"
#include "common/json.h"
#include "common/out.h"

typedef struct cli_criterion {
    dp2dp_criterion criterion;
    int labelled; /* its rates are among people with some label */
    int unaware;  /* the rule must not see the group */
    dp2dp_counted counted;
    dp2dp_dither dither;
    dp2dp_dither_key dither_key;
} cli_criterion;

/* Reads --criterion, --counted and --unaware, and refuses what does not go together, such as a
 * solver that knows only demographic parity. The rest of *out is 0. */
dp2dp_status cli_criterion_read(const cli_args *args, cli_criterion *out, dp2dp_error *error);

/* Sets the criterion and --positive in *options. class_names NULL: the classes are 0, 1, ... Then
 * sets the dither that a rule with `classes` classes needs, unless *out has one. */
dp2dp_status cli_criterion_options(const cli_args *args, const char *const *class_names,
                                   size_t classes, cli_criterion *out, dp2dp_fit_options *options,
                                   dp2dp_error *error);

/* Returns whether labels are read: those of the pool are counted. */
int cli_criterion_reads_labels(const cli_criterion *c);
/* Sets what a pool needs to know, for this many groups and classes. */
void cli_criterion_pool(const cli_criterion *c, size_t groups, size_t classes,
                        dp2dp_pool_options *options);

#endif
