#include "phase2/counts.h"

#include <math.h>

#include "base/alloc.h"
#include "phase2/rule.h"

/* R = C̃/(N π̄_g), each row moved to sum 1 by taking the excess off equally; m_k = Σ_g π̄_g R_gk;
 * R − m is the gradient. In place. */
static void gradient(double *table, size_t events, size_t classes, double records,
                     const double *shares) {
    for (size_t e = 0; e < events; e++) {
        double *row = table + e * classes, sum = 0.0;
        for (size_t k = 0; k < classes; k++) {
            row[k] /= records * shares[e];
            sum += row[k];
        }
        double excess = (sum - 1.0) / (double)classes;
        for (size_t k = 0; k < classes; k++) {
            row[k] -= excess;
        }
    }
    for (size_t k = 0; k < classes; k++) {
        double mean = 0.0;
        for (size_t e = 0; e < events; e++) {
            mean += shares[e] * table[e * classes + k];
        }
        for (size_t e = 0; e < events; e++) {
            table[e * classes + k] -= mean;
        }
    }
}

dp2dp_status dp2dpi_counts_solve(dp2dpi_releases *releases, const dp2dp_fit_options *options,
                                 uint64_t steps, double *offsets, double *shares,
                                 dp2dp_error *error) {
    size_t events = releases->source->events, classes = releases->source->classes;
    size_t cells = events * classes;
    double records = (double)releases->source->records;
    uint64_t averaged = (uint64_t)((double)steps * options->tail);
    void *memory = NULL;
    averaged = averaged < 1 ? 1 : averaged;
    dp2dp_status status =
        dp2dpi_alloc_for("a solver", 2 * cells + events, sizeof(double), &memory, error);
    if (status != DP2DP_STATUS_OK) {
        return status;
    }
    double *theta = memory, *table = theta + cells, *totals = table + cells;
    status = dp2dpi_releases_totals(releases, totals, error);
    if (status == DP2DP_STATUS_OK) {
        dp2dpi_rule_shares(totals, events, records, options->share_floor, shares);
    }
    for (size_t i = 0; i < cells; i++) {
        offsets[i] = 0.0;
    }
    for (uint64_t t = 1; t <= steps && status == DP2DP_STATUS_OK; t++) {
        double eta = options->step_size / sqrt((double)t);
        if ((status = dp2dpi_releases_table(releases, theta, table, error)) != DP2DP_STATUS_OK) {
            break;
        }
        gradient(table, events, classes, records, shares);
        for (size_t i = 0; i < cells; i++) {
            theta[i] += eta * table[i];
        }
        for (size_t k = 0; k < classes; k++) {
            dp2dpi_rule_prox(theta + k, events, classes, shares, 0.5 * eta * options->rho,
                             options->offset_max);
        }
        for (size_t i = 0; i < cells && t > steps - averaged; i++) {
            offsets[i] += theta[i] / (double)averaged;
        }
        if (options->progress && options->progress(options->progress_context, t, steps) != 0) {
            status = dp2dpi_fail(error, DP2DP_STATUS_CANCELLED,
                                 "cancelled; what was charged stays charged");
        }
    }
    dp2dpi_free(memory);
    return status;
}
