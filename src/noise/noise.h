/* Exact samplers on the integers. They use no floating point: given uniform random words, every
 * probability is exact. Only src/mechanism may call them. The proofs are
 * docs/proofs/discrete-gaussian.md and docs/proofs/poisson-mask.md. Timing is not protected: how
 * many random words are read depends on the value drawn. */
#ifndef DP2DPI_NOISE_NOISE_H
#define DP2DPI_NOISE_NOISE_H

#include <stddef.h>
#include <stdint.h>

#include "rng/rng.h"

#define DP2DPI_NOISE_SCALE_MAX ((uint64_t)1 << 50)

/* Draws each out[i] independently from the discrete Gaussian of scale s, P(y) ∝ exp(−y²/(2 s²)) for
 * integers y, with 1 ≤ s ≤ 2^50. |out[i]| < 4096 s ≤ 2^62: larger values, whose total probability
 * is below exp(−2^22), are never drawn. On failure, out is filled with zeros. */
dp2dp_status dp2dpi_noise_gaussian(dp2dpi_rng *rng, uint64_t s, size_t n, int64_t *out,
                                   dp2dp_error *error);

/* Draws a Poisson-sampling mask: each out[i] is independently 1 with probability ⌈q 2^64⌉ / 2^64,
 * else 0, for 0 < q ≤ 1. On failure, out is filled with zeros. */
dp2dp_status dp2dpi_noise_poisson_mask(dp2dpi_rng *rng, double q, size_t n, uint8_t *out,
                                       dp2dp_error *error);

/* Returns ⌈q 2^64⌉ / 2^64, the rate at which dp2dpi_noise_poisson_mask samples; it is at least q.
 * Privacy: charge this rate, not q. */
double dp2dpi_noise_poisson_rate(double q);

#endif
