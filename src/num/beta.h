/* The regularised incomplete beta function, I_x(a, b) = P(Beta(a, b) ≤ x), and its inverse. The
 * inverse gives the Clopper-Pearson confidence interval of a binomial rate. */
#ifndef DP2DPI_NUM_BETA_H
#define DP2DPI_NUM_BETA_H

/* Returns I_x(a, b) for a, b > 0 and 0 ≤ x ≤ 1. The relative error is below 1e-11 for a, b up to
 * 1e9 and results above 1e-300. */
double dp2dpi_beta_lower(double a, double b, double x);
/* Returns the x with I_x(a, b) = p, for a, b ≥ 1 and 0 < p ≤ 1/2, with a relative error below
 * 1e-12. */
double dp2dpi_beta_quantile(double a, double b, double p);

#endif
