/* Computes the unfairness of a table of counts under demographic parity, and a bootstrap interval
 * for it. */
#ifndef DP2DPI_METRICS_UNFAIRNESS_H
#define DP2DPI_METRICS_UNFAIRNESS_H

#include <stddef.h>
#include <stdint.h>

#include <dp2dp/metrics.h>

/* Returns the largest difference between two strata in the rate of any class. `counts` is strata ×
 * classes, and `totals` has the row sums of `counts`. Ignores strata without records. Returns NAN
 * if fewer than two strata have records. */
double dp2dpi_unfairness(const int64_t *counts, const int64_t *totals, size_t strata,
                         size_t classes);

/* Computes a bootstrap interval from `estimate`, the unfairness of the table, and `values`, the
 * unfairness of each resampled table. Sorts `values`. */
dp2dp_interval dp2dpi_bootstrap_interval(double *values, size_t draws, double confidence,
                                         double estimate);

/* Computes the bootstrap interval over options->bootstrap_draws resampled tables. Each stratum is
 * resampled with replacement from its own row of the table. NOT PRIVATE. The generator is seeded
 * with options->insecure_seed. The interval is NAN if the unfairness is NAN. */
dp2dp_status dp2dpi_unfairness_interval(const dp2dp_evaluation *evaluation, const int64_t *totals,
                                        const dp2dp_evaluate_options *options, dp2dp_interval *out,
                                        dp2dp_error *error);

#endif
