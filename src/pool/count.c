/* Implements a source (dp2dp/pool.h) that counts the records of a pool. */
#include <dp2dp/pool.h>

#include <math.h>
#include <string.h>

#include "base/options.h"
#include "decide/combine.h"
#include "decide/kernel.h"
#include "pool/pool.h"

typedef struct job {
    const dp2dp_pool *pool;
    const float *offsets;
    int64_t *table;
} job;

static void add_to_table(const job *j, size_t row, const int64_t *sums) {
    size_t classes = j->pool->classes;
    for (size_t k = 0; k < classes; k++) {
        __atomic_fetch_add(&j->table[row * classes + k], sums[k], __ATOMIC_RELAXED);
    }
}

static void add_shares(const job *j, size_t bin, size_t first, size_t n, const int32_t *which) {
    const dp2dp_pool *pool = j->pool;
    size_t size = pool->begin[bin + 1] - pool->begin[bin];
    const int32_t *shares = pool->shares + pool->begin[bin] * pool->parts + first;
    for (size_t part = 0; part < pool->parts; part++, shares += size) {
        int64_t sums[DP2DPI_CODES_MAX];
        memset(sums, 0, pool->classes * sizeof *sums);
        if (pool->multiplicity) {
            const uint64_t *records = pool->multiplicity + pool->begin[bin] + first;
            for (size_t i = 0; i < n; i++) {
                sums[which[i]] += (int64_t)records[i] * shares[i];
            }
        } else {
            dp2dpi_combine_sum(which, shares, n, pool->classes, sums);
        }
        add_to_table(j, dp2dpi_pool_first_row(pool, bin) + part, sums);
    }
}

/* For each of n rows of a bin, adds the number of records that the row stands for to the count of
 * the row's class. */
static void add_counts(const dp2dp_pool *pool, size_t bin, size_t first, size_t n,
                       const int32_t *which, int64_t *counts) {
    if (pool->multiplicity == NULL) {
        dp2dpi_combine_count(which, n, pool->classes, counts);
        return;
    }
    const uint64_t *records = pool->multiplicity + pool->begin[bin] + first;
    for (size_t i = 0; i < n; i++) {
        counts[which[i]] += (int64_t)records[i];
    }
}

/* Counts the records of one slice by class. Works for every kind of rule and with multiplicities.
 * First finds the class of each row, then adds up the rows of each class. */
static void count_by_class(const job *j, const dp2dpi_pool_slice *s) {
    const dp2dp_pool *pool = j->pool;
    size_t classes = pool->classes;
    int64_t counts[DP2DPI_CODES_MAX];
    int32_t which[DP2DPI_COMBINE_BLOCK];
    dp2dpi_combination c = {.stride = s->size,
                            .classes = classes,
                            .parts = pool->parts,
                            .offsets = j->offsets + dp2dpi_pool_first_row(pool, s->bin) * classes};
    memset(counts, 0, classes * sizeof *counts);
    for (size_t first = s->first; first < s->last; first += DP2DPI_COMBINE_BLOCK) {
        size_t left = s->last - first,
               n = left < DP2DPI_COMBINE_BLOCK ? left : DP2DPI_COMBINE_BLOCK;
        c.scores = pool->values + pool->begin[s->bin] * classes + first;
        c.weights = dp2dpi_pool_weights(pool, s->bin) + first;
        if (pool->rule == DP2DP_RULE_OFFSET) {
            dp2dpi_kernel_choose(c.scores, c.stride, n, classes, c.offsets, which);
        } else {
            dp2dpi_combine(&c, n, which);
        }
        if (pool->counted == DP2DP_COUNTED_SCORES) {
            add_shares(j, s->bin, first, n, which);
        } else {
            add_counts(pool, s->bin, first, n, which, counts);
        }
    }
    if (pool->counted == DP2DP_COUNTED_LABELS) {
        add_to_table(j, s->bin, counts);
    }
}

/* Adds the counts of one slice to the table. The counts are integers, so the table does not depend
 * on the order in which threads add. */
static void count_task(void *context, size_t task) {
    const job *j = context;
    const dp2dp_pool *pool = j->pool;
    dp2dpi_pool_slice s = dp2dpi_pool_slice_of(pool, task);
    size_t classes = pool->classes;
    int64_t counts[DP2DPI_CODES_MAX];
    if (pool->rule != DP2DP_RULE_OFFSET || pool->multiplicity) {
        count_by_class(j, &s);
        return;
    }
    memset(counts, 0, classes * sizeof *counts);
    dp2dpi_kernel_count(pool->values + pool->begin[s.bin] * classes + s.first, s.size,
                        s.last - s.first, classes, j->offsets + s.bin * classes, counts);
    add_to_table(j, s.bin, counts);
}

