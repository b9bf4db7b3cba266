#include "phase2/sgd_release.h"

#include <math.h>

#include "base/alloc.h"
#include "decide/model.h"

dp2dp_status dp2dpi_sgd_totals_sigma(const dp2dp_fit_options *options, double *sigma,
                                     dp2dp_error *error) {
    dp2dpi_release_terms terms = dp2dpi_fit_terms(options, NULL);
    DP2DPI_TRY(dp2dpi_release_unit_sigma(&terms, 1, 0.0, sigma, error));
    *sigma /= sqrt(options->share_budget);
    return DP2DP_STATUS_OK;
}

/* Plans the release of the group counts and the release of the gradient sums. Sets the noise of the
 * group counts so that they spend the fraction share_budget of the budget. dp2dpi_release_new later
 * sets the noise of the gradient sums, which get what is left of the budget.
 *
 * A sampling mask has a rate that is a multiple of 2^-64, so sums.rate is raised to the next
 * multiple of 2^-64. A double holds this multiple exactly: a rate of at least 2^-12 is already such
 * a multiple, and a lower rate times 2^64 is below 2^52, so the ceiling of the product is a double.
 */
static dp2dp_status describe(const dp2dp_pool *pool, const dp2dp_fit_options *options,
                             dp2dpi_release_plan *plan, dp2dp_error *error) {
    double rate = (double)options->batch / (double)pool->records;
    dp2dp_event totals = dp2dpi_release_gaussian(
        DP2DPI_COUNTS_SENSITIVITY, 1.0, pool->strata + (size_t)pool->leaves_out, "group counts");
    dp2dp_event sums = DP2DP_EVENT_INIT;
    if (!isinf(options->epsilon)) {
        DP2DPI_TRY(dp2dpi_sgd_totals_sigma(options, &totals.sigma, error));
        totals.sigma *= DP2DPI_COUNTS_SENSITIVITY;
    }
    sums.mechanism = DP2DP_POISSON;
    /* In units of C (sgd_sum.h), the terms of the old and of the new record have norm at most 1
     * each, so replacing a record changes the sum by at most 2. */
    sums.sensitivity = 2.0;
    sums.sigma = 1.0;
    sums.rate = rate < 1.0 ? ldexp(ceil(ldexp(rate, 64)), -64) : 1.0;
    sums.count = options->steps;
    sums.coordinates = dp2dpi_sgd_cells(pool);
    sums.label = "gradient sums";
    *plan =
        (dp2dpi_release_plan) {.events = {[DP2DPI_SGD_TOTALS] = totals, [DP2DPI_SGD_SUMS] = sums},
                               .n = DP2DPI_SGD_EVENTS,
                               .most = (double)pool->records,
                               .records = (double)pool->records};
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dpi_sgd_releases_new(const dp2dp_pool *pool, const dp2dp_fit_options *options,
                                     dp2dp_ledger *own, dp2dpi_sgd_releases *out,
                                     dp2dp_error *error) {
    dp2dpi_release_plan plan;
    dp2dpi_release_terms terms = dp2dpi_fit_terms(options, own);
    *out = (dp2dpi_sgd_releases) {.pool = pool, .beta = options->beta};
    DP2DPI_TRY(DP2DPI_ALLOC(out->mask, pool->records, "a sampling mask", error));
    DP2DPI_TRY(describe(pool, options, &plan, error));
    return dp2dpi_release_new(&terms, &plan, &out->release, error);
}

void dp2dpi_sgd_releases_free(dp2dpi_sgd_releases *r) {
    dp2dpi_release_free(&r->release);
    dp2dpi_wipe_and_free(r->mask, r->mask ? r->pool->records : 0);
    *r = (dp2dpi_sgd_releases) {0};
}

dp2dp_status dp2dpi_sgd_totals(const dp2dp_pool *pool, dp2dpi_release *release, double *totals,
                               dp2dp_error *error) {
    size_t n = pool->strata;
    for (size_t e = 0; e < n; e++) {
        release->sum[e] = (int64_t)(pool->begin[e + 1] - pool->begin[e]);
    }
    if (pool->leaves_out) {
        release->sum[n++] = (int64_t)(pool->records - dp2dpi_pool_kept(pool));
    }
    return dp2dpi_release_draw_counts(release, DP2DPI_SGD_TOTALS, n, pool->records, 0, totals,
                                      error);
}

dp2dp_status dp2dpi_sgd_gradient(dp2dpi_sgd_releases *r, const double *shares, const double *nu,
                                 double *out, dp2dp_error *error) {
    dp2dpi_sgd_point point = {shares, nu, r->beta};
    dp2dpi_release *release = &r->release;
    size_t cells = dp2dpi_sgd_cells(r->pool);
    double least = shares[0];
    for (size_t e = 1; e < r->pool->strata; e++) {
        least = shares[e] < least ? shares[e] : least;
    }
    DP2DPI_TRY(dp2dpi_release_mask(release, DP2DPI_SGD_SUMS, r->pool->records, r->mask, error));
    dp2dpi_sgd_sum(r->pool, r->mask, &point, release->grid_bits, release->sum);
    DP2DPI_TRY(dp2dpi_release_draw(release, DP2DPI_SGD_SUMS, cells, release->sum, out, error));
    double batch = dp2dpi_release_event(release, DP2DPI_SGD_SUMS)->rate * (double)r->pool->records;
    double scale = 1.0 / (least * batch);
    for (size_t c = 0; c < cells; c++) {
        out[c] *= scale;
    }
    return DP2DP_STATUS_OK;
}
