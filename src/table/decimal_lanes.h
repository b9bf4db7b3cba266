/* Converts numbers of the forms d, d. and d.d… with up to 22 decimals, four at a time in vector
 * registers.
 *
 * A number is w0 10^-6 + w1 10^-14 + w2 10^-22, where w0 holds its first digit and six decimals,
 * and w1 and w2 hold eight decimals each.
 *
 * Let 10^-6 = H + L, where H has at most 29 bits and L > 0. Then a = w0 H is exact, because w0 <
 * 10^7 < 2^24. The rest, b = w0 L + w1 10^-14 + w2 10^-22, is not negative. Computing b rounds each
 * constant, each product and two sums, so that the result is b times a factor between (1 - u)^4 and
 * (1 + u)^4, with u = 2^-53. The result times 1 - 8 u, rounded again, is therefore a lower bound on
 * b, and the result times 1 + 8 u an upper bound. Rounding is monotone: if a plus the lower bound
 * and a plus the upper bound round to the same double, a + b rounds to this double too. Otherwise
 * the caller must read the number in another way. This happens for about one in 2^17 of the numbers
 * between 0.5 and 1, and for ten times as many of the numbers between 0.05 and 0.1. */
#ifndef DP2DPI_TABLE_DECIMAL_LANES_H
#define DP2DPI_TABLE_DECIMAL_LANES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/vector.h"

enum {
    DP2DPI_LANES = 4,
    DP2DPI_LANES_LENGTH_MOST = 24, /* largest number of characters in a number */
    DP2DPI_LANES_BYTES = 32        /* bytes that must be readable from the first digit on */
};

typedef uint64_t dp2dpi_lanes __attribute__((vector_size(8 * DP2DPI_LANES)));
typedef uint32_t dp2dpi_lanes_32 __attribute__((vector_size(8 * DP2DPI_LANES)));
typedef uint16_t dp2dpi_lanes_16 __attribute__((vector_size(8 * DP2DPI_LANES)));
typedef double dp2dpi_lanes_double __attribute__((vector_size(8 * DP2DPI_LANES)));

/* Constants, kept in memory. Otherwise the compiler would turn products into many shifts and sums,
 * and compute the constants again for every number. */
typedef struct dp2dpi_lanes_constants {
    dp2dpi_lanes form;                                  /* the text 0.0000000000000000000000 */
    dp2dpi_lanes beyond_first, beyond;                  /* see dp2dpi_lanes_check */
    dp2dpi_lanes tens_first, tens, hundreds, thousands; /* see dp2dpi_lanes_join */
    dp2dpi_lanes highest;                               /* the highest bit of each byte */
    dp2dpi_lanes masks[DP2DPI_LANES_LENGTH_MOST + 1];   /* masks[n] covers the first n bytes */
} dp2dpi_lanes_constants;

extern const dp2dpi_lanes_constants dp2dpi_lanes_of;

/* Loads a text of 1 to DP2DPI_LANES_LENGTH_MOST bytes. The first byte of text is the lowest byte of
 * the first word. Digits become bytes from 0 to 9; the point and the bytes after the text become 0.
 */
DP2DPI_INLINE void dp2dpi_lanes_load(const char *text, size_t length, dp2dpi_lanes *out) {
    dp2dpi_lanes bytes;
    memcpy(&bytes, text, sizeof bytes);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    for (size_t k = 0; k < DP2DPI_LANES; k++) {
        bytes[k] = __builtin_bswap64(bytes[k]);
    }
#endif
    *out = (bytes ^ dp2dpi_lanes_of.form) & dp2dpi_lanes_of.masks[length];
}

/* Transposes four texts of three words each: word j of text k, which is texts[k][j], becomes
 * out[j][k]. */
