/* Tests the bound on the round-off of the transform (docs/proofs/pld.md, section 4). No input may
 * exceed the bound, and hard inputs must reach a few per cent of it. */
#include "unit/num/long_fft.h"

#include "num/elementary.h"
#include "num/fft.h"
#include "num/normal.h"

DEFINE_HANDLE(dp2dpi_fft)

enum {
    LONGEST = 1 << 14,
    ROOTS =
        1
        << 22, /* the longest transform of the accountant; shorter ones use a subset of its roots */
    SHAPES = 9
};
static const long double u = 0x1p-53L;

static uint64_t draw(uint64_t *seed) {
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *seed >> 11;
}

static double symmetric(uint64_t *seed) {
    return (double)draw(seed) * 0x1p-52 - 1;
}

/* Inputs with large round-off for different reasons: single numbers, cancellation, sums that are
 * not representable, magnitudes that differ by 2^1000. */
static double hard_number(int shape, size_t j, size_t n, uint64_t *seed) {
    double random = symmetric(seed);
    switch (shape) {
    case 0:
        return j == (size_t)(0.7 * (double)n) ? random : 0;
    case 1:
        return j == n / 3 || j == n / 3 + 1 ? random : 0;
    case 2:
        return j % 2 ? 0 : random;
    case 3:
        return j % 2 ? -1.0 / 3 : 1.0 / 3;
    case 4:
        return 0.1;
    case 5:
        return random;
    case 6:
        return ldexp(random, -(int)(1000 * j / n));
    case 7:
        return exp(-0.5 * pow(((double)j - 0.4 * (double)n) / (0.03 * (double)n), 2));
    default:
        return j % 8 ? 0 : ldexp(random, (int)(draw(seed) % 100) - 50);
    }
}

/* Returns the largest error of the spectrum of x, divided by the bound. */
static double forward_part(size_t n, const double *x) {
    HANDLE(dp2dpi_fft) *fft = NULL;
    FREED long_complex *exact = long_new(n);
    FREED double *data = malloc((n + 2) * sizeof *data);
    long double sum = 0, worst = 0;
    assert_non_null(data);
    assert_ok(dp2dpi_fft_new(n, &fft, NULL));
    for (size_t j = 0; j < n; j++) {
        exact[j].re = data[j] = x[j];
        sum += fabsl((long double)x[j]);
    }
    dp2dpi_fft_forward(fft, data);
    long_fft(exact, n, -1);
    for (size_t k = 0; k <= n / 2; k++) {
        worst = fmaxl(worst, hypotl((long double)data[k] - exact[k].re,
                                    (long double)data[n / 2 + 1 + k] - exact[k].im));
    }
    return (double)(worst / (sum * (long double)dp2dpi_fft_round_off(n)));
}

/* The same for the inverse transform. spectrum has the real parts, then the imaginary parts. */
static double inverse_part(size_t n, const double *spectrum) {
    HANDLE(dp2dpi_fft) *fft = NULL;
    FREED long_complex *exact = long_new(n);
    FREED double *data = malloc((n + 2) * sizeof *data);
    long double sum = 0, worst = 0;
    size_t half = n / 2;
    assert_non_null(data);
    assert_ok(dp2dpi_fft_new(n, &fft, NULL));
    memcpy(data, spectrum, (n + 2) * sizeof *data);
    data[half + 1] = data[n + 1] = 0; /* the ends are real */
    for (size_t k = 0; k < n; k++) {
        size_t at = k <= half ? k : n - k;
        exact[k] =
            (long_complex) {data[at], k <= half ? data[half + 1 + at] : -data[half + 1 + at]};
        sum += hypotl(exact[k].re, exact[k].im) / (long double)n;
    }
    dp2dpi_fft_inverse(fft, data);
    long_fft(exact, n, 1);
    for (size_t j = 0; j < n; j++) {
        worst = fmaxl(worst, fabsl((long double)data[j] - exact[j].re / (long double)n));
    }
    return (double)(worst / (sum * (long double)dp2dpi_fft_round_off(n)));
}

TEST(no_hard_input_errs_by_more_than_the_bound) {
    static double x[LONGEST + 2];
    double most = 0, most_back = 0;
    uint64_t seed = 1;
    for (size_t n = 4; LONG_IS_WIDER && n <= LONGEST; n *= 2) {
        for (int run = 0; run < 4 * SHAPES; run++) {
            for (size_t j = 0; j < n + 2; j++) {
                x[j] = hard_number(run % SHAPES, j, n, &seed);
            }
            x[0] = run < SHAPES || x[0] != 0 ? x[0] : 0x1p-40;
            x[n / 2] += run % SHAPES == 0 ? 1.0 : 0.0;
            double part = forward_part(n, x), back = inverse_part(n, x);
            assert_true(part <= 1 && back <= 1);
            most = fmax(most, part);
            most_back = fmax(most_back, back);
        }
    }
    print_message("at most %.3f of the bound, back %.3f\n", most, most_back);
    assert_true(!LONG_IS_WIDER || (most > 0.03 && most_back > 0.03));
}

