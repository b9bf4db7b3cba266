/* One task for every index, on several threads. Each task writes to its own place, so the result
 * does not depend on the schedule. */
#ifndef DP2DPI_BASE_PARALLEL_H
#define DP2DPI_BASE_PARALLEL_H

#include <stddef.h>

typedef void (*dp2dpi_task)(void *context, size_t index);

/* The number of threads to use: 0 means one per processor. At least 1, at most 256. */
size_t dp2dpi_threads(unsigned threads);

/* Runs task(context, i) for i = 0..tasks−1 on at most `threads` threads (0: one per processor), the
 * caller's included. If no thread can be started the caller does all the work. */
void dp2dpi_parallel(size_t tasks, unsigned threads, dp2dpi_task task, void *context);

#endif
