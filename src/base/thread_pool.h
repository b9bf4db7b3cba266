/* Threads that wait for one round of tasks after the other. A round of less than a millisecond is
 * not worth new threads, and training has hundreds of them. */
#ifndef DP2DPI_BASE_THREAD_POOL_H
#define DP2DPI_BASE_THREAD_POOL_H

#include "base/error.h"
#include "base/parallel.h"

typedef struct dp2dpi_thread_pool dp2dpi_thread_pool;

/* At most `threads` threads (0: one per processor), the caller's included; fewer if the system
 * refuses.  * Ownership: free with dp2dpi_thread_pool_free, which accepts NULL. */
dp2dp_status dp2dpi_thread_pool_new(unsigned threads, dp2dpi_thread_pool **out, dp2dp_error *error);
void dp2dpi_thread_pool_free(dp2dpi_thread_pool *pool);

/* As dp2dpi_parallel. One round at a time; a child of fork does all of it in the calling thread. */
void dp2dpi_thread_pool_run(dp2dpi_thread_pool *pool, size_t tasks, dp2dpi_task task,
                            void *context);

#endif
