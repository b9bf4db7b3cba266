/* The rows of a table file, encoded by a schema. */
#ifndef CLI_ENCODED_H
#define CLI_ENCODED_H

#include <stdio.h>

#include "args/args.h"
#include "input/stream.h"

/* parts: dp2dp_part bits. Only the columns they need are read. args: as in table.h. The watch may
 * be NULL. Ownership: the caller releases the stream, before the schema is freed. */
dp2dp_status cli_encoded_open(const cli_args *args, const dp2dp_schema *schema, unsigned parts,
                              const char *path, cli_watch *watch, struct ArrowArrayStream *out,
                              dp2dp_error *error);

/* Labelled rows for `train` and `run`: --schema, and TABLE or the data set of a built-in schema. */

typedef struct cli_labelled {
    dp2dp_schema *schema;
    const dp2dp_schema_info *info;
    struct ArrowArrayStream stream; /* release NULL: ownership was passed on */
    FILE *joined;                   /* the table of a data set; else NULL */
} cli_labelled;

/* Only --schema, without rows. Ownership: cli_labelled_close, even after a failure. */
dp2dp_status cli_labelled_schema(const cli_args *args, cli_labelled *out, dp2dp_error *error);
/* Opens the rows of such a schema, encoded; parts: dp2dp_part bits. */
dp2dp_status cli_labelled_open(const cli_args *args, unsigned parts, cli_labelled *labelled,
                               dp2dp_error *error);
/* Closes the rows and keeps the schema: the rows can be opened again. */
void cli_labelled_rewind(cli_labelled *labelled);
void cli_labelled_close(cli_labelled *labelled);

#endif
