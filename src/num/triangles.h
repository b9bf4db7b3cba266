/* Factors several symmetric positive definite matrices of one size at once. Only the lower
 * triangles are stored, row by row. The elements (i, j) of all matrices are adjacent in memory:
 *     element (i, j), j ≤ i, of matrix h is at (i (i + 1)/2 + j) count + h,
 *     element i of vector h is at i count + h. */
#ifndef DP2DPI_NUM_TRIANGLES_H
#define DP2DPI_NUM_TRIANGLES_H

#include <stddef.h>

static inline size_t dp2dpi_triangle_size(size_t n) {
    return n * (n + 1) / 2;
}

/* Replaces every matrix A by its factor L, where A = L Lᵀ. Returns 1 if all matrices are positive
 * definite. Otherwise returns 0; the contents of `a` are then not usable. */
int dp2dpi_triangles_factor(double *a, size_t n, size_t count);
/* For every matrix A, replaces the vector x that belongs to A by A⁻¹ x. `factors` comes from
 * dp2dpi_triangles_factor. */
void dp2dpi_triangles_solve(const double *factors, size_t n, size_t count, double *x);

#endif
