/* The same task for every index, on several threads. Results go to places of their own, so that
 * nothing depends on who ran what. */
#ifndef DP2DPI_BASE_PARALLEL_H
#define DP2DPI_BASE_PARALLEL_H

#include <stddef.h>

typedef void (*dp2dpi_task)(void *context, size_t index);

/* How many threads are meant: 0 is one per processor. Never 0, and never very many. */
size_t dp2dpi_threads(unsigned threads);

/* Runs task(context, i) for i = 0..tasks−1 on at most `threads` threads (0: one per processor), the
 * caller's among them. Where no thread can be had the caller does all the work. */
void dp2dpi_parallel(size_t tasks, unsigned threads, dp2dpi_task task, void *context);

#endif
