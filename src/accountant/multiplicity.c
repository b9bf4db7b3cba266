/* The privacy curve of fixed-size batches drawn with replacement. The multiplicity of a record is
 * how often the batch contains this record. The multiplicity has a binomial distribution. */
#include <math.h>

#include "accountant/gaussian.h"
#include "accountant/loss.h"
#include "num/elementary.h"

void dp2dpi_multiplicity_fill(const dp2dpi_loss *loss, double beyond_limit,
                              dp2dpi_multiplicity *multiplicity) {
    double b = loss->draws, p = loss->q, odds = p / (1.0 - p);
    double weight = dp2dpi_exp(b * dp2dpi_log1p(-p));
    if (weight < 1e-290) { /* a record is then drawn hundreds of times on average, so no useful
                              bound exists */
        *multiplicity = (dp2dpi_multiplicity) {.last = 0, .beyond = 1.0};
        return;
    }
    for (int k = 0;; k++) {
        multiplicity->weight[k] =
            weight * (1.0 + 1e-12); /* raised, because every step of the recurrence may lose a few
                                       units in the last place */
        multiplicity->last = k;
        double next = k < b ? weight * (b - k) / (k + 1.0) * odds : 0.0;
        /* Bounds the sum of all later weights by a geometric series: beyond their maximum, the
         * binomial weights fall at least as fast as the series. */
        double ratio = (b - k - 1.0) / (k + 2.0) * odds;
        multiplicity->beyond = next <= 0.0   ? 0.0
                               : ratio < 1.0 ? next / (1.0 - ratio) * (1.0 + 1e-12)
                                             : 1.0;
        if (multiplicity->beyond <= beyond_limit || k == DP2DPI_MULTIPLICITY_MAX) {
            break;
        }
        weight = next;
    }
}

static double simple_bound(const dp2dpi_loss *loss, const dp2dpi_multiplicity *multiplicity,
                           double epsilon) {
    double any_draw = -dp2dpi_expm1(
        loss->draws * dp2dpi_log1p(-loss->q)); /* probability that the batch contains the record */
    double inner = dp2dpi_log1p(dp2dpi_expm1(epsilon) / (any_draw * (1.0 + 1e-14)));
    double delta = multiplicity->beyond;
    for (int k = 1; k <= multiplicity->last; k++) {
        delta += multiplicity->weight[k] * dp2dpi_gaussian_delta(k * loss->shift, inner);
    }
    return delta;
}

/* Returns the logarithm of c_k, the level of multiplicity k in docs/proofs/fixed-size.md, for the
 * parameter τ = tau. */
static double log_level(const dp2dpi_loss *loss, double tau, int k) {
    return 0.5 * loss->shift * loss->shift * k * (tau - k);
}

/* Returns the logarithm of Σ_{k=1..last} weight[k] max(c_k, e^log_floor), where log_level computes
 * log c_k. *slope is the derivative of this logarithm with respect to tau. */
static double log_level_sum(const dp2dpi_loss *loss, const dp2dpi_multiplicity *multiplicity,
                            double tau, double log_floor, double *slope) {
    double top = log_floor, sum = 0.0, rise = 0.0, square = 0.5 * loss->shift * loss->shift;
    for (int k = 1; k <= multiplicity->last; k++) {
        double level = log_level(loss, tau, k);
        top = level > top ? level : top;
    }
    for (int k = 1; k <= multiplicity->last; k++) {
        double level = log_level(loss, tau, k);
        double term =
            multiplicity->weight[k] * dp2dpi_exp((level < log_floor ? log_floor : level) - top);
        sum += term;
        rise += level < log_floor ? 0.0 : square * k * term;
    }
    *slope = rise / sum;
    return top + dp2dpi_log(sum);
}

/* Finds a tau at which log_level_sum is at most log_target, and within 1e-10 of log_target if
 * possible. log_level_sum is convex and increasing in tau, so Newton's method stays above the
 * solution if it starts above the solution. If e^log_floor makes the sum nearly constant, a Newton
 * step could leave the interval; bisection is then used instead. */
