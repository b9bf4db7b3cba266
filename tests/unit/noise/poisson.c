/* The Poisson mask's threshold, word by word, where rounding or overflow could go wrong. */
#include "support.h"

#include <float.h>

#include "noise/noise.h"

#define TWO_TO(n) ((uint64_t)1 << (n))

static const struct {
    double rate;
    uint64_t threshold; /* ⌈rate 2^64⌉ in exact arithmetic */
} cases[] = {
    {0x1p-1074, 1},             /* smallest subnormal */
    {DBL_MIN, 1},               /* smallest normal */
    {0x1.fffffffffffffp-65, 1}, /* just below one word */
    {0x1p-64, 1},               /* one word exactly */
    {0x1.0000000000001p-64, 2}, /* just above */
    {0x1p-63, 2},
    {0x1.8p-63, 3},
    {0x1.8000000000001p-63, 4},
    {0x1.fffffffffffffp-14, TWO_TO(51)},     /* last bit 2^-66: rounded up */
    {0x1.fffffffffffffp-13, TWO_TO(52)},     /* last bit 2^-65: rounded up */
    {0x1.fffffffffffffp-12, TWO_TO(53) - 1}, /* last bit 2^-64: exact */
    {1e-8, UINT64_C(184467440738)},          /* ⌈184467440737.0955…⌉ */
    {0.1, UINT64_C(0x1999999999999a00)},
    {0.5, TWO_TO(63)},
    {1 - 0x1p-53, UINT64_MAX - TWO_TO(11) + 1}, /* largest below one */
};

static void mask_of_words(double rate, const uint64_t *words, size_t n, uint8_t *mask) {
    HANDLE(dp2dpi_rng) *rng = taped_rng(words, n);
    assert_ok(dp2dpi_noise_poisson_mask(rng, rate, n, mask, NULL));
}

TEST(words_below_the_exact_threshold_are_included_and_no_other) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t t = cases[i].threshold;
        const uint64_t words[4] = {0, t - 1, t, UINT64_MAX};
        const uint8_t expected[4] = {1, 1, 0, 0};
        uint8_t mask[4];
        mask_of_words(cases[i].rate, words, 4, mask);
        assert_memory_equal(mask, expected, sizeof mask);
    }
}

TEST(the_rate_to_charge_is_exact_and_never_below_what_was_asked) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double charged = dp2dpi_noise_poisson_rate(cases[i].rate);
        double scaled = ldexp(charged, 64);
        assert_true(scaled < 0x1p64 && (uint64_t)scaled == cases[i].threshold &&
                    floor(scaled) == scaled);
        assert_true(charged >= cases[i].rate);
        assert_true(dp2dpi_noise_poisson_rate(charged) == charged);
    }
    assert_true(dp2dpi_noise_poisson_rate(1) == 1);
}

TEST(rate_one_includes_everybody) {
    uint8_t mask[3] = {7, 7, 7};
    HANDLE(dp2dpi_rng) *rng = taped_rng(NULL, 0);
    assert_ok(dp2dpi_noise_poisson_mask(rng, 1, 3, mask, NULL));
    assert_true(mask[0] == 1 && mask[1] == 1 && mask[2] == 1);
    assert_ok(dp2dpi_noise_poisson_mask(rng, 1, 0, NULL, NULL));
}

TEST(a_rate_outside_its_bounds_is_refused_and_zeroes_the_mask) {
    const double bad[] = {0, -0.0, -0.1, 1 + 0x1p-52, INFINITY, -INFINITY, NAN};
    HANDLE(dp2dpi_rng) *rng = seeded_rng(1);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        uint8_t mask[2] = {7, 7};
        assert_fails(dp2dpi_noise_poisson_mask(rng, bad[i], 2, mask, &test_error), ARGUMENT,
                     "sampling rate must be in (0, 1]");
        assert_true(mask[0] == 0 && mask[1] == 0);
    }
}

TEST(a_tape_that_ends_zeroes_the_whole_mask) {
    const uint64_t words[2] = {0, 0};
    uint8_t mask[3] = {7, 7, 7};
    HANDLE(dp2dpi_rng) *rng = taped_rng(words, 2);
    assert_status(dp2dpi_noise_poisson_mask(rng, 0.5, 3, mask, NULL), ENTROPY);
    assert_true(mask[0] == 0 && mask[1] == 0 && mask[2] == 0);
}
