/* Computes rates of groups with exact intervals, from tables of counts. */
#ifndef DP2DPI_METRICS_RATES_H
#define DP2DPI_METRICS_RATES_H

#include <dp2dp/metrics.h>

/* Counts of records. If the records have no labels, all numbers in `labelled` and `correct` are
 * 0. */
typedef struct dp2dpi_tables {
    size_t groups, classes;
    int64_t *counts;   /* groups × classes: records of each group that get each class */
    int64_t *totals;   /* records of each group */
    int64_t *labelled; /* groups × classes: records of each group with each label */
    int64_t *correct; /* groups × classes: for each group and class k, records with label k that get
                         class k */
    int64_t *joint;   /* groups × labels × classes: records of each group with each label that get
                         each class; NULL if there are no labels or too many cells */
} dp2dpi_tables;

/* Returns the Clopper–Pearson interval. Each of its ends is on the wrong side of the true rate with
 * probability at most tail. */
dp2dp_interval dp2dpi_interval(double successes, double failures, double tail);
dp2dp_proportion dp2dpi_proportion(int64_t part, int64_t whole, double tail);

/* Sets `out` to the rates of each class in each group (groups × classes), and `errors` to the error
 * rate of each group. */
void dp2dpi_class_rates(const dp2dpi_tables *t, double tail, dp2dp_class_rates *out,
                        dp2dp_proportion *errors);

/* Sets out[k] to the disparate impact of class k, computed from the rates (groups × classes).
 * Returns out[positive]. If `positive` is DP2DP_POSITIVE_DEFAULT, returns out[1] for two classes,
 * and the smallest value for more classes. */
double dp2dpi_disparate_impacts(const dp2dpi_tables *t, const dp2dp_class_rates *rates,
                                int32_t positive, double *out);

#endif
