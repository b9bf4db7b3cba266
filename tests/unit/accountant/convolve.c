/* Compares the convolution of the accountant with one in long double: for any masses and any number
 * of releases, no mass errs by more than the bound that is added to it. */
#include "unit/num/long_fft.h"

#include "accountant/convolve.h"

enum {
    SHAPES = 8,
    LONGEST = 4096
};

static double uniform(uint64_t *seed) {
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return ((double)(*seed >> 11) + 0.5) * 0x1p-53;
}

/* Writes masses of sum 1. Two equal masses have zeros in their spectrum; n equal masses have zeros
 * at all frequencies but 0; spikes and one rare, distant mass have none, so all frequencies matter.
 */
static void hard_masses(int shape, size_t n, uint64_t *seed, double *x) {
    double sum = 0;
    for (size_t j = 0; j < n; j++) {
        double bump = exp(-0.5 * pow(((double)j - 0.3 * (double)n) / (0.02 * (double)n + 1), 2));
        double random = uniform(seed);
        double all[SHAPES] = {j == 1,
                              j == 0 || j == n / 2,
                              bump,
                              1,
                              ldexp(random, -(int)(1000 * j / n)),
                              j == 0   ? 1e6
                              : j == 5 ? 1
                                       : 0,
                              random < 0.02 || j == 0 ? random : 0,
                              (j == n / 3) * 100 + bump * 1e-3};
        x[j] = all[shape];
        sum += x[j];
    }
    for (size_t j = 0; j < n; j++) {
        x[j] /= sum;
    }
}

typedef struct hard_factor {
    int shape;
    double count;
} hard_factor;

/* total *= spectrum^count */
static void long_take(long_complex *total, long_complex *spectrum, size_t n, double count) {
    for (size_t k = 0; k < n; k++) {
        long_complex base = spectrum[k];
        for (uint64_t left = (uint64_t)count; left; left /= 2) {
            total[k] = left % 2 ? long_times(total[k], base) : total[k];
            base = long_times(base, base);
        }
    }
}

/* Returns the largest error of a mass divided by its bound. */
static double part_of_bound(size_t n, const hard_factor *f, size_t factors, uint64_t *seed) {
    OWNED(dp2dpi_convolution) c;
    FREED long_complex *total = long_new(n), *one = long_new(n);
    long double worst = 0;
    assert_ok(dp2dpi_convolution_new(n, factors, &c, NULL));
    for (size_t k = 0; k < n; k++) {
        total[k].re = 1;
    }
    for (size_t i = 0; i < factors; i++) {
        hard_masses(f[i].shape, n, seed, c.data);
        for (size_t j = 0; j < n; j++) {
            one[j] = (long_complex) {c.data[j], 0};
        }
        dp2dpi_convolution_take(&c, f[i].count);
        long_fft(one, n, -1);
        long_take(total, one, n, f[i].count);
    }
    dp2dpi_convolution_finish(&c);
    long_fft(total, n, 1);
    for (size_t j = 0; j < n; j++) {
        worst = fmaxl(worst, fabsl((long double)c.data[j] - total[j].re / (long double)n));
    }
    double part = (double)(worst / (long double)c.error);
    assert_true(c.error > 0);
    return part;
}

TEST(no_mass_is_off_by_more_than_the_bound) {
    static const double counts[] = {1, 2, 3, 100, 12345, 1e6, 1e9};
    double most[7] = {0};
    uint64_t seed = 3;
    for (size_t n = 4; LONG_IS_WIDER && n <= LONGEST; n *= 4) {
        for (int run = 0; run < SHAPES * 7; run++) {
            hard_factor f = {run % SHAPES, counts[run / SHAPES]};
            double part = part_of_bound(n, &f, 1, &seed);
            if (!(part <= 1)) {
                fail_msg("n = %zu, shape %d, %g times: %g of the bound", n, f.shape, f.count, part);
            }
            most[run / SHAPES] = fmax(most[run / SHAPES], part);
        }
    }
    for (int i = 0; i < 7; i++) { /* the error grows with the count as the bound does */
        print_message("%g times: %.4f of the bound\n", counts[i], most[i]);
        assert_true(!LONG_IS_WIDER || most[i] > 0.02);
    }
}

TEST(no_mass_of_several_losses_is_off_by_more_than_the_bound) {
    uint64_t seed = 9;
    double most = 0;
    for (int run = 0; LONG_IS_WIDER && run < 300; run++) {
        hard_factor f[3];
        size_t factors = 2 + (size_t)run % 2;
        for (size_t i = 0; i < factors; i++) {
            f[i] = (hard_factor) {(int)(uniform(&seed) * SHAPES),
                                  floor(pow(10, 6 * uniform(&seed) * (run % 3) / 2))};
        }
        most = fmax(most, part_of_bound((size_t)4 << 2 * (run % 5), f, factors, &seed));
        assert_true(most <= 1);
    }
    print_message("several: %.4f of the bound\n", most);
    assert_true(!LONG_IS_WIDER || most > 0.02);
}

/* A frequency whose computed value is 0 may still have an error, which matters for T = 1 release.
 */
TEST(a_frequency_that_vanishes_has_an_error_all_the_same) {
    OWNED(dp2dpi_convolution) c;
    assert_ok(dp2dpi_convolution_new(1024, 1, &c, NULL));
    for (size_t j = 0; j < 1024; j++) {
        c.data[j] = 1.0 / 1024;
    }
    dp2dpi_convolution_take(&c, 1);
    dp2dpi_convolution_finish(&c);
    assert_true(c.error >= 0.999 * dp2dpi_fft_round_off(1024));
}

/* One mass, not at 0: its spectrum has modulus 1 at every frequency, so both transforms err. */
TEST(both_transforms_are_counted) {
    OWNED(dp2dpi_convolution) c;
    assert_ok(dp2dpi_convolution_new(1024, 1, &c, NULL));
    memset(c.data, 0, 1024 * sizeof *c.data);
    c.data[1] = 1;
    dp2dpi_convolution_take(&c, 1);
    dp2dpi_convolution_finish(&c);
    assert_true(c.error >= 2 * dp2dpi_fft_round_off(1024));
    assert_true(c.error <= 2.2 * dp2dpi_fft_round_off(1024));
}
