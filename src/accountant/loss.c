#include "accountant/loss.h"

#include <math.h>

#include "accountant/gaussian.h"
#include "num/elementary.h"
#include "num/normal.h"

dp2dpi_mixture dp2dpi_loss_mixture(const dp2dpi_loss *loss) {
    double s = loss->shift, q = loss->q;
    switch (loss->kind) {
    case DP2DPI_LOSS_POISSON_REPLACE:
        return (dp2dpi_mixture) {3, {-s, 0.0, s}, {0.0, 1.0 - q, q}, {-q, 0.0, q}};
    case DP2DPI_LOSS_POISSON_REMOVE:
        return (dp2dpi_mixture) {2, {0.0, s}, {1.0 - q, q}, {-q, q}};
    case DP2DPI_LOSS_POISSON_ADD:
        return (dp2dpi_mixture) {2, {-s, 0.0}, {0.0, 1.0}, {-q, q}};
    case DP2DPI_LOSS_WITHOUT_REPLACEMENT:
        return (dp2dpi_mixture) {2, {-0.5 * s, 0.5 * s}, {1.0 - q, q}, {-q, q}};
    default:
        return (dp2dpi_mixture) {2, {-0.5 * s, 0.5 * s}, {0.0, 1.0}, {-1.0, 1.0}};
    }
}

double dp2dpi_loss_at(const dp2dpi_loss *loss, double x) {
    double s = loss->shift, half_square = 0.5 * s * s;
    switch (loss->kind) {
    case DP2DPI_LOSS_POISSON_REPLACE:
        return dp2dpi_log_mix(loss->q, s * x - half_square) -
               dp2dpi_log_mix(loss->q, -s * x - half_square);
    case DP2DPI_LOSS_POISSON_REMOVE:
        return dp2dpi_log_mix(loss->q, s * x - half_square);
    case DP2DPI_LOSS_POISSON_ADD:
        return -dp2dpi_log_mix(loss->q, -s * x - half_square);
    case DP2DPI_LOSS_WITHOUT_REPLACEMENT:
        return dp2dpi_log_mix(loss->q, s * x);
    default:
        return s * x;
    }
}

/* Returns the number a for which log(1 − q + q e^a) = value: a = log(1 + (e^value − 1)/q). */
static double inverse_mix(double q, double value) {
    if (value > 30.0) {
        return value - dp2dpi_log(q) + dp2dpi_log1p(-(1.0 - q) * dp2dpi_exp(-value));
    }
    double ratio = dp2dpi_expm1(value) / q;
    return ratio <= -1.0 ? -INFINITY : dp2dpi_log1p(ratio);
}

/* Returns the position x at which the replace-one loss L(x) is ℓ = value, for shift s and sampling
 * rate q. With u = e^{s x} and c = e^{−s²/2}, L(x) = ℓ is the quadratic equation
 *     qc u² + (1−q)(1−e^ℓ) u − qc e^ℓ = 0.
 * Substituting w = u e^{−ℓ/2} gives (w − 1/w)/2 = (1−q) sinh(ℓ/2)/(qc), and therefore
 *     s x = ℓ/2 + asinh((1−q) sinh(ℓ/2)/(qc)). */
static double inverse_replace(const dp2dpi_loss *loss, double value) {
    double s = loss->shift, magnitude = fabs(value);
    double angle = 0.5 * magnitude;
    if (magnitude > 0.0 && loss->q < 1.0) {
        double log_sinh = magnitude > 80.0 ? 0.5 * magnitude - 0.69314718055994530942
                                           : dp2dpi_log(dp2dpi_sinh(0.5 * magnitude));
        angle +=
            dp2dpi_asinh_of_exp(dp2dpi_log((1.0 - loss->q) / loss->q) + log_sinh + 0.5 * s * s);
    }
    double x = angle / s;
    return value < 0.0 ? -x : x;
}

double dp2dpi_loss_inverse(const dp2dpi_loss *loss, double value) {
    double s = loss->shift;
    switch (loss->kind) {
    case DP2DPI_LOSS_POISSON_REPLACE:
        return inverse_replace(loss, value);
    case DP2DPI_LOSS_POISSON_REMOVE:
        return inverse_mix(loss->q, value) / s + 0.5 * s;
    case DP2DPI_LOSS_POISSON_ADD:
        return -inverse_mix(loss->q, -value) / s - 0.5 * s;
    case DP2DPI_LOSS_WITHOUT_REPLACEMENT:
        return inverse_mix(loss->q, value) / s;
    default:
        return value / s;
    }
}

