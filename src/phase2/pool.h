/* The pool in memory: records sorted into bins, and within a bin column by column. A record is in
 * the bin of its stratum if labels are counted; if scores are counted, in the bin of its group, or,
 * if the rule does not see the group, in the only bin. */
#ifndef DP2DPI_PHASE2_POOL_H
#define DP2DPI_PHASE2_POOL_H

#include <dp2dp/pool.h>

#include "base/limits.h"
#include "base/parallel.h"
#include "base/source.h"

struct dp2dp_pool {
    const dp2dpi_counter *counter; /* &dp2dpi_pool_counter */
    size_t records; /* N, public: counts the records that are left out, which are not stored */
    size_t strata, classes;
    size_t labels;  /* Y, at least 1 */
    int leaves_out; /* 1: records may be left out */
    dp2dp_rule rule;
    dp2dp_counted counted;
    dp2dp_dither_key dither_key;
    size_t weight_columns; /* of the caller's weights; 0: none */
    dp2dp_row_sums row_sums;
    dp2dp_dither dither;
    unsigned threads;
    size_t bins;
    size_t *begin; /* bins + 1: the records of bin b are begin[b]..begin[b+1]−1 */
    float *values; /* class k of bin b: begin[b] × classes + k × (begin[b+1] − begin[b]) and on */
    size_t parts;    /* weights that the rule multiplies; 0 for the rule `offset` */
    float *weights;  /* like values, with parts in place of classes; NULL if they are the values */
    int32_t *shares; /* the weights in units of 2^-DP2DPI_POOL_UNIT_BITS, like weights; NULL unless
                        scores are counted. Those of a record sum to at most 1 */
};

enum {
    DP2DPI_POOL_UNIT_BITS = 20
};

extern const dp2dpi_counter dp2dpi_pool_counter;

/* Number of records that are not left out. Private if leaves_out is 1. */
static inline size_t dp2dpi_pool_kept(const dp2dp_pool *pool) {
    return pool->begin[pool->bins];
}

/* The weights of the records in bin b: column j begins `size of the bin` floats after column j−1.
 */
static inline const float *dp2dpi_pool_weights(const dp2dp_pool *pool, size_t bin) {
    return pool->weights ? pool->weights + pool->begin[bin] * pool->parts
                         : pool->values + pool->begin[bin] * pool->classes;
}

/* The row of the J × K table of offsets that the first weight of a record in bin b multiplies. */
static inline size_t dp2dpi_pool_first_row(const dp2dp_pool *pool, size_t bin) {
    if (pool->rule == DP2DP_RULE_WEIGHTED) {
        return 0;
    }
    return pool->counted == DP2DP_COUNTED_SCORES ? bin * pool->labels : bin - bin % pool->labels;
}

/* One task's share of the records: first..last−1 of the `size` records of one bin. */
typedef struct dp2dpi_pool_slice {
    size_t bin, size, first, last;
} dp2dpi_pool_slice;

/* Runs the task for every slice of the pool. A small pool uses only the calling thread. */
void dp2dpi_pool_parallel(const dp2dp_pool *pool, dp2dpi_task task, void *context);
dp2dpi_pool_slice dp2dpi_pool_slice_of(const dp2dp_pool *pool, size_t task);

/* Returns the pool behind a source, or NULL if the source is not a pool. */
const dp2dp_pool *dp2dpi_source_pool(const dp2dp_source *source);

#endif
