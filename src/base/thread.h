/* Threads of the library's own. */
#ifndef DP2DPI_BASE_THREAD_H
#define DP2DPI_BASE_THREAD_H

#include <pthread.h>

/* 1 if it was started. Signals are for the program's own threads: this one gets none. */
int dp2dpi_thread_start(pthread_t *out, void *(*run)(void *argument), void *argument);

#endif
