/* Checks the transform by its definition and its identities, and the Gauss rule on polynomials. */
#include "unit/num/reference.h"

#include <float.h>

#include "num/elementary.h"
#include "num/fft.h"
#include "num/quadrature.h"

DEFINE_HANDLE(dp2dpi_fft)

enum {
    LONGEST = 1 << 16,
    DIRECT_LONGEST = 1 << 10
};

static double x[LONGEST], y[LONGEST], back[LONGEST];
static double re[LONGEST / 2 + 1], im[LONGEST / 2 + 1], re2[LONGEST / 2 + 1], im2[LONGEST / 2 + 1];

/* Numbers in [−1, 1) from a fixed linear congruence. */
static void fill(double *out, size_t n, uint64_t seed) {
    for (size_t j = 0; j < n; j++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        out[j] = (double)(seed >> 11) * 0x1p-52 - 1;
    }
}

static dp2dpi_fft *fft_of(size_t n) {
    dp2dpi_fft *fft = NULL;
    assert_ok(dp2dpi_fft_new(n, &fft, NULL));
    assert_non_null(fft);
    return fft;
}

static void forward(dp2dpi_fft *fft, size_t n, const double *from, double *real,
                    double *imaginary) {
    static double data[LONGEST + 2];
    memcpy(data, from, n * sizeof *data);
    dp2dpi_fft_forward(fft, data);
    memcpy(real, data, (n / 2 + 1) * sizeof *data);
    memcpy(imaginary, data + n / 2 + 1, (n / 2 + 1) * sizeof *data);
}

static void inverse(dp2dpi_fft *fft, size_t n, const double *real, const double *imaginary,
                    double *to) {
    static double data[LONGEST + 2];
    memcpy(data, real, (n / 2 + 1) * sizeof *data);
    memcpy(data + n / 2 + 1, imaginary, (n / 2 + 1) * sizeof *data);
    dp2dpi_fft_inverse(fft, data);
    memcpy(to, data, n * sizeof *data);
}

TEST(spectrum_is_the_sum_it_is_defined_by) {
    for (size_t n = 4; n <= DIRECT_LONGEST; n *= 2) {
        HANDLE(dp2dpi_fft) *fft = fft_of(n);
        fill(x, n, n);
        forward(fft, n, x, re, im);
        for (size_t k = 0; k <= n / 2; k++) {
            double direct_re = 0, direct_im = 0, c, s;
            for (size_t j = 0; j < n; j++) {
                dp2dpi_unit_root(j * k % n, n, &c, &s);
                direct_re += x[j] * c;
                direct_im -= x[j] * s;
            }
            assert_true(fabs(re[k] - direct_re) < 1e-15 * (double)n);
            assert_true(fabs(im[k] - direct_im) < 1e-15 * (double)n);
        }
    }
}

/* The spectrum of a shifted impulse consists of roots of unity, which are known to the last place.
 */
TEST(spectrum_of_an_impulse_is_a_circle_of_unit_roots) {
    for (size_t n = 4; n <= LONGEST; n *= 2) {
        HANDLE(dp2dpi_fft) *fft = fft_of(n);
        for (size_t at = 0; at < n; at += n / 4 + 1) {
            memset(x, 0, n * sizeof *x);
            x[at] = 1;
            forward(fft, n, x, re, im);
            for (size_t k = 0; k <= n / 2; k++) {
                double c, s;
                dp2dpi_unit_root(at * k % n, n, &c, &s);
                assert_true(fabs(re[k] - c) < 3e-15 && fabs(im[k] + s) < 3e-15);
            }
        }
    }
}

TEST(inverse_undoes_forward) {
    for (size_t n = 4; n <= LONGEST; n *= 2) {
        HANDLE(dp2dpi_fft) *fft = fft_of(n);
        fill(x, n, n + 1);
        forward(fft, n, x, re, im);
        inverse(fft, n, re, im, back);
        for (size_t j = 0; j < n; j++) {
            assert_true(fabs(back[j] - x[j]) < 4e-15);
        }
    }
}

/* Σ x² = (1/n) Σ |X|²; frequencies between 0 and n/2 count twice, for their mirror images. */
TEST(energy_is_conserved) {
    for (size_t n = 4; n <= LONGEST; n *= 2) {
        HANDLE(dp2dpi_fft) *fft = fft_of(n);
        double energy = 0, spectral = 0;
        fill(x, n, n + 2);
        forward(fft, n, x, re, im);
        for (size_t j = 0; j < n; j++) {
            energy += x[j] * x[j];
        }
        for (size_t k = 0; k <= n / 2; k++) {
            double twice = k == 0 || k == n / 2 ? 1 : 2;
            spectral += twice * (re[k] * re[k] + im[k] * im[k]);
        }
        assert_true(im[0] == 0 && im[n / 2] == 0);
        assert_true(fabs(spectral / (double)n / energy - 1) < 1e-13);
    }
}

