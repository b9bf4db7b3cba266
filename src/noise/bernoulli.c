#include "noise/exact.h"
#include "noise/noise.h"

dp2dp_status dp2dpi_noise_bernoulli_exp(dp2dpi_rng *rng, uint64_t numerator, uint64_t denominator,
                                        int *out, dp2dp_error *error) {
    *out = 0;
    if (denominator < 1 || denominator > DP2DPI_NOISE_SCALE_MAX) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "denominator must be in 1..2^50, got %llu",
                           (unsigned long long)denominator);
    }
    if (numerator > denominator) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "numerator must be at most the denominator %llu, got %llu",
                           (unsigned long long)denominator, (unsigned long long)numerator);
    }
    DP2DPI_TRY(dp2dpi_rng_begin(rng, error));
    const dp2dpi_exact_rate x = {
        .numerator = numerator, .denominator = denominator, .divisor = 1, .power = 1};
    int drawn = dp2dpi_exact_bernoulli_exp(rng, x);
    DP2DPI_TRY(dp2dpi_rng_end(rng, error));
    *out = drawn;
    return DP2DP_STATUS_OK;
}
