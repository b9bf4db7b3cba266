#include "phase2/counts_release.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/source.h"
#include "decide/model.h"

enum {
    TOTALS,
    TABLES,
    EVENTS
};

/* Splits the budget μ²: the group counts get the share *context, and the tables get the rest. μ is
 * the ratio of sensitivity to σ that (ε, δ) would allow if all noisy numbers of the fit came from
 * one Gaussian release. */
static dp2dp_status calibrate(const void *context, const dp2dpi_release_terms *terms,
                              dp2dp_event *events, dp2dp_error *error) {
    double sigma = 0.0, share = *(const double *)context;
    uint64_t coordinates =
        events[TOTALS].coordinates + events[TABLES].count * events[TABLES].coordinates;
    DP2DPI_TRY(dp2dpi_release_unit_sigma(terms, coordinates, events[TABLES].scale, &sigma, error));
    double mu = 1.0 / sigma * (1.0 - 1e-12);
    events[TOTALS].sigma = DP2DPI_COUNTS_SENSITIVITY / (mu * sqrt(share));
    events[TABLES].sigma =
        DP2DPI_COUNTS_SENSITIVITY / mu * sqrt((double)events[TABLES].count / (1.0 - share));
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dpi_counts_prepare(const dp2dp_source *source, const dp2dp_fit_options *options,
                                   dp2dp_ledger *own, dp2dpi_counts_releases *out,
                                   dp2dp_error *error) {
    uint64_t cells = dp2dpi_source_cells(source);
    uint64_t groups = (uint64_t)source->strata + (uint64_t)source->leaves_out;
    double share = options->share_budget;
    dp2dpi_release_terms terms = dp2dpi_fit_terms(options, own);
    dp2dpi_release_plan plan = {
        .events = {[TOTALS] = dp2dpi_release_gaussian(DP2DPI_COUNTS_SENSITIVITY, 1.0, groups,
                                                      "group counts"),
                   [TABLES] = dp2dpi_release_gaussian(DP2DPI_COUNTS_SENSITIVITY, 1.0, cells,
                                                      "decision counts")},
        .n = EVENTS,
        .most = (double)source->records,
        .records = (double)source->records,
        .least_bits = (int)source->unit_bits,
        .calibrate = calibrate,
        .context = &share};
    plan.events[TABLES].count = options->steps;
    *out = (dp2dpi_counts_releases) {.source = source};
    DP2DPI_TRY(DP2DPI_ALLOC(out->offsets, cells, "a count table", error));
    DP2DPI_TRY(DP2DPI_ALLOC(out->first, cells, "a count table", error));
    return dp2dpi_release_prepare(&terms, &plan, &out->release, error);
}

void dp2dpi_counts_releases_free(dp2dpi_counts_releases *r) {
    dp2dpi_release_free(&r->release);
    dp2dpi_free(r->offsets);
    dp2dpi_wipe_and_free(r->first,
                         r->source ? dp2dpi_source_cells(r->source) * sizeof *r->first : 0);
    *r = (dp2dpi_counts_releases) {0};
}

dp2dp_status dp2dpi_counts_ask_first(dp2dpi_counts_releases *r, dp2dp_error *error) {
    memset(r->offsets, 0, r->source->strata * r->source->classes * sizeof *r->offsets);
    return dp2dpi_source_ask(r->source, r->offsets, r->first, "nothing was charged", error);
}

dp2dp_status dp2dpi_counts_charge(dp2dpi_counts_releases *r, dp2dp_error *error) {
    return dp2dpi_release_charge(&r->release, error);
}

dp2dp_status dp2dpi_counts_plan(const dp2dp_source *source, const dp2dp_fit_options *options,
                                dp2dp_error *error) {
    dp2dpi_counts_releases releases = {0};
    dp2dp_status status = DP2DP_STATUS_OK;
    DP2DPI_TRY_OR_DONE(dp2dpi_counts_prepare(source, options, NULL, &releases, error));
    DP2DPI_TRY_OR_DONE(dp2dpi_counts_charge(&releases, error));
done:
    dp2dpi_counts_releases_free(&releases);
    return status;
}

void dp2dpi_counts_precision(const dp2dpi_counts_releases *r, double *totals, double *row_sum) {
    *totals = *row_sum = 0.0;
    if (r->release.noisy) {
        double total = dp2dpi_release_event(&r->release, TOTALS)->sigma;
        double cell = dp2dpi_release_event(&r->release, TABLES)->sigma;
        *totals = 1.0 / (total * total);
        *row_sum = 1.0 / (cell * cell * (double)r->source->classes);
    }
}

dp2dp_status dp2dpi_counts_totals(dp2dpi_counts_releases *r, double *totals, dp2dp_error *error) {
    const dp2dp_source *source = r->source;
    size_t strata = source->strata, classes = source->classes;
    int64_t *counts = r->release.sum;
    for (size_t e = 0; e < strata; e++) {
        counts[e] = 0;
        for (size_t k = 0; k < classes; k++) {
            counts[e] += r->first[e * classes + k];
        }
    }
    if (source->leaves_out) {
        counts[strata] = r->first[strata * classes];
    }
    return dp2dpi_release_draw_counts(&r->release, TOTALS, strata + (size_t)source->leaves_out,
                                      source->records, source->unit_bits, totals, error);
}

/* Asks the source for the table of counts at the offsets r->offsets. */
static dp2dp_status ask_next(dp2dpi_counts_releases *r, dp2dp_error *error) {
    static const char charged[] = "the fit was charged, and the charge stays in the ledger";
    DP2DPI_TRY(dp2dpi_source_ask(r->source, r->offsets, r->release.sum, charged, error));
    return dp2dpi_source_compare(r->source, r->first, r->release.sum, charged, error);
}

dp2dp_status dp2dpi_counts_table(dp2dpi_counts_releases *r, const double *offsets, double *table,
                                 dp2dp_error *error) {
    const dp2dp_source *source = r->source;
    size_t cells = dp2dpi_source_cells(source);
    if (offsets == NULL) {
        memcpy(r->release.sum, r->first, cells * sizeof *r->first);
    } else {
        for (size_t i = 0; i < source->strata * source->classes; i++) {
            r->offsets[i] = (float)offsets[i];
        }
        DP2DPI_TRY(ask_next(r, error));
    }
    return dp2dpi_release_draw_counts(&r->release, TABLES, cells, source->records,
                                      source->unit_bits, table, error);
}
