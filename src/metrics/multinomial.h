/* Draws binomial and multinomial numbers in floating point, for resampling and simulation. Do not
 * use these functions for privacy noise: they are not exact. */
#ifndef DP2DPI_METRICS_MULTINOMIAL_H
#define DP2DPI_METRICS_MULTINOMIAL_H

#include "rng/rng.h"

/* Draws n records, each in class k with probability weights[k] / Σ weights, and writes the number
 * of records in class k to out[k]. No weight may be negative, and not all may be 0. n ≤ 2^53. */
dp2dp_status dp2dpi_resample_multinomial(dp2dpi_rng *rng, int64_t n, size_t classes,
                                         const double *weights, int64_t *out, dp2dp_error *error);

#endif
