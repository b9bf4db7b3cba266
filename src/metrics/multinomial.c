#include "metrics/multinomial.h"

#include <math.h>

#include "num/elementary.h"

static double uniform(dp2dpi_rng *rng) {
    return ((double)(dp2dpi_rng_word(rng) >> 11) + 0.5) * 0x1p-53;
}

/* Draws from the binomial distribution for n p < 10 by inverting the distribution function, walking
 * up from 0. */
static double binomial_walk(dp2dpi_rng *rng, double n, double p) {
    double probability = dp2dpi_exp(n * dp2dpi_log1p(-p)), u = uniform(rng), k = 0.0;
    while (u > probability && k < n) {
        u -= probability;
        k++;
        probability *= (n - k + 1.0) / k * (p / (1.0 - p));
        if (probability < 1e-300 && k > n * p) {
            break;
        }
    }
    return k;
}

/* Draws from the binomial distribution for n p ≥ 10 and p ≤ 1/2 by transformed rejection with
 * squeeze (Hörmann 1993). Compares the density with its value at the mode. */
static double binomial_reject(dp2dpi_rng *rng, double n, double p) {
    double spread = sqrt(n * p * (1.0 - p));
    double b = 1.15 + 2.53 * spread, a = -0.0873 + 0.0248 * b + 0.01 * p;
    double alpha = (2.83 + 5.1 / b) * spread, squeeze = 0.92 - 4.2 / b;
    double m = floor((n + 1.0) * p), log_odds = dp2dpi_log(p / (1.0 - p));
    double log_mode = dp2dpi_log_gamma(m + 1.0) + dp2dpi_log_gamma(n - m + 1.0);
    while (!dp2dpi_rng_failed(rng)) {
        double u = uniform(rng) - 0.5, v = uniform(rng), us = 0.5 - fabs(u);
        double k = floor((2.0 * a / us + b) * u + n * p + 0.5);
        if (us >= 0.07 && v <= squeeze) {
            return k;
        }
        if (k >= 0.0 && k <= n &&
            dp2dpi_log(v * alpha / (a / (us * us) + b)) <= log_mode - dp2dpi_log_gamma(k + 1.0) -
                                                               dp2dpi_log_gamma(n - k + 1.0) +
                                                               (k - m) * log_odds) {
            return k;
        }
    }
    return 0.0;
}

static double binomial(dp2dpi_rng *rng, double n, double p) {
    if (n <= 0.0 || p <= 0.0) {
        return 0.0;
    }
    if (p >= 1.0) {
        return n;
    }
    if (p > 0.5) {
        return n - binomial(rng, n, 1.0 - p);
    }
    return n * p < 10.0 ? binomial_walk(rng, n, p) : binomial_reject(rng, n, p);
}

dp2dp_status dp2dpi_resample_multinomial(dp2dpi_rng *rng, int64_t n, size_t classes,
                                         const double *weights, int64_t *out, dp2dp_error *error) {
    double left = (double)n, weight_left = 0.0;
    DP2DPI_TRY(dp2dpi_rng_begin(rng, error));
    size_t last = 0; /* the last class of positive weight gets all remaining records */
    for (size_t k = 0; k < classes; k++) {
        weight_left += weights[k];
        last = weights[k] > 0.0 ? k : last;
    }
    for (size_t k = 0; k < classes; k++) {
        double drawn = k < last    ? binomial(rng, left, weights[k] / weight_left)
                       : k == last ? left
                                   : 0.0;
        out[k] = (int64_t)drawn;
        left -= drawn;
        weight_left -= weights[k];
    }
    return dp2dpi_rng_end(rng, error);
}
