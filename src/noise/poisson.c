#include <math.h>
#include <string.h>

#include "noise/noise.h"

_Static_assert(sizeof(double) == 8, "the rate is read as an IEEE 754 binary64");

/* Returns ⌈q 2^64⌉ for 0 < q < 1, from the mantissa m and exponent e of q = m 2^(e−1075). The
 * result is exact, and below 2^64 because q ≤ 1 − 2^−53. */
static uint64_t threshold(double q) {
    uint64_t bits;
    memcpy(&bits, &q, sizeof bits);
    int exponent = (int)(bits >> 52);
    uint64_t mantissa = bits & (((uint64_t)1 << 52) - 1);
    if (exponent == 0) {
        exponent = 1;
    } else {
        mantissa |= (uint64_t)1 << 52;
    }
    int shift = exponent - 1075 + 64;
    if (shift >= 0) {
        return mantissa << shift;
    }
    if (shift <= -64) {
        return 1;
    }
    uint64_t whole = mantissa >> -shift;
    return whole + ((whole << -shift) != mantissa);
}

/* Converting threshold(q) to double is exact. If q ≥ 2^−12, then q is a multiple of 2^−64, so
 * threshold(q) is q 2^64 exactly. If q is smaller, threshold(q) has at most 53 bits. */
double dp2dpi_noise_poisson_rate(double q) {
    return q > 0 && q < 1 ? ldexp((double)threshold(q), -64) : q;
}

dp2dp_status dp2dpi_noise_poisson_mask(dp2dpi_rng *rng, double q, size_t n, uint8_t *out,
                                       dp2dp_error *error) {
    dp2dp_status status;
    if (!(q > 0 && q <= 1)) {
        status =
            dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "sampling rate must be in (0, 1], got %g", q);
        goto done;
    }
    DP2DPI_TRY_OR_DONE(dp2dpi_rng_begin(rng, error));
    if (q == 1) {
        if (n > 0) {
            memset(out, 1, n);
        }
        goto done;
    }
    uint64_t limit = threshold(q);
    for (size_t i = 0; i < n && !dp2dpi_rng_failed(rng); i++) {
        out[i] = dp2dpi_rng_word(rng) < limit;
    }
    status = dp2dpi_rng_end(rng, error);
done:
    if (status != DP2DP_STATUS_OK && n > 0) {
        memset(out, 0, n);
    }
    return status;
}
