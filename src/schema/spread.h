/* Finds columns whose numbers probably have another unit than in the schema, although the numbers
 * are within the bounds. For example, ages in hundreds of years are all close to 0. See
 * dp2dp_spread. */
#ifndef DP2DPI_SCHEMA_SPREAD_H
#define DP2DPI_SCHEMA_SPREAD_H

#include "schema/schema.h"

enum {
    DP2DPI_SPREAD_BINS = 100, /* bins of equal width that divide the bounds */
    DP2DPI_SPREAD_SEEN = 16   /* largest number of different numbers that are remembered */
};

/* What is known about the numbers of one column. Starts as all zeros. */
typedef struct dp2dpi_spread {
    uint64_t values;
    uint64_t bins[DP2DPI_SPREAD_BINS];
    double seen[DP2DPI_SPREAD_SEEN]; /* the first different numbers that were added */
    size_t seen_count;
    int32_t level; /* level of the first number, if the column has cuts */
    int is_mixed;  /* 1 if the numbers have different levels */
} dp2dpi_spread;

/* Adds the number x, which must not be missing. */
void dp2dpi_spread_add(const dp2dp_schema_column *column, double x, dp2dpi_spread *spread);
void dp2dpi_spread_sum_up(const dp2dp_schema_column *column, const dp2dpi_spread *spread,
                          dp2dp_spread *out);

#endif
