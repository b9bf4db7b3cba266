/* Computes exact confidence limits for a rate from the numbers of successes and failures. */
#ifndef DP2DPI_METRICS_CLOPPER_PEARSON_H
#define DP2DPI_METRICS_CLOPPER_PEARSON_H

/* Return the Clopper–Pearson limits for whole, nonnegative counts. Each limit is on the wrong side
 * of the true rate with probability at most tail, 0 < tail ≤ 1/2. Both limits are larger for more
 * successes and smaller for more failures. */
double dp2dpi_interval_low(double successes, double failures, double tail);
double dp2dpi_interval_high(double successes, double failures, double tail);

#endif
