/* Small dense symmetric positive definite systems, row-major. */
#ifndef DP2DPI_NUM_CHOLESKY_H
#define DP2DPI_NUM_CHOLESKY_H

#include <stddef.h>

/* Each returns 0 if the matrix is not positive definite, and overwrites it. */
int dp2dpi_cholesky_solve(double *matrix, size_t n, double *x);
int dp2dpi_cholesky_invert(double *matrix, size_t n);

#endif
