/* Solves and inverts small dense symmetric positive definite matrices, stored row by row. */
#ifndef DP2DPI_NUM_CHOLESKY_H
#define DP2DPI_NUM_CHOLESKY_H

#include <stddef.h>

/* dp2dpi_cholesky_solve replaces x by A⁻¹ x and overwrites A. dp2dpi_cholesky_invert replaces A by
 * A⁻¹. Both return 1, or 0 if A is not positive definite. */
int dp2dpi_cholesky_solve(double *matrix, size_t n, double *x);
int dp2dpi_cholesky_invert(double *matrix, size_t n);

#endif
