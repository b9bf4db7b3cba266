#include "common/workers.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum {
    THREADS_MAX = 256
};

typedef struct workers {
    size_t count;
    atomic_size_t next;
    void (*work)(void *context, size_t i);
    void *context;
} workers;

static void *run(void *argument) {
    workers *w = argument;
    for (size_t i; (i = atomic_fetch_add(&w->next, 1)) < w->count;) {
        w->work(w->context, i);
    }
    return NULL;
}

void cli_workers_run(size_t count, size_t threads, void (*work)(void *context, size_t i),
                     void *context) {
    workers w = {.count = count, .work = work, .context = context};
    pthread_t others[THREADS_MAX];
    size_t started = 0;
    threads = threads < count ? threads : count;
    threads = threads < THREADS_MAX ? threads : THREADS_MAX;
    while (started + 1 < threads && pthread_create(&others[started], NULL, run, &w) == 0) {
        started++;
    }
    (void)run(&w);
    for (size_t i = 0; i < started; i++) {
        (void)pthread_join(others[i], NULL);
    }
}

size_t cli_workers_threads(size_t asked) {
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return asked > 0 ? asked : online > 0 ? (size_t)online : 1;
}
