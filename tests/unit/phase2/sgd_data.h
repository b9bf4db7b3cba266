/* Shared by the tests of solver sgd: options, the releases of a fit, and an independent smoothed
 * dual. */
#ifndef DP2DP_TESTS_UNIT_PHASE2_SGD_DATA_H
#define DP2DP_TESTS_UNIT_PHASE2_SGD_DATA_H

#include "phase2/sgd.h"
#include "phase2/sgd_release.h"

#include "unit/phase2/data.h"

static inline dp2dp_fit_options sgd(double epsilon, uint64_t seed) {
    dp2dp_fit_options options = seeded(epsilon, seed);
    options.solver = DP2DP_SOLVER_SGD;
    return options;
}

/* All records in every step, no noise, and a β so large that rounding changes no decision. */
static inline dp2dp_fit_options full_batch(double rho) {
    dp2dp_fit_options options = sgd(INFINITY, 1);
    options.batch = 1000000000;
    options.beta = 0.05;
    options.rho = rho;
    return options;
}

/* Returns β log Σ exp(z/β), and replaces z by its softmax. */
static inline double soft_maximum(double *z, size_t n, double beta) {
    double most = z[0], sum = 0;
    for (size_t k = 1; k < n; k++) {
        most = z[k] > most ? z[k] : most;
    }
    for (size_t k = 0; k < n; k++) {
        z[k] = exp((z[k] - most) / beta);
        sum += z[k];
    }
    for (size_t k = 0; k < n; k++) {
        z[k] /= sum;
    }
    return most + beta * log(sum);
}

/* Σ_g (1/(N π̄_g)) Σ_{i in g} LSE_β(π̄_g p_i − ν_g); rates, G × K, is minus its gradient. */
static inline double smoothed_dual(const people *p, const double *shares, const double *nu,
                                   double beta, double *rates) {
    double value = 0, z[16];
    memset(rates, 0, p->groups * p->classes * sizeof *rates);
    for (size_t i = 0; i < p->n; i++) {
        size_t g = (size_t)p->group[i];
        double weight = 1 / ((double)p->n * shares[g]);
        for (size_t k = 0; k < p->classes; k++) {
            z[k] = shares[g] * (double)p->scores[i * p->classes + k] - nu[g * p->classes + k];
        }
        value += weight * soft_maximum(z, p->classes, beta);
        for (size_t k = 0; k < p->classes; k++) {
            rates[g * p->classes + k] += weight * z[k];
        }
    }
    return value;
}

typedef struct open_fit {
    dp2dp_pool *pool;
    dp2dp_ledger *ledger;
    dp2dpi_sgd_releases releases;
} open_fit;

static inline open_fit begin(const people *p, dp2dp_fit_options options) {
    open_fit f = {.pool = pool_of(p)};
    options.steps = options.steps ? options.steps : 100;
    options.share_budget = options.share_budget > 0 ? options.share_budget : 0.05;
    options.batch = options.batch < p->n ? options.batch : p->n;
    assert_ok(dp2dp_ledger_new(DP2DP_REPLACE_ONE, &f.ledger, NULL));
    assert_ok(dp2dpi_sgd_releases_new(f.pool, &options, f.ledger, &f.releases, NULL));
    return f;
}

static inline void end(open_fit *f) {
    dp2dpi_sgd_releases_free(&f->releases);
    dp2dp_ledger_free(f->ledger);
    dp2dp_pool_free(f->pool);
}

#endif
