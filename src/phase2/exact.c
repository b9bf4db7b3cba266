/* Minimises the smoothed dual by Newton's method while the smoothing β goes to zero.
 *
 * p_ik is the score of record i for class k, θ_gk the offset of group g for class k, π_g the share
 * of group g among the N records, and ρ the tolerance on unfairness. The dual is
 *     f(θ) = (1/N) Σ_i max_k (p_ik − θ_gk) + (ρ/2) Σ_gk π_g |θ_gk|   under Σ_g π_g θ_gk = 0,
 * where g is the group of record i in the first sum. The same β smooths the maximum and the
 * absolute value.
 *
 * At a minimum of the smoothed problem, the softmax rule has rates within ρ/2 of a common centre.
 * This randomised rule is the primal point that certifies the result. The last Newton step leaves a
 * small residual, which repaired() removes by moving probability mass. */
#include "phase2/exact.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "decide/model.h"
#include "num/cholesky.h"
#include "phase2/rule.h"
#include "phase2/smooth.h"

static const double beta_first = 0.1;
static const double beta_factor = 0.4;
static const double gap_wanted = 1e-8;
static const double gap_allowed = 1e-6;
static const double residual_allowed = 1e-11;
static const double resolution = 1e-10;   /* relative rounding error of the objective */
static const double memory_allowed = 4e9; /* in bytes; solver exact refuses a problem that needs
                                             more */

enum {
    NEWTON_MAX = 60,
    ROUNDS = 23 /* enough rounds to lower β from beta_first to below 1e-9 */
};

typedef struct solver {
    const dp2dp_pool *pool;
    double rho;
    size_t strata, classes;
    const double *shares;
    dp2dpi_smooth sums;
    double *gradient;   /* strata × classes */
    double *step;       /* strata × classes */
    double *trial;      /* strata × classes */
    double *inverse;    /* one classes × classes inverse for each stratum (group) */
    double *coupling;   /* classes × classes */
    double *multiplier; /* one number per class */
} solver;

static double penalty(const solver *s, const double *theta, double beta) {
    double sum = 0.0;
    for (size_t e = 0; e < s->strata; e++) {
        for (size_t k = 0; k < s->classes; k++) {
            double x = theta[e * s->classes + k];
            sum += s->shares[e] * sqrt(x * x + beta * beta);
        }
    }
    return 0.5 * s->rho * sum;
}

static double mean_of(const solver *s, const double *sums) {
    double sum = 0.0;
    for (size_t e = 0; e < s->strata; e++) {
        sum += sums[e];
    }
    return sum / (double)dp2dpi_pool_kept(s->pool);
}

static double objective(solver *s, const double *theta, double beta) {
    dp2dpi_smooth_sum(s->pool, theta, beta, &s->sums);
    return mean_of(s, s->sums.value) + penalty(s, theta, beta);
}

/* Computes the gradient and the Hessian blocks, in place, from the sums at θ. Adding a constant to
 * all offsets of a group changes the smoothed maximum linearly, so a block alone may be singular. A
 * ridge (a small number added to the diagonal) makes the blocks invertible. */
static void derivatives(solver *s, const double *theta, double beta) {
    double records = (double)dp2dpi_pool_kept(s->pool);
    size_t classes = s->classes;
    for (size_t e = 0; e < s->strata; e++) {
        double *block = s->sums.hessian + e * classes * classes;
        for (size_t k = 0; k < classes; k++) {
            double x = theta[e * classes + k], root = sqrt(x * x + beta * beta);
            double weight = 0.5 * s->rho * s->shares[e];
            s->gradient[e * classes + k] =
                -s->sums.rates[e * classes + k] / records + weight * x / root;
            for (size_t l = 0; l < classes; l++) {
                block[k * classes + l] /= records;
            }
            block[k * classes + k] += weight * beta * beta / (root * root * root) +
                                      1e-7 * (s->shares[e] + 1e-6) / (beta + 1e-3);
        }
    }
}

