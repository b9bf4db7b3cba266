/* Computes E_P[e^{λL}] − 1 for the privacy loss L = log dP/dQ of a pair of distributions (P, Q)
 * (loss.h). The result equals E_Q[G(L)], where α = 1 + λ and G(ℓ) = e^{αℓ} − 1 − α(e^ℓ − 1) ≥ 0. G
 * is never negative, so nothing cancels and even a tiny result is accurate. */
#include "accountant/divergence.h"

#include <math.h>

#include "accountant/bounded_sum.h"
#include "num/elementary.h"
#include "num/quadrature.h"

static const double nodes_max = 0x1p20;
static const double log_root = 0.91893853320467274178; /* log √(2π) */
/* Beyond the outermost nodes the integrand falls by a factor of e^11.5 or more per unit of x. So
 * the integral beyond such a node is at most 1/11 of the integrand at the node
 * (docs/proofs/renyi.md, "Ends"). */
static const double end_slope = 11.0;

/* Returns Σ_{n≥2} c_n x^n/n!, with c_n = n − 1 if `weighted`, else c_n = 1. */
static double from_square(double x, int weighted) {
    double sum = 0.0, power = x;
    for (int n = 2; n <= 20; n++) {
        power *= x / n;
        sum += weighted ? (n - 1) * power : power;
    }
    return sum;
}

/* Returns log G(loss), where G(ℓ) = e^{αℓ} − 1 − α(e^ℓ − 1) and α = 1 + λ; an upper bound if e^{αℓ}
 * may overflow. G is computed as λ (1 + (ℓ−1) e^ℓ) + e^ℓ (e^{λℓ} − 1 − λℓ). Both terms are at least
 * 0, so nothing cancels, even if the order α is close to 1. */
static double log_gap(double lambda, double loss) {
    double y = lambda * loss;
    if (loss + y > 600.0) {
        return loss + y;
    }
    double e = dp2dpi_exp(loss);
    double first = fabs(loss) > 0.5 ? 1.0 + (loss - 1.0) * e : from_square(loss, 1);
    double second = fabs(y) > 0.5 ? dp2dpi_expm1(y) - y : from_square(y, 0);
    return dp2dpi_log(lambda * first + e * second);
}

typedef struct point {
    double loss, error;
} point;

/* Returns log(1 − q + q e^a) and a bound on its error. The error of a must be at most 2 ulp of
 * `size`. */
static point mix_at(double q, double log_q, double a, double size) {
    double value = dp2dpi_log_mix(q, a);
    double share = dp2dpi_exp(a + log_q - value); /* derivative of the value with respect to a */
    return (point) {value, DP2DPI_ULP * (16.0 * fabs(value) + 4.0 * share * (size - log_q))};
}

/* Adds e^log_q G(ℓ) to the sum, where e^log_q is a mass of Q, ℓ is p.loss, and log_gap computes log
 * G. G grows with |ℓ|, so for an upper bound |ℓ| is first increased by p.error, the bound on the
 * error of ℓ. log_q is a sum of several numbers, and `size` is of the order of the largest absolute
 * value among them. So the rounding error of log_q is at most a multiple of `size`. */
static void add_gap(dp2dpi_bounded_sum *sum, double lambda, double log_q, double size, point p) {
    double loss = p.loss < 0.0 ? p.loss - p.error : p.loss + p.error;
    double value = log_gap(lambda, loss);
    double log_error = DP2DPI_ULP * (80.0 + 4.0 * (size + fabs(value)) + 2.0 * fabs(lambda * loss));
    dp2dpi_bounded_add(sum, log_q + value, log_error + p.error, 1.0);
}

double dp2dpi_divergence_from_excess(double log_excess) {
    double value = log_excess > 30.0 ? log_excess + dp2dpi_exp(-log_excess)
                                     : dp2dpi_log1p(dp2dpi_exp(log_excess));
    return value * (1.0 + 8.0 * DP2DPI_ULP);
}

static dp2dp_status too_many(double lambda, dp2dp_error *error) {
    return dp2dpi_fail(
        error, DP2DP_STATUS_NO_BOUND,
        "the Renyi divergence of order %g cannot be computed, because the noise is too small",
        1.0 + lambda);
}

/* Returns a step of the trapezoid rule that leaves an error below e^{−45} times the integral, for
 * shift s and order 1 + λ (docs/proofs/renyi.md, "Step"). */
static double line_step(double s, double lambda) {
    double y = fmin(fmin(25.0, 1.57 / s), sqrt(480.0 / lambda) / s);
    double proven = 6.28 * y / (61.0 + 0.5 * y * y + 0.1405 * lambda * s * s * y * y);
    return fmin(fmin(0.2 / s, 0.25), proven);
}

