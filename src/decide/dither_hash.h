/* The hash that gives the dither its random numbers. Never change this hash: the rule of a stored
 * model is fair only with the random numbers that the rule was fitted with.
 *
 * A key stands for a record: an id, the position of the row, or the record's scores. The key and
 * the seed give a sequence of 64-bit hashes. Hash j is
 *     h_j = mix(key + mix(seed + STEP) + j · STEP),
 * where mix is the finaliser of splitmix64. Without the inner mix, two seeds could give shifted
 * copies of one sequence. Each hash gives three draws, which are integers of 21 bits. Class k uses
 * draw k mod 3 of hash k / 3. */
#ifndef DP2DPI_DECIDE_DITHER_HASH_H
#define DP2DPI_DECIDE_DITHER_HASH_H

#include <stddef.h>
#include <stdint.h>

#define DP2DPI_DITHER_FIRST UINT64_C(0xBF58476D1CE4E5B9)
#define DP2DPI_DITHER_SECOND UINT64_C(0x94D049BB133111EB)
#define DP2DPI_DITHER_STEP UINT64_C(0x9E3779B97F4A7C15)
#define DP2DPI_DITHER_FACTOR UINT64_C(0xD1342543DE82EF95)

enum {
    DP2DPI_DITHER_DRAWS = 3, /* number of draws from one hash */
    DP2DPI_DITHER_BITS = 21, /* number of bits in one draw */
    DP2DPI_DITHER_UNITS = 14 /* if the key is made of scores, the scores are first rounded to
                                multiples of 2^-14 */
};

static inline uint64_t dp2dpi_dither_mix(uint64_t z) {
    z = (z ^ (z >> 30)) * DP2DPI_DITHER_FIRST;
    z = (z ^ (z >> 27)) * DP2DPI_DITHER_SECOND;
    return z ^ (z >> 31);
}

/* Returns the number that is added to a key before mixing, to compute hash j. */
static inline uint64_t dp2dpi_dither_addend(uint64_t seed, size_t j) {
    return dp2dpi_dither_mix(seed + DP2DPI_DITHER_STEP) + (uint64_t)j * DP2DPI_DITHER_STEP;
}

/* Mixes the scores already in a key, so that the next four scores can be added. */
static inline uint64_t dp2dpi_dither_fold(uint64_t key) {
    uint64_t product = key * DP2DPI_DITHER_FACTOR;
    return product ^ (product >> 32);
}

/* Returns draw number `part` of a hash. Draw 0 is the upper 21 bits of the lower half, draw 1 the
 * upper 21 bits of the upper half, and draw 2 the lowest 11 bits of the lower half followed by the
 * lowest 10 bits of the upper half. */
static inline uint32_t dp2dpi_dither_part(uint64_t hash, size_t part) {
    uint32_t low = (uint32_t)hash, high = (uint32_t)(hash >> 32);
    return part == 0 ? low >> 11 : part == 1 ? high >> 11 : (low & 0x7FF) << 10 | (high & 0x3FF);
}

/* Returns width / 2^21. A draw times this number is added to a score. */
static inline float dp2dpi_dither_unit(double width) {
    return (float)(width * 0x1p-21);
}

#endif
