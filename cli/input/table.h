/* A table named on the command line, and its format: the options of table.def. */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include "args/args.h"

/* Sets what the options of table.def say; args may be NULL for a table of the program's own.
 * Ownership: the markers of missing values are in the list, which the caller frees when the table
 * is open, even after a failure. */
dp2dp_status cli_table_options(const cli_args *args, dp2dp_table_options *options,
                               cli_list *missing, dp2dp_error *error);

/* Opens a table with these options; the caller has set options->columns. Ownership: the caller
 * releases the stream. */
dp2dp_status cli_table_open(const cli_args *args, const char *path,
                            const dp2dp_table_options *options, struct ArrowArrayStream *out,
                            dp2dp_error *error);

#endif