static double solve_tau(const dp2dpi_loss *loss, const dp2dpi_multiplicity *multiplicity,
                        double log_floor, double log_target) {
    double low = -1.0, high = 1.0, slope;
    while (log_level_sum(loss, multiplicity, low, log_floor, &slope) > log_target && low > -1e15) {
        low *= 4.0;
    }
    while (log_level_sum(loss, multiplicity, high, log_floor, &slope) <= log_target &&
           high < 1e15) {
        low = high;
        high *= 4.0;
    }
    double tau = high;
    for (int i = 0; i < 200 && high - low > 1e-15 * (fabs(high) + fabs(low)); i++) {
        double excess = log_level_sum(loss, multiplicity, tau, log_floor, &slope) - log_target;
        if (excess > 0.0) {
            high = tau;
        } else {
            low = tau;
            if (excess > -1e-10) {
                break;
            }
        }
        double step =
            slope > 0.0 ? (excess + 5e-11) / slope : INFINITY; /* aims just below log_target */
        tau = tau - step > low && tau - step < high ? tau - step : 0.5 * (low + high);
    }
    return low;
}

/* Returns 1 if the conditions of the tight bound hold at tau (docs/proofs/fixed-size.md). In each
 * condition, the term of multiplicity 0 is on the right-hand side of the inequality, so that
 * nothing cancels. The factor 1 − 2e-12 makes up for the rounding errors of weights, exponentials
 * and sums. */
static int conditions_hold(const dp2dpi_loss *loss, const dp2dpi_multiplicity *multiplicity,
                           double tau, double epsilon) {
    double alpha = dp2dpi_exp(epsilon), left = 0.0,
           right = dp2dpi_expm1(epsilon) * multiplicity->weight[0];
    for (int k = 1; k <= multiplicity->last; k++) {
        double level = log_level(loss, tau, k);
        left += multiplicity->weight[k] * dp2dpi_exp(level);
        right += alpha * multiplicity->weight[k];
        if (!(left <= right * (1.0 - 2e-12))) {
            return 0;
        }
    }
    return 1;
}

static double tight_bound(const dp2dpi_loss *loss, const dp2dpi_multiplicity *multiplicity,
                          double epsilon) {
    double alpha = dp2dpi_exp(epsilon), total = 0.0, delta = multiplicity->beyond;
    for (int k = 1; k <= multiplicity->last; k++) {
        total += multiplicity->weight[k];
    }
    /* Solves for the τ of docs/proofs/fixed-size.md. Tries first without a floor under the levels
     * c_k and, if a condition fails, with the floor e^ε. The target is rounded down by more than
     * the error of the weights. */
    double target =
        (dp2dpi_expm1(epsilon) * multiplicity->weight[0] + alpha * total) * (1.0 - 5e-12);
    double log_floor = -INFINITY, log_target = dp2dpi_log(target) - 1e-14, slope;
    double tau = solve_tau(loss, multiplicity, log_floor, log_target);
    if (!conditions_hold(loss, multiplicity, tau, epsilon)) {
        log_floor = epsilon;
        tau = solve_tau(loss, multiplicity, log_floor, log_target);
    }
    if (log_level_sum(loss, multiplicity, tau, log_floor, &slope) > log_target) {
        return 1.0; /* near ε = 0 even the floor exceeds the target, so only δ ≤ 1 is certain */
    }
    for (int k = 1; k <= multiplicity->last; k++) {
        double level = log_level(loss, tau, k);
        level = level < log_floor ? log_floor : level;
        delta += multiplicity->weight[k] * dp2dpi_gaussian_delta(k * loss->shift, level);
    }
    return delta;
}

double dp2dpi_multiplicity_delta(const dp2dpi_loss *loss, const dp2dpi_multiplicity *multiplicity,
                                 double epsilon) {
    epsilon = epsilon < 650.0 ? epsilon : 650.0; /* avoids overflow; δ at a smaller ε is larger, so
                                                    the result is still an upper bound */
    double simple = simple_bound(loss, multiplicity, epsilon);
    double tight = tight_bound(loss, multiplicity, epsilon);
    double delta = (tight < simple ? tight : simple) * (1.0 + 1e-13);
    return delta < 1.0 ? delta : 1.0;
}
