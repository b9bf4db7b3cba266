#ifndef DP2DPI_BASE_THREAD_H
#define DP2DPI_BASE_THREAD_H

#include <pthread.h>

/* Starts a thread that calls run(argument). Returns 1 if the thread was started. The new thread
 * blocks all signals, so that only the program's own threads receive them. */
int dp2dpi_thread_start(pthread_t *out, void *(*run)(void *argument), void *argument);

#endif
