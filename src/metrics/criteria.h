/* Measures the unfairness under every criterion for which there are counts. */
#ifndef DP2DPI_METRICS_CRITERIA_H
#define DP2DPI_METRICS_CRITERIA_H

#include "base/criterion.h"
#include "metrics/rates.h"

/* The statistics of a criterion, with the labels of each statistic as a list. */
typedef struct dp2dpi_label_lists {
    dp2dpi_statistics statistics;
    /* The labels of statistic s are labels[starts[s]] to labels[starts[s + 1] − 1]. */
    size_t *starts;
    size_t *labels;
} dp2dpi_label_lists;

/* The memory behind one dp2dp_unfairness. */
typedef struct dp2dpi_measured {
    dp2dpi_label_lists lists;
    dp2dp_statistic *statistics;
    dp2dp_proportion *rates;
} dp2dpi_measured;

typedef struct dp2dpi_criteria {
    size_t count;
    dp2dp_unfairness of[DP2DP_CRITERIA_MAX];
    dp2dpi_measured memory[DP2DP_CRITERIA_MAX];
} dp2dpi_criteria;

/* Measures demographic parity, all other built-in criteria if t->joint is not NULL, and the
 * criterion custom if the options have statistics. Copies the unfairness under demographic parity
 * and its interval from `known`. Fails with ARGUMENT if positive or a statistic in the options is
 * invalid. Ownership: free with dp2dpi_criteria_free, also after failure. */
dp2dp_status dp2dpi_criteria_measure(const dp2dpi_tables *t, const dp2dp_evaluate_options *options,
                                     const dp2dp_evaluation *known, dp2dpi_criteria *out,
                                     dp2dp_error *error);
void dp2dpi_criteria_free(dp2dpi_criteria *criteria);

#endif
