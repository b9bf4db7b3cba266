/* Draws from the discrete Gaussian by exact rejection, after Karney and after Canonne, Kamath and
 * Steinke. Every y ≠ 0 has exactly one form ±(k s + u) with k ≥ 0 and 0 ≤ u < s. With f = u/s,
 *     exp(−y²/(2s²)) = exp(−k²/2) · exp(−f k) · exp(−f²/2).
 * Each factor is a product of probabilities exp(−x) with rational x ≤ 1, and exact.h draws from
 * Bernoulli(exp(−x)) exactly. */
#include <string.h>

#include "noise/exact.h"
#include "noise/noise.h"

/* The level k in the formula above is always below LEVELS. This keeps |y| below 2^62 at any scale
 * s. The values that are cut off have a total probability below exp(−2^22). */
enum {
    LEVELS = 1 << 12
};

/* Draws a level k with probability ∝ exp(−k²/2): draws from the geometric distribution with ratio
 * exp(−1/2) and keeps k with probability exp(−k(k−1)/2). Returns 0 if the attempt is rejected. */
static int draw_level(dp2dpi_rng *rng, uint64_t *level) {
    static const dp2dpi_exact_rate half = {
        .numerator = 1, .denominator = 1, .divisor = 2, .power = 0};
    uint64_t k = 0;
    while (dp2dpi_exact_bernoulli_exp(rng, half)) {
        k++;
        if (k == LEVELS) {
            return 0;
        }
    }
    for (uint64_t i = 0; i < k * (k - 1); i++) {
        if (!dp2dpi_exact_bernoulli_exp(rng, half)) {
            return 0;
        }
    }
    *level = k;
    return 1;
}

/* Draws from Bernoulli(exp(−(f k + f²/2))), with f = u/s. */
static int accept_offset(dp2dpi_rng *rng, uint64_t s, uint64_t k, uint64_t u) {
    const dp2dpi_exact_rate linear = {.numerator = u, .denominator = s, .divisor = 1, .power = 1};
    const dp2dpi_exact_rate square = {.numerator = u, .denominator = s, .divisor = 2, .power = 2};
    for (uint64_t i = 0; i < k; i++) {
        if (!dp2dpi_exact_bernoulli_exp(rng, linear)) {
            return 0;
        }
    }
    return dp2dpi_exact_bernoulli_exp(rng, square);
}

static int64_t draw(dp2dpi_rng *rng, uint64_t s) {
    while (!dp2dpi_rng_failed(rng)) {
        uint64_t k;
        if (!draw_level(rng, &k)) {
            continue;
        }
        uint64_t signed_offset = dp2dpi_exact_uniform(rng, 2 * s);
        uint64_t u = signed_offset >> 1;
        int negative = (int)(signed_offset & 1);
        if (k == 0 && u == 0 && negative) {
            continue; /* if −0 were kept, 0 would be drawn twice as often */
        }
        if (accept_offset(rng, s, k, u)) {
            int64_t magnitude = (int64_t)(k * s + u);
            return negative ? -magnitude : magnitude;
        }
    }
    return 0;
}

dp2dp_status dp2dpi_noise_gaussian(dp2dpi_rng *rng, uint64_t s, size_t n, int64_t *out,
                                   dp2dp_error *error) {
    dp2dp_status status;
    if (s < 1 || s > DP2DPI_NOISE_SCALE_MAX) {
        status = dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                             "the noise scale must be from 1 to 2^50 grid units, not %llu",
                             (unsigned long long)s);
        goto done;
    }
    DP2DPI_TRY_OR_DONE(dp2dpi_rng_begin(rng, error));
    for (size_t i = 0; i < n && !dp2dpi_rng_failed(rng); i++) {
        out[i] = draw(rng, s);
    }
    status = dp2dpi_rng_end(rng, error);
done:
    if (status != DP2DP_STATUS_OK && n > 0) {
        memset(out, 0, n * sizeof *out);
    }
    return status;
}
