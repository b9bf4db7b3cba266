/* The rows of a table file, encoded by a schema. */
#ifndef CLI_ENCODED_H
#define CLI_ENCODED_H

#include "args.h"

/* parts: dp2dp_part bits. Only the columns that they need are read. Ownership: the caller releases
 * the stream, before the schema is freed. */
dp2dp_status cli_encoded_open(const dp2dp_schema *schema, unsigned parts, const char *path,
                              struct ArrowArrayStream *out, dp2dp_error *error);

/* The next batch; out->release is NULL at the end. A failure of the stream is told in its words. */
dp2dp_status cli_stream_next(struct ArrowArrayStream *stream, struct ArrowArray *out,
                             dp2dp_error *error);

#endif
