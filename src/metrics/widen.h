/* Widens the bootstrap interval of an unfairness if the bootstrap does not show how uncertain a
 * rate is. */
#ifndef DP2DPI_METRICS_WIDEN_H
#define DP2DPI_METRICS_WIDEN_H

#include <dp2dp/metrics.h>

/* Returns u->interval, or a wider one if a rate is about fewer than 20 people, or if two groups
 * have rates of exactly 0 or 1. The upper end then also covers the exact limits of every difference
 * between such rates, and so does the lower end if the largest difference is one of these. A NAN
 * interval is returned unchanged. */
dp2dp_interval dp2dpi_widen(const dp2dp_unfairness *u, size_t groups, double confidence);

#endif
