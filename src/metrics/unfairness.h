/* Computes the unfairness U of a table of counts, and a bootstrap interval for U. */
#ifndef DP2DPI_METRICS_UNFAIRNESS_H
#define DP2DPI_METRICS_UNFAIRNESS_H

#include <stddef.h>
#include <stdint.h>

#include <dp2dp/metrics.h>

/* Returns U = max_k max_{g,g'} |c_gk/n_g − c_g'k/n_g'| over the strata g, g' with at least one
 * record; 0 if there are fewer than two such strata. c are the counts; totals are their row sums
 * n_g. */
double dp2dpi_unfairness(const int64_t *counts, const int64_t *totals, size_t strata,
                         size_t classes);

/* Computes an interval from the values of U in resampled tables, which are sorted here, and from
 * the estimate of U. */
dp2dp_interval dp2dpi_bootstrap_interval(double *values, size_t draws, double confidence,
                                         double estimate);

/* Computes the interval of U over options->bootstrap_draws resampled tables. For each
 * stratum g, n_g records are drawn with replacement from its own row of the table. NOT PRIVATE. The
 * generator is seeded with options->insecure_seed. */
dp2dp_status dp2dpi_unfairness_interval(const dp2dp_evaluation *evaluation, const int64_t *totals,
                                        const dp2dp_evaluate_options *options, dp2dp_interval *out,
                                        dp2dp_error *error);

#endif
