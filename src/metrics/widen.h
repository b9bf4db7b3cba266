/* Widens the bootstrap interval of an unfairness where a bootstrap cannot see how uncertain a rate
 * is. */
#ifndef DP2DPI_METRICS_WIDEN_H
#define DP2DPI_METRICS_WIDEN_H

#include <dp2dp/metrics.h>

/* Returns u->interval, or a wider one if a rate is of fewer than 20 people, or two groups are each
 * decided alike. The upper end then also allows for the exact limits of every difference with such
 * rates, and so does the lower end if the largest difference is one of them. Returns an interval
 * that is NAN as it is. */
dp2dp_interval dp2dpi_widen(const dp2dp_unfairness *u, size_t groups, double confidence);

#endif
