/* The pool as a source of count tables. */
#include <dp2dp/pool.h>

#include "base/options.h"
#include "phase2/kernel.h"
#include "phase2/pool.h"

typedef struct job {
    const dp2dp_pool *pool;
    const float *offsets;
    int64_t *table;
} job;

/* The sums are integers, so the table does not depend on the order in which threads add. */
static void count_task(void *context, size_t task) {
    const job *j = context;
    const dp2dp_pool *pool = j->pool;
    dp2dpi_pool_slice s = dp2dpi_pool_slice_of(pool, task);
    size_t classes = pool->classes;
    int64_t counts[DP2DPI_CODES_MAX];
    for (size_t k = 0; k < classes; k++) {
        counts[k] = 0;
    }
    dp2dpi_kernel_count(pool->values + pool->begin[s.stratum] * classes + s.first, s.size,
                        s.last - s.first, classes, j->offsets + s.stratum * classes, counts);
    for (size_t k = 0; k < classes; k++) {
        __atomic_fetch_add(&j->table[s.stratum * classes + k], counts[k], __ATOMIC_RELAXED);
    }
}

static dp2dp_status pool_count(void *context, const float *offsets, int64_t *table,
                               dp2dp_error *error) {
    const dp2dp_pool *pool = context;
    job j = {.pool = pool, .offsets = offsets, .table = table};
    (void)error;
    size_t cells = pool->strata * pool->classes;
    for (size_t i = 0; i < cells; i++) {
        table[i] = 0;
    }
    if (pool->leaves_out) {
        table[cells] = (int64_t)(pool->records - dp2dpi_pool_kept(pool));
    }
    dp2dpi_pool_parallel(pool, count_task, &j);
    return DP2DP_STATUS_OK;
}

static dp2dp_status pool_check(const dp2dp_source *source, dp2dp_error *error) {
    const dp2dp_pool *pool = source->context;
    if (pool->records != source->records || pool->strata != source->strata ||
        pool->classes != source->classes || pool->leaves_out != source->leaves_out) {
        return dp2dpi_fail(
            error, DP2DP_STATUS_ARGUMENT,
            "source: records, strata, classes and leaves_out must equal those of its pool");
    }
    return DP2DP_STATUS_OK;
}

const dp2dpi_counted dp2dpi_pool_counted = {pool_check, pool_count};

void dp2dp_pool_fill_source(const dp2dp_pool *pool, dp2dp_source *source) {
    const dp2dp_source filled = {.records = pool->records,
                                 .strata = pool->strata,
                                 .classes = pool->classes,
                                 .row_sums = pool->row_sums,
                                 .dither = pool->dither,
                                 .context = (void *)pool,
                                 .count = dp2dpi_counted_count,
                                 .leaves_out = pool->leaves_out};
    dp2dpi_struct_write(DP2DP_STRUCT_SOURCE, &filled, source);
}

const dp2dp_pool *dp2dpi_source_pool(const dp2dp_source *source) {
    return source->count == dp2dpi_counted_count ? source->context : NULL;
}
