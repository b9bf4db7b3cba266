#include "phase2/counts_release.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/source.h"
#include "phase2/model.h"

enum {
    TOTALS,
    TABLES,
    EVENTS
};

/* Splits μ², where μ is the ratio of sensitivity to σ of one Gaussian release with as many noisy
 * numbers as all releases of the fit. *context is the share of μ² that the group counts get; the
 * tables get the rest. */
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

dp2dp_status dp2dpi_counts_releases_new(const dp2dp_source *source,
                                        const dp2dp_fit_options *options, dp2dp_ledger *own,
                                        dp2dpi_counts_releases *out, dp2dp_error *error) {
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
        .least_bits = (int)source->unit_bits,
        .calibrate = calibrate,
        .context = &share};
    plan.events[TABLES].count = options->steps;
    *out = (dp2dpi_counts_releases) {.source = source};
    DP2DPI_TRY(DP2DPI_ALLOC(out->offsets, cells, "a count table", error));
    return dp2dpi_release_new(&terms, &plan, &out->release, error);
}

void dp2dpi_counts_releases_free(dp2dpi_counts_releases *r) {
    dp2dpi_release_free(&r->release);
    dp2dpi_free(r->offsets);
    *r = (dp2dpi_counts_releases) {0};
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
    size_t events = source->strata, classes = source->classes;
    int64_t *counts = r->release.sum;
    uint64_t most = source->records << source->unit_bits;
    memset(r->offsets, 0, events * classes * sizeof *r->offsets);
    DP2DPI_TRY(source->count(source->context, r->offsets, counts, error));
    for (size_t e = 0; e < events; e++) {
        int64_t sum = 0;
        for (size_t k = 0; k < classes; k++) {
            int64_t cell = dp2dpi_release_clip_count(counts[e * classes + k], most);
            sum = dp2dpi_release_clip_count(sum + cell, most);
        }
        counts[e] = sum; /* overwrites only cells that were already read, since e ≤ e × classes */
    }
    if (source->leaves_out) {
        counts[events] = counts[events * classes];
        events++;
    }
    return dp2dpi_release_draw_counts(&r->release, TOTALS, events, source->records,
                                      source->unit_bits, totals, error);
}

dp2dp_status dp2dpi_counts_table(dp2dpi_counts_releases *r, const double *offsets, double *table,
                                 dp2dp_error *error) {
    const dp2dp_source *source = r->source;
    size_t cells = source->strata * source->classes;
    for (size_t i = 0; i < cells; i++) {
        r->offsets[i] = (float)offsets[i];
    }
    DP2DPI_TRY(source->count(source->context, r->offsets, r->release.sum, error));
    return dp2dpi_release_draw_counts(&r->release, TABLES, dp2dpi_source_cells(source),
                                      source->records, source->unit_bits, table, error);
}
