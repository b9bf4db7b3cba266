/* The rows of a table file, encoded by a schema. */
#ifndef CLI_ENCODED_H
#define CLI_ENCODED_H

#include "args/args.h"
#include "input/stream.h"

/* parts: dp2dp_part bits. Only the columns that they need are read. args: as in table.h. The
 * watch may be NULL. Ownership: the caller releases the stream, before the schema is freed. */
dp2dp_status cli_encoded_open(const cli_args *args, const dp2dp_schema *schema, unsigned parts,
                              const char *path, cli_watch *watch, struct ArrowArrayStream *out,
                              dp2dp_error *error);

#endif
