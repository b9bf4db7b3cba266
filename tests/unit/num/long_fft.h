/* The discrete Fourier transform in long double, radix 2, with roots from the C library. Where long
 * double is wider than double, its error is thousands of times smaller than that of the tested
 * transform. */
#ifndef DP2DP_TESTS_UNIT_NUM_LONG_FFT_H
#define DP2DP_TESTS_UNIT_NUM_LONG_FFT_H

#include "support.h"

#include <float.h>

enum {
    LONG_IS_WIDER = LDBL_MANT_DIG >= 64
};

typedef struct long_complex {
    long double re, im;
} long_complex;

static inline long_complex long_times(long_complex a, long_complex b) {
    return (long_complex) {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static inline long_complex long_root(size_t k, size_t n) {
    long double angle = 2.0L * 3.14159265358979323846264338327950288L * (long double)k;
    return (long_complex) {cosl(angle / (long double)n), sinl(angle / (long double)n)};
}

/* Replaces x_k by Σ_j x_j exp(sign 2πi jk/n). */
static inline void long_fft(long_complex *x, size_t n, int sign) {
    for (size_t i = 1, j = 0; i < n; i++) { /* in the order of reversed bits */
        size_t bit = n / 2;
        for (; j & bit; bit /= 2) {
            j ^= bit;
        }
        j ^= bit;
        if (i < j) {
            long_complex swap = x[i];
            x[i] = x[j];
            x[j] = swap;
        }
    }
    for (size_t length = 2; length <= n; length *= 2) {
        for (size_t k = 0; k < length / 2; k++) {
            long_complex w = long_root(k, length);
            w.im *= (long double)sign;
            for (size_t at = k; at < n; at += length) {
                long_complex a = x[at], b = long_times(x[at + length / 2], w);
                x[at] = (long_complex) {a.re + b.re, a.im + b.im};
                x[at + length / 2] = (long_complex) {a.re - b.re, a.im - b.im};
            }
        }
    }
}

static inline long_complex *long_new(size_t n) {
    long_complex *x = calloc(n, sizeof *x);
    assert_non_null(x);
    return x;
}

#endif
