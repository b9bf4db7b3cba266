/* Bounds that several modules share. */
#ifndef DP2DPI_BASE_LIMITS_H
#define DP2DPI_BASE_LIMITS_H

#define DP2DPI_WEIGHT_MAX 1e100 /* largest weight of a classifier; keeps sums finite */

enum {
    DP2DPI_CODES_MAX = 4096 /* most groups (or strata), and most classes */
};

#endif
