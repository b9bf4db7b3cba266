#include "base/parallel.h"

#include <stdatomic.h>
#include <unistd.h>

#include "base/thread.h"

enum {
    THREADS_MAX = 256
};

typedef struct job {
    atomic_size_t next;
    size_t tasks;
    dp2dpi_task task;
    void *context;
} job;

static void *work(void *argument) {
    job *c = argument;
    for (size_t i; (i = atomic_fetch_add(&c->next, 1)) < c->tasks;) {
        c->task(c->context, i);
    }
    return NULL;
}

size_t dp2dpi_threads(unsigned threads) {
    long online = threads == 0 ? sysconf(_SC_NPROCESSORS_ONLN) : (long)threads;
    return online < 1 ? 1 : online > THREADS_MAX ? THREADS_MAX : (size_t)online;
}

void dp2dpi_parallel(size_t tasks, unsigned threads, dp2dpi_task task, void *context) {
    job c = {.tasks = tasks, .task = task, .context = context};
    pthread_t others[THREADS_MAX];
    size_t wanted = dp2dpi_threads(threads), started = 0;
    wanted = wanted > tasks ? tasks : wanted;
    while (started + 1 < wanted && dp2dpi_thread_start(&others[started], work, &c)) {
        started++;
    }
    work(&c);
    for (size_t i = 0; i < started; i++) {
        pthread_join(others[i], NULL);
    }
}
