/* Draws of uniform and Bernoulli random numbers, from which the noise samplers are built.
 * docs/proofs/discrete-gaussian.md says in which order each draw reads 64-bit words of the
 * generator, so that an independent implementation can repeat the draws. */
#ifndef DP2DPI_NOISE_EXACT_H
#define DP2DPI_NOISE_EXACT_H

#include <stdint.h>

#include "rng/rng.h"

__extension__ typedef unsigned __int128 dp2dpi_uint128;

/* Draws uniformly from 0..bound−1, for bound ≥ 1; bound 1 reads no word. Over all 64-bit words w,
 * ⌊w·bound/2^64⌋ takes some values ⌊2^64/bound⌋ times and all other values one time more. Lemire's
 * method makes all values equally frequent: it rejects w if the low 64 bits of w·bound are below
 * 2^64 mod bound. */
static inline uint64_t dp2dpi_exact_uniform(dp2dpi_rng *rng, uint64_t bound) {
    if (bound == 1) {
        return 0;
    }
    for (;;) {
        dp2dpi_uint128 product = (dp2dpi_uint128)dp2dpi_rng_word(rng) * bound;
        uint64_t low = (uint64_t)product;
        if (low >= bound || low >= (0 - bound) % bound || dp2dpi_rng_failed(rng)) {
            return (uint64_t)(product >> 64);
        }
    }
}

/* A rate x = (numerator/denominator)^power / divisor, at most 1. */
typedef struct dp2dpi_exact_rate {
    uint64_t numerator, denominator;
    uint64_t divisor;
    int power;
} dp2dpi_exact_rate;

/* Draws from Bernoulli(x/j) as a product of independent Bernoulli draws, one for each factor of
 * x/j. The denominator of each draw is so small that nothing overflows. */
static inline int dp2dpi_exact_bernoulli_part(dp2dpi_rng *rng, dp2dpi_exact_rate x, uint64_t j) {
    if (dp2dpi_exact_uniform(rng, x.divisor * j) != 0) {
        return 0;
    }
    for (int i = 0; i < x.power; i++) {
        if (dp2dpi_exact_uniform(rng, x.denominator) >= x.numerator) {
            return 0;
        }
    }
    return 1;
}

/* Draws from Bernoulli(exp(−x)). Let n be the number of successes of Bernoulli(x/1),
 * Bernoulli(x/2), … before the first failure. Then P(n ≥ i) = x^i/i!, so P(n even) = Σ (−x)^i/i! =
 * exp(−x). Returns 0 if the generator failed. */
static inline int dp2dpi_exact_bernoulli_exp(dp2dpi_rng *rng, dp2dpi_exact_rate x) {
    uint64_t j = 1;
    while (dp2dpi_exact_bernoulli_part(rng, x, j)) {
        if (dp2dpi_rng_failed(rng)) {
            return 0;
        }
        j++;
    }
    return (int)(j & 1);
}

#endif
