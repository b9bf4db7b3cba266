/* Bounds, failure and the far tail of the exact samplers. tests/privacy tests their distribution.
 */
#include "support.h"

#include "noise/exact.h"
#include "noise/noise.h"

TEST(a_scale_outside_its_bounds_is_refused_and_zeroes_the_output) {
    const uint64_t bad[] = {0, DP2DPI_NOISE_SCALE_MAX + 1, UINT64_MAX};
    HANDLE(dp2dpi_rng) *rng = seeded_rng(1);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        int64_t drawn[2] = {5, 5};
        assert_fails(dp2dpi_noise_gaussian(rng, bad[i], 2, drawn, &test_error), ARGUMENT,
                     "noise scale");
        assert_says(test_error.message, "from 1 to 2^50");
        assert_int_equal(drawn[0], 0);
        assert_int_equal(drawn[1], 0);
    }
}

TEST(the_bounds_themselves_are_accepted) {
    int64_t drawn;
    HANDLE(dp2dpi_rng) *rng = seeded_rng(1);
    assert_ok(dp2dpi_noise_gaussian(rng, 1, 1, &drawn, NULL));
    assert_ok(dp2dpi_noise_gaussian(rng, DP2DPI_NOISE_SCALE_MAX, 1, &drawn, NULL));
    assert_ok(dp2dpi_noise_gaussian(rng, 1, 0, NULL, NULL));
}

/* A word of zeros makes a Bernoulli(x/j) succeed, a word of ones makes it fail. So the tape decides
 * the number of successes. */
TEST(a_coin_is_the_parity_of_its_run_of_successes) {
    for (size_t successes = 0; successes < 6; successes++) {
        uint64_t tape[16] = {0};
        /* For x = 1/2, the j-th trial reads one word for Uniform(j), unless j = 1, then one for
         * Uniform(2). For Uniform(j) the tape has the word 1, because 0 is rejected if j does not
         * divide 2^64. */
        size_t words = 0;
        for (size_t j = 1; j <= successes; j++) {
            words += j > 1;
            tape[words - (j > 1)] = j > 1 ? 1 : 0;
            tape[words++] = 0;
        }
        tape[words++] = UINT64_MAX;
        HANDLE(dp2dpi_rng) *rng = taped_rng(tape, words);
        assert_ok(dp2dpi_rng_begin(rng, NULL));
        int coin = dp2dpi_exact_bernoulli_exp(rng, (dp2dpi_exact_rate) {1, 2, 1, 1});
        assert_ok(dp2dpi_rng_end(rng, NULL));
        assert_int_equal(coin, successes % 2 == 0);
        assert_int_equal(rng->state->left, 0);
    }
}

TEST(a_failed_generator_ends_every_loop_and_zeroes_the_output) {
    static uint64_t zeros[3000], ones[6000];
    memset(ones, 0xff, sizeof ones);
    const struct {
        const uint64_t *tape;
        size_t count;
    } tapes[] = {{zeros, 0}, {zeros, 1}, {zeros, 3000}, {ones, 1}, {ones, 3000}, {ones, 6000}};
    for (size_t t = 0; t < sizeof tapes / sizeof *tapes; t++) {
        for (uint64_t s = 1; s <= DP2DPI_NOISE_SCALE_MAX; s = 3 * s + 1) {
            int64_t drawn[3] = {5, 5, 5};
            dp2dp_error error;
            HANDLE(dp2dpi_rng) *rng = taped_rng(tapes[t].tape, tapes[t].count);
            assert_status(dp2dpi_noise_gaussian(rng, s, 3, drawn, &error), ENTROPY);
            assert_int_equal(error.status, DP2DP_STATUS_ENTROPY);
            assert_true(drawn[0] == 0 && drawn[1] == 0 && drawn[2] == 0);
            assert_status(dp2dpi_noise_gaussian(rng, s, 3, drawn, &error), ENTROPY);
        }
    }
}

/* 4096 words of ones are 4096 successes of Bernoulli(exp(-1/2)), after which the attempt is
 * rejected. The next words give the same draw as at the start of a tape. */
TEST(the_far_tail_is_cut_before_it_overflows) {
    enum {
        CUT = 4096,
        REST = 256
    };
    static uint64_t tape[CUT + REST];
    HANDLE(dp2dpi_rng) *source = seeded_rng(3);
    memset(tape, 0xff, sizeof tape);
    for (size_t i = CUT; i < CUT + REST; i++) {
        tape[i] = dp2dpi_rng_word(source);
    }
    HANDLE(dp2dpi_rng) *whole = taped_rng(tape, CUT + REST), *rest = taped_rng(tape + CUT, REST);
    int64_t after_cut, alone;
    assert_ok(dp2dpi_noise_gaussian(whole, DP2DPI_NOISE_SCALE_MAX, 1, &after_cut, NULL));
    assert_ok(dp2dpi_noise_gaussian(rest, DP2DPI_NOISE_SCALE_MAX, 1, &alone, NULL));
    assert_int_equal(after_cut, alone);
    assert_int_equal(whole->state->left + whole->tape_left, rest->state->left + rest->tape_left);
}
