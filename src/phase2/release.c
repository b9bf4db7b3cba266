#include "phase2/release.h"

#include <math.h>

#include "base/alloc.h"
#include "phase2/model.h"

static const double root_two =
    1.41421356237309514547; /* rounded up: sensitivity of a count table */

/* μ of the whole fit: one Gaussian release with all its noisy coordinates, calibrated to (ε, δ).
 * The slack of noise on a grid is charged at the coarsest scale that dp2dpi_charge_grid allows. */
static dp2dp_status calibrate_mu(const dp2dp_fit_options *options, double coordinates, double scale,
                                 double *mu, dp2dp_error *error) {
    dp2dp_accountant *accountant;
    dp2dp_event event = DP2DP_EVENT_INIT;
    dp2dp_status status = dp2dp_accountant_new(DP2DP_REPLACE_ONE, &accountant, error);
    if (status != DP2DP_STATUS_OK) {
        return status;
    }
    event.mechanism = DP2DP_GAUSSIAN;
    event.sensitivity = 1.0;
    event.rows_per_person = options->rows_per_person;
    event.coordinates = (uint64_t)coordinates;
    event.scale = scale;
    status = dp2dp_accountant_calibrate(accountant, DP2DP_BACKEND_ANALYTIC, DP2DP_FIND_SIGMA,
                                        options->epsilon, options->delta, &event, NULL, error);
    dp2dp_accountant_free(accountant);
    if (status == DP2DP_STATUS_OK) {
        *mu = 1.0 / event.sigma * (1.0 - 1e-12);
    }
    return status;
}

static dp2dp_event table_event(const dp2dp_fit_options *options, double sigma, uint64_t count,
                               uint64_t coordinates, const char *label) {
    dp2dp_event event = DP2DP_EVENT_INIT;
    event.mechanism = DP2DP_GAUSSIAN;
    event.sensitivity = root_two;
    event.sigma = sigma;
    event.count = count;
    event.coordinates = coordinates;
    event.rows_per_person = options->rows_per_person;
    event.label = label;
    event.set = dp2dpi_fit_set(options);
    return event;
}

/* Both events at once, or neither: the user's ledger first, since it may refuse; the model's own
 * then records what was charged. */
static dp2dp_status charge(const dp2dp_fit_options *options, dp2dpi_releases *r,
                           const dp2dp_event *events, dp2dp_ledger *own, dp2dp_error *error) {
    dp2dp_ledger *first = options->ledger ? options->ledger : own;
    dp2dpi_charge *charges[2] = {NULL, NULL};
    dp2dp_status status =
        dp2dpi_charges_new(first, r->rng, events, 2, r->grid_bits, charges, error);
    r->totals = charges[0];
    r->tables = charges[1];
    for (int i = 0; i < 2 && status == DP2DP_STATUS_OK && first != own; i++) {
        status = dp2dp_ledger_charge(own, dp2dpi_charge_event(charges[i]), options->rng, error);
    }
    return status;
}

/* Noise of both releases and the grid, with the slack of scales of at least scale_least charged. */
typedef struct noise_plan {
    double totals, tables;
    int grid_bits;
    int fits; /* 0: on that grid the scale would be below scale_least */
} noise_plan;

static dp2dp_status plan_noise(const dp2dp_source *source, const dp2dp_fit_options *options,
                               double scale_least, noise_plan *out, dp2dp_error *error) {
    uint64_t steps = options->steps;
    double cells = (double)source->events * (double)source->classes, mu = 0.0;
    double coordinates = (double)source->events + (double)steps * cells;
    dp2dp_status status = calibrate_mu(options, coordinates, scale_least, &mu, error);
    if (status == DP2DP_STATUS_OK) {
        out->totals = root_two / (mu * sqrt(options->share_budget));
        out->tables = root_two / mu * sqrt((double)steps / (1.0 - options->share_budget));
        double larger = out->totals > out->tables ? out->totals : out->tables;
        double smaller = out->totals < out->tables ? out->totals : out->tables;
        out->grid_bits = dp2dpi_charge_grid((double)source->records, larger);
        out->fits = out->grid_bits >= 0 && ldexp(smaller, out->grid_bits) >= scale_least;
    }
    return status;
}

static dp2dp_status charge_both(const dp2dp_fit_options *options, dp2dp_ledger *own,
                                dp2dpi_releases *r, dp2dp_error *error) {
    /* The finer scale wherever N allows it. */
    static const double scales[] = {0x1p40, 0x1p30};
    const dp2dp_source *source = r->source;
    noise_plan plan = {0};
    dp2dp_status status = DP2DP_STATUS_OK;
    for (int i = 0; i < 2 && status == DP2DP_STATUS_OK && !plan.fits; i++) {
        status = plan_noise(source, options, scales[i], &plan, error);
    }
    if (status == DP2DP_STATUS_OK && !plan.fits) {
        status =
            dp2dpi_fail(error, DP2DP_STATUS_BUDGET,
                        "epsilon = %g leaves no grid on which %llu records and their noise fit",
                        options->epsilon, (unsigned long long)source->records);
    }
    if (status != DP2DP_STATUS_OK) {
        return status;
    }
    const dp2dp_event events[2] = {
        table_event(options, plan.totals, 1, source->events, "group counts"),
        table_event(options, plan.tables, options->steps,
                    (uint64_t)source->events * source->classes, "decision counts"),
    };
    r->grid_bits = plan.grid_bits;
    return charge(options, r, events, own, error);
}

