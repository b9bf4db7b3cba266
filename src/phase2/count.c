/* The pool as a source of count tables. */
#include <dp2dp/pool.h>

#include "base/parallel.h"
#include "phase2/kernel.h"
#include "phase2/pool.h"

enum {
    ROWS_PER_TASK = 1 << 16
};

typedef struct job {
    const dp2dp_pool *pool;
    const float *offsets;
    int64_t *table;
} job;

static size_t tasks_of(size_t records) {
    return (records + ROWS_PER_TASK - 1) / ROWS_PER_TASK;
}

/* Integer sums: whichever thread adds first, the table is the same. */
static void count_task(void *context, size_t task) {
    const job *j = context;
    const dp2dp_pool *pool = j->pool;
    size_t event = 0, classes = pool->classes;
    for (size_t tasks; task >= (tasks = tasks_of(pool->begin[event + 1] - pool->begin[event]));) {
        task -= tasks;
        event++;
    }
    size_t size = pool->begin[event + 1] - pool->begin[event], first = task * ROWS_PER_TASK;
    size_t n = size - first < ROWS_PER_TASK ? size - first : ROWS_PER_TASK;
    int64_t counts[DP2DPI_CODES_MAX];
    for (size_t k = 0; k < classes; k++) {
        counts[k] = 0;
    }
    dp2dpi_kernel_count(pool->values + pool->begin[event] * classes + first, size, n, classes,
                        j->offsets + event * classes, counts);
    for (size_t k = 0; k < classes; k++) {
        __atomic_fetch_add(&j->table[event * classes + k], counts[k], __ATOMIC_RELAXED);
    }
}

static dp2dp_status pool_count(void *context, const float *offsets, int64_t *table,
                               dp2dp_error *error) {
    const dp2dp_pool *pool = context;
    job j = {.pool = pool, .offsets = offsets, .table = table};
    size_t tasks = 0;
    (void)error;
    for (size_t event = 0; event < pool->events; event++) {
        tasks += tasks_of(pool->begin[event + 1] - pool->begin[event]);
    }
    for (size_t i = 0; i < pool->events * pool->classes; i++) {
        table[i] = 0;
    }
    unsigned threads = pool->records < ROWS_PER_TASK ? 1 : pool->threads; /* not worth starting */
    dp2dpi_parallel(tasks, threads, count_task, &j);
    return DP2DP_STATUS_OK;
}

dp2dp_source dp2dp_pool_source(const dp2dp_pool *pool) {
    return (dp2dp_source) {.struct_size = sizeof(dp2dp_source),
                           .records = pool->records,
                           .events = pool->events,
                           .classes = pool->classes,
                           .row_sums = pool->row_sums,
                           .dither = pool->dither,
                           .context = (void *)pool,
                           .count = pool_count};
}

const dp2dp_pool *dp2dpi_source_pool(const dp2dp_source *source) {
    return source->count == pool_count ? source->context : NULL;
}
