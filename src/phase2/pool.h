/* The pool in memory: records sorted by event, and within an event class by class. */
#ifndef DP2DPI_PHASE2_POOL_H
#define DP2DPI_PHASE2_POOL_H

#include <dp2dp/pool.h>

#include "base/limits.h"

struct dp2dp_pool {
    size_t records, events, classes;
    dp2dp_row_sums row_sums;
    dp2dp_dither dither;
    unsigned threads;
    size_t *begin; /* events + 1: the records of event e are begin[e]..begin[e+1]−1 */
    float *values; /* of event e: class k at begin[e] classes + k (begin[e+1] − begin[e]) */
};

/* The pool behind a source, or NULL if it is somebody else's. */
const dp2dp_pool *dp2dpi_source_pool(const dp2dp_source *source);

#endif
