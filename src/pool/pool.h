/* The pool in memory. Records are sorted into bins, and each bin is stored column by column. If
 * `counted` is LABELS, a record is in the bin of its stratum: its group, or its group and label. If
 * `counted` is SCORES, a record is in the bin of its group, or in the only bin if the caller gives
 * no groups. */
#ifndef DP2DPI_POOL_POOL_H
#define DP2DPI_POOL_POOL_H

#include <dp2dp/pool.h>

#include "base/limits.h"
#include "base/parallel.h"
#include "base/source.h"

struct dp2dp_pool {
    const dp2dpi_counter *counter;
    size_t records; /* public number of records, including those left out, which are not stored */
    size_t rows;    /* rows of the caller's table; fewer than `records` if rows stand for several
                       records */
    size_t kept;    /* records that are not left out; private if leaves_out is 1 */
    size_t strata, classes;
    size_t labels; /* number of labels, at least 1 */
    int leaves_out;
    dp2dp_rule rule;
    dp2dp_counted counted;
    dp2dp_dither_key dither_key;
    size_t weight_columns; /* number of columns of the caller's weights; 0 if there are none */
    dp2dp_row_sums row_sums;
    dp2dp_dither dither;
    unsigned grid_bits;
    unsigned threads;
    size_t bins;
    size_t *begin; /* bins + 1 indices: bin b has the rows from begin[b] to begin[b+1] − 1 */
    /* How many records each stored row stands for, in the order of the bins, or NULL if each row is
     * one record. Only the files in src/pool read this array; all other code treats each row as one
     * record. */
    uint64_t *multiplicity;
    /* Scores; column k of bin b starts at begin[b] × classes + k × (size of the bin). */
    float *values;
    size_t parts;   /* number of weights of a record; each weight multiplies one row of offsets; 0
                       for the rule `offset` */
    float *weights; /* laid out like values, with parts in place of classes; NULL if the weights are
                       the scores in `values`, or if there are no weights */
    int32_t *shares; /* the weights in units of 2^-DP2DPI_POOL_UNIT_BITS, laid out like weights; the
                        shares of a record sum to at most 1. Set only if `counted` is SCORES,
                        otherwise NULL */
};

enum {
    DP2DPI_POOL_UNIT_BITS = 20,
    DP2DPI_ODD_ROWS = 20 /* with fewer rows than this, all scores may be 0 or 1, or equal, by chance
                          */
};

/* Codes that replace the stratum of a record if its group, label or id in a stream is unknown or
 * missing. The code says which. If bad rows are ignored, the record is left out. Otherwise no pool
 * is made. */
enum {
    DP2DPI_POOL_UNKNOWN_GROUP = -2,
    DP2DPI_POOL_UNKNOWN_LABEL = -3,
    DP2DPI_POOL_NO_ID = -4
};

/* How many rows and records of the table come before the given rows. */
typedef struct dp2dpi_pool_before {
    uint64_t rows, records;
} dp2dpi_pool_before;

/* Makes a pool as dp2dp_pool_new does, from some rows of a longer table. dp2dpi_struct_read must
 * already have converted the options to this library's version. */
dp2dp_status dp2dpi_pool_make(const dp2dp_matrix *scores, const dp2dp_column *strata,
                              const dp2dp_pool_options *options, const dp2dpi_pool_before *before,
                              dp2dp_pool **out, dp2dp_error *error);
/* Allocates the scores, weights and shares of pool->rows rows, without initialising them. */
dp2dp_status dp2dpi_pool_take_memory(dp2dp_pool *pool, dp2dp_error *error);
/* Wipes and frees the scores, weights, shares and multiplicities of pool->rows rows, and sets them
 * to NULL. Call this function before pool->rows changes. */
void dp2dpi_pool_drop_memory(dp2dp_pool *pool);

extern const dp2dpi_counter dp2dpi_pool_counter;

/* Returns the number of records that are not left out. This number is private if leaves_out is
 * 1. */
static inline size_t dp2dpi_pool_kept(const dp2dp_pool *pool) {
    return pool->kept;
}

/* Returns the weights of the records in a bin. Each column follows the previous one, and has as
 * many floats as the bin has records. */
static inline const float *dp2dpi_pool_weights(const dp2dp_pool *pool, size_t bin) {
    return pool->weights ? pool->weights + pool->begin[bin] * pool->parts
                         : pool->values + pool->begin[bin] * pool->classes;
}

/* Returns the index of a row in the table of offsets (strata × classes): the first row that the
 * records of a bin use. The first weight of a record multiplies this row. */
static inline size_t dp2dpi_pool_first_row(const dp2dp_pool *pool, size_t bin) {
    if (pool->rule == DP2DP_RULE_WEIGHTED) {
        return 0;
    }
    return pool->counted == DP2DP_COUNTED_SCORES ? bin * pool->labels : bin - bin % pool->labels;
}

/* The records of one task: from first to last − 1 among the `size` records of one bin. */
typedef struct dp2dpi_pool_slice {
    size_t bin, size, first, last;
} dp2dpi_pool_slice;

/* Runs the task for every slice of the pool. A small pool uses only the calling thread.
 * dp2dpi_pool_slice_of returns the slice of a task. */
void dp2dpi_pool_parallel(const dp2dp_pool *pool, dp2dpi_task task, void *context);
dp2dpi_pool_slice dp2dpi_pool_slice_of(const dp2dp_pool *pool, size_t task);

/* Returns the pool that a source counts, or NULL if the source does not count a pool. */
const dp2dp_pool *dp2dpi_source_pool(const dp2dp_source *source);

#endif
