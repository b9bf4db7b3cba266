/* Widens the bootstrap interval of an unfairness if the bootstrap does not show how uncertain a
 * rate is. */
#ifndef DP2DPI_METRICS_WIDEN_H
#define DP2DPI_METRICS_WIDEN_H

#include <dp2dp/metrics.h>

/* Returns u->interval, or a wider interval if the bootstrap cannot show how uncertain a difference
 * of two rates is. This happens if one of the rates was measured on fewer than 20 people, or if
 * both rates are exactly 0 or 1. Let L be the exact (Clopper–Pearson) limits of the rates. The
 * upper end becomes at least the largest difference that L allows for an uncertain pair of rates.
 * If the pair with the largest measured difference is uncertain, the lower end becomes at most the
 * largest difference that must exist according to L. A NAN interval is returned unchanged. */
dp2dp_interval dp2dpi_widen(const dp2dp_unfairness *u, size_t groups, double confidence);

#endif