/* Returns δ(ε) = P(L > ε) − e^ε Q(L > ε) for the pair (P, Q), computed without cancellation as
 * (P−Q)(L > ε) − (e^ε − 1) Q(L > ε). */
static double mixture_delta(const dp2dpi_loss *loss, double epsilon) {
    dp2dpi_mixture mix = dp2dpi_loss_mixture(loss);
    double x = dp2dpi_loss_inverse(loss, epsilon);
    double difference = 0.0, lower = 0.0, rounding = 0.0;
    if (x == INFINITY) {
        return 0.0;
    }
    /* For ε ≥ 650, where e^ε is close to overflow, uses the bound δ(ε) ≤ P(L > ε) instead. */
    double factor = epsilon < 650.0 ? dp2dpi_expm1(epsilon) : 0.0;
    for (int c = 0; c < mix.n; c++) {
        double tail = dp2dpi_normal_upper(x - mix.mean[c]);
        difference += mix.difference[c] * tail;
        lower += (mix.upper[c] - mix.difference[c]) * tail;
        /* The position x has an error of one unit in the last place (ulp). This changes the normal
         * tail beyond x by y² ulp relative to the tail, where y is the distance of x from the mean.
         * The constant 0x1p-1070 is for tails that are denormal. */
        double y = x - mix.mean[c], lost = 1.0 + 0.25 * y * y;
        rounding +=
            tail * lost * (fabs(mix.difference[c]) + (mix.upper[c] - mix.difference[c]) * factor);
    }
    if (epsilon >= 650.0) {
        difference += lower;
    }
    double delta = difference - lower * factor + 16.0 * DP2DPI_ULP * rounding + factor * 0x1p-1070;
    return delta < 0x1p-1000 ? 0x1p-1000 : delta > 1.0 ? 1.0 : delta;
}

/* Returns δ(ε) of the worst pair (P, Q) that satisfies a declared (ε₀, δ₀). P has the mass δ₀ at
 * the loss ∞, the mass (1−δ₀) e^ε₀/(1+e^ε₀) at ε₀, and the rest of its mass at −ε₀. Q is the mirror
 * image of P. */
static double declared_delta(const dp2dpi_loss *loss, double epsilon) {
    if (epsilon >= loss->epsilon) {
        return loss->delta;
    }
    double gap = -dp2dpi_expm1(epsilon - loss->epsilon) / (1.0 + dp2dpi_exp(-loss->epsilon));
    return dp2dpi_round_up(loss->delta + (1.0 - loss->delta) * gap, 4);
}

double dp2dpi_loss_delta(const dp2dpi_loss *loss, double epsilon) {
    switch (loss->kind) {
    case DP2DPI_LOSS_GAUSSIAN:
        return dp2dpi_gaussian_delta(loss->shift, epsilon);
    case DP2DPI_LOSS_WITH_REPLACEMENT: {
        dp2dpi_multiplicity multiplicity;
        dp2dpi_multiplicity_fill(loss, 1e-30, &multiplicity);
        return dp2dpi_multiplicity_delta(loss, &multiplicity, epsilon);
    }
    case DP2DPI_LOSS_DECLARED:
        return declared_delta(loss, epsilon);
    default:
        return mixture_delta(loss, epsilon);
    }
}

double dp2dpi_loss_epsilon(const dp2dpi_loss *loss, double delta) {
    double low = 0.0, high = 1.0;
    if (dp2dpi_loss_delta(loss, 0.0) <= delta) {
        return 0.0;
    }
    while (!(dp2dpi_loss_delta(loss, high) <= delta)) {
        low = high;
        high *= 2.0;
        if (high > 1e9) {
            return INFINITY;
        }
    }
    for (int i = 0; i < 100 && high - low > 1e-13 * high; i++) {
        double middle = 0.5 * (low + high);
        if (dp2dpi_loss_delta(loss, middle) <= delta) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return high;
}
