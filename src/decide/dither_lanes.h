/* Computes the dither of as many rows as a register has lanes. A file that includes this header
 * must first define these names for one instruction set:
 *     LANES(operation)    the name of an intrinsic, such as _mm512_add_epi64
 *     FLOATS, INTS        the types of registers of floats and of integers
 *     INLINE              the specifiers and attributes of the functions below
 *     CAST_INTS, CAST_FLOATS, ALL64(x), XOR(x, y), MULTIPLY64(x, y), SELECT(mask, x, y),
 *     MULTIPLY_ADD(x, y, z)
 *                         operations on registers
 * SELECT returns the bits of x where the mask has a 1, else those of y. MULTIPLY_ADD may be fused,
 * because its products are exact. */
#include "decide/dither_hash.h"
#include "decide/dither_rows.h"

/* One number of 64 bits for each row. Of every four rows, the first two are in `low` and the last
 * two in `high`, the order in which unpacklo and unpackhi leave them. */
typedef struct wide {
    INTS low, high;
} wide;

INLINE wide widen(INTS lower_halves, INTS upper_halves) {
    return (wide) {LANES(unpacklo_epi32)(lower_halves, upper_halves),
                   LANES(unpackhi_epi32)(lower_halves, upper_halves)};
}

/* Returns the lower 32 bits of each number, in the order of the rows. */
INLINE INTS lower_halves(wide x) {
    return CAST_INTS(LANES(shuffle_ps)(CAST_FLOATS(x.low), CAST_FLOATS(x.high), 0x88));
}

INLINE INTS upper_halves(wide x) {
    return CAST_INTS(LANES(shuffle_ps)(CAST_FLOATS(x.low), CAST_FLOATS(x.high), 0xDD));
}

INLINE wide add(wide x, wide y) {
    return (wide) {LANES(add_epi64)(x.low, y.low), LANES(add_epi64)(x.high, y.high)};
}

INLINE wide times(wide x, uint64_t factor) {
    return (wide) {MULTIPLY64(x.low, factor), MULTIPLY64(x.high, factor)};
}

/* Returns x ^ (x >> shift). This is a macro, because `shift` must be a constant. */
#define XOR_SHIFTED(x, shift)                                   \
    ((wide) {XOR((x).low, LANES(srli_epi64)((x).low, (shift))), \
             XOR((x).high, LANES(srli_epi64)((x).high, (shift)))})

/* Does for every row what dp2dpi_dither_mix does for one number. */
INLINE wide mix(wide z) {
    z = times(XOR_SHIFTED(z, 30), DP2DPI_DITHER_FIRST);
    z = times(XOR_SHIFTED(z, 27), DP2DPI_DITHER_SECOND);
    return XOR_SHIFTED(z, 31);
}

/* Returns each score in units of 2^-14, rounded to an integer, in the lower 16 bits of its lane.
 * The upper 16 bits are meaningless. See units_of in dither.c. */
INLINE INTS units_of(FLOATS score) {
    return CAST_INTS(MULTIPLY_ADD(score, LANES(set1_ps)(0x1p14F), LANES(set1_ps)(0x1p23F)));
}

/* Returns, for each row, score k of K in the lower 16 bits and score k + 1 in the upper 16 bits. A
 * score that does not exist is replaced by 0. */
INLINE INTS pair_of(const FLOATS *p, size_t k, size_t K) {
    INTS first = k < K ? units_of(p[k]) : ALL64(0);
    INTS second = k + 1 < K ? LANES(slli_epi32)(units_of(p[k + 1]), 16) : ALL64(0);
    return SELECT(ALL64(UINT64_C(0x0000FFFF0000FFFF)), first, second);
}

/* Returns the key that dp2dpi_dither_key_of_scores gives to each row. K is at most 8. */
INLINE wide key_of_scores(const FLOATS *p, size_t K) {
    wide keys = widen(pair_of(p, 0, K), pair_of(p, 2, K));
    if (K > 4) {
        keys = times(keys, DP2DPI_DITHER_FACTOR);
        keys = XOR_SHIFTED(keys, 32);
        keys = add(keys, widen(pair_of(p, 4, K), pair_of(p, 6, K)));
    }
    return keys;
}

/* Returns the hash of each key. `addend` is the result of dp2dpi_dither_addend. */
INLINE wide hash_of(wide keys, uint64_t addend) {
    return mix(add(keys, (wide) {ALL64(addend), ALL64(addend)}));
}

/* Returns, for each row, the random number (draw) of class k times `unit`. `hash` must be the hash
 * that class k uses. */
INLINE FLOATS draw(wide hash, size_t k, FLOATS unit) {
    const size_t part = k % DP2DPI_DITHER_DRAWS;
    INTS bits;
    if (part == 2) {
        INTS rest = LANES(slli_epi32)(lower_halves(hash), 21);
        INTS last = LANES(slli_epi32)(upper_halves(hash), 11);
        bits = SELECT(ALL64(UINT64_C(0xFFE00000FFE00000)), rest, last);
    } else {
        bits = part == 0 ? lower_halves(hash) : upper_halves(hash);
    }
    bits = LANES(srli_epi32)(bits, 11);
    return LANES(mul_ps)(unit, LANES(cvtepi32_ps)(bits));
}