DP2DPI_INLINE void dp2dpi_lanes_transpose(const dp2dpi_lanes *texts, dp2dpi_lanes *out) {
#ifdef DP2DPI_HAS_SHUFFLES
    dp2dpi_lanes a = __builtin_shufflevector(texts[0], texts[1], 0, 4, 2, 6);
    dp2dpi_lanes b = __builtin_shufflevector(texts[2], texts[3], 0, 4, 2, 6);
    dp2dpi_lanes c = __builtin_shufflevector(texts[0], texts[1], 1, 5, 3, 7);
    dp2dpi_lanes d = __builtin_shufflevector(texts[2], texts[3], 1, 5, 3, 7);
    out[0] = __builtin_shufflevector(a, b, 0, 1, 4, 5);
    out[1] = __builtin_shufflevector(c, d, 0, 1, 4, 5);
    out[2] = __builtin_shufflevector(a, b, 2, 3, 6, 7);
#else
    for (size_t k = 0; k < 3; k++) {
        out[k] = (dp2dpi_lanes) {texts[0][k], texts[1][k], texts[2][k], texts[3][k]};
    }
#endif
}

/* For each wrong byte of *w, sets the highest bit of the same byte of *wrong. Where `beyond` has
 * 0x76, a byte is wrong if it is not a digit; where `beyond` has 0x7F, a byte is wrong if it is not
 * 0. The addition carries only out of wrong bytes. */
DP2DPI_INLINE void dp2dpi_lanes_check(const dp2dpi_lanes *w, const dp2dpi_lanes *beyond,
                                      dp2dpi_lanes *wrong) {
    *wrong |= (*w + *beyond) | *w;
}

/* Joins the eight digits of each word to a number: neighbours a and b become 10 a + b, then 100 a +
 * b, then 10000 a + b. `tens` has 10 2^8 + 1 for each pair of digits. For the pair of the first
 * digit and the point, `tens` has 2^8, so this pair becomes just a. To turn an integer n < 2^52
 * into a double, writes n into the mantissa field of the double 2^52. The result is 2^52 + n;
 * subtracting 2^52 leaves n. */
DP2DPI_INLINE void dp2dpi_lanes_join(const dp2dpi_lanes *w, const dp2dpi_lanes *tens,
                                     dp2dpi_lanes_double *out) {
    const dp2dpi_lanes_constants *of = &dp2dpi_lanes_of;
    dp2dpi_lanes_16 twos = (dp2dpi_lanes_16)*w * (dp2dpi_lanes_16)*tens >> 8;
    dp2dpi_lanes_32 fours = (dp2dpi_lanes_32)twos * (dp2dpi_lanes_32)of->hundreds >> 16;
    dp2dpi_lanes terms = (dp2dpi_lanes)(fours * (dp2dpi_lanes_32)of->thousands);
    dp2dpi_lanes eights = (terms + (terms << 32)) >> 32;
    const dp2dpi_lanes_double large = {0x1p52, 0x1p52, 0x1p52, 0x1p52};
    *out = (dp2dpi_lanes_double)(eights | (dp2dpi_lanes)large) - large;
}

/* Converts four loaded texts, one in each lane (element) of the vectors. *doubt is 0 in the lanes
 * whose text is a number and whose double is surely the nearest one. The texts of the other lanes
 * must be read in another way. */
DP2DPI_INLINE void dp2dpi_lanes_convert(const dp2dpi_lanes *texts, dp2dpi_lanes_double *out,
                                        dp2dpi_lanes *doubt) {
    const dp2dpi_lanes_constants *of = &dp2dpi_lanes_of;
    const double H = 0x1.0c6f7ap-20, L = 0x1.6bdb1a6d698fep-49;
    dp2dpi_lanes w[3], wrong = {0};
    dp2dpi_lanes_double d[3];
    dp2dpi_lanes_transpose(texts, w);
    dp2dpi_lanes_check(&w[0], &of->beyond_first, &wrong);
    dp2dpi_lanes_check(&w[1], &of->beyond, &wrong);
    dp2dpi_lanes_check(&w[2], &of->beyond, &wrong);
    dp2dpi_lanes_join(&w[0], &of->tens_first, &d[0]);
    dp2dpi_lanes_join(&w[1], &of->tens, &d[1]);
    dp2dpi_lanes_join(&w[2], &of->tens, &d[2]);
    dp2dpi_lanes_double a = d[0] * H, b = d[0] * L + (d[1] * 1e-14 + d[2] * 1e-22);
    dp2dpi_lanes_double least = a + b * (1 - 0x1p-50), most = a + b * (1 + 0x1p-50);
    *doubt = (wrong & of->highest) | (dp2dpi_lanes)(least != most);
    *out = least;
}

#endif
