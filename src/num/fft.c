#include "num/fft.h"

#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "num/elementary.h"

/* Bounds on rounding errors, in units of 2^−53. The error is at most 2.75 for a root of unity, √5
 * for a complex product and 1 for a sum. Each constant below is rounded up by enough to cover terms
 * of second order.
 *
 * - radix4_error: in a radix-4 pass, each number goes through two sums and a product with a root of
 *   unity, which may itself be the product of two roots.
 * - radix2_error: in a radix-2 pass, each number goes through one sum.
 * - real_step_growth and real_step_error: the step from or to real numbers multiplies the error of
 *   the passes by √2, and adds the errors of four sums, a product and a root. */
static const double radix4_error = 12.0;
static const double radix2_error = 1.0;
static const double real_step_growth = 1.41421356237309514547;
static const double real_step_error = 9.0;

struct dp2dpi_fft {
    size_t n;       /* number of real points; the complex transform has n/2 points */
    double *cosine; /* cos(2πk/n) for k = 0..n/4; the other cosines and sines follow by symmetry */
    double *work;   /* scratch space for n numbers. One pass reads `work` and writes the caller's
                       data; the next pass reads the caller's data and writes `work` */
};

typedef struct root {
    double cosine, sine;
} root;

/* Returns the root of unity e^{2πik/n} for k = 0..n/2. */
static inline root root_at(const dp2dpi_fft *fft, size_t k) {
    size_t quarter = fft->n / 4;
    return k <= quarter ? (root) {fft->cosine[k], fft->cosine[quarter - k]}
                        : (root) {-fft->cosine[2 * quarter - k], fft->cosine[k - quarter]};
}

/* Computes the cosines and sines of the first octant; the sines of the first octant are also the
 * cosines of the second octant. */
static void fill_roots(dp2dpi_fft *fft) {
    size_t quarter = fft->n / 4;
    for (size_t k = 0; 2 * k <= quarter; k++) {
        double sine;
        dp2dpi_unit_root(k, fft->n, &fft->cosine[k], &sine);
        fft->cosine[quarter - k] = sine;
    }
}

dp2dp_status dp2dpi_fft_new(size_t n, dp2dpi_fft **out, dp2dp_error *error) {
    dp2dp_status status = DP2DP_STATUS_OK;
    dp2dpi_fft *fft;
    *out = NULL;
    if (n < 4 || n > ((size_t)1 << 26) || (n & (n - 1)) != 0) {
        return dp2dpi_fail(error, DP2DP_STATUS_INTERNAL,
                           "transform length %zu is not a power of two in 4..2^26", n);
    }
    DP2DPI_TRY(DP2DPI_ALLOC(fft, 1, "a transform", error));
    DP2DPI_TRY_OR_DONE(DP2DPI_ALLOC(fft->work, n + n / 4 + 1, "a transform", error));
    fft->n = n;
    fft->cosine = fft->work + n;
    fill_roots(fft);
    *out = fft;
    fft = NULL;
done:
    dp2dpi_fft_free(fft);
    return status;
}

void dp2dpi_fft_free(dp2dpi_fft *fft) {
    if (fft) {
        dp2dpi_free(fft->work);
        dp2dpi_free(fft);
    }
}

typedef struct complex_view {
    double *re, *im;
} complex_view;

/* Does one radix-4 pass of the self-sorting (Stockham) transform. The input consists of `stride`
 * interleaved sequences of `length` points each, which earlier passes have produced. The root
 * exp(−2πi p/length) is the conjugate of root_at(p n/length). */
static void pass_radix4(const dp2dpi_fft *fft, size_t length, size_t stride, complex_view in,
                        complex_view out) {
    size_t quarter = length / 4;
    size_t root_step = fft->n / length;
    for (size_t p = 0; p < quarter; p++) {
        root first = root_at(fft, p * root_step), second = root_at(fft, 2 * p * root_step);
        double c1 = first.cosine, s1 = -first.sine, c2 = second.cosine, s2 = -second.sine;
        double c3 = c1 * c2 - s1 * s2, s3 = c1 * s2 + s1 * c2;
        const double *restrict ar = in.re + stride * p, *restrict ai = in.im + stride * p;
        const double *restrict br = ar + stride * quarter, *restrict bi = ai + stride * quarter;
        const double *restrict cr = br + stride * quarter, *restrict ci = bi + stride * quarter;
        const double *restrict dr = cr + stride * quarter, *restrict di = ci + stride * quarter;
        double *restrict yr = out.re + 4 * stride * p, *restrict yi = out.im + 4 * stride * p;
        for (size_t q = 0; q < stride; q++) {
            double apc_r = ar[q] + cr[q], apc_i = ai[q] + ci[q];
            double amc_r = ar[q] - cr[q], amc_i = ai[q] - ci[q];
            double bpd_r = br[q] + dr[q], bpd_i = bi[q] + di[q];
            double bmd_r = br[q] - dr[q], bmd_i = bi[q] - di[q];
            double u_r = amc_r + bmd_i, u_i = amc_i - bmd_r;
            double v_r = apc_r - bpd_r, v_i = apc_i - bpd_i;
            double w_r = amc_r - bmd_i, w_i = amc_i + bmd_r;
            yr[q] = apc_r + bpd_r;
            yi[q] = apc_i + bpd_i;
            yr[q + stride] = c1 * u_r - s1 * u_i;
            yi[q + stride] = c1 * u_i + s1 * u_r;
            yr[q + 2 * stride] = c2 * v_r - s2 * v_i;
            yi[q + 2 * stride] = c2 * v_i + s2 * v_r;
            yr[q + 3 * stride] = c3 * w_r - s3 * w_i;
            yi[q + 3 * stride] = c3 * w_i + s3 * w_r;
        }
    }
}

