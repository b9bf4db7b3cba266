#ifndef DP2DPI_NUM_NORMAL_H
#define DP2DPI_NUM_NORMAL_H

/* Returns M(x) = exp(x²/2) Φ̄(x) for x ≥ −5, where Φ̄ = 1 − Φ is the upper tail of the normal
 * distribution. M is Mills' ratio without its constant factor √(2π). */
double dp2dpi_normal_mills(double x);
/* Returns Φ̄(x) = P(N(0,1) > x). The relative error is below 1e-14 for results above 1e-300. */
double dp2dpi_normal_upper(double x);
/* Returns log Φ̄(x) = log P(N(0,1) > x) for any finite x. */
double dp2dpi_normal_log_upper(double x);
/* Returns an x ≥ 0 with Φ̄(x) = P(N(0,1) > x) ≤ p, for 0 < p ≤ 1/2. x exceeds the exact quantile
 * by at most 1e-12 (1 + x). */
double dp2dpi_normal_upper_quantile(double p);

#endif
