#include <dp2dp/metrics.h>

#include <math.h>

#include "base/alloc.h"
#include "base/limits.h"
#include "mechanism/mechanism.h"
#include "metrics/bound.h"

static const double root_two =
    1.41421356237309514547; /* rounded up: sensitivity of a count table */

/* What is done to scores before the offsets is part of the rule: another rule would be certified.
 */
static dp2dp_status check_scores(const dp2dp_source *source, const dp2dp_model_info *model,
                                 dp2dp_error *error) {
    const dp2dp_dither *has = &source->dither, *needs = &model->dither;
    int same_dither = needs->width > 0.0 ? has->width == needs->width && has->seed == needs->seed
                                         : has->width == 0.0;
    return source->row_sums == model->row_sums && same_dither
               ? DP2DP_STATUS_OK
               : dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                             "source: row_sums and dither must be those of the model");
}

static dp2dp_status check_source(const dp2dp_source *source, const dp2dp_model *model,
                                 dp2dp_error *error) {
    if (source == NULL || source->struct_size != sizeof *source || source->count == NULL ||
        model == NULL) {
        return dp2dpi_fail(
            error, DP2DP_STATUS_ARGUMENT,
            "source and model must be given, the source's struct_size and count set");
    }
    if (source->records < 2 || source->records > (uint64_t)1 << 48) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "records = %llu: there must be from 2 to 2^48",
                           (unsigned long long)source->records);
    }
    if (source->events < 2 || source->events > DP2DPI_CODES_MAX || source->classes < 2 ||
        source->classes > DP2DPI_CODES_MAX) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "%zu groups and %zu classes: there must be from 2 to %d of each",
                           source->events, source->classes, (int)DP2DPI_CODES_MAX);
    }
    size_t events = dp2dp_model_view(model)->events; /* 0: no rule, so no offset */
    if ((events > 0 && source->events != events) ||
        source->classes != dp2dp_model_view(model)->classes) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "the source has %zu groups and %zu classes but the model %zu and %zu",
                           source->events, source->classes, events,
                           dp2dp_model_view(model)->classes);
    }
    return check_scores(source, dp2dp_model_view(model), error);
}

static dp2dp_status check_options(const dp2dp_certify_options *o, const dp2dp_certificate *out,
                                  dp2dp_error *error) {
    if (o == NULL || o->struct_size != sizeof *o || out == NULL ||
        out->struct_size != sizeof *out) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "start from DP2DP_CERTIFY_OPTIONS_INIT and DP2DP_CERTIFICATE_INIT");
    }
    if (!(o->epsilon > 0.0) || isinf(o->epsilon) || !(o->delta > 0.0 && o->delta < 1.0)) {
        return dp2dpi_fail(
            error, DP2DP_STATUS_ARGUMENT,
            "epsilon and delta must be chosen: epsilon above 0 and finite, delta between 0 and 1");
    }
    if (!(o->confidence >= 0.5 && o->confidence <= 1.0 - 1e-9)) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "confidence = %g: it must be from 0.5 to 1 - 1e-9", o->confidence);
    }
    if (o->rows_per_person < 1 || o->rows_per_person > 1000000) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "rows_per_person = %llu: it must be from 1 to 1000000",
                           (unsigned long long)o->rows_per_person);
    }
    if (o->ledger == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "ledger must be given");
    }
    return dp2dpi_check_payer(o->rng, o->ledger, error);
}

/* One release of the whole table. The slack of noise on a grid is charged at `scale` grid units
 * in σ, the fewest that charge_table will draw with. */
static dp2dp_status calibrate(const dp2dp_source *source, const dp2dp_certify_options *options,
                              double scale, dp2dp_event *event, dp2dp_error *error) {
    dp2dp_accountant *accountant;
    *event = (dp2dp_event)DP2DP_EVENT_INIT;
    event->mechanism = DP2DP_GAUSSIAN;
    event->sensitivity = root_two;
    event->coordinates = (uint64_t)source->events * source->classes;
    event->scale = scale;
    event->rows_per_person = options->rows_per_person;
    event->label = "certificate";
    event->set = "certificate";
    dp2dp_status status = dp2dp_accountant_new(DP2DP_REPLACE_ONE, &accountant, error);
    if (status == DP2DP_STATUS_OK) {
        status = dp2dp_accountant_calibrate(accountant, DP2DP_BACKEND_AUTO, DP2DP_FIND_SIGMA,
                                            options->epsilon, options->delta, event, NULL, error);
        dp2dp_accountant_free(accountant);
    }
    return status;
}

static dp2dp_status charge_table(const dp2dp_source *source, const dp2dp_certify_options *options,
                                 dp2dpi_rng *rng, dp2dpi_charge **out, int *grid_bits,
                                 dp2dp_error *error) {
    /* The finer scale wherever N allows it; dp2dpi_bound_strict relies on the coarser. */
    static const double scales[] = {0x1p40, 0x1p30};
    dp2dp_event event;
    for (size_t i = 0; i < sizeof scales / sizeof scales[0]; i++) {
        dp2dp_status status = calibrate(source, options, scales[i], &event, error);
        if (status != DP2DP_STATUS_OK) {
            return status;
        }
        *grid_bits = dp2dpi_charge_grid(2.0 * (double)source->records, event.sigma);
        if (*grid_bits >= 0 && ldexp(event.sigma, *grid_bits) >= scales[i]) {
            return dp2dpi_charge_new(options->ledger, rng, &event, *grid_bits, out, error);
        }
    }
    return dp2dpi_fail(error, DP2DP_STATUS_BUDGET,
                       "epsilon = %g leaves no grid on which %llu records and their noise fit",
                       options->epsilon, (unsigned long long)source->records);
}