static void pass_radix2(size_t stride, complex_view in, complex_view out) {
    for (size_t q = 0; q < stride; q++) {
        double ar = in.re[q], ai = in.im[q], br = in.re[q + stride], bi = in.im[q + stride];
        out.re[q] = ar + br;
        out.im[q] = ai + bi;
        out.re[q + stride] = ar - br;
        out.im[q + stride] = ai - bi;
    }
}

/* Replaces the n/2 complex points in fft->work by their transform. `other` is scratch space of the
 * same size. */
static complex_view transform(dp2dpi_fft *fft, double *other) {
    size_t length = fft->n / 2, stride = 1;
    complex_view a = {fft->work, fft->work + length}, b = {other, other + length};
    while (length > 1) {
        if (length >= 4) {
            pass_radix4(fft, length, stride, a, b);
            length /= 4;
            stride *= 4;
        } else {
            pass_radix2(stride, a, b);
            length /= 2;
            stride *= 2;
        }
        complex_view swap = a;
        a = b;
        b = swap;
    }
    if (a.re == other) {
        memcpy(fft->work, other, fft->n * sizeof *other);
        a = b;
    }
    return a;
}

/* Transforms n real numbers x as m = n/2 complex numbers z_j = x_{2j} + i x_{2j+1}. With Z the
 * transform of z and w = e^{−2πi/n}, the even and odd spectra are E_k = (Z_k + conj Z_{m−k})/2 and
 * O_k = −i (Z_k − conj Z_{m−k})/2, and the spectrum of x is X_k = E_k + w^k O_k. */
void dp2dpi_fft_forward(dp2dpi_fft *fft, double *data) {
    size_t m = fft->n / 2;
    for (size_t j = 0; j < m; j++) {
        fft->work[j] = data[2 * j];
        fft->work[m + j] = data[2 * j + 1];
    }
    complex_view z = transform(fft, data);
    double *re = data, *im = data + m + 1;
    for (size_t k = 0; k <= m; k++) {
        size_t a = k == m ? 0 : k;
        size_t b = k == 0 ? 0 : m - k;
        double even_re = 0.5 * (z.re[a] + z.re[b]), even_im = 0.5 * (z.im[a] - z.im[b]);
        double odd_re = 0.5 * (z.im[a] + z.im[b]), odd_im = 0.5 * (z.re[b] - z.re[a]);
        root w = root_at(fft, k);
        double c = w.cosine, s = -w.sine;
        re[k] = even_re + (c * odd_re - s * odd_im);
        im[k] = even_im + (c * odd_im + s * odd_re);
    }
}

void dp2dpi_fft_inverse(dp2dpi_fft *fft, double *data) {
    size_t m = fft->n / 2;
    const double *re = data, *im = data + m + 1;
    double half = 0.5 / (double)m;
    /* In the notation of dp2dpi_fft_forward, computes Z_k = E_k + i O_k. The inverse transform of Z
     * is then a forward transform with re and im exchanged. */
    for (size_t k = 0; k < m; k++) {
        double even_re = re[k] + re[m - k], even_im = im[k] - im[m - k];
        double diff_re = re[k] - re[m - k], diff_im = im[k] + im[m - k];
        root w = root_at(fft, k);
        double odd_re = w.cosine * diff_re - w.sine * diff_im;
        double odd_im = w.cosine * diff_im + w.sine * diff_re;
        fft->work[m + k] = (even_re - odd_im) * half;
        fft->work[k] = (even_im + odd_re) * half;
    }
    complex_view z = transform(fft, data);
    for (size_t j = 0; j < m; j++) {
        data[2 * j] = z.im[j];
        data[2 * j + 1] = z.re[j];
    }
}

double dp2dpi_fft_round_off(size_t n) {
    double passes = 0.0;
    size_t length = n / 2;
    for (; length >= 4; length /= 4) {
        passes += radix4_error;
    }
    passes += length == 2 ? radix2_error : 0.0;
    return 0.5 * DP2DPI_ULP * (real_step_growth * passes + real_step_error);
}
