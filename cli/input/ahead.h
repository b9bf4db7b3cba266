/* Reads a stream on a thread of its own: the next batches while one is worked on. */
#ifndef CLI_AHEAD_H
#define CLI_AHEAD_H

#include <stdatomic.h>
#include <stdint.h>

#include "args/args.h"

/* What the thread that reads a table and the one that wants its rows tell each other. */
typedef struct cli_watch {
    uint64_t rows;       /* of the table, those that are left out too; whole at the stream's end */
    atomic_int given_up; /* nobody wants more of them */
} cli_watch;

/* dp2dp_table_options.cancel of a watch. */
int cli_watch_given_up(void *context);

typedef struct cli_ahead cli_ahead;

/* The watch is that of the stream's table, which may be a pipe that nothing comes through: stop
 * does not wait for it. Ownership: the stream is taken over, even in a failure; stop releases it,
 * and accepts NULL. */
dp2dp_status cli_ahead_start(struct ArrowArrayStream *stream, cli_watch *watch, cli_ahead **out,
                             dp2dp_error *error);
void cli_ahead_stop(cli_ahead *ahead);

/* As cli_stream_next. Nothing comes after the end, or after a failure. */
dp2dp_status cli_ahead_next(cli_ahead *ahead, struct ArrowArray *out, dp2dp_error *error);

#endif
