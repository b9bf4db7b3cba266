#include "num/triangles.h"

#include <math.h>

#include "base/clones.h"

DP2DPI_INLINE void subtract(double *restrict to, const double *a, const double *b, size_t count) {
    for (size_t h = 0; h < count; h++) {
        to[h] -= a[h] * b[h];
    }
}

DP2DPI_INLINE void divide(double *restrict to, const double *by, size_t count) {
    for (size_t h = 0; h < count; h++) {
        to[h] /= by[h];
    }
}

DP2DPI_INLINE int factor(double *a, size_t n, size_t count) {
    for (size_t i = 0; i < n; i++) {
        double *row = a + dp2dpi_triangle_size(i) * count, *root = row + i * count;
        for (size_t j = 0; j < i; j++) {
            const double *other = a + dp2dpi_triangle_size(j) * count;
            for (size_t k = 0; k < j; k++) {
                subtract(row + j * count, row + k * count, other + k * count, count);
            }
            divide(row + j * count, other + j * count, count);
            subtract(root, row + j * count, row + j * count, count);
        }
        for (size_t h = 0; h < count; h++) {
            if (!(root[h] > 0.0)) {
                return 0;
            }
            root[h] = sqrt(root[h]);
        }
    }
    return 1;
}

DP2DPI_INLINE void solve(const double *l, size_t n, size_t count, double *x) {
    for (size_t i = 0; i < n; i++) {
        const double *row = l + dp2dpi_triangle_size(i) * count;
        for (size_t k = 0; k < i; k++) {
            subtract(x + i * count, row + k * count, x + k * count, count);
        }
        divide(x + i * count, row + i * count, count);
    }
    for (size_t i = n; i-- > 0;) {
        const double *row = l + dp2dpi_triangle_size(i) * count;
        divide(x + i * count, row + i * count, count);
        for (size_t k = 0; k < i; k++) {
            subtract(x + k * count, row + k * count, x + i * count, count);
        }
    }
}

DP2DPI_CLONED static int factor_all(double *a, size_t n, size_t count) {
    return count == 1 ? factor(a, n, 1) : factor(a, n, count);
}

int dp2dpi_triangles_factor(double *a, size_t n, size_t count) {
    return factor_all(a, n, count);
}

DP2DPI_CLONED static void solve_all(const double *factors, size_t n, size_t count, double *x) {
    if (count == 1) {
        solve(factors, n, 1, x);
    } else {
        solve(factors, n, count, x);
    }
}

void dp2dpi_triangles_solve(const double *factors, size_t n, size_t count, double *x) {
    solve_all(factors, n, count, x);
}
