#include "accountant/renyi.h"

#include <math.h>

#include "accountant/bounded_sum.h"
#include "accountant/divergence.h"
#include "num/elementary.h"
#include "num/normal.h"

double dp2dpi_renyi_to_epsilon(double lambda, double divergence, double delta) {
    /* ε = 0 is valid if δ² > 1 − e^{−D}, with D the divergence: δ(0) ≤ √(1 − e^{−KL})
     * (Bretagnolle–Huber) and KL ≤ D. */
    if (delta * delta + dp2dpi_expm1(-divergence) > 0.0) {
        return 0.0;
    }
    double log_order = dp2dpi_log1p(lambda);
    double epsilon =
        divergence + dp2dpi_log(lambda) - log_order - (dp2dpi_log(delta) + log_order) / lambda;
    if (epsilon <= 0.0) {
        return 0.0;
    }
    double rounding = 8.0 * DP2DPI_ULP * (epsilon + divergence + fabs(dp2dpi_log(delta)) / lambda);
    return isfinite(epsilon + rounding) ? epsilon + rounding : INFINITY;
}

/* Returns log A_α = (α−1) D_α at an integer order α, rounded up, where A_α = E_Q[(P/Q)^α] for P =
 * (1−q) N(0,1) + q N(s,1) and Q = N(0,1). A_α = Σ_k C(α,k) (1−q)^{α−k} q^k exp((k²−k) s²/2). The
 * function sums A_α − 1 instead: the binomial weights sum to 1, so A_α − 1 is the same sum with
 * exp(…) − 1 in place of exp(…), and the terms with k < 2 are 0. So even a tiny divergence is
 * accurate. */
static double series_integer(double s, double q, int order) {
    dp2dpi_bounded_sum total = dp2dpi_bounded_zero();
    double log_q = dp2dpi_log(q), log_rest = dp2dpi_log1p(-q);
    double log_binomial = dp2dpi_log(order), binomial_error = 2.0 * DP2DPI_ULP * log_binomial;
    for (int k = 2; k <= order; k++) {
        double exponent = 0.5 * s * s * ((double)k * k - k);
        double log_growth = exponent > 30.0 ? exponent : dp2dpi_log(dp2dpi_expm1(exponent));
        double step = dp2dpi_log((order - k + 1.0) / k);
        log_binomial += step;
        binomial_error += DP2DPI_ULP * (1.0 + 2.0 * fabs(step) + fabs(log_binomial));
        double log_weight = k * log_q + (order - k) * log_rest;
        double size = fabs(log_binomial) - log_weight + fabs(log_growth) + exponent;
        dp2dpi_bounded_add(&total, log_binomial + log_weight + log_growth,
                           binomial_error + DP2DPI_ULP * (8.0 + 4.0 * size), 1.0);
    }
    return dp2dpi_divergence_from_excess(dp2dpi_bounded_log_upper(&total));
}

/* Returns a bound on the error of log Φ̄(y), the logarithm of the upper normal tail, if the error
 * of y is at most y_error. |d log Φ̄/dy| is at most 1 + max(y, 0). */
static double log_upper_error(double y, double y_error) {
    double right = y > 0.0 ? y : 0.0;
    return DP2DPI_ULP * (64.0 + 2.0 * right * right) + (1.0 + right) * y_error;
}

/* Returns the same as series_integer, for an order α that is not an integer. Returns NAN if
 * rounding would cost more than 1e-11 of the result. Splits the integral over x at the point where
 * the two parts of the mixture P, (1−q) N(0,1) and q N(s,1), are equal. On each side, expands the
 * integrand in powers of the smaller part, which gives a series in k. Beyond k = α the terms of
 * each series alternate in sign and become smaller, so the terms left out sum to less than the last
 * term added (docs/proofs/renyi.md). */
static double series_fractional(double s, double q, double order) {
    dp2dpi_bounded_sum total = dp2dpi_bounded_zero();
    double log_q = dp2dpi_log(q), log_rest = dp2dpi_log1p(-q);
    double x1 = (log_rest - log_q) / s + 0.5 * s, x1_size = -(log_rest + log_q) / s + s;
    double log_binomial = 0.0, binomial_error = 0.0, sign = 1.0;
    for (int k = 0; k < 10000; k++) {
        double j = order - k, weights[2] = {k * log_q + j * log_rest, j * log_q + k * log_rest};
        double squares[2] = {0.5 * s * s * ((double)k * k - k), 0.5 * s * s * (j * j - j)};
        double tails[2] = {k * s - x1, x1 - j * s}, more = -INFINITY;
        for (int side = 0; side < 2; side++) {
            double log_tail = dp2dpi_normal_log_upper(tails[side]);
            double term = log_binomial + weights[side] + squares[side] + log_tail;
            double size = fabs(log_binomial) - (k + fabs(j)) * (log_q + log_rest) +
                          0.5 * s * s * (k * (k + 1.0) + j * j + fabs(j)) + fabs(log_tail);
            double y_error = DP2DPI_ULP * (4.0 * x1_size + 2.0 * s * (k + fabs(j)));
            dp2dpi_bounded_add(&total, term,
                               binomial_error + DP2DPI_ULP * (8.0 + 4.0 * size) +
                                   log_upper_error(tails[side], y_error),
                               sign);
            more = fmax(more, term);
        }
        if (k > order && more < total.scale + dp2dpi_log(total.sum) - 40.0) {
            dp2dpi_bounded_widen(
                &total,
                more + 0.7); /* adds log 2, because each of the two series leaves out a remainder */
            double value = dp2dpi_bounded_log_upper(&total);
            return total.error <= 1e-11 * value * total.sum ? value : NAN;
        }
        double factor = j / (k + 1.0), step = dp2dpi_log(fabs(factor));
        log_binomial += step;
        binomial_error +=
            DP2DPI_ULP * (2.0 + 2.0 * fabs(step) + fabs(log_binomial) + (order + k) / fabs(j));
        sign = factor < 0.0 ? -sign : sign;
    }
    return NAN;
}

double dp2dpi_renyi_series(double shift, double q, double order) {
    if (q >= 1.0) {
        return 0.5 * order * (order - 1.0) * shift * shift * (1.0 + 8.0 * DP2DPI_ULP);
    }
    if (order == floor(order) && order <= 100000.0) {
        return series_integer(shift, q, (int)order);
    }
    return series_fractional(shift, q, order);
}

dp2dp_status dp2dpi_renyi_cgf(const dp2dpi_loss *loss, double order, double *out,
                              dp2dp_error *error) {
    if (loss->kind == DP2DPI_LOSS_DECLARED && loss->delta > 0.0) {
        return dp2dpi_fail(error, DP2DP_STATUS_NO_BOUND,
                           "a guarantee declared with delta > 0 has no finite Renyi divergence");
    }
    double value = NAN;
    if (loss->kind == DP2DPI_LOSS_POISSON_REMOVE) {
        value = dp2dpi_renyi_series(loss->shift, loss->q, order);
    }
    if (!isfinite(value)) {
        DP2DPI_TRY(dp2dpi_divergence_cgf(loss, order - 1.0, &value, error));
    }
    *out = value + 1e-290; /* added because squares of tiny rates underflow to 0 */
    return DP2DP_STATUS_OK;
}
