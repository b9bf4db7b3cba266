/* `dp2dp fit --source`: the rule is learned from tables that commands count. */
#ifndef CLI_SOURCE_FIT_H
#define CLI_SOURCE_FIT_H

#include "input/names.h"
#include "source/sites.h"

/* Returns whether --source is given. */
int cli_source_given(const cli_args *args);
/* Refuses TABLE and the options that are about a table, the same command twice, and whatever
 * the protocol cannot carry. Does nothing without --source. */
dp2dp_status cli_source_check(const cli_args *args, const cli_criterion *criterion,
                              dp2dp_error *error);

/* Sets the dither of --source: its key is always `scores`, since rows have no position that all
 * sites agree on. Refuses another --dither-key. */
dp2dp_status cli_source_dither(const cli_args *args, cli_criterion *criterion, dp2dp_error *error);

/* Returns a source with the right numbers of strata and classes that answers nothing. It is enough
 * to plan a fit. Its number of records is 2, since the true number is unknown until the sources
 * have answered the hello. */
dp2dp_source cli_source_shape(const cli_criterion *criterion, const cli_columns *columns);

/* Starts the commands of --source and says hello; afterwards *source, which comes from
 * cli_source_shape, asks them. Ownership: cli_sites_free, even after a failure. */
dp2dp_status cli_source_open(const cli_args *args, const cli_columns *columns,
                             const dp2dp_fit_options *options, cli_sites *sites,
                             dp2dp_source *source, dp2dp_error *error);

#endif
