#include "phase2/sgd_release.h"

#include <math.h>

#include "base/alloc.h"
#include "phase2/model.h"

static const double root_two = 1.41421356237309514547; /* rounded up */
/* Calibration aims this far below the target: ε of noise rounded up to the grid may come out a
 * little above that of the noise before, for a numerical bound is not quite monotone. */
static const double aim = 1.0 - 1e-5;

dp2dp_status dp2dpi_sgd_totals_sigma(const dp2dp_fit_options *options, double *sigma,
                                     dp2dp_error *error) {
    dp2dp_accountant *accountant = NULL;
    dp2dp_event event = DP2DP_EVENT_INIT;
    dp2dp_status status = dp2dp_accountant_new(DP2DP_REPLACE_ONE, &accountant, error);
    if (status == DP2DP_STATUS_OK) {
        event.mechanism = DP2DP_GAUSSIAN;
        event.sensitivity = 1.0;
        event.rows_per_person = options->rows_per_person;
        status = dp2dp_accountant_calibrate(accountant, DP2DP_BACKEND_ANALYTIC, DP2DP_FIND_SIGMA,
                                            options->epsilon, options->delta, &event, NULL, error);
        *sigma = event.sigma / sqrt(options->share_budget);
    }
    dp2dp_accountant_free(accountant);
    return status;
}

dp2dp_status dp2dpi_sgd_rng(const dp2dp_fit_options *options, dp2dpi_rng **out,
                            dp2dp_error *error) {
    return options->rng == DP2DP_RNG_INSECURE
               ? dp2dpi_rng_new_insecure(options->insecure_seed, out, error)
               : dp2dpi_rng_new(out, error);
}

/* Both events but for the noise. The rate is the one that a mask has, a multiple of 2^-64: above
 * 2^-12 every double is one, below it the product is less than 2^52, so nothing is rounded here but
 * up. */
static void describe(const dp2dp_pool *pool, const dp2dp_fit_options *options,
                     dp2dp_event *events) {
    double rate = (double)options->batch / (double)pool->records;
    for (int i = 0; i < 2; i++) {
        events[i] = (dp2dp_event)DP2DP_EVENT_INIT;
        events[i].rows_per_person = options->rows_per_person;
        events[i].set = dp2dpi_fit_set(options);
    }
    events[0].mechanism = DP2DP_GAUSSIAN;
    events[0].sensitivity = root_two;
    events[0].coordinates = pool->events;
    events[0].label = "group counts";
    events[1].mechanism = DP2DP_POISSON;
    events[1].sensitivity = 2.0; /* in units of C: each of two records has norm 1 at most */
    events[1].rate = rate < 1.0 ? ldexp(ceil(ldexp(rate, 64)), -64) : 1.0;
    events[1].count = options->steps;
    events[1].coordinates = dp2dpi_sgd_cells(pool);
    events[1].label = "gradient sums";
}

/* The counts get their share of the budget, the sums the least noise with which both stay within
 * (ε, δ) by the accountant itself. The slack of a grid is charged at scale, or better. */
static dp2dp_status calibrate(const dp2dp_fit_options *options, double scale, dp2dp_event *events,
                              dp2dp_error *error) {
    dp2dp_accountant *accountant = NULL;
    double sigma = 0.0;
    dp2dp_status status = dp2dpi_sgd_totals_sigma(options, &sigma, error);
    if (status == DP2DP_STATUS_OK) {
        status = dp2dp_accountant_new(DP2DP_REPLACE_ONE, &accountant, error);
    }
    events[0].sigma = root_two * sigma;
    events[0].scale = events[1].scale = scale;
    if (status == DP2DP_STATUS_OK &&
        (status = dp2dp_accountant_add(accountant, &events[0], error)) == DP2DP_STATUS_OK) {
        status = dp2dp_accountant_calibrate(accountant, DP2DP_BACKEND_AUTO, DP2DP_FIND_SIGMA,
                                            options->epsilon * aim, options->delta, &events[1],
                                            NULL, error);
    }
    dp2dp_accountant_free(accountant);
    return status;
}

static dp2dp_status plan(const dp2dp_pool *pool, const dp2dp_fit_options *options,
                         dp2dp_event *events, int *grid_bits, dp2dp_error *error) {
    static const double scales[] = {0x1p40, 0x1p30}; /* the finer one wherever N allows it */
    dp2dp_status status = DP2DP_STATUS_OK;
    for (int i = 0; i < 2 && status == DP2DP_STATUS_OK; i++) {
        if ((status = calibrate(options, scales[i], events, error)) == DP2DP_STATUS_OK) {
            double smaller = fmin(events[0].sigma, events[1].sigma);
            *grid_bits =
                dp2dpi_charge_grid((double)pool->records, fmax(events[0].sigma, events[1].sigma));
            if (*grid_bits >= 0 && ldexp(smaller, *grid_bits) >= scales[i]) {
                return DP2DP_STATUS_OK;
            }
        }
    }
    return status != DP2DP_STATUS_OK
               ? status
               : dp2dpi_fail(error, DP2DP_STATUS_BUDGET,
                             "epsilon = %g leaves no grid on which %zu records and their noise fit",
                             options->epsilon, pool->records);
}

/* Both events at once, or neither: the user's ledger first, since it may refuse; the model's own
 * then records what was charged. */