dp2dp_status dp2dpi_releases_new(const dp2dp_source *source, const dp2dp_fit_options *options,
                                 dp2dp_ledger *ledger, dp2dpi_releases *out, dp2dp_error *error) {
    size_t cells = source->events * source->classes;
    void *offsets = NULL, *counts = NULL;
    *out = (dp2dpi_releases) {.source = source};
    dp2dp_status status = dp2dpi_alloc_for("a count table", cells, sizeof(float), &offsets, error);
    out->offsets = offsets;
    if (status != DP2DP_STATUS_OK ||
        (status = dp2dpi_alloc_for("a count table", 2 * cells, sizeof(int64_t), &counts, error)) !=
            DP2DP_STATUS_OK) {
        return status;
    }
    out->counts = counts;
    out->noisy = out->counts + cells;
    if (isinf(options->epsilon)) {
        return DP2DP_STATUS_OK;
    }
    status = options->rng == DP2DP_RNG_INSECURE
                 ? dp2dpi_rng_new_insecure(options->insecure_seed, &out->rng, error)
                 : dp2dpi_rng_new(&out->rng, error);
    return status == DP2DP_STATUS_OK ? charge_both(options, ledger, out, error) : status;
}

void dp2dpi_releases_free(dp2dpi_releases *r) {
    dp2dpi_charge_free(r->totals);
    dp2dpi_charge_free(r->tables);
    dp2dpi_rng_free(r->rng);
    if (r->counts) {
        dp2dpi_wipe(r->counts, 2 * r->source->events * r->source->classes * sizeof(int64_t));
    }
    dp2dpi_free(r->counts);
    dp2dpi_free(r->offsets);
    *r = (dp2dpi_releases) {0};
}

void dp2dpi_releases_precision(const dp2dpi_releases *r, double *totals, double *row_sum) {
    *totals = *row_sum = 0.0;
    if (r->totals) {
        double total = dp2dpi_charge_event(r->totals)->sigma;
        double cell = dp2dpi_charge_event(r->tables)->sigma;
        *totals = 1.0 / (total * total);
        *row_sum = 1.0 / (cell * cell * (double)r->source->classes);
    }
}

/* Private up to here: counts go to the grid, get their noise, and come back in people. */
static dp2dp_status release(dp2dpi_releases *r, dp2dpi_charge *paid, size_t n, double *out,
                            dp2dp_error *error) {
    dp2dp_status status = DP2DP_STATUS_OK;
    if (paid) {
        for (size_t i = 0; i < n; i++) {
            r->counts[i] *= (int64_t)1 << r->grid_bits;
        }
        status = dp2dpi_charge_release(paid, n, r->counts, r->noisy, error);
    }
    for (size_t i = 0; i < n && status == DP2DP_STATUS_OK; i++) {
        out[i] = paid ? ldexp((double)r->noisy[i], -r->grid_bits) : (double)r->counts[i];
    }
    return status;
}

/* Inside the private boundary nothing is rejected: a cell beyond 0..N, which only somebody else's
 * source can have, is clipped. */
static int64_t clip(int64_t value, uint64_t records) {
    return value < 0 ? 0 : (uint64_t)value > records ? (int64_t)records : value;
}

static dp2dp_status count(dp2dpi_releases *r, dp2dp_error *error) {
    const dp2dp_source *source = r->source;
    dp2dp_status status = source->count(source->context, r->offsets, r->counts, error);
    for (size_t i = 0; i < source->events * source->classes; i++) {
        r->counts[i] = clip(r->counts[i], source->records);
    }
    return status;
}

dp2dp_status dp2dpi_releases_totals(dp2dpi_releases *r, double *totals, dp2dp_error *error) {
    size_t events = r->source->events, classes = r->source->classes;
    for (size_t i = 0; i < events * classes; i++) {
        r->offsets[i] = 0.0F;
    }
    dp2dp_status status = count(r, error);
    if (status != DP2DP_STATUS_OK) {
        return status;
    }
    for (size_t e = 0; e < events; e++) {
        int64_t sum = 0;
        for (size_t k = 0; k < classes; k++) {
            sum = clip(sum + r->counts[e * classes + k], r->source->records);
        }
        r->counts[e] = sum; /* e ≤ e × classes: nothing unread is overwritten */
    }
    return release(r, r->totals, events, totals, error);
}

dp2dp_status dp2dpi_releases_table(dp2dpi_releases *r, const double *offsets, double *table,
                                   dp2dp_error *error) {
    size_t cells = r->source->events * r->source->classes;
    for (size_t i = 0; i < cells; i++) {
        r->offsets[i] = (float)offsets[i];
    }
    dp2dp_status status = count(r, error);
    return status == DP2DP_STATUS_OK ? release(r, r->tables, cells, table, error) : status;
}
