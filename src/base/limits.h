#ifndef DP2DPI_BASE_LIMITS_H
#define DP2DPI_BASE_LIMITS_H

#define DP2DPI_WEIGHT_MAX 1e100 /* largest weight of a classifier, which keeps sums finite */

enum {
    DP2DPI_CODES_MAX = 4096 /* largest number of groups, strata or classes */
};

#endif
