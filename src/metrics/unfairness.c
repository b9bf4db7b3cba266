#include "metrics/unfairness.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "metrics/multinomial.h"

double dp2dpi_unfairness(const int64_t *counts, const int64_t *totals, size_t strata,
                         size_t classes) {
    double worst = 0.0;
    size_t present = 0;
    for (size_t e = 0; e < strata; e++) {
        present += totals[e] > 0;
    }
    if (present < 2) {
        return NAN;
    }
    for (size_t k = 0; k < classes; k++) {
        double low = 1.0, high = 0.0;
        for (size_t e = 0; e < strata; e++) {
            if (totals[e] > 0) {
                double rate = (double)counts[e * classes + k] / (double)totals[e];
                low = rate < low ? rate : low;
                high = rate > high ? rate : high;
            }
        }
        worst = high - low > worst ? high - low : worst;
    }
    return worst;
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

dp2dp_interval dp2dpi_bootstrap_interval(double *values, size_t draws, double confidence,
                                         double estimate) {
    qsort(values, draws, sizeof *values, compare);
    size_t outside = (size_t)(0.5 * (1.0 - confidence) * (double)draws);
    double low = values[outside], high = values[draws - 1 - outside];
    /* The unfairness is a maximum of differences, which is biased upwards, and resampling adds the
     * bias a second time. So the lower end is at most 2 × estimate − upper end; otherwise the
     * interval of a fair rule would never contain 0. */
    double mirrored = 2.0 * estimate - high;
    low = mirrored < low ? mirrored : low;
    return (dp2dp_interval) {low > 0.0 ? low : 0.0, high};
}

static dp2dp_status resample(const dp2dp_evaluation *evaluation, const int64_t *totals,
                             dp2dpi_rng *rng, int64_t *counts, double *unfairness,
                             dp2dp_error *error) {
    size_t strata = evaluation->strata, classes = evaluation->classes;
    for (size_t e = 0; e < strata; e++) {
        if (totals[e] > 0) {
            DP2DPI_TRY(dp2dpi_resample_multinomial(rng, totals[e], classes,
                                                   evaluation->rates + e * classes,
                                                   counts + e * classes, error));
        }
    }
    *unfairness = dp2dpi_unfairness(counts, totals, strata, classes);
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dpi_unfairness_interval(const dp2dp_evaluation *evaluation, const int64_t *totals,
                                        const dp2dp_evaluate_options *options, dp2dp_interval *out,
                                        dp2dp_error *error) {
    size_t draws = (size_t)options->bootstrap_draws;
    int64_t *counts = NULL;
    double *values = NULL;
    dp2dpi_rng *rng = NULL;
    *out = (dp2dp_interval) {NAN, NAN};
    if (draws == 0 || isnan(evaluation->unfairness)) {
        return DP2DP_STATUS_OK;
    }
    dp2dp_status status = DP2DP_STATUS_OK;
    DP2DPI_TRY(dp2dpi_rng_new_insecure(options->insecure_seed, &rng, error));
    DP2DPI_TRY_OR_DONE(
        DP2DPI_ALLOC(counts, evaluation->strata * evaluation->classes, "a resampled table", error));
    DP2DPI_TRY_OR_DONE(DP2DPI_ALLOC(values, draws, "bootstrap draws", error));
    for (size_t i = 0; i < draws; i++) {
        DP2DPI_TRY_OR_DONE(resample(evaluation, totals, rng, counts, &values[i], error));
    }
    *out = dp2dpi_bootstrap_interval(values, draws, options->confidence, evaluation->unfairness);
done:
    dp2dpi_free(values);
    dp2dpi_free(counts);
    dp2dpi_rng_free(rng);
    return status;
}
