#include "base/thread_pool.h"

#include <stdatomic.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/thread.h"

enum {
    LOOKS = 1500 /* before a thread goes to sleep: rounds follow each other within microseconds */
};

struct dp2dpi_thread_pool {
    atomic_size_t open; /* tasks of the round that nobody has taken */
    atomic_size_t unfinished;
    dp2dpi_task task; /* and context: read by who has taken a task, which keeps the round open */
    void *context;
    atomic_int ending;
    unsigned looks;
    pthread_mutex_t lock;
    pthread_cond_t opened, finished;
    pid_t owner; /* a child of fork has the struct but not the threads */
    size_t started;
    pthread_t others[];
};

static void pause_shortly(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

static int has_tasks(dp2dpi_thread_pool *c) {
    return atomic_load(&c->open) != 0 || atomic_load(&c->ending);
}

static int is_finished(dp2dpi_thread_pool *c) {
    return atomic_load(&c->unfinished) == 0;
}

/* Looks for a while, and sleeps then. Who makes it true takes the lock before it wakes others. */
static void wait_until(dp2dpi_thread_pool *c, int (*is_true)(dp2dpi_thread_pool *),
                       pthread_cond_t *change) {
    for (unsigned i = 0; i < c->looks; i++) {
        if (is_true(c)) {
            return;
        }
        pause_shortly();
    }
    (void)pthread_mutex_lock(&c->lock);
    while (!is_true(c)) {
        (void)pthread_cond_wait(change, &c->lock);
    }
    (void)pthread_mutex_unlock(&c->lock);
}

static void announce(dp2dpi_thread_pool *c, pthread_cond_t *change) {
    (void)pthread_mutex_lock(&c->lock);
    (void)pthread_cond_broadcast(change);
    (void)pthread_mutex_unlock(&c->lock);
}

/* Works as long as there are tasks. Returns 1 if it finished the last of a round. */
static int work(dp2dpi_thread_pool *c) {
    int last = 0;
    size_t open = atomic_load(&c->open);
    while (open != 0) {
        if (atomic_compare_exchange_weak(&c->open, &open, open - 1)) {
            c->task(c->context, open - 1);
            last = atomic_fetch_sub(&c->unfinished, 1) == 1;
            open = atomic_load(&c->open);
        }
    }
    return last;
}

static void *serve(void *argument) {
    dp2dpi_thread_pool *c = argument;
    while (!atomic_load(&c->ending)) {
        if (work(c)) {
            announce(c, &c->finished);
        }
        wait_until(c, has_tasks, &c->opened);
    }
    return NULL;
}

dp2dp_status dp2dpi_thread_pool_new(unsigned threads, dp2dpi_thread_pool **out,
                                    dp2dp_error *error) {
    size_t wanted = dp2dpi_threads(threads);
    void *memory = NULL;
    dp2dp_status status =
        dp2dpi_alloc_for("threads", sizeof(dp2dpi_thread_pool) + (wanted - 1) * sizeof(pthread_t),
                         1, &memory, error);
    dp2dpi_thread_pool *c = *out = memory;
    if (status != DP2DP_STATUS_OK) {
        return status;
    }
    /* More threads than processors had better let each other work. */
    c->looks = wanted <= dp2dpi_threads(0) ? LOOKS : 0;
    c->owner = getpid();
    (void)pthread_mutex_init(&c->lock, NULL);
    (void)pthread_cond_init(&c->opened, NULL);
    (void)pthread_cond_init(&c->finished, NULL);
    while (c->started + 1 < wanted && dp2dpi_thread_start(&c->others[c->started], serve, c)) {
        c->started++;
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
