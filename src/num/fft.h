/* Computes the discrete Fourier transform of real sequences whose length is a power of two. The
 * result is deterministic: the order of operations is fixed, and the roots of unity do not come
 * from the system's libm. */
#ifndef DP2DPI_NUM_FFT_H
#define DP2DPI_NUM_FFT_H

#include <stddef.h>

#include "base/error.h"

typedef struct dp2dpi_fft dp2dpi_fft;

/* Makes a plan for real sequences of length n, a power of two from 4 to 2^26. Ownership: free the
 * plan with dp2dpi_fft_free, which accepts NULL. */
dp2dp_status dp2dpi_fft_new(size_t n, dp2dpi_fft **out, dp2dp_error *error);
void dp2dpi_fft_free(dp2dpi_fft *fft);

/* Transforms data in place; data has room for n + 2 numbers. The sequence x_0..x_{n−1} becomes the
 * spectrum X_k = Σ_j x_j exp(−2πi jk/n): first the real parts for k = 0..n/2, then the imaginary
 * parts. */
void dp2dpi_fft_forward(dp2dpi_fft *fft, double *data);
/* Computes the inverse of dp2dpi_fft_forward, including the factor 1/n. */
void dp2dpi_fft_inverse(dp2dpi_fft *fft, double *data);

/* Returns a factor that bounds the rounding errors for any input that causes no underflow. The
 * error of every X_k is at most this factor times Σ |x_j|. The error of every x_j of the inverse is
 * at most this factor times Σ |X_k|/n over all n frequencies. Proof: docs/proofs/pld.md, section 4.
 */
double dp2dpi_fft_round_off(size_t n);

#endif
