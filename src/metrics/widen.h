/* Widens the bootstrap interval of an unfairness if the bootstrap does not show how uncertain a
 * rate is. */
#ifndef DP2DPI_METRICS_WIDEN_H
#define DP2DPI_METRICS_WIDEN_H

#include <dp2dp/metrics.h>

/* Returns u->interval, or a wider one if the bootstrap cannot show how uncertain a difference is:
 * one of its two rates is about fewer than 20 people, or both rates are exactly 0 or 1. The upper
 * end then also covers the exact limits of all such differences. So does the lower end if the
 * largest difference is one of them. A NAN interval is returned unchanged. */
dp2dp_interval dp2dpi_widen(const dp2dp_unfairness *u, size_t groups, double confidence);

#endif