/* Computes log E_P[e^{λL}] for Poisson sampling by the trapezoid rule. The densities are P = e^up φ
 * and Q = e^down φ, where φ is the normal density. */
static dp2dp_status line_cgf(const dp2dpi_loss *loss, double lambda, double *out,
                             dp2dp_error *error) {
    double s = loss->shift, h = line_step(s, lambda), log_q = dp2dpi_log(loss->q);
    double low = floor((-3.0 * s - 12.0) / h), high = ceil((s * (3.0 + 2.0 * lambda) + 12.0) / h);
    if (!(high - low <= nodes_max)) {
        return too_many(lambda, error);
    }
    dp2dpi_bounded_sum sum = dp2dpi_bounded_zero();
    for (int64_t node = (int64_t)low; node <= (int64_t)high; node++) {
        double i = (double)node, x = i * h, size = s * fabs(x) + s * s;
        point up = {0.0, 0.0}, down = {0.0, 0.0};
        if (loss->kind != DP2DPI_LOSS_POISSON_ADD) {
            up = mix_at(loss->q, log_q, s * x - 0.5 * s * s, size);
        }
        if (loss->kind != DP2DPI_LOSS_POISSON_REMOVE) {
            down = mix_at(loss->q, log_q, -s * x - 0.5 * s * s, size);
        }
        double weight = i == low || i == high ? h + 1.0 / end_slope : h;
        double log_weight = dp2dpi_log(weight) - log_root - 0.5 * x * x;
        add_gap(&sum, lambda, log_weight + down.loss, 5.0 + x * x + fabs(down.loss),
                (point) {up.loss - down.loss, up.error + down.error});
    }
    *out = dp2dpi_divergence_from_excess(dp2dpi_bounded_log_upper(&sum));
    return DP2DP_STATUS_OK;
}

/* Adds the integrand at x > 0 and at −x; at −x, P and Q change places. The numbers from which x was
 * computed are at most x + `width` in absolute value. This gives a bound on the rounding error of
 * x. */
static void add_mirrored(dp2dpi_bounded_sum *sum, const dp2dpi_loss *loss, double lambda, double x,
                         double weight, double width) {
    double s = loss->shift, log_q = dp2dpi_log(loss->q), reach = x + 0.5 * s + width;
    point p = mix_at(loss->q, log_q, s * x, 2.0 * s * (x + width));
    double log_lower = dp2dpi_log(weight) - log_root - 0.5 * (x + 0.5 * s) * (x + 0.5 * s);
    double size = 5.0 + fabs(dp2dpi_log(weight)) + 2.0 * reach * reach;
    add_gap(sum, lambda, log_lower, size, p);
    add_gap(sum, lambda, log_lower + p.loss, size + p.loss, (point) {-p.loss, p.error});
}

/* Half-axes of an ellipse in the complex plane around a panel (an interval) of half-width 1. If the
 * integrand is at most M in the ellipse, quadrature with 16 Gauss points has an error of at most
 * e^{−64.32} M (docs/proofs/renyi.md). */
static const double half_axis = 4.0625, half_height = 3.9375, log_gauss_error = -64.32;

/* Returns an upper bound on the logarithm of one part of the integrand, in the ellipse around the
 * panel of centre c and half-width r. The integrand has two parts: beta is 1 + λ for the first part
 * and −λ for the second (docs/proofs/renyi.md, "Without replacement"). */
static double log_peak(const dp2dpi_loss *loss, double beta, double c, double r) {
    double s = loss->shift, a = half_axis * r, b = half_height * r, rise = 0.0, highest = -INFINITY;
    double power = beta - 2.0, ends[2] = {c - a, c + a};
    if (power < 0.0) {
        rise = -power * (0.1405 * s * s * b * b - dp2dpi_log_mix(loss->q, s * fmin(c - a, 0.0)));
    }
    for (int i = 0; i < 2; i++) {
        double x = ends[i], right = s * fmax(x, 0.0);
        double value = -0.5 * (x + 0.5 * s) * (x + 0.5 * s) + 2.0 * right +
                       fmax(power, 0.0) * dp2dpi_log_mix(loss->q, right);
        highest = fmax(highest, value);
    }
    double square = 2.0 * dp2dpi_log(loss->q * s * (c + a));
    return dp2dpi_log(0.5 * fabs(beta * (beta - 1.0))) + square + highest + rise +
           0.5 * (a * a + b * b) - log_root;
}

