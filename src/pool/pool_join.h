#ifndef DP2DPI_POOL_POOL_JOIN_H
#define DP2DPI_POOL_POOL_JOIN_H

#include "pool/pool.h"

/* The segments of a table: consecutive runs of its rows, each made into a small pool. Ownership:
 * dp2dpi_segments_free frees the pools. It accepts a zero-filled struct. */
typedef struct dp2dpi_segments {
    dp2dp_pool **pools;
    size_t count, capacity;
    dp2dpi_pool_before all; /* rows and records of all pools together */
} dp2dpi_segments;

/* Adds a pool at the end. Ownership: takes the pool; frees it on failure. */
dp2dp_status dp2dpi_segments_add(dp2dpi_segments *segments, dp2dp_pool *pool, dp2dp_error *error);
void dp2dpi_segments_free(dp2dpi_segments *segments);

/* Moves all records into `whole`, an empty pool made with the same options. In each bin the records
 * keep their order, as if one pool had been made of all rows. Frees each segment right after
 * copying it, so that only one segment at a time is in memory twice. */
dp2dp_status dp2dpi_segments_join(dp2dpi_segments *segments, dp2dp_pool *whole, dp2dp_error *error);

#endif
