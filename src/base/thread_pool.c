#include "base/thread_pool.h"

#include <stdatomic.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/thread.h"

enum {
    SPINS = 1500 /* how often a thread polls for new tasks before it sleeps; polling pays, because
                    the next round of tasks mostly begins within microseconds */
};

struct dp2dpi_thread_pool {
    atomic_size_t open; /* tasks of this round that no thread has taken yet */
    atomic_size_t unfinished;
    dp2dpi_task task; /* function to call for each task of the round. `task` and `context` need no
                         lock: a thread reads them only while it works on a task, and they change
                         only after all tasks of the round are done */
    void *context;
    atomic_int ending;
    unsigned spins;
    pthread_mutex_t lock;
    pthread_cond_t opened, finished;
    pid_t owner; /* process that started the threads: a forked child has the struct but not the
                    threads */
    size_t started;
    pthread_t others[];
};

static void pause_shortly(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

static int has_tasks(dp2dpi_thread_pool *pool) {
    return atomic_load(&pool->open) != 0 || atomic_load(&pool->ending);
}

static int is_finished(dp2dpi_thread_pool *pool) {
    return atomic_load(&pool->unfinished) == 0;
}

/* Waits until is_true(pool): spins for a while, then sleeps. The thread that makes the condition
 * true takes the lock before it wakes the waiting threads, so no thread falls asleep after the
 * wake-up. */
static void wait_until(dp2dpi_thread_pool *pool, int (*is_true)(dp2dpi_thread_pool *),
                       pthread_cond_t *change) {
    for (unsigned i = 0; i < pool->spins; i++) {
        if (is_true(pool)) {
            return;
        }
        pause_shortly();
    }
    (void)pthread_mutex_lock(&pool->lock);
    while (!is_true(pool)) {
        (void)pthread_cond_wait(change, &pool->lock);
    }
    (void)pthread_mutex_unlock(&pool->lock);
}

static void announce(dp2dpi_thread_pool *pool, pthread_cond_t *change) {
    (void)pthread_mutex_lock(&pool->lock);
    (void)pthread_cond_broadcast(change);
    (void)pthread_mutex_unlock(&pool->lock);
}

/* Runs tasks until none is left. Returns 1 if this thread finished the last task of the round. */
static int work(dp2dpi_thread_pool *pool) {
    int last = 0;
    size_t open = atomic_load(&pool->open);
    while (open != 0) {
        if (atomic_compare_exchange_weak(&pool->open, &open, open - 1)) {
            pool->task(pool->context, open - 1);
            last = atomic_fetch_sub(&pool->unfinished, 1) == 1;
            open = atomic_load(&pool->open);
        }
    }
    return last;
}

static void *serve(void *argument) {
    dp2dpi_thread_pool *pool = argument;
    while (!atomic_load(&pool->ending)) {
        if (work(pool)) {
            announce(pool, &pool->finished);
        }
        wait_until(pool, has_tasks, &pool->opened);
    }
    return NULL;
}

dp2dp_status dp2dpi_thread_pool_new(unsigned threads, dp2dpi_thread_pool **out,
                                    dp2dp_error *error) {
    size_t wanted = dp2dpi_threads(threads);
    size_t size = sizeof(dp2dpi_thread_pool) + (wanted - 1) * sizeof(pthread_t);
    DP2DPI_TRY(dp2dpi_alloc_into("threads", size, 1, out, error));
    dp2dpi_thread_pool *pool = *out;
    /* If there are more threads than processors, spinning would only slow the other threads
     * down. */
    pool->spins = wanted <= dp2dpi_threads(0) ? SPINS : 0;
    pool->owner = getpid();
    (void)pthread_mutex_init(&pool->lock, NULL);
    (void)pthread_cond_init(&pool->opened, NULL);
    (void)pthread_cond_init(&pool->finished, NULL);
    while (pool->started + 1 < wanted &&
           dp2dpi_thread_start(&pool->others[pool->started], serve, pool)) {
        pool->started++;
    }
    return DP2DP_STATUS_OK;
}

void dp2dpi_thread_pool_free(dp2dpi_thread_pool *pool) {
    if (pool == NULL) {
        return;
    }
    if (pool->owner == getpid()) {
        atomic_store(&pool->ending, 1);
        announce(pool, &pool->opened);
        for (size_t i = 0; i < pool->started; i++) {
            (void)pthread_join(pool->others[i], NULL);
        }
        (void)pthread_cond_destroy(&pool->opened);
        (void)pthread_cond_destroy(&pool->finished);
        (void)pthread_mutex_destroy(&pool->lock);
    }
    dp2dpi_free(pool);
}

void dp2dpi_thread_pool_run(dp2dpi_thread_pool *pool, size_t tasks, dp2dpi_task task,
                            void *context) {
    if (pool->started == 0 || tasks < 2 || pool->owner != getpid()) {
        for (size_t i = 0; i < tasks; i++) {
            task(context, i);
        }
        return;
    }
    pool->task = task;
    pool->context = context;
    atomic_store(&pool->unfinished, tasks);
    atomic_store(&pool->open, tasks);
    announce(pool, &pool->opened);
    (void)work(pool);
    wait_until(pool, is_finished, &pool->finished);
}
