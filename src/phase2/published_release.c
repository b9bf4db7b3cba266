#include "phase2/published_release.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "mechanism/ledger.h"
#include "phase2/model.h"
#include "phase2/published_price.h"
#include "phase2/sgd_release.h"

/* The two releases as plain Gaussian ones, which is what is drawn: the sums over a batch that this
 * file samples itself. */
static dp2dp_status open_noise(const dp2dp_fit_options *options,
                               const dp2dpi_published_claim *claim, dp2dpi_published_releases *r,
                               dp2dp_error *error) {
    dp2dp_event events[2] = {DP2DP_EVENT_INIT, DP2DP_EVENT_INIT};
    dp2dpi_charge *charges[2] = {NULL, NULL};
    double most = fmax((double)r->pool->records, 2.0 * (double)r->batch);
    events[0].mechanism = events[1].mechanism = DP2DP_GAUSSIAN;
    events[0].sensitivity = events[1].sensitivity = 1.0; /* the price is not reckoned from these */
    events[0].sigma = claim->sigma_totals;
    events[0].coordinates = 2;
    events[0].label = "group counts";
    events[1].sigma = claim->sigma_sums;
    events[1].coordinates = 2 * r->pool->classes;
    events[1].count = options->steps;
    events[1].label = "gradient sums, sampled by group and member";
    events[0].set = events[1].set = dp2dpi_fit_set(options);
    r->grid_bits = dp2dpi_charge_grid(most, fmax(claim->sigma_totals, claim->sigma_sums));
    dp2dp_status status = dp2dp_ledger_new(DP2DP_REPLACE_ONE, &r->drawn, error);
    if (status == DP2DP_STATUS_OK) {
        status = dp2dpi_charges_new(r->drawn, r->rng, events, 2, r->grid_bits, charges, error);
    }
    r->totals = charges[0];
    r->sums = charges[1];
    return status;
}

/* The sound price of what open_noise will draw, to both ledgers: all entries or none. */
static dp2dp_status charge(const dp2dp_fit_options *options, dp2dp_ledger *own,
                           dp2dpi_published_releases *r, dp2dp_error *error) {
    dp2dpi_published_price price;
    dp2dp_status status =
        dp2dpi_published_price_of(options, r->pool->records, dp2dpi_charge_event(r->totals),
                                  dp2dpi_charge_event(r->sums), &price, error);
    r->count_least = price.count_least;
    r->bounded = price.bounded;
    if (status == DP2DP_STATUS_OK && options->ledger) {
        status = dp2dpi_ledger_charge_all(options->ledger, price.entries, price.size, options->rng,
                                          error);
    }
    return status == DP2DP_STATUS_OK
               ? dp2dpi_ledger_charge_all(own, price.entries, price.size, options->rng, error)
               : status;
}

static dp2dp_status open_charges(const dp2dp_fit_options *options, dp2dp_ledger *own,
                                 dp2dpi_published_releases *r, dp2dp_error *error) {
    dp2dpi_published_claim claim = {0};
    uint64_t records = r->pool->records;
    dp2dp_status status = dp2dpi_published_calibrate(options, records, &claim, error);
    if (status == DP2DP_STATUS_OK &&
        (status = open_noise(options, &claim, r, error)) == DP2DP_STATUS_OK) {
        claim.sigma_totals = dp2dpi_charge_event(r->totals)->sigma;
        claim.sigma_sums = dp2dpi_charge_event(r->sums)->sigma;
        status = dp2dpi_published_claimed(options, records, &claim, error);
        r->epsilon_claimed = claim.epsilon;
    }
    return status == DP2DP_STATUS_OK ? charge(options, own, r, error) : status;
}

dp2dp_status dp2dpi_published_releases_new(const dp2dp_pool *pool, const dp2dp_fit_options *options,
                                           dp2dp_ledger *ledger, dp2dpi_published_releases *out,
                                           dp2dp_error *error) {
    void *sum = NULL, *x = NULL;
    *out = (dp2dpi_published_releases) {.pool = pool,
                                        .noisy = !isinf(options->epsilon),
                                        .batch = options->batch,
                                        .beta = options->beta,
                                        .count_least = -INFINITY,
                                        .epsilon_claimed = NAN};
    dp2dp_status status =
        dp2dpi_alloc_for("a gradient", 2 * pool->classes, sizeof(int64_t), &sum, error);
    out->sum = sum;
    if (status == DP2DP_STATUS_OK) {
        status = dp2dpi_alloc_for("a gradient", pool->classes, sizeof(double), &x, error);
        out->x = x;
    }
    if (status == DP2DP_STATUS_OK) {
        status = dp2dpi_sgd_rng(options, &out->rng, error);
    }
    if (status == DP2DP_STATUS_OK && out->noisy) {
        return open_charges(options, ledger, out, error);
    }
    out->grid_bits = dp2dpi_charge_grid(fmax((double)pool->records, 2.0 * (double)out->batch), 1.0);
    return status;
}

