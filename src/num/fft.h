/* Discrete Fourier transform of real sequences, length a power of two. Deterministic: fixed order
 * of operations, own roots of unity. */
#ifndef DP2DPI_NUM_FFT_H
#define DP2DPI_NUM_FFT_H

#include <stddef.h>

#include "base/error.h"

typedef struct dp2dpi_fft dp2dpi_fft;

/* Plan for real sequences of length n = 2^k, 4 ≤ n ≤ 2^26. Ownership: the caller frees; free
 * accepts NULL. */
dp2dp_status dp2dpi_fft_new(size_t n, dp2dpi_fft **out, dp2dp_error *error);
void dp2dpi_fft_free(dp2dpi_fft *fft);

/* Spectrum X_k = Σ_j x_j exp(−2πi jk/n), k = 0..n/2, into re and im of n/2+1 values each. */
void dp2dpi_fft_forward(dp2dpi_fft *fft, const double *x, double *re, double *im);
/* The inverse, including the factor 1/n. re and im are used as scratch and destroyed. */
void dp2dpi_fft_inverse(dp2dpi_fft *fft, double *re, double *im, double *x);

#endif
