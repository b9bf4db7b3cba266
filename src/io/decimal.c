#include "io/decimal.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "mechanism/c_locale.h"

__extension__ typedef unsigned __int128 uint128;

enum {
    DIGITS_MAX = 19,    /* any such integer fits 64 bits */
    EXPONENT_MAX = 27,  /* 5^27 fits 63 bits */
    EXPONENT_EXACT = 22 /* 10^22 is a double */
};

/* A written exponent this large outweighs all the digits that a record has room for. */
static const int64_t exponent_enough = INT64_C(1) << 40;

static const uint64_t power_of_5[EXPONENT_MAX + 1] = {
    UINT64_C(1),
    UINT64_C(5),
    UINT64_C(25),
    UINT64_C(125),
    UINT64_C(625),
    UINT64_C(3125),
    UINT64_C(15625),
    UINT64_C(78125),
    UINT64_C(390625),
    UINT64_C(1953125),
    UINT64_C(9765625),
    UINT64_C(48828125),
    UINT64_C(244140625),
    UINT64_C(1220703125),
    UINT64_C(6103515625),
    UINT64_C(30517578125),
    UINT64_C(152587890625),
    UINT64_C(762939453125),
    UINT64_C(3814697265625),
    UINT64_C(19073486328125),
    UINT64_C(95367431640625),
    UINT64_C(476837158203125),
    UINT64_C(2384185791015625),
    UINT64_C(11920928955078125),
    UINT64_C(59604644775390625),
    UINT64_C(298023223876953125),
    UINT64_C(1490116119384765625),
    UINT64_C(7450580596923828125),
};
static const double power_of_10[EXPONENT_EXACT + 1] = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static int is_digit(char c) {
    return (unsigned char)(c - '0') < 10;
}

/* The decimals are most of the digits: eight bytes at a time, the first in the lowest byte. t is at
 * most 9 in the bytes that are digits; others carry upwards at most, to bytes that come later. */
static const char *read_decimals(const char *p, uint64_t *m) {
    static const uint64_t power[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
    size_t n;
    do {
        uint64_t t = 0;
        for (unsigned i = 0; i < 8; i++) {
            t |= (uint64_t)(unsigned char)p[i] << (8 * i);
        }
        t ^= UINT64_C(0x3030303030303030);
        uint64_t others = ((t + UINT64_C(0x7676767676767676)) | t) & UINT64_C(0x8080808080808080);
        n = others ? (size_t)__builtin_ctzll(others) / 8 : 8;
        if (n == 0) {
            return p;
        }
        /* Zeros in front of n digits, then neighbours joined: 8 of one digit, 4 of two, 2 of four.
         */
        t <<= 8 * (8 - n);
        t = (10 * t + (t >> 8)) & UINT64_C(0x00FF00FF00FF00FF);
        t = (100 * t + (t >> 16)) & UINT64_C(0x0000FFFF0000FFFF);
        t = (10000 * t + (t >> 32)) & UINT64_C(0x00000000FFFFFFFF);
        *m = *m * power[n] + t;
        p += n;
    } while (n == 8);
    return p;
}

/* The double nearest to m 2^e, ties to even; `more` says that the true value is a little above,
 * which can only matter where m has more than 53 bits. m > 0, and the result is a normal double. */
static double nearest(uint128 m, int e, int more) {
    uint64_t high = (uint64_t)(m >> 64), low = (uint64_t)m;
    int bits = high ? 128 - __builtin_clzll(high) : 64 - __builtin_clzll(low);
    int drop = bits - 53;
    if (drop > 0) {
        uint128 half = (uint128)1 << (drop - 1);
        uint128 rest = m & (2 * half - 1);
        m >>= drop;
        m += rest > half || (rest == half && (more || (m & 1)));
        e += drop;
    }
    return ldexp((double)(uint64_t)m, e);
}

/* m 10^e for |e| ≤ 27: 10^e = 5^e 2^e, and one 128-bit product or quotient by 5^|e| keeps all that
 * rounding needs to know. Not inlined, nor is by_library: what most numbers need stays small. */
__attribute__((noinline)) static double scale_wide(uint64_t m, int e) {
    if (e >= 0) {
        return nearest((uint128)m * power_of_5[e], e, 0);
    }
    int shift = __builtin_clzll(m);
    uint128 numerator = (uint128)(m << shift) << 64;
    uint128 quotient = numerator / power_of_5[-e];
    return nearest(quotient, e - 64 - shift, quotient * power_of_5[-e] != numerator);
}

/* Short numbers: both operands are doubles, so that the one operation rounds once. */
static double scale(uint64_t m, int e) {
    if (m >> 53 != 0 || e < -EXPONENT_EXACT || e > EXPONENT_EXACT) {
        return scale_wide(m, e);
    }
    return e < 0 ? (double)m / power_of_10[-e] : (double)m * power_of_10[e];
}

__attribute__((noinline)) static dp2dpi_decimal by_library(const char *text, const char *end,
                                                           double *value) {
    dp2dpi_c_locale scope;
    char *stop = NULL;
    if (dp2dpi_c_locale_enter(&scope, NULL) != DP2DP_STATUS_OK) {
        return DP2DPI_DECIMAL_MEMORY;
    }
    *value = strtod(text, &stop);
    dp2dpi_c_locale_leave(&scope);
    if (stop != end) {
        return DP2DPI_DECIMAL_NONE;
    }
    return isinf(*value) ? DP2DPI_DECIMAL_RANGE : DP2DPI_DECIMAL_READ;
}

/* The exponent at p, which points at the letter; unless digits follow, the number ends before. */
static const char *read_exponent(const char *p, int64_t *exponent) {
    const char *q = p + 1;
    int negative = *q == '-';
    int64_t written = 0;
    q += *q == '-' || *q == '+';
    if (!is_digit(*q)) {
        return p;
    }
    for (; is_digit(*q); q++) {
        written = written < exponent_enough ? 10 * written + (*q - '0') : written;
    }
    *exponent += negative ? -written : written;
    return q;
}

dp2dpi_decimal dp2dpi_decimal_read(const char *text, const char **end, double *value) {
    const char *p = text + (*text == '-' || *text == '+'), *first = p;
    uint64_t m = 0; /* wraps where there are too many digits, and is not used then */
    int64_t exponent = 0;
    for (; is_digit(*p); p++) {
        m = 10 * m + (uint64_t)(*p - '0');
    }
    ptrdiff_t digits = p - first;
    if (*p == '.') {
        const char *point = p + 1;
        p = read_decimals(point, &m);
        exponent = point - p;
        digits -= exponent;
    }
    *end = text;
    if (digits == 0) {
        return DP2DPI_DECIMAL_NONE;
    }
    if ((*p | 0x20) == 'e') {
        p = read_exponent(p, &exponent);
    }
    *end = p;
    for (const char *q = first; digits > DIGITS_MAX && (*q == '0' || *q == '.'); q++) {
        digits -= *q == '0';
    }
    if (digits > DIGITS_MAX || exponent < -EXPONENT_MAX || exponent > EXPONENT_MAX) {
        return by_library(text, p, value);
    }
    double magnitude = m == 0 ? 0 : scale(m, (int)exponent);
    *value = *text == '-' ? -magnitude : magnitude;
    return DP2DPI_DECIMAL_READ;
}
