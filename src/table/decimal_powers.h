/* Powers of 5 as 128-bit integers t: 5^q = t 2^(l − 127), with l = floor(log2 5^q) and t in [2^127,
 * 2^128). */
#ifndef DP2DPI_TABLE_DECIMAL_POWERS_H
#define DP2DPI_TABLE_DECIMAL_POWERS_H

#include <stddef.h>
#include <stdint.h>

__extension__ typedef unsigned __int128 dp2dpi_uint128;

enum {
    DP2DPI_POWER_STEP = 28,
    /* The tables reach from 5^LEAST to 5^MOST. That is enough: m 10^q with m < 2^64 rounds to 0 for
     * q < −342, and to infinity for q > 308. */
    DP2DPI_POWER_LEAST = -364,
    DP2DPI_POWER_MOST = 335,
    DP2DPI_POWER_EXACT = 55 /* 5^55 is the largest power of 5 that fits 128 bits */
};

/* The upper and lower 64 bits of the number t that stands for a power of 5, rounded down. */
typedef struct dp2dpi_two_words {
    uint64_t high, low;
} dp2dpi_two_words;

/* Entries for 5^0, 5^−1, … 5^(1 − DP2DPI_POWER_STEP), which most numbers need. */
extern const dp2dpi_two_words dp2dpi_negative_powers_of_5[];
/* Entries for every DP2DPI_POWER_STEP-th power, from 5^DP2DPI_POWER_LEAST on. */
extern const dp2dpi_two_words dp2dpi_large_powers_of_5[];
/* Upper words for 5^0 … 5^(DP2DPI_POWER_STEP − 1); the lower words are 0. */
extern const uint64_t dp2dpi_small_powers_of_5[];

/* Returns the t of 5^q = t 2^(l − 127), for LEAST ≤ q ≤ MOST. The result is an integer that is at
 * most t and above t − 3. For 0 ≤ q ≤ EXACT the result is exact.
 *
 * Let q = i + j, where i is a multiple of STEP and 0 ≤ j < STEP. The tables give r ≤ 5^i 2^(127 −
 * l_i) < r + 1 and, exactly, s = 5^j 2^(63 − l_j). So s r is below the true product by less than s,
 * where s < 2^64. Of the 192 bits of s r, the last 64 are cut off, or the last 63 if the first bit
 * is 0. In units of the last bit kept, the error of r adds less than 2 and the cut less than 1. No
 * power of 5 except 1 is so close to a power of 2 that these errors change the first bit. */
static inline dp2dpi_uint128 dp2dpi_power_of_5(int64_t q) {
    if (q <= 0 && q > -DP2DPI_POWER_STEP) {
        const dp2dpi_two_words *t = &dp2dpi_negative_powers_of_5[-q];
        return (dp2dpi_uint128)t->high << 64 | t->low;
    }
    size_t index = (size_t)(q - DP2DPI_POWER_LEAST);
    uint64_t s = dp2dpi_small_powers_of_5[index % DP2DPI_POWER_STEP];
    const dp2dpi_two_words *r = &dp2dpi_large_powers_of_5[index / DP2DPI_POWER_STEP];
    dp2dpi_uint128 low = (dp2dpi_uint128)s * r->low;
    dp2dpi_uint128 t = (dp2dpi_uint128)s * r->high + (uint64_t)(low >> 64);
    return t >> 127 ? t : t << 1 | (uint64_t)low >> 63;
}

#endif
