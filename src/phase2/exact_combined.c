/* Minimises the smoothed dual of any criterion by Newton's method while the smoothing β goes to
 * zero.
 *
 * π_gs is the number of people who are in group g and whom statistic s is about, divided by the
 * number of all people. θ_gs is the offset of s in group g, ρ the tolerance on unfairness, and F
 * the objective of smooth_combined.h divided by the number of records. The dual is
 *     f(θ) = F(θ) + (ρ/2) Σ_gs π_gs |θ_gs|   under Σ_g π_gs θ_gs = 0 for every s.
 * At a minimum of the smoothed problem, the softmax rule has rates within ρ/2 of a common centre.
 * This randomised rule is the primal point that certifies the result. The last Newton step may
 * leave the rates slightly further apart. repaired() removes this excess by mixing in the best
 * constant rule, under which the rates of all groups are equal. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "decide/model.h"
#include "num/cholesky.h"
#include "phase2/exact.h"
#include "phase2/smooth_combined.h"

static const double beta_first = 0.1;
static const double beta_factor = 0.4;
static const double gap_wanted = 1e-8;
static const double residual_allowed = 1e-11;
static const double rho_slack = 1e-7;     /* unfairness may exceed ρ by this much */
static const double resolution = 1e-10;   /* relative rounding error of the objective */
static const double memory_allowed = 4e9; /* in bytes; solver exact refuses a problem that needs
                                             more */

enum {
    NEWTON_MAX = 60,
    ROUNDS = 23 /* enough rounds to lower β from beta_first to below 1e-9 */
};

typedef struct solver {
    double rho;
    size_t n, count; /* number of variables (groups × statistics), and number of statistics */
    dp2dpi_sums sums;
    double *shares; /* groups × statistics: the people of the group whom the statistic is about, as
                       a share of all people */
    double *theta;  /* n numbers; gradient, step and trial also have n numbers */
    double *gradient;
    double *step;
    double *trial;
    double *inverse;  /* blocks × size × size */
    double *coupling; /* statistics × statistics */
    double *multiplier;
    float *table; /* strata × classes */
} solver;

static double records_of(const solver *s) {
    return (double)dp2dpi_pool_kept(s->sums.pool);
}

static double objective(solver *s, const double *theta, double beta) {
    double penalty = 0.0;
    for (size_t v = 0; v < s->n; v++) {
        penalty += s->shares[v] * sqrt(theta[v] * theta[v] + beta * beta);
    }
    dp2dpi_sums_fill(&s->sums, theta, beta);
    return s->sums.value / records_of(s) + 0.5 * s->rho * penalty;
}

/* Computes the gradient and the Hessian at θ from s->sums, and writes the Hessian over
 * s->sums.hessian. A ridge makes the Hessian invertible in directions in which the objective is
 * flat. */
static void derivatives(solver *s, const double *theta, double beta) {
    double records = records_of(s);
    size_t size = s->sums.size;
    for (size_t v = 0; v < s->n; v++) {
        double root = sqrt(theta[v] * theta[v] + beta * beta), weight = 0.5 * s->rho * s->shares[v];
        double *row = s->sums.hessian + v * size;
        s->gradient[v] = -s->sums.given[v] / records + weight * theta[v] / root;
        for (size_t u = 0; u <= v % size; u++) {
            row[u] /= records;
        }
        row[v % size] += weight * beta * beta / (root * root * root) +
                         1e-7 * (s->shares[v] + 1e-6) / (beta + 1e-3);
    }
}

/* Computes the Newton step Δ and the multiplier y of the constraint. They solve H Δ + Aᵀ y = −q
 * under A Δ = 0, where H is the Hessian, q the gradient and A the matrix of the constraint.
 * Therefore (A H⁻¹ Aᵀ) y = −A H⁻¹ q. Returns 0 if a matrix is not positive definite. */
static int newton_step(solver *s) {
    size_t size = s->sums.size, count = s->count;
    memcpy(s->inverse, s->sums.hessian, s->n * size * sizeof(double));
    memset(s->coupling, 0, count * count * sizeof(double));
    memset(s->multiplier, 0, count * sizeof(double));
    for (size_t block = 0; block < s->sums.blocks; block++) {
        if (!dp2dpi_cholesky_invert(s->inverse + block * size * size, size)) {
            return 0;
        }
    }
    for (size_t v = 0; v < s->n; v++) {
        const double *inverse = s->inverse + v * size;
        size_t first = v - v % size;
        for (size_t u = 0; u < size; u++) {
            size_t w = first + u;
            s->coupling[v % count * count + w % count] += s->shares[v] * s->shares[w] * inverse[u];
            s->multiplier[v % count] -= s->shares[v] * inverse[u] * s->gradient[w];
        }
    }
    for (size_t i = 0; i < count; i++) {
        s->coupling[i * count + i] += 1e-14; /* keeps the matrix invertible if a statistic is about
                                                nobody */
    }
    if (!dp2dpi_cholesky_solve(s->coupling, count, s->multiplier)) {
        return 0;
    }
    for (size_t v = 0; v < s->n; v++) {
        const double *inverse = s->inverse + v * size;
        s->step[v] = 0.0;
        for (size_t u = 0; u < size; u++) {
            size_t w = v - v % size + u;
            s->step[v] -= inverse[u] * (s->gradient[w] + s->shares[w] * s->multiplier[w % count]);
        }
    }
    return 1;
}

