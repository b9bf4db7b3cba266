#include "phase2/sgd_as_published_release.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "decide/model.h"
#include "phase2/sgd_release.h"

static dp2dp_status calibrate(const void *context, const dp2dpi_release_terms *terms,
                              dp2dp_event *events, dp2dp_error *error) {
    const dp2dpi_published_releases *r = context;
    dp2dpi_published_claim claim = {0};
    (void)terms;
    DP2DPI_TRY(dp2dpi_published_calibrate(r->options, r->pool->records, &claim, error));
    events[DP2DPI_SGD_TOTALS].sigma = claim.sigma_totals;
    events[DP2DPI_SGD_SUMS].sigma = claim.sigma_sums;
    return DP2DP_STATUS_OK;
}

/* Computes the ε that the paper claims for the noise that is drawn, and the ledger entries for the
 * sound cost of this noise. */
static dp2dp_status price(void *context, const dp2dp_event *drawn, const dp2dp_event **entries,
                          size_t *size, dp2dp_error *error) {
    dp2dpi_published_releases *r = context;
    const dp2dp_event *totals = &drawn[DP2DPI_SGD_TOTALS], *sums = &drawn[DP2DPI_SGD_SUMS];
    dp2dpi_published_claim claim = {.sigma_totals = totals->sigma, .sigma_sums = sums->sigma};
    DP2DPI_TRY(dp2dpi_published_claimed(r->options, r->pool->records, &claim, error));
    r->epsilon_claimed = claim.epsilon;
    DP2DPI_TRY(
        dp2dpi_published_price_of(r->options, r->pool->records, totals, sums, &r->price, error));
    *entries = r->price.entries;
    *size = r->price.size;
    return DP2DP_STATUS_OK;
}

/* Plans both releases as plain Gaussian events, without sampling, because this file samples the
 * batches itself. price() computes the cost of the noise and the sampling, and ignores the
 * sensitivities set here. */
static dp2dpi_release_plan describe(dp2dpi_published_releases *r) {
    dp2dp_event totals = dp2dpi_release_gaussian(1.0, 1.0, 2, "group counts");
    dp2dp_event sums = dp2dpi_release_gaussian(1.0, 1.0, 2 * r->pool->classes,
                                               "gradient sums, sampled by group and member");
    sums.count = r->options->steps;
    return (dp2dpi_release_plan) {
        .events = {[DP2DPI_SGD_TOTALS] = totals, [DP2DPI_SGD_SUMS] = sums},
        .n = DP2DPI_SGD_EVENTS,
        .most = fmax((double)r->pool->records, 2.0 * (double)r->batch),
        .calibrate = calibrate,
        .price = price,
        .context = r};
}

/* Fails with ARGUMENT if no privacy bound is known for this pool or these options. */
static dp2dp_status check(const dp2dp_pool *pool, const dp2dp_fit_options *options,
                          dp2dp_error *error) {
    unsigned long long group_min = options->group_least;
    if (pool->strata != 2) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "solver sgd-as-published needs 2 groups, but there are %zu",
                           pool->strata);
    }
    if (pool->leaves_out) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "solver sgd-as-published cannot leave records out, because no privacy "
                           "bound is known for that; remove the rows with missing values, or use "
                           "solver counts");
    }
    if (options->rows_per_person != 1) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "rows_per_person = %llu: it must be 1 for solver sgd-as-published; "
                           "no privacy bound is known for larger numbers",
                           (unsigned long long)options->rows_per_person);
    }
    if (group_min == 1 || group_min > pool->records / 2) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "group_least = %llu: it must be 0, or from 2 to half of the %zu records",
                           group_min, pool->records);
    }
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dpi_published_releases_new(const dp2dp_pool *pool, const dp2dp_fit_options *options,
                                           dp2dp_ledger *own, dp2dpi_published_releases *out,
                                           dp2dp_error *error) {
    *out = (dp2dpi_published_releases) {.pool = pool,
                                        .options = options,
                                        .price = {.count_least = -INFINITY},
                                        .batch = options->batch,
                                        .beta = options->beta,
                                        .epsilon_claimed = NAN};
    dp2dpi_release_plan plan = describe(out);
    dp2dpi_release_terms terms = dp2dpi_fit_terms(options, own);
    DP2DPI_TRY(check(pool, options, error));
    DP2DPI_TRY(dp2dpi_release_new(&terms, &plan, &out->release, error));
    out->options = NULL;
    return DP2DP_STATUS_OK;
}

