/* `dp2dp fit --source`: learns the rule from tables of counts that commands supply. */
#ifndef CLI_SOURCE_FIT_H
#define CLI_SOURCE_FIT_H

#include "input/names.h"
#include "source/sites.h"

int cli_source_given(const cli_args *args);
/* With --source, refuses TABLE, options about a table, a command that is given twice, and settings
 * that the protocol does not support. */
dp2dp_status cli_source_check(const cli_args *args, const cli_criterion *criterion,
                              dp2dp_error *error);

/* With --source, sets the dither key to `scores` and refuses any other --dither-key, because sites
 * have no common numbering of the rows. */
dp2dp_status cli_source_dither(const cli_args *args, cli_criterion *criterion, dp2dp_error *error);

/* Returns a source that cannot count, but has the right numbers of strata and classes. That is
 * enough to compute what a fit will charge. The source states 2 records, since the true number is
 * unknown until the commands of --source have answered. */
dp2dp_source cli_source_shape(const cli_criterion *criterion, const cli_columns *columns);

/* Starts the commands of --source and sends each the hello (protocol.h). Afterwards *source, which
 * cli_source_shape made, asks the commands for tables. Ownership: call cli_sites_free, even after a
 * failure. */
dp2dp_status cli_source_open(const cli_args *args, const cli_columns *columns,
                             const dp2dp_fit_options *options, cli_sites *sites,
                             dp2dp_source *source, dp2dp_error *error);

#endif