/* Computes the Newton step Δ and the multiplier y of the constraint. They solve H_g Δ_g + π_g y =
 * −q_g under Σ π_g Δ_g = 0, where H_g is the Hessian block, q_g the gradient and π_g the share of
 * group g. Hence (Σ π_g² H_g⁻¹) y = −Σ π_g H_g⁻¹ q_g. Returns 0 if a matrix is not positive
 * definite. */
static int newton_step(solver *s) {
    size_t classes = s->classes, square = classes * classes;
    memset(s->coupling, 0, square * sizeof(double));
    memset(s->multiplier, 0, classes * sizeof(double));
    for (size_t e = 0; e < s->strata; e++) {
        double *inverse = s->inverse + e * square, share = s->shares[e];
        memcpy(inverse, s->sums.hessian + e * square, square * sizeof(double));
        if (!dp2dpi_cholesky_invert(inverse, classes)) {
            return 0;
        }
        for (size_t k = 0; k < classes; k++) {
            for (size_t l = 0; l < classes; l++) {
                s->coupling[k * classes + l] += share * share * inverse[k * classes + l];
                s->multiplier[k] -= share * inverse[k * classes + l] * s->gradient[e * classes + l];
            }
        }
    }
    if (!dp2dpi_cholesky_solve(s->coupling, classes, s->multiplier)) {
        return 0;
    }
    for (size_t e = 0; e < s->strata; e++) {
        const double *inverse = s->inverse + e * square;
        for (size_t k = 0; k < classes; k++) {
            double sum = 0.0;
            for (size_t l = 0; l < classes; l++) {
                sum -= inverse[k * classes + l] *
                       (s->gradient[e * classes + l] + s->shares[e] * s->multiplier[l]);
            }
            s->step[e * classes + k] = sum;
        }
    }
    return 1;
}

/* Restores the constraint Σ_g π_g θ_gk = 0, which rounding errors violate; π_g is the share of
 * group g. */
static void centre(const solver *s, double *theta) {
    for (size_t k = 0; k < s->classes; k++) {
        double mean = 0.0;
        for (size_t e = 0; e < s->strata; e++) {
            mean += s->shares[e] * theta[e * s->classes + k];
        }
        for (size_t e = 0; e < s->strata; e++) {
            theta[e * s->classes + k] -= mean;
        }
    }
}

/* Returns how far the smoothed problem is from its constrained minimum: the largest
 * |q_gk − π_g y_k|, which is 0 at the minimum. q_gk is the gradient for group g and class k, π_g
 * the share of the group, and y_k the sum of q_gk over the groups. */
static double residual(const solver *s) {
    double largest = 0.0;
    for (size_t k = 0; k < s->classes; k++) {
        double sum = 0.0;
        for (size_t e = 0; e < s->strata; e++) {
            sum += s->gradient[e * s->classes + k];
        }
        for (size_t e = 0; e < s->strata; e++) {
            double gap = fabs(s->gradient[e * s->classes + k] - s->shares[e] * sum);
            largest = gap > largest ? gap : largest;
        }
    }
    return largest;
}

static void step_to(solver *s, const double *theta, double length) {
    for (size_t c = 0; c < s->strata * s->classes; c++) {
        s->trial[c] = theta[c] + length * s->step[c];
    }
    centre(s, s->trial);
}

/* Halves the step until the objective decreases enough (Armijo's rule). Returns the final step
 * length, or 0 if no step decreases the objective enough. Afterwards s->sums holds the sums at the
 * last point tried. */
static double search_line(solver *s, const double *theta, double beta, double *value) {
    double slope = 0.0, largest = 0.0;
    for (size_t c = 0; c < s->strata * s->classes; c++) {
        slope += s->gradient[c] * s->step[c];
        largest = fabs(s->step[c]) > largest ? fabs(s->step[c]) : largest;
    }
    if (-slope < resolution * fabs(*value)) {
        return 0.0; /* the possible gain is only rounding error */
    }
    double length = largest > 0.5 ? 0.5 / largest : 1.0; /* an offset moves by at most 0.5 */
    for (int halvings = 0; halvings < 40; halvings++) {
        step_to(s, theta, length);
        double next = objective(s, s->trial, beta);
        if (next < *value + 0.1 * length * slope) {
            *value = next;
            return length;
        }
        length *= 0.5;
    }
    return 0.0;
}