void dp2dpi_published_releases_free(dp2dpi_published_releases *r) {
    dp2dpi_release_free(&r->release);
    *r = (dp2dpi_published_releases) {0};
}

dp2dp_status dp2dpi_published_totals(dp2dpi_published_releases *r, double *totals,
                                     dp2dp_error *error) {
    DP2DPI_TRY(dp2dpi_sgd_totals(r->pool, &r->release, totals, error));
    if (!(fmin(totals[0], totals[1]) >= r->price.count_least)) {
        return dp2dpi_fail(
            error, DP2DP_STATUS_NO_BOUND,
            "group_least: a noisy group count is below %.1f, the smallest count for which the "
            "privacy bound holds; the charges stay in the ledger",
            r->price.count_least);
    }
    return DP2DP_STATUS_OK;
}

/* Returns an exactly uniform number from 0 to n − 1, by rejection sampling, or 0 if the generator
 * failed. */
static uint64_t draw_below(dp2dpi_rng *rng, uint64_t n) {
    uint64_t limit = UINT64_MAX - UINT64_MAX % n, word;
    do {
        word = dp2dpi_rng_word(rng);
    } while (word >= limit && !dp2dpi_rng_failed(rng));
    return word % n;
}

/* Draws one record and adds its gradient, without the constant ρ, to release->sum. release->sum has
 * one half for each of the two multipliers. This function adds −2 s softmax to the first half, with
 * s = −1 for the first group and +1 for the second. After all draws, dp2dpi_published_gradient sets
 * the second half to the first half times −1. x is scratch. */
static void add_draw(dp2dpi_published_releases *r, const dp2dpi_sgd_point *point, double *x) {
    const dp2dp_pool *pool = r->pool;
    dp2dpi_release *release = &r->release;
    size_t event = (size_t)(dp2dpi_rng_word(release->rng) >> 63);
    size_t size = pool->begin[event + 1] - pool->begin[event];
    int64_t unit = (int64_t)1 << release->grid_bits;
    if (size > 0) {
        size_t member = (size_t)draw_below(release->rng, size);
        dp2dpi_sgd_add(pool, event, member, point, 2.0 * (double)unit, 2 * unit, event ? -1 : 1, x,
                       release->sum);
    }
}

dp2dp_status dp2dpi_published_gradient(dp2dpi_published_releases *r, const double *shares,
                                       const double *nu, double *out, dp2dp_error *error) {
    dp2dpi_sgd_point point = {shares, nu, r->beta};
    dp2dpi_release *release = &r->release;
    size_t classes = r->pool->classes;
    double x[DP2DPI_CODES_MAX];
    DP2DPI_TRY(dp2dpi_rng_begin(release->rng, error));
    memset(release->sum, 0, 2 * classes * sizeof *release->sum);
    for (uint64_t j = 0; j < r->batch && !dp2dpi_rng_failed(release->rng); j++) {
        add_draw(r, &point, x);
    }
    for (size_t k = 0; k < classes; k++) {
        release->sum[classes + k] = -release->sum[k];
    }
    dp2dpi_wipe(x, classes * sizeof *x);
    DP2DPI_TRY(dp2dpi_rng_end(release->rng, error));
    DP2DPI_TRY(
        dp2dpi_release_draw(release, DP2DPI_SGD_SUMS, 2 * classes, release->sum, out, error));
    for (size_t k = 0; k < 2 * classes; k++) {
        out[k] /= (double)r->batch;
    }
    return DP2DP_STATUS_OK;
}
