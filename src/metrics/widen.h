/* Widens the bootstrap interval of an unfairness if the bootstrap does not show how uncertain a
 * rate is. */
#ifndef DP2DPI_METRICS_WIDEN_H
#define DP2DPI_METRICS_WIDEN_H

#include <dp2dp/metrics.h>

/* Returns u->interval, or a wider one if the bootstrap cannot show how uncertain a difference of
 * two rates is. This is so if one of the rates is about fewer than 20 people, or if both rates are
 * exactly 0 or 1. The upper end then also covers the exact limits of all such differences. If the
 * largest difference is such a difference, so does the lower end. A NAN interval is returned
 * unchanged. */
dp2dp_interval dp2dpi_widen(const dp2dp_unfairness *u, size_t groups, double confidence);

#endif
