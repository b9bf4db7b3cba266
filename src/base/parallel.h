/* Runs one task for each index on several threads. Each task must write to memory of its own, so
 * that the result does not depend on which thread runs which task, or when. */
#ifndef DP2DPI_BASE_PARALLEL_H
#define DP2DPI_BASE_PARALLEL_H

#include <stddef.h>

typedef void (*dp2dpi_task)(void *context, size_t index);

/* Returns the number of threads to use, from 1 to 256. threads = 0 asks for one per processor. */
size_t dp2dpi_threads(unsigned threads);

/* Runs task(context, i) for i = 0..tasks−1 on at most `threads` threads (0: one per processor), one
 * of which is the caller's. If no thread can be started, the caller does all the work. */
void dp2dpi_parallel(size_t tasks, unsigned threads, dp2dpi_task task, void *context);

#endif
