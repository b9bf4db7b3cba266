/* The rows of a table file, encoded by a schema. */
#ifndef CLI_ENCODED_H
#define CLI_ENCODED_H

#include <stdio.h>

#include "args/args.h"
#include "input/stream.h"

/* Opens a table as cli_table_open does with a schema. The watch, unless NULL, counts the rows and
 * can stop the reading. */
dp2dp_status cli_encoded_open(const cli_args *args, const dp2dp_schema *schema, unsigned parts,
                              const char *path, cli_watch *watch, struct ArrowArrayStream *out,
                              dp2dp_error *error);

/* Labelled rows for `train` and `run`, from TABLE or from the data set of a built-in schema. */
typedef struct cli_labelled {
    dp2dp_schema *schema;
    const dp2dp_schema_info *info;
    struct ArrowArrayStream stream; /* release NULL: no rows are open here */
    FILE *joined;                   /* a data set's files, joined into one table; else NULL */
} cli_labelled;

/* Loads --schema, which must have a label column; opens no rows yet. Ownership: cli_labelled_close,
 * even after a failure. */
dp2dp_status cli_labelled_schema(const cli_args *args, cli_labelled *out, dp2dp_error *error);
/* Opens the rows, encoded by the schema; parts: dp2dp_part bits. Rows of TABLE that the schema
 * leaves out are counted; those of a data set are skipped, since its complete rows are the public
 * data set. */
dp2dp_status cli_labelled_open(const cli_args *args, unsigned parts, cli_labelled *labelled,
                               dp2dp_error *error);
void cli_labelled_close(cli_labelled *labelled);

#endif
