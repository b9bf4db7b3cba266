/* Decimal text to float64: correctly rounded, the same in every locale. */
#ifndef DP2DPI_IO_DECIMAL_H
#define DP2DPI_IO_DECIMAL_H

#include <stddef.h>
#include <stdint.h>

enum {
    DP2DPI_DECIMAL_SPARE = 8 /* bytes that must be readable from where a number ends */
};

typedef enum dp2dpi_decimal {
    DP2DPI_DECIMAL_READ = 0,
    DP2DPI_DECIMAL_NONE,  /* no number starts here */
    DP2DPI_DECIMAL_RANGE, /* beyond the largest double */
    DP2DPI_DECIMAL_MEMORY
} dp2dpi_decimal;

/* Reads [+-] digits [. digits] [e [+-] digits], with at least one digit before the exponent, as far
 * as it goes; *end is where it stopped. Values below the smallest
 * subnormal become 0. Words (inf, nan) and hexadecimal are no numbers. */
dp2dpi_decimal dp2dpi_decimal_read(const char *text, const char **end, double *value);

static const uint32_t dp2dpi_decimal_powers[] = {1,      10,      100,      1000,     10000,
                                                 100000, 1000000, 10000000, 100000000};

/* Up to eight digits at p, *n of them, as a number. The first is in the lowest byte; t is at most 9
 * in the bytes that are digits, and others carry upwards at most, to bytes that come later. */
static inline uint64_t dp2dpi_decimal_eight(const char *p, size_t *n) {
    uint64_t t = 0;
    for (unsigned i = 0; i < 8; i++) {
        t |= (uint64_t)(unsigned char)p[i] << (8 * i);
    }
    t ^= UINT64_C(0x3030303030303030);
    uint64_t others = ((t + UINT64_C(0x7676767676767676)) | t) & UINT64_C(0x8080808080808080);
    unsigned bits = others ? (unsigned)__builtin_ctzll(others) & ~7U : 64;
    *n = bits / 8;
    /* Zeros in front of n digits, then neighbours joined: 8 of one digit, 4 of two, 2 of four. */
    t = bits ? t << (64 - bits) : 0;
    t = (10 * t + (t >> 8)) & UINT64_C(0x00FF00FF00FF00FF);
    t = (100 * t + (t >> 16)) & UINT64_C(0x0000FFFF0000FFFF);
    return (10000 * t + (t >> 32)) & UINT64_C(0x00000000FFFFFFFF);
}

/* The commonest form, [-] digit . digits, with at most seven decimals: 1, and as decimal_read;
 * other numbers, and what is none: 0. To be inlined where most of the time goes. */
static inline int dp2dpi_decimal_read_short(const char *text, const char **end, double *value) {
    int is_negative = *text == '-';
    const char *p = text + is_negative;
    uint32_t first = (uint32_t)((unsigned char)*p - '0');
    size_t n;
    if (first > 9 || p[1] != '.') {
        return 0;
    }
    uint64_t decimals = dp2dpi_decimal_eight(p + 2, &n);
    *end = p + 2 + n;
    if (n == 8 || (**end | 0x20) == 'e') {
        return 0;
    }
    uint32_t scale = dp2dpi_decimal_powers[n];
    double magnitude =
        (double)(int64_t)(first * (uint64_t)scale + decimals) / (double)(int32_t)scale;
    *value = is_negative ? -magnitude : magnitude;
    return 1;
}

#endif
