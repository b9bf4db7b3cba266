#include <dp2dp/metrics.h>

#include <math.h>

#include "base/alloc.h"
#include "base/limits.h"
#include "mechanism/release.h"
#include "metrics/bound.h"

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
    return dp2dpi_release_check(o->rng, o->ledger, error);
}

/* One release of the whole table. dp2dpi_bound_strict relies on its grid having 2^30 units per σ or
 * more. */
static dp2dp_status open_release(const dp2dp_source *source, const dp2dp_certify_options *options,
                                 dp2dpi_release *out, dp2dp_error *error) {
    dp2dpi_release_terms terms = {.epsilon = options->epsilon,
                                  .delta = options->delta,
                                  .rows_per_person = options->rows_per_person,
                                  .set = "certificate",
                                  .rng = options->rng,
                                  .insecure_seed = options->insecure_seed,
                                  .ledger = options->ledger};
    dp2dpi_release_plan plan = {
        .events = {DP2DP_EVENT_INIT}, .n = 1, .most = 2.0 * (double)source->records};
    plan.events[0].mechanism = DP2DP_GAUSSIAN;
    plan.events[0].sensitivity = DP2DPI_COUNTS_SENSITIVITY;
    plan.events[0].coordinates = (uint64_t)source->events * source->classes;
    plan.events[0].label = "certificate";
    return dp2dpi_release_new(&terms, &plan, out, error);
}

/* Memory for one certificate. */
typedef struct workspace {
    float *offsets;
    double *table, *totals;
} workspace;

static dp2dp_status workspace_new(size_t events, size_t cells, workspace *w, dp2dp_error *error) {
    void *offsets = NULL, *table = NULL;
    DP2DPI_TRY(dp2dpi_alloc_for("offsets", cells, sizeof(float), &offsets, error));
    w->offsets = offsets;
    DP2DPI_TRY(dp2dpi_alloc_for("a released table", cells + events, sizeof(double), &table, error));
    w->table = table;
    w->totals = w->table + cells;
    return DP2DP_STATUS_OK;
}

static void workspace_free(workspace *w) {
    dp2dpi_free(w->offsets);
    dp2dpi_free(w->table);
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
    dp2dpi_release release = {0};
    workspace w = {0};
    dp2dp_status status = DP2DP_STATUS_OK;
    DP2DPI_TRY(check_source(source, model, error));
    DP2DPI_TRY(check_options(options, out, error));
    size_t cells = source->events * source->classes;
    DP2DPI_TRY_OR_DONE(workspace_new(source->events, cells, &w, error));
    for (size_t i = 0; i < cells && dp2dp_model_view(model)->events > 0; i++) {
        w.offsets[i] = (float)dp2dp_model_view(model)->offsets[i];
    }
    DP2DPI_TRY_OR_DONE(open_release(source, options, &release, error));
    DP2DPI_TRY_OR_DONE(source->count(source->context, w.offsets, release.sum, error));
    DP2DPI_TRY_OR_DONE(
        dp2dpi_release_draw_counts(&release, 0, cells, source->records, w.table, error));
    publish(source, options, dp2dpi_release_event(&release, 0)->sigma, &w, out);
done:
    dp2dpi_release_free(&release);
    workspace_free(&w);
    return status;
}