TEST(transform_is_linear) {
    for (size_t n = 4; n <= LONGEST; n *= 2) {
        HANDLE(dp2dpi_fft) *fft = fft_of(n);
        fill(x, n, n + 3);
        fill(y, n, n + 4);
        forward(fft, n, x, re, im);
        forward(fft, n, y, re2, im2);
        for (size_t j = 0; j < n; j++) {
            x[j] = 0.75 * x[j] - 2.5 * y[j];
        }
        double scale = sqrt((double)n);
        for (size_t k = 0; k <= n / 2; k++) {
            re2[k] = 0.75 * re[k] - 2.5 * re2[k];
            im2[k] = 0.75 * im[k] - 2.5 * im2[k];
        }
        forward(fft, n, x, re, im);
        for (size_t k = 0; k <= n / 2; k++) {
            assert_true(fabs(re[k] - re2[k]) < 2e-14 * scale);
            assert_true(fabs(im[k] - im2[k]) < 2e-14 * scale);
        }
    }
}

/* The accountant relies on this: products of spectra are cyclic convolutions. */
TEST(product_of_spectra_is_a_cyclic_convolution) {
    for (size_t n = 4; n <= 256; n *= 2) {
        HANDLE(dp2dpi_fft) *fft = fft_of(n);
        fill(x, n, n + 5);
        fill(y, n, n + 6);
        forward(fft, n, x, re, im);
        forward(fft, n, y, re2, im2);
        for (size_t k = 0; k <= n / 2; k++) {
            double t = re[k] * re2[k] - im[k] * im2[k];
            im[k] = re[k] * im2[k] + im[k] * re2[k];
            re[k] = t;
        }
        inverse(fft, n, re, im, back);
        for (size_t j = 0; j < n; j++) {
            double direct = 0;
            for (size_t i = 0; i < n; i++) {
                direct += x[i] * y[(j + n - i) % n];
            }
            assert_true(fabs(back[j] - direct) < 1e-13);
        }
    }
}

TEST(spectrum_has_these_bits) {
    uint64_t checksum = NUM_CHECKSUM_START;
    for (size_t n = 4; n <= 8192; n *= 2) {
        HANDLE(dp2dpi_fft) *fft = fft_of(n);
        fill(x, n, n + 7);
        forward(fft, n, x, re, im);
        for (size_t k = 0; k <= n / 2; k++) {
            checksum = num_checksum(num_checksum(checksum, re[k] + 0.0), im[k] + 0.0);
        }
        inverse(fft, n, re, im, back);
        for (size_t j = 0; j < n; j++) {
            checksum = num_checksum(checksum, back[j] + 0.0);
        }
    }
    if (checksum != UINT64_C(0xb8c354a3bdb17a0a)) {
        fail_msg("checksum 0x%016llx", (unsigned long long)checksum);
    }
}

TEST(lengths_that_are_no_power_of_two_are_refused) {
    static const size_t bad[] = {0, 1, 2, 3, 5, 6, 12, 100, ((size_t)1 << 26) + 1, (size_t)1 << 27};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        dp2dpi_fft *fft = (dp2dpi_fft *)&fft;
        dp2dp_error error = {0};
        assert_status(dp2dpi_fft_new(bad[i], &fft, &error), INTERNAL);
        assert_null(fft);
        assert_says(error.message, "power of two");
    }
    dp2dpi_fft_free(NULL);
}

TEST(gauss_rule_integrates_degree_31_exactly_and_32_not) {
    for (int degree = 0; degree <= 32; degree++) {
        double sum = 0, exact = degree & 1 ? 0 : 2.0 / (degree + 1);
        for (int i = 0; i < DP2DPI_GAUSS_POINTS; i++) {
            double power = 1;
            for (int k = 0; k < degree; k++) {
                power *= dp2dpi_gauss_node(i);
            }
            sum += dp2dpi_gauss_weight(i) * power;
        }
        if (degree < 32) {
            assert_true(fabs(sum - exact) < 4 * DBL_EPSILON);
        } else { /* 2^33 (16!)^4 / (33 (32!)^2) = 7.2e-10 */
            assert_true(fabs(sum - exact) > 1e-11);
        }
    }
}

TEST(gauss_nodes_ascend_inside_the_interval_with_positive_weights) {
    for (int i = 0; i < DP2DPI_GAUSS_POINTS; i++) {
        assert_true(fabs(dp2dpi_gauss_node(i)) < 1 && dp2dpi_gauss_weight(i) > 0);
        assert_true(i == 0 || dp2dpi_gauss_node(i) > dp2dpi_gauss_node(i - 1));
        assert_true(dp2dpi_gauss_node(i) == -dp2dpi_gauss_node(15 - i));
        assert_true(dp2dpi_gauss_weight(i) == dp2dpi_gauss_weight(15 - i));
    }
}
