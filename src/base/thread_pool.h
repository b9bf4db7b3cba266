/* Keeps threads that wait for rounds of tasks; each call of dp2dpi_thread_pool_run is a round.
 * Training has hundreds of rounds of less than a millisecond, too short to start threads for each
 * round. */
#ifndef DP2DPI_BASE_THREAD_POOL_H
#define DP2DPI_BASE_THREAD_POOL_H

#include "base/error.h"
#include "base/parallel.h"

typedef struct dp2dpi_thread_pool dp2dpi_thread_pool;

/* Starts a pool of at most `threads` threads (0: one per processor), one of which is the caller's.
 * The pool has fewer threads if the system refuses to start more. Ownership: free with
 * dp2dpi_thread_pool_free, which accepts NULL. */
dp2dp_status dp2dpi_thread_pool_new(unsigned threads, dp2dpi_thread_pool **out, dp2dp_error *error);
void dp2dpi_thread_pool_free(dp2dpi_thread_pool *pool);

/* Runs task(context, i) for i = 0..tasks−1 on the pool's threads. Only one thread at a time may
 * call this. In a forked child the calling thread does all the work. */
void dp2dpi_thread_pool_run(dp2dpi_thread_pool *pool, size_t tasks, dp2dpi_task task,
                            void *context);

#endif
