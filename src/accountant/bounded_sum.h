/* A sum of signed terms that are given by their logarithms, with a bound on the rounding error of
 * the sum. */
#ifndef DP2DPI_ACCOUNTANT_BOUNDED_SUM_H
#define DP2DPI_ACCOUNTANT_BOUNDED_SUM_H

/* The true sum lies between e^scale × (sum − error) and e^scale × (sum + error). e^scale is the
 * largest absolute value of a term so far. */
typedef struct dp2dpi_bounded_sum {
    double scale, sum, error;
} dp2dpi_bounded_sum;

dp2dpi_bounded_sum dp2dpi_bounded_zero(void);
/* Adds sign × e^log_magnitude. log_error bounds the absolute error of log_magnitude. */
void dp2dpi_bounded_add(dp2dpi_bounded_sum *s, double log_magnitude, double log_error, double sign);
/* Adds e^log_magnitude to the error bound and not to the sum, to account for terms that are left
 * out. */
void dp2dpi_bounded_widen(dp2dpi_bounded_sum *s, double log_magnitude);
/* Returns an upper bound on the logarithm of the sum; −INFINITY if there were no terms. */
double dp2dpi_bounded_log_upper(const dp2dpi_bounded_sum *s);

#endif
