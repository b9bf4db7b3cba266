#include "accountant/convolve.h"

#include <math.h>
#include <stdint.h>

#include "base/alloc.h"
#include "num/elementary.h"

/* Bounds on rounding errors, relative to the result. The product of two complex numbers has an
 * error of at most √5 × 2^−53, which is 1.12 DP2DPI_ULP. A product of T numbers has at most T − 1
 * times this error, plus terms of second order. */
static const double product_error = 1.25 * DP2DPI_ULP;
static const double sum_error = 0.5 * DP2DPI_ULP;
/* Factor by which error bounds are raised, because computing them makes rounding errors too:
 * raising a bound to the power T ≤ 1e10 makes a relative error of up to 4 T × 2^−53 < 4.5e-6. */
static const double margin = 1.0 + 1e-5;

dp2dp_status dp2dpi_convolution_new(size_t n, size_t factors, dp2dpi_convolution *out,
                                    dp2dp_error *error) {
    static const char what[] = "a convolution";
    *out = (dp2dpi_convolution) {.n = n, .factors = factors};
    DP2DPI_TRY(dp2dpi_fft_new(n, &out->fft, error));
    DP2DPI_TRY(DP2DPI_ALLOC(out->data, n + 2, what, error));
    if (factors > 1) {
        DP2DPI_TRY(DP2DPI_ALLOC(out->total, n + 2 + n / 2 + 1, what, error));
    }
    return DP2DP_STATUS_OK;
}

void dp2dpi_convolution_free(dp2dpi_convolution *c) {
    dp2dpi_fft_free(c->fft);
    dp2dpi_free(c->data);
    dp2dpi_free(c->total);
    *c = (dp2dpi_convolution) {0};
}

typedef struct term {
    double re, im;
    double bound; /* upper bound on the modulus of the exact and the computed power */
    double error; /* upper bound on the error of re + i im */
} term;

/* Raises the complex number re + i im to the power `count` by squaring, and `bound` to the power
 * count − 1. */
static void raise_to(term *t, uint64_t count) {
    double re = t->re, im = t->im, base = t->bound, out_re = 1.0, out_im = 0.0, out = 1.0;
    for (uint64_t left = count, less = count - 1; left > 0; left >>= 1, less >>= 1) {
        if (left & 1) {
            double swap = out_re * re - out_im * im;
            out_im = out_re * im + out_im * re;
            out_re = swap;
        }
        out = less & 1 ? out * base : out;
        double swap = re * re - im * im;
        im = 2.0 * re * im;
        re = swap;
        base *= base;
    }
    t->re = out_re;
    t->im = out_im;
    t->bound = out;
}

/* Raises the number re + i im of a spectrum to the power `count` and bounds the error of the result
 * (docs/proofs/pld.md, section 4). The caller has computed re as the sum at_zero + re[k]. `error`
 * bounds the error of re + i im without the rounding of this sum; this function adds the
 * rounding. */
static term power_of(double re, double im, double error, double count) {
    double modulus_max = sqrt(re * re + im * im) + error;
    term t = {.re = re, .im = im, .bound = modulus_max};
    raise_to(&t, (uint64_t)count);
    t.error = count * t.bound * (error + (sum_error + product_error) * modulus_max);
    t.bound *= modulus_max;
    return t;
}

/* Multiplies the term t by the product so far, re + i im, whose error is at most `error`. Adds up
 * the errors that come from t, from the product and from the rounding of the multiplication. */
static term times(term t, double re, double im, double error) {
    double modulus = sqrt(re * re + im * im);
    term out = {.re = re * t.re - im * t.im, .im = re * t.im + im * t.re};
    out.error = modulus * (t.error + product_error * t.bound) + t.bound * error;
    return out;
}

void dp2dpi_convolution_take(dp2dpi_convolution *c, double count) {
    size_t half = c->n / 2 + 1;
    double *re = c->data, *im = c->data + half, *total_re = c->total;
    double *total_im = c->total ? c->total + half : NULL;
    double *total_error = c->total ? c->total + 2 * half : NULL;
    int first = c->taken++ == 0, last = c->taken == c->factors;
    /* Takes the mass at loss 0 out of the transform and adds it to every frequency afterwards: a
     * mass at loss 0 has the same transform at every frequency. Often nearly all of the mass is at
     * loss 0, so the round-off of the transform becomes much smaller. */
    double at_zero = c->data[0];
    c->data[0] = 0.0;
    dp2dpi_fft_forward(c->fft, c->data);
    /* re[0] is the sum of all masses except the mass at index 0, up to rounding. */
    double transform_error = dp2dpi_fft_round_off(c->n) * re[0] * margin;
    for (size_t k = 0; k < half; k++) {
        term t = power_of(at_zero + re[k], im[k], transform_error, count);
        if (!first && c->total) {
            t = times(t, total_re[k], total_im[k], total_error[k]);
        }
        if (last) { /* the factor 2 is there because frequency k stands for itself and for its
                       mirror image */
            re[k] = t.re;
            im[k] = t.im;
            c->error += 2.0 * t.error;
            c->modulus += 2.0 * sqrt(t.re * t.re + t.im * t.im);
        } else if (c->total) {
            total_re[k] = t.re;
            total_im[k] = t.im;
            total_error[k] = t.error;
        }
    }
}

/* Computes the inverse transform and the error bound. Each number of the result is a mean over all
 * n frequencies. So its error is at most the mean error of the spectrum, plus the round-off of the
 * inverse transform. */
void dp2dpi_convolution_finish(dp2dpi_convolution *c) {
    dp2dpi_fft_inverse(c->fft, c->data);
    c->error += dp2dpi_fft_round_off(c->n) * c->modulus;
    c->error *= margin / (double)c->n;
}
