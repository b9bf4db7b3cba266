/* The pool in memory: records sorted by stratum, and within a stratum class by class. */
#ifndef DP2DPI_PHASE2_POOL_H
#define DP2DPI_PHASE2_POOL_H

#include <dp2dp/pool.h>

#include "base/limits.h"
#include "base/parallel.h"
#include "base/source.h"

struct dp2dp_pool {
    const dp2dpi_counted *counted; /* &dp2dpi_pool_counted */
    size_t records; /* N, public: counts the records that are left out, which are not stored */
    size_t strata, classes;
    int leaves_out; /* 1: records may be left out */
    dp2dp_row_sums row_sums;
    dp2dp_dither dither;
    unsigned threads;
    size_t *begin; /* strata + 1: the records of stratum e are begin[e]..begin[e+1]−1 */
    float
        *values; /* class k of stratum e: begin[e] × classes + k × (begin[e+1] − begin[e]) and on */
};

extern const dp2dpi_counted dp2dpi_pool_counted;

/* Number of records that are not left out. Private if leaves_out is 1. */
static inline size_t dp2dpi_pool_kept(const dp2dp_pool *pool) {
    return pool->begin[pool->strata];
}

/* One task's share of the records: first..last−1 of the `size` records of one stratum. */
typedef struct dp2dpi_pool_slice {
    size_t stratum, size, first, last;
} dp2dpi_pool_slice;

/* Runs the task for every slice of the pool. A small pool uses only the calling thread. */
void dp2dpi_pool_parallel(const dp2dp_pool *pool, dp2dpi_task task, void *context);
dp2dpi_pool_slice dp2dpi_pool_slice_of(const dp2dp_pool *pool, size_t task);

/* Returns the pool behind a source, or NULL if the source is not a pool. */
const dp2dp_pool *dp2dpi_source_pool(const dp2dp_source *source);

#endif
