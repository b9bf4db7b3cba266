#ifndef DP2DPI_BASE_LIMITS_H
#define DP2DPI_BASE_LIMITS_H

#include <stdint.h>

/* Largest absolute weight of a classifier. It keeps sums of weight × feature finite. */
#define DP2DPI_WEIGHT_MAX 1e100

#define DP2DPI_RECORDS_MAX (UINT64_C(1) << 48) /* largest number of records for a model */

enum {
    DP2DPI_CODES_MAX = 4096,  /* largest number of groups, strata or classes */
    DP2DPI_GRID_BITS_MAX = 20 /* largest grid_bits: scores are rounded to multiples of
                                 2^-grid_bits, and a float32 holds every multiple of 2^-20 up to
                                 16 exactly */
};

#endif