/* Memory for one certificate: private counts, then what is public. */
typedef struct workspace {
    float *offsets;
    int64_t *counts;
    double *table, *totals;
} workspace;

static dp2dp_status workspace_new(size_t events, size_t cells, workspace *w, dp2dp_error *error) {
    void *offsets = NULL, *counts = NULL, *table = NULL;
    dp2dp_status status = dp2dpi_alloc_for("offsets", cells, sizeof(float), &offsets, error);
    if (status == DP2DP_STATUS_OK) {
        status = dp2dpi_alloc_for("a count table", cells, sizeof(int64_t), &counts, error);
    }
    if (status == DP2DP_STATUS_OK) {
        status =
            dp2dpi_alloc_for("a released table", cells + events, sizeof(double), &table, error);
    }
    *w = (workspace) {.offsets = offsets, .counts = counts, .table = table};
    w->totals = table ? w->table + cells : NULL;
    return status;
}

static void workspace_free(workspace *w, size_t cells) {
    if (w->counts) {
        dp2dpi_wipe(w->counts, cells * sizeof *w->counts);
    }
    dp2dpi_free(w->offsets);
    dp2dpi_free(w->counts);
    dp2dpi_free(w->table);
}

/* Private up to the release. A count outside 0..N can only come from a faulty source; it is clipped
 * and not reported, and clipping a cell never moves two tables further apart. */
static dp2dp_status release(const dp2dp_source *source, dp2dpi_charge *paid, int grid_bits,
                            workspace *w, dp2dp_error *error) {
    size_t cells = source->events * source->classes;
    int64_t most = (int64_t)source->records;
    dp2dp_status status = source->count(source->context, w->offsets, w->counts, error);
    if (status != DP2DP_STATUS_OK) {
        return status;
    }
    for (size_t i = 0; i < cells; i++) {
        int64_t count = w->counts[i] < 0 ? 0 : w->counts[i] > most ? most : w->counts[i];
        w->counts[i] = count * ((int64_t)1 << grid_bits);
    }
    status = dp2dpi_charge_release(paid, cells, w->counts, w->counts, error);
    for (size_t i = 0; i < cells && status == DP2DP_STATUS_OK; i++) {
        w->table[i] = ldexp((double)w->counts[i], -grid_bits);
    }
    return status;
}

static void publish(const dp2dp_source *source, const dp2dp_certify_options *options, double sigma,
                    const workspace *w, dp2dp_certificate *out) {
    double miss = 1.0 - options->confidence;
    dp2dpi_noisy_table noisy = {.events = source->events,
                                .classes = source->classes,
                                .cells = w->table,
                                .totals = w->totals,
                                .sigma = sigma,
                                .rows = (double)options->rows_per_person};
    dp2dpi_bound_totals(source->events, source->classes, w->table, w->totals);
    for (size_t i = 0; i < source->events * source->classes && out->table; i++) {
        out->table[i] = w->table[i];
    }
    out->unfairness_upper = dp2dpi_bound_normal(&noisy, miss);
    out->unfairness_upper_strict = dp2dpi_bound_strict(&noisy, miss);
    out->confidence = options->confidence;
    out->sigma = sigma;
    out->group_too_small = dp2dpi_bound_too_small(&noisy);
    out->is_private = options->rng == DP2DP_RNG_SECURE;
}

dp2dp_status dp2dp_certify(const dp2dp_source *source, const dp2dp_model *model,
                           const dp2dp_certify_options *options, dp2dp_certificate *out,
                           dp2dp_error *error) {
    dp2dpi_rng *rng = NULL;
    dp2dpi_charge *paid = NULL;
    workspace w = {0};
    int grid_bits = 0;
    dp2dp_status status = check_source(source, model, error);
    if (status != DP2DP_STATUS_OK ||
        (status = check_options(options, out, error)) != DP2DP_STATUS_OK) {
        return status;
    }
    size_t cells = source->events * source->classes;
    if ((status = workspace_new(source->events, cells, &w, error)) != DP2DP_STATUS_OK) {
        goto done;
    }
    for (size_t i = 0; i < cells && dp2dp_model_view(model)->events > 0; i++) {
        w.offsets[i] = (float)dp2dp_model_view(model)->offsets[i];
    }
    status = options->rng == DP2DP_RNG_INSECURE
                 ? dp2dpi_rng_new_insecure(options->insecure_seed, &rng, error)
                 : dp2dpi_rng_new(&rng, error);
    if (status == DP2DP_STATUS_OK) {
        status = charge_table(source, options, rng, &paid, &grid_bits, error);
    }
    if (status == DP2DP_STATUS_OK) {
        status = release(source, paid, grid_bits, &w, error);
    }
    if (status == DP2DP_STATUS_OK) {
        publish(source, options, dp2dpi_charge_event(paid)->sigma, &w, out);
    }
done:
    dp2dpi_charge_free(paid);
    dp2dpi_rng_free(rng);
    workspace_free(&w, cells);
    return status;
}
