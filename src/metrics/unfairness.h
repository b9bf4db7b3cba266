/* U of a table of counts, and how much it varies between samples. */
#ifndef DP2DPI_METRICS_UNFAIRNESS_H
#define DP2DPI_METRICS_UNFAIRNESS_H

#include <stddef.h>
#include <stdint.h>

#include <dp2dp/metrics.h>

/* U = max_k max_{g,g'} |c_gk/n_g − c_g'k/n_g'| over the strata with at least one record; 0 if fewer
 * than two have one. totals are the row sums n_g. */
double dp2dpi_unfairness(const int64_t *counts, const int64_t *totals, size_t strata,
                         size_t classes);

/* Percentile interval over `draws` resampled tables: for each stratum, n_g records drawn with
 * replacement from its own row. NOT PRIVATE and seeded. */
dp2dp_status dp2dpi_unfairness_interval(const dp2dp_evaluation *evaluation, const int64_t *totals,
                                        const dp2dp_evaluate_options *options, dp2dp_interval *out,
                                        dp2dp_error *error);

#endif
