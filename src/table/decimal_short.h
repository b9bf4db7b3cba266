#ifndef DP2DPI_TABLE_DECIMAL_SHORT_H
#define DP2DPI_TABLE_DECIMAL_SHORT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "table/decimal_powers.h"

static const uint32_t dp2dpi_decimal_powers[] = {1,      10,      100,      1000,     10000,
                                                 100000, 1000000, 10000000, 100000000};

/* Loads eight bytes; the first byte of text becomes the lowest byte of the word. */
static inline uint64_t dp2dpi_decimal_load(const char *p) {
    uint64_t word;
    memcpy(&word, p, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/* Reads up to eight digits at p as a number; *n is the number of digits. In t, a digit is a byte of
 * at most 9. The sum in `others` sets the highest bit of each byte that is not a digit. The sum may
 * carry, but only into bytes after the first that is not a digit. */
static inline uint64_t dp2dpi_decimal_eight(const char *p, size_t *n) {
    uint64_t t = dp2dpi_decimal_load(p) ^ UINT64_C(0x3030303030303030);
    uint64_t others = ((t + UINT64_C(0x7676767676767676)) | t) & UINT64_C(0x8080808080808080);
    *n = 8;
    if (others) {
        unsigned bits = (unsigned)__builtin_ctzll(others) & ~7U;
        *n = bits / 8;
        t = t << 8 << (56 - bits); /* puts zeros in front of the n digits */
    }
    /* Joins neighbours a and b to 10 a + b: 8 numbers of one digit become 4 of two digits, then 2
     * of four, then 1 of eight. */
    t = t * (10 << 8 | 1) >> 8 & UINT64_C(0x00FF00FF00FF00FF);
    t = t * (100 << 16 | 1) >> 16 & UINT64_C(0x0000FFFF0000FFFF);
    return t * (UINT64_C(10000) << 32 | 1) >> 32;
}

/* Finds the double nearest to m 10^q, for m > 0 and −19 ≤ q ≤ −8. Returns 0 if a single
 * multiplication does not determine this double.
 *
 * Works like scale_wide in decimal.c, but multiplies only by the upper word of 5^q. The upper word
 * of the true product is then `high` or `high` + 1. The first 1 of this word is its first or second
 * bit. The 53 bits from this 1 on are the mantissa. The next bit decides the rounding, and at least
 * nine more bits follow. If the last nine bits of `high` are not all 1, adding 1 changes none of
 * the other bits. There are no ties: if m 10^q were halfway between two doubles, m 10^q would be a
 * power of 2 times an odd number n of 54 bits. Then m would be a multiple of 5^8 n, which has more
 * than 64 bits. */
static inline int dp2dpi_decimal_scale(uint64_t m, int q, double *out) {
    uint64_t t = dp2dpi_negative_powers_of_5[-q].high;
    int z = __builtin_clzll(m);
    uint64_t high = (uint64_t)((dp2dpi_uint128)(m << z) * t >> 64);
    if ((high & 0x1FF) == 0x1FF) {
        return 0;
    }
    int upper = (int)(high >> 63);
    uint64_t mantissa = ((high >> (9 + upper)) + 1) >> 1;
    /* Uses 1022 instead of the bias 1023, because the leading bit of the mantissa adds 1 to the
     * exponent field. If rounding carries out of the mantissa, the exponent field correctly grows
     * by 1. */
    int biased = 11 + upper - z + ((q * 217706) >> 16) + 52 + 1022;
    uint64_t bits = ((uint64_t)biased << 52) + mantissa;
    memcpy(out, &bits, sizeof bits);
    return 1;
}

/* Reads the rest of a number; p is at the number's ninth decimal, and m holds the first nine
 * digits. Returns 0 if all digits together may not fit 64 bits, if all digits are 0, if an exponent
 * follows, or if dp2dpi_decimal_scale returns 0. */
static inline int dp2dpi_decimal_read_on(const char *p, uint64_t m, const char **end,
                                         double *magnitude) {
    size_t n, more = 0, most = m < 100000000 ? 11 : 10;
    uint64_t digits = dp2dpi_decimal_eight(p, &n);
    m = m * dp2dpi_decimal_powers[n] + digits;
    if (n == 8) {
        digits = dp2dpi_decimal_eight(p + 8, &more);
        m = m * dp2dpi_decimal_powers[more] + digits;
    }
    *end = p + n + more;
    return n + more <= most && m > 0 && (**end | 0x20) != 'e' &&
           dp2dpi_decimal_scale(m, -(int)(8 + n + more), magnitude);
}

/* Reads a number of the form [-] digit . digits, as dp2dpi_decimal_read does. Returns 0 for any
 * other text, and for a few numbers of this form; dp2dpi_decimal_read must then read the text. */
static inline int dp2dpi_decimal_read_short(const char *text, const char **end, double *value) {
    int is_negative = *text == '-';
    const char *p = text + is_negative;
    uint32_t first = (uint32_t)((unsigned char)*p - '0');
    double magnitude;
    size_t n;
    if (first > 9 || p[1] != '.') {
        return 0;
    }
    uint64_t decimals = dp2dpi_decimal_eight(p + 2, &n);
    if (n == 8) {
        decimals += first * UINT64_C(100000000);
        if (!dp2dpi_decimal_read_on(p + 10, decimals, end, &magnitude)) {
            return 0;
        }
    } else {
        *end = p + 2 + n;
        if ((**end | 0x20) == 'e') {
            return 0;
        }
        uint32_t scale = dp2dpi_decimal_powers[n];
        magnitude = (double)(int64_t)(first * (uint64_t)scale + decimals) / (double)(int32_t)scale;
    }
    *value = is_negative ? -magnitude : magnitude;
    return 1;
}

#endif
