#include "base/parallel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum {
    THREADS_MAX = 256
};

typedef struct crew {
    atomic_size_t next;
    size_t tasks;
    dp2dpi_task task;
    void *context;
} crew;

static void *work(void *argument) {
    crew *c = argument;
    for (size_t i; (i = atomic_fetch_add(&c->next, 1)) < c->tasks;) {
        c->task(c->context, i);
    }
    return NULL;
}

static unsigned processors(void) {
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online < 1 ? 1 : (unsigned)online;
}

void dp2dpi_parallel(size_t tasks, unsigned threads, dp2dpi_task task, void *context) {
    crew c = {.tasks = tasks, .task = task, .context = context};
    pthread_t others[THREADS_MAX];
    size_t wanted = threads == 0 ? processors() : threads, started = 0;
    wanted = wanted > THREADS_MAX ? THREADS_MAX : wanted;
    wanted = wanted > tasks ? tasks : wanted;
    while (started + 1 < wanted && pthread_create(&others[started], NULL, work, &c) == 0) {
        started++;
    }
    work(&c);
    for (size_t i = 0; i < started; i++) {
        pthread_join(others[i], NULL);
    }
}