static double whole_share(const solver *s, size_t statistic) {
    double sum = 0.0;
    for (size_t v = statistic; v < s->n; v += s->count) {
        sum += s->shares[v];
    }
    return sum;
}

/* Restores the constraint Σ_g π_gs θ_gs = 0, which rounding errors violate. The top of this file
 * defines the symbols. */
static void centre(const solver *s, double *theta) {
    for (size_t i = 0; i < s->count; i++) {
        double mean = 0.0, whole = whole_share(s, i);
        for (size_t v = i; v < s->n; v += s->count) {
            mean += s->shares[v] * theta[v];
        }
        for (size_t v = i; v < s->n && whole > 0.0; v += s->count) {
            theta[v] -= mean / whole;
        }
    }
}

/* Returns how far θ is from the constrained minimum of the smoothed problem. Let q_gs be the
 * gradient of the objective with respect to θ_gs, and y_s = Σ_g q_gs / Σ_g π_gs. (The top of this
 * file defines θ_gs and π_gs.) At the minimum, every q_gs equals π_gs y_s. Returns the largest
 * |q_gs − π_gs y_s|. */
static double residual(const solver *s) {
    double largest = 0.0;
    for (size_t i = 0; i < s->count; i++) {
        double sum = 0.0, whole = whole_share(s, i);
        for (size_t v = i; v < s->n; v += s->count) {
            sum += s->gradient[v];
        }
        for (size_t v = i; v < s->n && whole > 0.0; v += s->count) {
            largest = fmax(largest, fabs(s->gradient[v] - s->shares[v] * (sum / whole)));
        }
    }
    return largest;
}

static void step_to(solver *s, double length) {
    for (size_t v = 0; v < s->n; v++) {
        s->trial[v] = s->theta[v] + length * s->step[v];
    }
    centre(s, s->trial);
}

/* Halves the step until the objective decreases enough (Armijo's rule). Returns the final step
 * length, or 0 if no step decreases the objective enough. Afterwards s->sums holds the sums at the
 * last point tried. */
