#include "accountant/renyi.h"

#include <math.h>

#include "accountant/nodes.h"
#include "num/elementary.h"
#include "num/normal.h"

double dp2dpi_renyi_to_epsilon(double lambda, double divergence, double delta) {
    /* ε = 0 if δ² > 1 − e^{−D_α}, since δ(0) ≤ √(1 − e^{−KL}) (Bretagnolle–Huber) and KL ≤ D_α. */
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

/* The number e^scale × sum: a sum of signed terms that are given by their logarithms. The largest
 * term so far is e^scale. */
typedef struct signed_sum {
    double scale, sum;
} signed_sum;

static void signed_add(signed_sum *s, double log_magnitude, double sign) {
    if (log_magnitude > s->scale) {
        s->sum *= dp2dpi_exp(s->scale - log_magnitude);
        s->scale = log_magnitude;
    }
    s->sum += sign * dp2dpi_exp(log_magnitude - s->scale);
}

/* Returns log A_α = (α−1) D_α at an integer order α, where A_α = E_Q[(P/Q)^α] for P = (1−q) N(0,1)
 * + q N(s,1) and Q = N(0,1). A_α = Σ_k C(α,k) (1−q)^{α−k} q^k exp((k²−k) s²/2). The binomial
 * weights sum to 1, so A_α − 1 is the same sum with exp − 1 and starts at k = 2. Tiny divergences
 * thus keep their digits. */
static double series_integer(double s, double q, int order) {
    signed_sum total = {-INFINITY, 0.0};
    double log_q = dp2dpi_log(q), log_rest = dp2dpi_log1p(-q), log_binomial = dp2dpi_log(order);
    for (int k = 2; k <= order; k++) {
        double exponent = 0.5 * s * s * ((double)k * k - k);
        double log_growth = exponent > 30.0 ? exponent : dp2dpi_log(dp2dpi_expm1(exponent));
        log_binomial += dp2dpi_log((order - k + 1.0) / k);
        signed_add(&total, log_binomial + k * log_q + (order - k) * log_rest + log_growth, 1.0);
    }
    double log_excess = total.scale + dp2dpi_log(total.sum);
    return log_excess > 30.0 ? log_excess : dp2dpi_log1p(dp2dpi_exp(log_excess));
}

/* Returns log A_α (see series_integer) at a fractional order α. P/Q at x is (1−q) + q e^{sx −
 * s²/2}; these two terms are equal at x₁ = log((1−q)/q)/s + s/2. So the integral is split at x₁:
 * left of it, (P/Q)^α is expanded in powers of the second term, which is smaller there; right of
 * it, in powers of the first. C(α,k) alternates in sign once k > α. */
static double series_fractional(double s, double q, double order) {
    signed_sum total = {-INFINITY, 0.0};
    double log_q = dp2dpi_log(q), log_rest = dp2dpi_log1p(-q);
    double x1 = (log_rest - log_q) / s + 0.5 * s;
    double log_binomial = 0.0, sign = 1.0;
    for (int k = 0; k < 10000; k++) {
        double j = order - k;
        double left = log_binomial + k * log_q + j * log_rest + 0.5 * s * s * ((double)k * k - k) +
                      dp2dpi_normal_log_upper(k * s - x1);
        double right = log_binomial + j * log_q + k * log_rest + 0.5 * s * s * (j * j - j) +
                       dp2dpi_normal_log_upper(x1 - j * s);
        signed_add(&total, left, sign);
        signed_add(&total, right, sign);
        double more = left > right ? left : right;
        if (k > order && more < total.scale + dp2dpi_log(total.sum) - 40.0) {
            return total.sum > 0.0 ? total.scale + dp2dpi_log(total.sum) : NAN;
        }
        double factor = j / (k + 1.0);
        log_binomial += dp2dpi_log(fabs(factor));
        sign = factor < 0.0 ? -sign : sign;
    }
    return NAN;
}

double dp2dpi_renyi_series(double shift, double q, double order) {
    if (q >= 1.0) {
        return 0.5 * order * (order - 1.0) * shift * shift;
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
        /* At a fractional order, log A_α has an absolute error of about 1e-14, so quadrature
         * computes small values instead. */
        if (order != floor(order) && !(value > 1e-2)) {
            value = NAN;
        }
    }
    if (!isfinite(value)) {
        dp2dpi_nodes nodes;
        DP2DPI_TRY(dp2dpi_nodes_new_fine(loss, order - 1.0, &nodes, error));
        int in_range = nodes.order_max >= (order - 1.0) * (1.0 - 1e-9),
            is_infinite = nodes.infinity > 0.0;
        value = dp2dpi_nodes_cgf_accurate(&nodes, order - 1.0);
        dp2dpi_nodes_free(&nodes);
        if (is_infinite) {
            return dp2dpi_fail(error, DP2DP_STATUS_NO_BOUND,
                               "no finite Renyi divergence can be certified: the loss distribution "
                               "that bounds this mechanism has positive probability at infinity");
        }
        if (!in_range) {
            return dp2dpi_fail(error, DP2DP_STATUS_NO_BOUND,
                               "Renyi order %g is too large for so little noise", order);
        }
    }
    /* Rounds up: every term of the series loses a little, and the squares of tiny rates underflow
     * below 1e-290. */
    *out = (value > 0.0 ? value : 0.0) * (1.0 + 1e-12 + 2e-14 * order) + 1e-290;
    return DP2DP_STATUS_OK;
}
