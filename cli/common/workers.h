/* Spreads the pieces of long work over threads. */
#ifndef CLI_WORKERS_H
#define CLI_WORKERS_H

#include <stddef.h>

/* Calls work(context, i) once for each i below count, on up to `threads` threads; the calling
 * thread is one of them. Threads take the pieces in ascending order. Returns after the last
 * call. */
void cli_workers_run(size_t count, size_t threads, void (*work)(void *context, size_t i),
                     void *context);

/* Returns `asked` or, if `asked` is 0, the number of processors. */
size_t cli_workers_threads(size_t asked);

#endif
