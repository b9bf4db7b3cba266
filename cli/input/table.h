/* Opens a table named on the command line, in the format that the options of table.def describe. */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include "args/args.h"

/* Returns the dp2dp_part bits for a verb that learns from people or counts them. Such a verb counts
 * every row as a record, even a row that the schema leaves out or, with --bad-rows ignore, a bad
 * row. */
unsigned cli_parts_of_records(const cli_args *args);

/* Opens a table in the format that the options of table.def describe, or in the default format if
 * args is NULL. With a schema, the rows come encoded, and only the columns that `parts` (dp2dp_part
 * bits) need are read. Without a schema, the columns of options->columns are read. Ownership: the
 * caller releases the stream, before the schema is freed. */
dp2dp_status cli_table_open(const cli_args *args, const char *path, const dp2dp_schema *schema,
                            unsigned parts, const dp2dp_table_options *options,
                            struct ArrowArrayStream *out, dp2dp_error *error);
/* Opens a table as cli_table_open does without a schema, but treats no text as a missing value. */
dp2dp_status cli_table_open_verbatim(const cli_args *args, const char *path,
                                     const dp2dp_table_options *options,
                                     struct ArrowArrayStream *out, dp2dp_error *error);

#endif
