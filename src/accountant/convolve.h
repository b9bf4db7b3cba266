/* Computes cyclic convolutions of vectors of masses, each repeated any number of times, by a
 * discrete Fourier transform, with a proven bound on the round-off (docs/proofs/pld.md, section
 * 4). */
#ifndef DP2DPI_ACCOUNTANT_CONVOLVE_H
#define DP2DPI_ACCOUNTANT_CONVOLVE_H

#include <stddef.h>

#include "num/fft.h"

/* The error bound is proven for at most this many factors, copies included. */
#define DP2DPI_CONVOLUTION_COUNT_MAX 1e10

typedef struct dp2dpi_convolution {
    size_t n, factors, taken;
    dp2dpi_fft *fft;
    double *data;   /* n + 2 numbers: the next vector to convolve; after dp2dpi_convolution_finish,
                       the result */
    double *total;  /* n + 2 numbers: the product of the spectra so far; behind them, n/2 + 1 bounds
                       on the errors of these numbers. NULL if `factors` is 1 */
    double error;   /* after dp2dpi_convolution_finish: bound on the error of each number in data */
    double modulus; /* upper bound on the sum of |spectrum of the result| over all n frequencies */
} dp2dpi_convolution;

/* Allocates a convolution of vectors of n numbers; dp2dpi_fft_new says which n are allowed. The
 * caller must call dp2dpi_convolution_take `factors` times. Ownership: free with
 * dp2dpi_convolution_free, also after failure. */
dp2dp_status dp2dpi_convolution_new(size_t n, size_t factors, dp2dpi_convolution *out,
                                    dp2dp_error *error);
void dp2dpi_convolution_free(dp2dpi_convolution *c);

/* Convolves `count` copies of the vector in data with the vectors taken before. No number in data
 * may be negative. May overwrite data. */
void dp2dpi_convolution_take(dp2dpi_convolution *c, double count);
/* Writes the convolution to data and its error bound to error. Call this after the last
 * dp2dpi_convolution_take. */
void dp2dpi_convolution_finish(dp2dpi_convolution *c);

#endif
