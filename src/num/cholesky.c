#include "num/cholesky.h"

#include <math.h>

/* Factors A = L Lᵀ in place and stores L in the lower triangle. Returns 0 if A is not positive
 * definite. */
static int factor(double *a, size_t n) {
    for (size_t j = 0; j < n; j++) {
        double sum = a[j * n + j];
        for (size_t k = 0; k < j; k++) {
            sum -= a[j * n + k] * a[j * n + k];
        }
        if (!(sum > 0.0)) {
            return 0;
        }
        double root = sqrt(sum);
        a[j * n + j] = root;
        for (size_t i = j + 1; i < n; i++) {
            double value = a[i * n + j];
            for (size_t k = 0; k < j; k++) {
                value -= a[i * n + k] * a[j * n + k];
            }
            a[i * n + j] = value / root;
        }
    }
    return 1;
}

int dp2dpi_cholesky_solve(double *a, size_t n, double *x) {
    if (!factor(a, n)) {
        return 0;
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++) {
            x[i] -= a[i * n + k] * x[k];
        }
        x[i] /= a[i * n + i];
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; k++) {
            x[i] -= a[k * n + i] * x[k];
        }
        x[i] /= a[i * n + i];
    }
    return 1;
}

/* Computes L⁻¹ in the lower triangle, then A⁻¹ = L⁻ᵀ L⁻¹ in the upper triangle, and mirrors A⁻¹ to
 * the lower triangle. */
int dp2dpi_cholesky_invert(double *a, size_t n) {
    if (!factor(a, n)) {
        return 0;
    }
    for (size_t j = 0; j < n; j++) {
        a[j * n + j] = 1.0 / a[j * n + j];
        for (size_t i = j + 1; i < n; i++) {
            double sum = 0.0;
            for (size_t k = j; k < i; k++) {
                sum -= a[i * n + k] * a[k * n + j];
            }
            a[i * n + j] = sum / a[i * n + i];
        }
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j <= i; j++) {
            double sum = 0.0;
            for (size_t k = i; k < n; k++) {
                sum += a[k * n + i] * a[k * n + j];
            }
            a[j * n + i] = sum; /* writes A⁻¹ to the upper triangle only, because the lower triangle
                                   still holds L⁻¹ */
        }
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++) {
            a[i * n + j] = a[j * n + i];
        }
    }
    return 1;
}