/* The spectrum of a single number shows the error of the roots that multiply it. */
TEST(no_impulse_errs_by_more_than_the_bound) {
    static double x[LONGEST + 2];
    double most = 0;
    for (size_t n = 64; LONG_IS_WIDER && n <= 4096; n *= 8) {
        for (size_t at = 0; at < n; at += n / 64) {
            memset(x, 0, sizeof x);
            x[at + at / (n / 64) % (n / 64)] = 0.1;
            most = fmax(most, forward_part(n, x));
        }
        assert_true(most <= 1);
    }
    print_message("impulses: at most %.3f of the bound\n", most);
    assert_true(!LONG_IS_WIDER || most > 0.03);
}

/* The proof assumes an error of at most 2.75 u for every root. */
TEST(every_root_of_unity_is_within_its_bound) {
    long double most = 0;
    for (size_t k = 0; LONG_IS_WIDER && k <= ROOTS / 8; k++) {
        double c, s;
        long_complex w = long_root(k, ROOTS);
        dp2dpi_unit_root(k, ROOTS, &c, &s);
        most = fmaxl(most, hypotl((long double)c - w.re, (long double)s - w.im));
    }
    print_message("roots: %.3f u\n", (double)(most / u));
    assert_true(most <= 2.75L * u);
    assert_true(!LONG_IS_WIDER || most > u);
}

/* The roots of a short transform equal roots of the longest one, bit by bit, and the other octants
 * are mirror images. So the test above covers all roots. */
TEST(roots_of_all_lengths_are_those_of_the_longest) {
    for (size_t n = 8; n <= ROOTS; n *= 2) {
        for (size_t k = 0; k < n; k += 1 + n / 1024) {
            double c[3], s[3];
            size_t octant = 8 * k / n, folded = octant % 2 ? (octant + 1) * n / 8 - k : k % (n / 8);
            dp2dpi_unit_root(k, n, &c[0], &s[0]);
            dp2dpi_unit_root(k * (ROOTS / n), ROOTS, &c[1], &s[1]);
            dp2dpi_unit_root(folded, n, &c[2], &s[2]);
            assert_true(c[0] == c[1] && s[0] == s[1]);
            assert_true(fmax(fabs(c[0]), fabs(s[0])) == fmax(c[2], s[2]));
            assert_true(fmin(fabs(c[0]), fabs(s[0])) == fmin(c[2], s[2]));
        }
    }
}

/* Section 4 of the proof assumes that a complex product errs by at most √5 u. */
TEST(a_complex_product_errs_by_less_than_root_5_u) {
    uint64_t seed = 5;
    long double most = 0;
    for (int run = 0; LONG_IS_WIDER && run < 2000000; run++) {
        double a = 0.75 + symmetric(&seed) / 4, b = 0.75 + symmetric(&seed) / 4;
        double c = 0.75 + symmetric(&seed) / 4, d = 0.75 + symmetric(&seed) / 4;
        double re = a * c - b * d, im = a * d + b * c;
        long double error = hypotl((long double)re - ((long double)a * c - (long double)b * d),
                                   (long double)im - ((long double)a * d + (long double)b * c));
        most = fmaxl(most, error / (hypotl(a, b) * hypotl(c, d)));
    }
    print_message("products: %.3f u\n", (double)(most / u));
    assert_true(most <= sqrtl(5) * u * (1 + 1e-3L));
    assert_true(!LONG_IS_WIDER || most > 1.5L * u);
}

/* Section 1 of the proof assumes these errors of tails and exponentials. */
TEST(tails_and_exponentials_are_within_four_ulp) {
    for (int i = 0; LONG_IS_WIDER && i < 200000; i++) {
        double x = 37.0 * i / 200000, y = 7e-3 * i - 700, z = y / 25;
        long double tail = 0.5L * erfcl((long double)x / sqrtl(2)), value = expl((long double)y);
        assert_true(fabsl((long double)dp2dpi_normal_upper(x) - tail) <= 8 * u * tail);
        assert_true(fabsl((long double)dp2dpi_exp_fast(y) - value) <= 4 * u * value);
        long double less = expm1l((long double)z);
        assert_true(fabsl((long double)dp2dpi_expm1(z) - less) <= 4 * u * fabsl(less));
    }
}