/* Minimises the objective at one β, starting from θ. Near the minimum, a step decreases the
 * objective by less than the rounding error, so the line search fails. The solver then takes full
 * steps, as long as they reduce the residual. */
static void newton(solver *s, double *theta, double beta) {
    size_t cells = s->strata * s->classes;
    double value = objective(s, theta, beta);
    derivatives(s, theta, beta);
    double before = residual(s);
    for (int i = 0; i < NEWTON_MAX && before >= residual_allowed && newton_step(s); i++) {
        int decreased = search_line(s, theta, beta, &value) > 0.0;
        if (!decreased) {
            step_to(s, theta, 1.0);
            value = objective(s, s->trial, beta);
        }
        derivatives(s, s->trial, beta);
        double after = residual(s);
        if (!decreased && !(after < 0.9 * before)) {
            break;
        }
        before = after;
        memcpy(theta, s->trial, cells * sizeof(double));
    }
    (void)objective(s, theta, beta); /* computes the sums again, which derivatives() overwrote */
}

static double rate_of(const solver *s, size_t e, size_t k) {
    return s->sums.rates[e * s->classes + k] / (s->shares[e] * (double)dp2dpi_pool_kept(s->pool));
}

/* Returns the largest difference between two nonempty groups (strata) in the rate of any class. */
static double widest_range(const solver *s) {
    double widest = 0.0;
    for (size_t k = 0; k < s->classes; k++) {
        double low = INFINITY, high = -INFINITY;
        for (size_t e = 0; e < s->strata; e++) {
            if (s->shares[e] > 0.0) {
                double rate = rate_of(s, e, k);
                low = rate < low ? rate : low;
                high = rate > high ? rate : high;
            }
        }
        widest = high - low > widest ? high - low : widest;
    }
    return widest;
}

/* Returns a lower bound on the accuracy of the softmax rule after a repair. The repair makes the
 * rule satisfy the tolerance ρ: the rates r_g of group g become (1−t) r_g + t m, where m is the
 * mean over the groups. t is the smallest number with which the groups' rates of every class differ
 * by at most ρ. Moving a unit of probability mass from one class to another costs at most 1. */
static double repaired(const solver *s) {
    double cost = 0.0, widest = widest_range(s);
    size_t classes = s->classes;
    double *mean = s->multiplier;
    memset(mean, 0, classes * sizeof(double));
    for (size_t e = 0; e < s->strata; e++) {
        for (size_t k = 0; k < classes; k++) {
            mean[k] += s->sums.rates[e * classes + k] / (double)dp2dpi_pool_kept(s->pool);
        }
    }
    double t = widest > s->rho ? 1.0 - s->rho / widest : 0.0;
    for (size_t e = 0; e < s->strata; e++) {
        double moved = 0.0;
        for (size_t k = 0; s->shares[e] > 0.0 && k < classes; k++) {
            moved += fabs(rate_of(s, e, k) - mean[k]);
        }
        cost += s->shares[e] * 0.5 * t * moved;
    }
    return mean_of(s, s->sums.accuracy) - cost;
}

/* Measures the accuracy and the unfairness of the published rule, which decides in float32. */
static void describe_rule(solver *s, const double *theta, dp2dp_optimality *proof) {
    dp2dpi_smooth_rule(s->pool, theta, &s->sums);
    proof->rule = mean_of(s, s->sums.accuracy);
    proof->unfairness = widest_range(s);
}

static double memory_needed(const dp2dp_pool *pool) {
    double strata = (double)pool->strata, classes = (double)pool->classes;
    return (double)sizeof(double) * (classes * classes * (strata + 1.0) + 4.0 * strata * classes) +
           dp2dpi_smooth_memory(pool);
}