void dp2dpi_published_releases_free(dp2dpi_published_releases *r) {
    dp2dpi_charge_free(r->totals);
    dp2dpi_charge_free(r->sums);
    dp2dp_ledger_free(r->drawn);
    dp2dpi_rng_free(r->rng);
    if (r->sum) {
        dp2dpi_wipe(r->sum, 2 * r->pool->classes * sizeof *r->sum);
    }
    if (r->x) {
        dp2dpi_wipe(r->x, r->pool->classes * sizeof *r->x);
    }
    dp2dpi_free(r->sum);
    dp2dpi_free(r->x);
    *r = (dp2dpi_published_releases) {0};
}

static dp2dp_status release(dp2dpi_published_releases *r, dp2dpi_charge *paid, size_t n,
                            double divisor, double *out, dp2dp_error *error) {
    dp2dp_status status =
        r->noisy ? dp2dpi_charge_release(paid, n, r->sum, r->sum, error) : DP2DP_STATUS_OK;
    for (size_t i = 0; i < n && status == DP2DP_STATUS_OK; i++) {
        out[i] = ldexp((double)r->sum[i], -r->grid_bits) / divisor;
    }
    return status;
}

dp2dp_status dp2dpi_published_totals(dp2dpi_published_releases *r, double *totals,
                                     dp2dp_error *error) {
    dp2dpi_sgd_count(r->pool, r->grid_bits, r->sum);
    dp2dp_status status = release(r, r->totals, 2, 1.0, totals, error);
    if (status == DP2DP_STATUS_OK && !(fmin(totals[0], totals[1]) >= r->count_least)) {
        status = dp2dpi_fail(error, DP2DP_STATUS_NO_BOUND,
                             "group_least: a noisy group count is below %.1f, which the bound "
                             "needs; what was charged stays charged",
                             r->count_least);
    }
    return status;
}

/* Uniform on 0..n−1, exactly; 0 if the generator failed. */
static uint64_t draw_below(dp2dpi_rng *rng, uint64_t n) {
    uint64_t limit = UINT64_MAX - UINT64_MAX % n, word;
    do {
        word = dp2dpi_rng_word(rng);
    } while (word >= limit && !dp2dpi_rng_failed(rng));
    return word % n;
}

/* u without its constant ρ: ∓2 s softmax in the two blocks of K. */
static void add_draw(dp2dpi_published_releases *r, const dp2dpi_sgd_point *point) {
    const dp2dp_pool *pool = r->pool;
    size_t event = (size_t)(dp2dpi_rng_word(r->rng) >> 63);
    size_t size = pool->begin[event + 1] - pool->begin[event];
    int64_t unit = (int64_t)1 << r->grid_bits;
    if (size > 0) {
        size_t member = (size_t)draw_below(r->rng, size);
        dp2dpi_sgd_add(pool, event, member, point, 2.0 * (double)unit, 2 * unit, event ? -1 : 1,
                       r->x, r->sum);
    }
}

dp2dp_status dp2dpi_published_gradient(dp2dpi_published_releases *r, const double *shares,
                                       const double *nu, double *out, dp2dp_error *error) {
    dp2dpi_sgd_point point = {shares, nu, r->beta};
    size_t classes = r->pool->classes;
    dp2dp_status status = dp2dpi_rng_begin(r->rng, error);
    if (status != DP2DP_STATUS_OK) {
        return status;
    }
    memset(r->sum, 0, 2 * classes * sizeof *r->sum);
    for (uint64_t j = 0; j < r->batch && !dp2dpi_rng_failed(r->rng); j++) {
        add_draw(r, &point);
    }
    for (size_t k = 0; k < classes; k++) {
        r->sum[classes + k] = -r->sum[k];
    }
    status = dp2dpi_rng_end(r->rng, error);
    return status == DP2DP_STATUS_OK
               ? release(r, r->sums, 2 * classes, (double)r->batch, out, error)
               : status;
}