static dp2dp_status charge(const dp2dp_fit_options *options, const dp2dp_event *events,
                           dp2dp_ledger *own, dp2dpi_sgd_releases *r, dp2dp_error *error) {
    dp2dp_ledger *first = r->noisy && options->ledger ? options->ledger : own;
    dp2dpi_charge *charges[2] = {NULL, NULL};
    dp2dp_status status =
        dp2dpi_charges_new(first, r->rng, events, 2, r->grid_bits, charges, error);
    r->totals = charges[0];
    r->sums = charges[1];
    for (int i = 0; i < 2 && status == DP2DP_STATUS_OK && first != own; i++) {
        status = dp2dp_ledger_charge(own, dp2dpi_charge_event(charges[i]), options->rng, error);
    }
    return status;
}

static dp2dp_status open_charges(const dp2dp_fit_options *options, dp2dp_ledger *own,
                                 dp2dpi_sgd_releases *r, dp2dp_error *error) {
    dp2dp_event events[2];
    dp2dp_status status;
    describe(r->pool, options, events);
    if (r->noisy) {
        status = plan(r->pool, options, events, &r->grid_bits, error);
        return status == DP2DP_STATUS_OK ? charge(options, events, own, r, error) : status;
    }
    events[0].sigma = events[1].sigma = 1.0; /* never drawn */
    r->grid_bits = dp2dpi_charge_grid((double)r->pool->records, 1.0);
    status = dp2dp_ledger_new(DP2DP_REPLACE_ONE, &r->unpaid, error);
    return status == DP2DP_STATUS_OK ? charge(options, events, r->unpaid, r, error) : status;
}

dp2dp_status dp2dpi_sgd_releases_new(const dp2dp_pool *pool, const dp2dp_fit_options *options,
                                     dp2dp_ledger *ledger, dp2dpi_sgd_releases *out,
                                     dp2dp_error *error) {
    size_t cells = dp2dpi_sgd_cells(pool);
    void *sum = NULL, *mask = NULL;
    *out = (dp2dpi_sgd_releases) {
        .pool = pool,
        .noisy = !isinf(options->epsilon),
        .beta = options->beta,
        .length = cells > pool->events ? cells : pool->events,
    };
    dp2dp_status status = dp2dpi_alloc_for("a gradient", out->length, sizeof(int64_t), &sum, error);
    out->sum = sum;
    if (status == DP2DP_STATUS_OK) {
        status = dp2dpi_alloc_for("a sampling mask", pool->records, 1, &mask, error);
        out->mask = mask;
    }
    if (status == DP2DP_STATUS_OK) {
        status = dp2dpi_sgd_rng(options, &out->rng, error);
    }
    return status == DP2DP_STATUS_OK ? open_charges(options, ledger, out, error) : status;
}

void dp2dpi_sgd_releases_free(dp2dpi_sgd_releases *r) {
    dp2dpi_charge_free(r->totals);
    dp2dpi_charge_free(r->sums);
    dp2dp_ledger_free(r->unpaid);
    dp2dpi_rng_free(r->rng);
    if (r->sum) {
        dp2dpi_wipe(r->sum, r->length * sizeof *r->sum);
    }
    if (r->mask) {
        dp2dpi_wipe(r->mask, r->pool->records);
    }
    dp2dpi_free(r->sum);
    dp2dpi_free(r->mask);
    *r = (dp2dpi_sgd_releases) {0};
}

void dp2dpi_sgd_count(const dp2dp_pool *pool, int grid_bits, int64_t *counts) {
    for (size_t e = 0; e < pool->events; e++) {
        counts[e] = (int64_t)(pool->begin[e + 1] - pool->begin[e]) * ((int64_t)1 << grid_bits);
    }
}

/* Private up to here. */
static dp2dp_status release(dp2dpi_sgd_releases *r, dp2dpi_charge *paid, size_t n, double scale,
                            double *out, dp2dp_error *error) {
    dp2dp_status status =
        r->noisy ? dp2dpi_charge_release(paid, n, r->sum, r->sum, error) : DP2DP_STATUS_OK;
    for (size_t i = 0; i < n && status == DP2DP_STATUS_OK; i++) {
        out[i] = ldexp((double)r->sum[i], -r->grid_bits) * scale;
    }
    return status;
}

dp2dp_status dp2dpi_sgd_totals(dp2dpi_sgd_releases *r, double *totals, dp2dp_error *error) {
    dp2dpi_sgd_count(r->pool, r->grid_bits, r->sum);
    return release(r, r->totals, r->pool->events, 1.0, totals, error);
}

dp2dp_status dp2dpi_sgd_gradient(dp2dpi_sgd_releases *r, const double *shares, const double *nu,
                                 double *out, dp2dp_error *error) {
    dp2dpi_sgd_point point = {shares, nu, r->beta};
    double least = shares[0];
    for (size_t e = 1; e < r->pool->events; e++) {
        least = shares[e] < least ? shares[e] : least;
    }
    dp2dp_status status = dp2dpi_charge_poisson_mask(r->sums, r->pool->records, r->mask, error);
    if (status != DP2DP_STATUS_OK) {
        return status;
    }
    dp2dpi_sgd_sum(r->pool, r->mask, &point, r->grid_bits, r->sum);
    double batch = dp2dpi_charge_event(r->sums)->rate * (double)r->pool->records;
    return release(r, r->sums, dp2dpi_sgd_cells(r->pool), 1.0 / (least * batch), out, error);
}