static double search_line(solver *s, double beta, double *value) {
    double slope = 0.0, largest = 0.0;
    for (size_t v = 0; v < s->n; v++) {
        slope += s->gradient[v] * s->step[v];
        largest = fmax(largest, fabs(s->step[v]));
    }
    if (-slope < resolution * fabs(*value)) {
        return 0.0; /* the possible gain is only rounding error */
    }
    double length = largest > 0.5 ? 0.5 / largest : 1.0; /* an offset moves by at most 0.5 */
    for (int halvings = 0; halvings < 40; halvings++) {
        step_to(s, length);
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
static void newton(solver *s, double beta) {
    double value = objective(s, s->theta, beta);
    derivatives(s, s->theta, beta);
    double before = residual(s);
    for (int i = 0; i < NEWTON_MAX && before >= residual_allowed && newton_step(s); i++) {
        int decreased = search_line(s, beta, &value) > 0.0;
        if (!decreased) {
            step_to(s, 1.0);
            value = objective(s, s->trial, beta);
        }
        derivatives(s, s->trial, beta);
        double after = residual(s);
        if (!decreased && !(after < 0.9 * before)) {
            break;
        }
        before = after;
        memcpy(s->theta, s->trial, s->n * sizeof(double));
    }
    (void)objective(s, s->theta, beta); /* computes the sums again, which derivatives() overwrote */
}

/* Returns the largest difference of any rate between two groups. For each rate, ignores the groups
 * in which nobody counts for this rate. */
static double widest_range(const solver *s) {
    double widest = 0.0;
    for (size_t i = 0; i < s->count; i++) {
        double low = INFINITY, high = -INFINITY;
        for (size_t v = i; v < s->n; v += s->count) {
            if (s->sums.people[v] > 0.0) {
                double rate = s->sums.given[v] / s->sums.people[v];
                low = fmin(low, rate);
                high = fmax(high, rate);
            }
        }
        widest = fmax(widest, high - low);
    }
    return widest;
}

/* Returns the accuracy of the softmax rule mixed with the best constant rule. The constant rule
 * (one class for everybody) gets the smallest weight with which the groups' rates differ by at most
 * ρ + rho_slack. */
static double repaired(const solver *s) {
    double widest = widest_range(s), best = 0.0, allowed = s->rho + rho_slack;
    for (size_t k = 0; k < s->sums.pool->classes; k++) {
        best = fmax(best, s->sums.constant[k]);
    }
    double constant = widest > allowed ? 1.0 - allowed / widest : 0.0;
    return ((1.0 - constant) * s->sums.accuracy + constant * best) / records_of(s);
}

/* Writes the offsets that the solver found, rounded to float32. The rule is published and applied
 * with these rounded offsets. */
static void publish(solver *s, double *offsets) {
    const dp2dpi_statistics *statistics = s->sums.statistics;
    size_t classes = s->sums.pool->classes, labels = statistics->labels;
    memset(offsets, 0, s->sums.pool->strata * classes * sizeof(double));
    for (size_t v = 0; v < s->n; v++) {
        for (size_t y = 0; y < labels; y++) {
            if (dp2dpi_statistic_has(statistics, v % s->count, y)) {
                size_t e = v / s->count * labels + y;
                offsets[e * classes + statistics->classes[v % s->count]] += s->theta[v];
            }
        }
    }
    for (size_t i = 0; i < s->sums.pool->strata * classes; i++) {
        s->table[i] = (float)offsets[i];
        offsets[i] = (double)s->table[i];
    }
}

static double memory_needed(const dp2dp_pool *pool, const dp2dpi_statistics *statistics) {
    size_t whole = pool->strata / pool->labels;
    double groups = (double)whole, count = (double)statistics->count;
    double blocks = pool->rule == DP2DP_RULE_WEIGHTED ? 1.0 : groups, n = groups * count;
    return (double)sizeof(double) * (n * n / blocks + count * count + 6.0 * n) +
           dp2dpi_sums_memory(pool, statistics);
}

static dp2dp_status solver_new(const dp2dp_pool *pool, const dp2dpi_statistics *statistics,
                               double rho, solver *s, dp2dp_error *error) {
    static const char what[] = "a solver";
    *s = (solver) {.rho = rho, .count = statistics->count};
    s->n = pool->strata / pool->labels * s->count;
    if (memory_needed(pool, statistics) > memory_allowed) {
        return dp2dpi_fail(error, DP2DP_STATUS_MEMORY,
                           "solver exact: %zu rates in %zu groups need %.1f GB of working memory, "
                           "but the limit is %.1f GB; use solver counts",
                           s->count, pool->strata / pool->labels,
                           1e-9 * memory_needed(pool, statistics), 1e-9 * memory_allowed);
    }
    DP2DPI_TRY(dp2dpi_sums_new(pool, statistics, &s->sums, error));
    DP2DPI_TRY(DP2DPI_ALLOC(s->table, pool->strata * pool->classes, what, error));
    DP2DPI_TRY(DP2DPI_ALLOC(s->shares, 5 * s->n + s->n * s->sums.size + s->count * (s->count + 1),
                            what, error));
    s->theta = s->shares + s->n;
    s->gradient = s->theta + s->n;
    s->step = s->gradient + s->n;
    s->trial = s->step + s->n;
    s->inverse = s->trial + s->n;
    s->coupling = s->inverse + s->n * s->sums.size;
    s->multiplier = s->coupling + s->count * s->count;
    return DP2DP_STATUS_OK;
}

/* Computes s->shares and the shares of the strata from s->sums. These shares do not depend on θ. */
static void take_shares(solver *s, double *strata) {
    double total = 0.0;
    dp2dpi_sums_fill(&s->sums, s->theta, 0.0);
    for (size_t v = 0; v < s->n; v++) {
        s->shares[v] = s->sums.people[v] / records_of(s);
    }
    for (size_t e = 0; e < s->sums.pool->strata; e++) {
        total += s->sums.strata[e];
    }
    for (size_t e = 0; e < s->sums.pool->strata; e++) {
        strata[e] = s->sums.strata[e] / total;
    }
}

dp2dp_status dp2dpi_exact_combined(const dp2dp_pool *pool, const dp2dp_fit_options *options,
                                   const dp2dpi_statistics *statistics, double *offsets,
                                   double *shares, dp2dp_optimality *proof, dp2dp_error *error) {
    solver s;
    dp2dp_status status = DP2DP_STATUS_OK;
    DP2DPI_TRY(dp2dpi_exact_check(pool, error));
    DP2DPI_TRY_OR_DONE(solver_new(pool, statistics, options->rho, &s, error));
    take_shares(&s, shares);
    *proof = (dp2dp_optimality) {.dual = INFINITY, .primal = -INFINITY};
    double beta = beta_first;
    for (uint64_t step = 1; step <= ROUNDS && proof->dual - proof->primal > gap_wanted; step++) {
        newton(&s, beta);
        proof->primal = fmax(proof->primal, repaired(&s));
        proof->dual = fmin(proof->dual, objective(&s, s.theta, 0.0));
        beta *= beta_factor;
        DP2DPI_TRY_OR_DONE(dp2dpi_fit_progress(options, step, ROUNDS, error));
    }
    publish(&s, offsets);
    dp2dpi_sums_rule(&s.sums, s.table);
    proof->rule = s.sums.accuracy / records_of(&s);
    proof->unfairness = widest_range(&s);
    DP2DPI_TRY_OR_DONE(dp2dpi_exact_check_gap(proof, error));
done:
    dp2dpi_free(s.shares);
    dp2dpi_free(s.table);
    dp2dpi_sums_free(&s.sums);
    return status;
}
