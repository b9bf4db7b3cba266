/* Streams: the rows of a table file, encoded by a schema; and what every stream needs. */
#ifndef CLI_ENCODED_H
#define CLI_ENCODED_H

#include "args/args.h"
#include "input/ahead.h"

/* parts: dp2dp_part bits. Only the columns that they need are read. args: as in table.h. The
 * watch may be NULL. Ownership: the caller releases the stream, before the schema is freed. */
dp2dp_status cli_encoded_open(const cli_args *args, const dp2dp_schema *schema, unsigned parts,
                              const char *path, cli_watch *watch, struct ArrowArrayStream *out,
                              dp2dp_error *error);

/* Of the numbers of a table: those of an NPY file of float32 come as such, others as float64. */
dp2dp_status cli_stream_type(struct ArrowArrayStream *stream, dp2dp_type *out, dp2dp_error *error);

/* The next batch; out->release is NULL at the end. A failure of the stream is told in its words. */
dp2dp_status cli_stream_next(struct ArrowArrayStream *stream, struct ArrowArray *out,
                             dp2dp_error *error);

#endif