/* Returns an upper bound on log(E_P[e^{λL}] − 1) for sampling without replacement. Integrates over
 * x > 0 by Gauss–Legendre quadrature, in panels of half-width r. Sets *log_error to the logarithm
 * of a bound on the quadrature error of all panels. */
static double panels_excess(const dp2dpi_loss *loss, double lambda, double r, double panels,
                            double *log_error) {
    dp2dpi_bounded_sum sum = dp2dpi_bounded_zero(), missed = dp2dpi_bounded_zero();
    for (int64_t panel = 0; panel < (int64_t)panels; panel++) {
        double c = (2.0 * (double)panel + 1.0) * r, shared = log_gauss_error + dp2dpi_log(r);
        for (int i = 0; i < DP2DPI_GAUSS_POINTS; i++) {
            add_mirrored(&sum, loss, lambda, c + r * dp2dpi_gauss_node(i),
                         r * dp2dpi_gauss_weight(i), r);
        }
        dp2dpi_bounded_add(&missed, shared + log_peak(loss, 1.0 + lambda, c, r), 1e-6, 1.0);
        dp2dpi_bounded_add(&missed, shared + log_peak(loss, -lambda, c, r), 1e-6, 1.0);
    }
    add_mirrored(&sum, loss, lambda, 2.0 * panels * r, 1.0 / end_slope, r);
    *log_error = dp2dpi_bounded_log_upper(&missed);
    dp2dpi_bounded_add(&sum, *log_error, 0.0, 1.0);
    return dp2dpi_bounded_log_upper(&sum);
}

/* Integrates with narrower and narrower panels until the bound on the quadrature error is below
 * e^{−30} times the result, or until there would be more than nodes_max nodes. Every result
 * includes its error bound, so every result is an upper bound. */
static dp2dp_status half_line_cgf(const dp2dpi_loss *loss, double lambda, double *out,
                                  dp2dp_error *error) {
    double s = loss->shift, high = s * (2.0 + lambda) + 13.0, best = INFINITY;
    double points = 2.0 * DP2DPI_GAUSS_POINTS;
    double r = fmin(0.5, 0.35 / s);
    while (points * ceil(0.5 * high / r) <= nodes_max) {
        double log_error, found = panels_excess(loss, lambda, r, ceil(0.5 * high / r), &log_error);
        best = fmin(best, found);
        if (log_error < found - 30.0) {
            break;
        }
        r *= 0.5;
    }
    if (best == INFINITY) {
        return too_many(lambda, error);
    }
    *out = dp2dpi_divergence_from_excess(best);
    return DP2DP_STATUS_OK;
}

double dp2dpi_divergence_of_masses(const dp2dpi_nodes *nodes, double lambda) {
    dp2dpi_bounded_sum sum = dp2dpi_bounded_zero();
    for (size_t k = 0; k < nodes->n; k++) {
        double log_weight = nodes->log_weight[k], loss = nodes->value[k];
        if (loss != 0.0) {
            add_gap(&sum, lambda, log_weight - loss, 5.0 + fabs(log_weight) + fabs(loss),
                    (point) {loss, 0.0});
        }
    }
    return dp2dpi_divergence_from_excess(dp2dpi_bounded_log_upper(&sum));
}

static dp2dp_status masses_cgf(const dp2dpi_loss *loss, double lambda, double *out,
                               dp2dp_error *error) {
    dp2dpi_nodes nodes;
    DP2DPI_TRY(dp2dpi_nodes_new(loss, lambda, 0.0, &nodes, error));
    double infinity = nodes.infinity;
    *out = dp2dpi_divergence_of_masses(&nodes, lambda);
    dp2dpi_nodes_free(&nodes);
    if (infinity > 0.0) {
        return dp2dpi_fail(error, DP2DP_STATUS_NO_BOUND,
                           "no finite Renyi divergence can be certified: according to the known "
                           "bound, this mechanism's privacy loss may be infinite");
    }
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dpi_divergence_cgf(const dp2dpi_loss *loss, double lambda, double *out,
                                   dp2dp_error *error) {
    switch (loss->kind) {
    case DP2DPI_LOSS_GAUSSIAN:
        *out = 0.5 * lambda * (lambda + 1.0) * loss->shift * loss->shift * (1.0 + 8.0 * DP2DPI_ULP);
        return DP2DP_STATUS_OK;
    case DP2DPI_LOSS_WITHOUT_REPLACEMENT:
        return half_line_cgf(loss, lambda, out, error);
    case DP2DPI_LOSS_WITH_REPLACEMENT:
    case DP2DPI_LOSS_DECLARED:
        return masses_cgf(loss, lambda, out, error);
    default:
        return line_cgf(loss, lambda, out, error);
    }
}