static unsigned unit_bits(const dp2dp_pool *pool) {
    return pool->counted == DP2DP_COUNTED_SCORES ? DP2DPI_POOL_UNIT_BITS : 0;
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
        table[cells] = (int64_t)(pool->records - dp2dpi_pool_kept(pool)) << unit_bits(pool);
    }
    dp2dpi_pool_parallel(pool, count_task, &j);
    return DP2DP_STATUS_OK;
}

static dp2dp_status pool_check(const dp2dp_source *source, dp2dp_error *error) {
    const dp2dp_pool *pool = source->context;
    if (pool->records != source->records || pool->strata != source->strata ||
        pool->classes != source->classes || pool->leaves_out != source->leaves_out ||
        pool->labels != source->labels || pool->rule != source->rule ||
        pool->counted != source->counted || pool->weight_columns != source->weight_columns ||
        unit_bits(pool) != source->unit_bits || pool->dither_key != source->dither_key ||
        pool->row_sums != source->row_sums || pool->grid_bits != source->grid_bits ||
        pool->dither.width != source->dither.width || pool->dither.seed != source->dither.seed) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "source: all fields that describe the pool (numbers of records, strata "
                           "and classes, rule, grid, dither, ...) must be as "
                           "dp2dp_pool_fill_source has set them");
    }
    return DP2DP_STATUS_OK;
}

const dp2dpi_counter dp2dpi_pool_counter = {pool_check, pool_count};

void dp2dp_pool_fill_source(const dp2dp_pool *pool, dp2dp_source *source) {
    const dp2dp_source filled = {.records = pool->records,
                                 .strata = pool->strata,
                                 .classes = pool->classes,
                                 .row_sums = pool->row_sums,
                                 .dither = pool->dither,
                                 .context = (void *)pool,
                                 .count = dp2dpi_counter_count,
                                 .leaves_out = pool->leaves_out,
                                 .rule = pool->rule,
                                 .labels = pool->labels,
                                 .counted = pool->counted,
                                 .dither_key = pool->dither_key,
                                 .unit_bits = unit_bits(pool),
                                 .weight_columns = pool->weight_columns,
                                 .grid_bits = pool->grid_bits};
    dp2dpi_struct_write(DP2DP_STRUCT_SOURCE, &filled, source);
}

/* Checks what dp2dp_pool_new does not check: the caller gives finite offsets and a table, and the
 * dither does not depend on row numbers. */
static dp2dp_status check_question(const dp2dp_pool *pool, const float *offsets,
                                   const int64_t *table, dp2dp_error *error) {
    if (offsets == NULL || table == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "offsets and table must not be NULL");
    }
    for (size_t i = 0; i < pool->strata * pool->classes; i++) {
        if (!isfinite(offsets[i])) {
            return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "offsets must be finite");
        }
    }
    return pool->dither.width > 0.0 && pool->dither_key == DP2DP_DITHER_KEY_ROW
               ? dp2dpi_fail(
                     error, DP2DP_STATUS_ARGUMENT,
                     "dither_key = row: with this key, the dither of a record depends on its "
                     "position among all records. A source that holds only a part of the records "
                     "does not know this position; use the dither key 'scores' or 'id'")
               : DP2DP_STATUS_OK;
}

dp2dp_status dp2dp_count(const dp2dp_matrix *scores, const dp2dp_column *strata,
                         const dp2dp_pool_options *options, const float *offsets, int64_t *table,
                         dp2dp_error *error) {
    dp2dp_pool *pool = NULL;
    dp2dp_status status = DP2DP_STATUS_OK;
    DP2DPI_TRY_OR_DONE(dp2dp_pool_new(scores, strata, options, &pool, error));
    DP2DPI_TRY_OR_DONE(check_question(pool, offsets, table, error));
    DP2DPI_TRY_OR_DONE(pool_count(pool, offsets, table, error));
done:
    dp2dp_pool_free(pool);
    return status;
}

const dp2dp_pool *dp2dpi_source_pool(const dp2dp_source *source) {
    return source->count == dp2dpi_counter_count ? source->context : NULL;
}
