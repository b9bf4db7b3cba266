/* Streams of batches, read in order, or ahead by a separate thread. */
#ifndef CLI_STREAM_H
#define CLI_STREAM_H

#include <stdatomic.h>
#include <stdint.h>

#include "common/error.h"

/* Type of a table's numbers: float32 for an NPY file of float32, otherwise float64. */
dp2dp_status cli_stream_type(struct ArrowArrayStream *stream, dp2dp_type *out, dp2dp_error *error);

/* Called with every batch; must not keep it. */
typedef dp2dp_status (*cli_batch_use)(void *context, const struct ArrowArray *batch,
                                      dp2dp_error *error);
/* Reads a stream to its end, or to the first failure, and releases it. */
dp2dp_status cli_stream_each(struct ArrowArrayStream *stream, cli_batch_use use, void *context,
                             dp2dp_error *error);

/* State shared by the thread that reads a table and the one that uses its rows. */
typedef struct cli_watch {
    uint64_t rows; /* rows of the table, dropped ones included; complete at the stream's end */
    atomic_int given_up; /* the consumer wants no more */
} cli_watch;

/* The dp2dp_table_options.cancel callback; its context is a watch. */
int cli_watch_given_up(void *context);

/* Reads the next batch while one is worked on. */
typedef struct cli_ahead cli_ahead;

/* The watch belongs to the stream's table, which may be a silent pipe: stop does not wait for it.
 * Ownership: takes the stream, even on failure; stop releases it and accepts NULL. */
dp2dp_status cli_ahead_start(struct ArrowArrayStream *stream, cli_watch *watch, cli_ahead **out,
                             dp2dp_error *error);
void cli_ahead_stop(cli_ahead *ahead);

/* As dp2dp_stream_next. Nothing comes after the end, or after a failure. */
dp2dp_status cli_ahead_next(cli_ahead *ahead, struct ArrowArray *out, dp2dp_error *error);

#endif