static dp2dp_status solver_new(const dp2dp_pool *pool, double rho, const double *shares,
                               solver *out, dp2dp_error *error) {
    size_t cells = pool->strata * pool->classes, square = pool->classes * pool->classes;
    *out = (solver) {.pool = pool,
                     .rho = rho,
                     .strata = pool->strata,
                     .classes = pool->classes,
                     .shares = shares};
    if (memory_needed(pool) > memory_allowed) {
        return dp2dpi_fail(error, DP2DP_STATUS_MEMORY,
                           "solver exact: %zu classes and %zu groups need %.1f GB of working "
                           "memory, but the limit is %.1f GB; use solver counts",
                           pool->classes, pool->strata, 1e-9 * memory_needed(pool),
                           1e-9 * memory_allowed);
    }
    DP2DPI_TRY(dp2dpi_smooth_new(pool, &out->sums, error));
    DP2DPI_TRY(DP2DPI_ALLOC(out->gradient, 3 * cells + (pool->strata + 1) * square + pool->classes,
                            "a solver", error));
    out->step = out->gradient + cells;
    out->trial = out->step + cells;
    out->inverse = out->trial + cells;
    out->coupling = out->inverse + pool->strata * square;
    out->multiplier = out->coupling + square;
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dpi_exact_newton(const dp2dp_pool *pool, const dp2dp_fit_options *options,
                                 const double *shares, double *offsets, dp2dp_optimality *proof,
                                 dp2dp_error *error) {
    solver s;
    dp2dp_status status = DP2DP_STATUS_OK;
    DP2DPI_TRY_OR_DONE(solver_new(pool, options->rho, shares, &s, error));
    memset(offsets, 0, pool->strata * pool->classes * sizeof(double));
    proof->dual = INFINITY;
    proof->primal = -INFINITY;
    double beta = beta_first;
    for (uint64_t step = 1; step <= ROUNDS && proof->dual - proof->primal > gap_wanted; step++) {
        newton(&s, offsets, beta);
        double primal = repaired(&s);
        proof->primal = primal > proof->primal ? primal : proof->primal;
        proof->dual = objective(&s, offsets, 0.0);
        beta *= beta_factor;
        DP2DPI_TRY_OR_DONE(dp2dpi_fit_progress(options, step, ROUNDS, error));
    }
    for (size_t i = 0; i < pool->strata * pool->classes; i++) {
        offsets[i] = (double)(float)offsets[i];
    }
    describe_rule(&s, offsets, proof);
done:
    dp2dpi_free(s.gradient);
    dp2dpi_smooth_free(&s.sums);
    return status;
}

dp2dp_status dp2dpi_exact_check(const dp2dp_pool *pool, dp2dp_error *error) {
    return dp2dpi_pool_kept(pool) > 0
               ? DP2DP_STATUS_OK
               : dp2dpi_fail_at(error, DP2DP_STATUS_DATA,
                                &(dp2dpi_place) {.reason = DP2DP_REASON_EMPTY},
                                "solver exact: all records are left out because of bad or missing "
                                "values, so there is nothing to learn from");
}

unsigned dp2dpi_exact_warn(const dp2dp_pool *pool) {
    return dp2dpi_rule_warn_kept((double)dp2dpi_pool_kept(pool), (double)pool->records);
}

dp2dp_status dp2dpi_exact_check_gap(const dp2dp_optimality *proof, dp2dp_error *error) {
    return proof->dual - proof->primal <= gap_allowed
               ? DP2DP_STATUS_OK
               : dp2dpi_fail(
                     error, DP2DP_STATUS_NO_BOUND,
                     "solver exact: the result is not certified, because the gap between dual and "
                     "primal is %.3g, but may be at most %g",
                     proof->dual - proof->primal, gap_allowed);
}

dp2dp_status dp2dpi_exact_solve(const dp2dp_pool *pool, const dp2dp_fit_options *options,
                                double *offsets, double *shares, dp2dp_optimality *proof,
                                dp2dp_error *error) {
    DP2DPI_TRY(dp2dpi_exact_check(pool, error));
    size_t kept = dp2dpi_pool_kept(pool);
    for (size_t e = 0; e < pool->strata; e++) {
        shares[e] = (double)(pool->begin[e + 1] - pool->begin[e]) / (double)kept;
    }
    DP2DPI_TRY(pool->strata == 2 && pool->classes == 2
                   ? dp2dpi_exact_binary(pool, options, shares, offsets, proof, error)
                   : dp2dpi_exact_newton(pool, options, shares, offsets, proof, error));
    return dp2dpi_exact_check_gap(proof, error);
}
