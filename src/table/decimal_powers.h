/* 5^q = t 2^(l − 127) with l = floor(log2 5^q) and t = high 2^64 + low, rounded down to 128 bits;
 * exact for q from 0 to EXACT. */
#ifndef DP2DPI_TABLE_DECIMAL_POWERS_H
#define DP2DPI_TABLE_DECIMAL_POWERS_H

#include <stdint.h>

enum {
    DP2DPI_POWER_LEAST = -342, /* below, 19 digits are less than half the smallest double */
    DP2DPI_POWER_MOST = 308,   /* above, any digit is more than the largest */
    DP2DPI_POWER_EXACT = 55
};

typedef struct dp2dpi_power_of_5 {
    uint64_t high, low;
} dp2dpi_power_of_5;

/* From 5^LEAST to 5^MOST. */
extern const dp2dpi_power_of_5 dp2dpi_powers_of_5[];

#endif
