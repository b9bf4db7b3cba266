#include "phase2/sgd.h"

#include <math.h>

#include "base/alloc.h"
#include "phase2/rule.h"
#include "phase2/sgd_release.h"

static double project(double x, double max) {
    return x < 0.0 ? 0.0 : x > max ? max : x;
}

void dp2dpi_sgd_step(double *lambda, const double *v, const double *w, size_t classes, double eta,
                     const dp2dp_fit_options *options, double *nu) {
    for (size_t k = 0; k < classes; k++) {
        double *first = &lambda[k], *second = &lambda[classes + k];
        *first = project(*first - eta * (options->rho - v[k]), options->lambda_max);
        *second = project(*second - eta * (options->rho + w[k]), options->lambda_max);
        nu[classes + k] = *first - *second;
        nu[k] = -nu[classes + k];
    }
}

void dp2dpi_sgd_offsets(double *nu, const double *shares, size_t strata, size_t classes,
                        double bound) {
    for (size_t e = 0; e < strata; e++) {
        double *row = nu + e * classes, lowest = INFINITY, highest = -INFINITY;
        for (size_t k = 0; k < classes; k++) {
            row[k] /= shares[e];
            lowest = row[k] < lowest ? row[k] : lowest;
            highest = row[k] > highest ? row[k] : highest;
        }
        for (size_t k = 0; k < classes && (highest > bound || lowest < -bound); k++) {
            double above = row[k] - lowest;
            row[k] = (above < 2.0 * bound ? above : 2.0 * bound) - bound;
        }
    }
}

/* Takes one step for more than two groups: ν ← prox(ν + η R) under Σ_g ν_gk = 0 for every class k.
 * R is the noisy mean softmax, η the step length and prox is dp2dpi_rule_prox. */
static void step_many(const double *rates, size_t strata, size_t classes, double eta,
                      const double *even, const dp2dp_fit_options *options, double *nu) {
    for (size_t c = 0; c < strata * classes; c++) {
        nu[c] += eta * rates[c];
    }
    const dp2dpi_rule_class each = {.strata = strata,
                                    .stride = classes,
                                    .shares = even,
                                    .kappa = 0.5 * eta * options->rho,
                                    .offset_max = options->lambda_max};
    for (size_t k = 0; k < classes; k++) {
        dp2dpi_rule_prox(&each, nu + k);
    }
}

typedef struct state {
    double *nu;       /* strata × classes */
    double *gradient; /* the cells of one released sum */
    double *lambda;   /* two multipliers for each class */
    double *even;     /* the share 1/strata for each stratum; first used as scratch for the released
                         counts */
} state;

static void step(state *s, size_t strata, size_t classes, double eta,
                 const dp2dp_fit_options *options) {
    if (strata == 2) {
        dp2dpi_sgd_step(s->lambda, s->gradient, s->gradient, classes, eta, options, s->nu);
    } else {
        step_many(s->gradient, strata, classes, eta, s->even, options, s->nu);
    }
}

/* Writes the average of the last iterates to offsets. Iterate t has weight t, since the first
 * iterates are far from the solution. This is post-processing of the releases. */
static dp2dp_status iterate(dp2dpi_sgd_releases *r, const dp2dp_fit_options *options, state *s,
                            const double *shares, double *offsets, dp2dp_error *error) {
    size_t strata = r->pool->strata, classes = r->pool->classes;
    uint64_t steps = options->steps, averaged = (uint64_t)((double)steps * options->tail);
    double weight = 0.0;
    averaged = averaged < 1 ? 1 : averaged;
    for (uint64_t t = 1; t <= steps; t++) {
        DP2DPI_TRY(dp2dpi_sgd_gradient(r, shares, s->nu, s->gradient, error));
        step(s, strata, classes, options->step_size / sqrt((double)t), options);
        weight += t > steps - averaged ? (double)t : 0.0;
        for (size_t c = 0; c < strata * classes && weight > 0.0; c++) {
            offsets[c] += (s->nu[c] - offsets[c]) * ((double)t / weight);
        }
        DP2DPI_TRY(dp2dpi_fit_progress(options, t, steps, error));
    }
    return DP2DP_STATUS_OK;
}

static dp2dp_status solve(dp2dpi_sgd_releases *r, const dp2dp_fit_options *options, state *s,
                          dp2dp_model *model, dp2dp_error *error) {
    double *offsets = model->offsets, *shares = model->shares;
    size_t strata = r->pool->strata, classes = r->pool->classes;
    DP2DPI_TRY(dp2dpi_sgd_totals(r->pool, &r->release, s->even, error));
    double records = (double)r->pool->records;
    double kept = r->pool->leaves_out ? dp2dpi_rule_kept(s->even, strata, records) : records;
    model->info.warnings |= dp2dpi_rule_warn_kept(kept, records);
    dp2dpi_rule_shares(s->even, strata, kept, options->share_floor, shares);
    for (size_t e = 0; e < strata; e++) {
        s->even[e] = 1.0 / (double)strata;
    }
    DP2DPI_TRY(iterate(r, options, s, shares, offsets, error));
    dp2dpi_sgd_offsets(offsets, shares, strata, classes, options->offset_max);
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dpi_sgd_fit(const dp2dp_pool *pool, const dp2dp_fit_options *options,
                            dp2dp_model *model, dp2dp_error *error) {
    dp2dpi_sgd_releases releases;
    size_t strata = pool->strata, classes = pool->classes, cells = strata * classes;
    state s;
    /* All memory is allocated first, because a failure after the charge would waste budget. */
    DP2DPI_TRY(DP2DPI_ALLOC(s.nu, 2 * cells + 2 * classes + strata + 1, "a solver", error));
    s.gradient = s.nu + cells;
    s.lambda = s.gradient + cells;
    s.even = s.lambda + 2 * classes;
    dp2dp_status status = DP2DP_STATUS_OK;
    DP2DPI_TRY_OR_DONE(dp2dpi_sgd_releases_new(pool, options, model->ledger, &releases, error));
    DP2DPI_TRY_OR_DONE(solve(&releases, options, &s, model, error));
done:
    dp2dpi_sgd_releases_free(&releases);
    dp2dpi_free(s.nu);
    return status;
}
