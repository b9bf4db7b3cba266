#include "base/thread.h"

#include <signal.h>
#include <stddef.h>

int dp2dpi_thread_start(pthread_t *out, void *(*run)(void *argument), void *argument) {
    sigset_t all, before;
    (void)sigfillset(&all);
    if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0) {
        return 0;
    }
    int is_started = pthread_create(out, NULL, run, argument) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return is_started;
}
