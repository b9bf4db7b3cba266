/* A system without randomness. This executable defines dp2dpi_entropy and sodium_init, which
 * replace those of the libraries. */
#include "support.h"

#include <sys/wait.h>
#include <unistd.h>

#include <sodium.h>

#include "noise/exact.h"
#include "noise/noise.h"

enum {
    DRAWS = 64
};

static int calls_left; /* calls that still succeed */
static unsigned char next_byte;

dp2dp_status dp2dpi_entropy(void *buffer, size_t length, dp2dp_error *error) {
    if (calls_left == 0) {
        memset(buffer, 0, length);
        return dp2dpi_fail(error, DP2DP_STATUS_ENTROPY, "no randomness here");
    }
    calls_left--;
    memset(buffer, ++next_byte, length);
    return DP2DP_STATUS_OK;
}

static int sodium_calls, sodium_answer;

int sodium_init(void) {
    sodium_calls++;
    return sodium_answer;
}

FIXTURE(entropy_is_back) {
    calls_left = 1000;
    sodium_answer = 0;
    return 0;
}

static dp2dpi_rng *secure(void) {
    dp2dpi_rng *rng;
    assert_ok(dp2dpi_rng_new(&rng, NULL));
    return rng;
}

TEST_WITH(the_seeded_generator_needs_no_entropy, entropy_is_back, NULL) {
    HANDLE(dp2dpi_rng) *rng = NULL;
    calls_left = 0;
    assert_ok(dp2dpi_rng_new_insecure(0, &rng, NULL));
    assert_true(dp2dpi_rng_word(rng) == UINT64_C(0xd8ee752f84799cfe));
}

TEST_WITH(a_new_generator_needs_entropy_at_every_step, entropy_is_back, NULL) {
    static dp2dpi_rng stale;
    int needed = 0;
    for (;; needed++) {
        dp2dpi_rng *rng = &stale;
        dp2dp_error error = {.status = DP2DP_STATUS_OK};
        calls_left = needed;
        dp2dp_status status = dp2dpi_rng_new(&rng, &error);
        if (status == DP2DP_STATUS_OK) {
            dp2dpi_rng_free(rng);
            break;
        }
        assert_int_equal(status, DP2DP_STATUS_ENTROPY);
        assert_int_equal(error.status, DP2DP_STATUS_ENTROPY);
        assert_null(rng);
    }
    assert_true(needed > 0);
}

/* sodium_init ends the process where there is no randomness. */
TEST_WITH(libsodium_is_not_started_without_entropy, entropy_is_back, NULL) {
    HANDLE(dp2dpi_rng) *rng = NULL;
    calls_left = 0;
    sodium_calls = 0;
    assert_status(dp2dpi_rng_new(&rng, NULL), ENTROPY);
    assert_ok(dp2dpi_rng_new_insecure(1, &rng, NULL));
    assert_int_equal(sodium_calls, 0);
}

TEST_WITH(a_libsodium_that_does_not_start_is_reported, entropy_is_back, NULL) {
    static dp2dpi_rng stale;
    dp2dpi_rng *rng = &stale;
    sodium_answer = -1;
    assert_fails(dp2dpi_rng_new(&rng, &test_error), ENTROPY, "libsodium");
    assert_null(rng);
}

/* Zeroes the state, as the kernel does in a forked child. */
static void lose_state(dp2dpi_rng *rng) {
    memset(rng->state, 0, sizeof *rng->state);
}

TEST_WITH(a_lost_key_is_replaced_by_a_fresh_one, entropy_is_back, NULL) {
    HANDLE(dp2dpi_rng) *rng = secure();
    uint64_t before = dp2dpi_rng_word(rng);
    lose_state(rng);
    assert_ok(dp2dpi_rng_begin(rng, NULL));
    assert_true(dp2dpi_rng_word(rng) != before);
    assert_false(dp2dpi_rng_failed(rng));
}

TEST_WITH(a_lost_key_without_entropy_latches_the_failure, entropy_is_back, NULL) {
    HANDLE(dp2dpi_rng) *rng = secure();
    lose_state(rng);
    calls_left = 0;
    assert_true(dp2dpi_rng_word(rng) == 0);
    assert_true(dp2dpi_rng_failed(rng));
    assert_status(dp2dpi_rng_end(rng, NULL), ENTROPY);
    calls_left = 1000;
    assert_status(dp2dpi_rng_begin(rng, NULL), ENTROPY);
    assert_true(dp2dpi_rng_word(rng) == 0);
}

TEST_WITH(samplers_zero_their_output_without_entropy, entropy_is_back, NULL) {
    int64_t noise[DRAWS];
    uint8_t mask[DRAWS];
    for (int sampler = 0; sampler < 3; sampler++) {
        HANDLE(dp2dpi_rng) *rng = secure();
        lose_state(rng);
        calls_left = 0;
        memset(noise, 0x55, sizeof noise);
        memset(mask, 0x55, sizeof mask);
        if (sampler == 0) {
            assert_status(dp2dpi_noise_gaussian(rng, 1000, DRAWS, noise, NULL), ENTROPY);
            for (int i = 0; i < DRAWS; i++) {
                assert_int_equal(noise[i], 0);
            }
        } else if (sampler == 1) {
            assert_status(dp2dpi_noise_poisson_mask(rng, 0.5, DRAWS, mask, NULL), ENTROPY);
            for (int i = 0; i < DRAWS; i++) {
                assert_int_equal(mask[i], 0);
            }
        } else {
            assert_int_equal(dp2dpi_exact_bernoulli_exp(rng, (dp2dpi_exact_rate) {1, 2, 1, 1}), 0);
            assert_status(dp2dpi_rng_end(rng, NULL), ENTROPY);
        }
        calls_left = 1000;
    }
}

TEST_WITH(a_forked_child_without_entropy_gets_no_noise, entropy_is_back, NULL) {
    int status;
    dp2dpi_rng *rng = secure();
    (void)dp2dpi_rng_word(rng);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        int64_t noise = 55;
        calls_left = 0;
        int closed =
            dp2dpi_noise_gaussian(rng, 1000, 1, &noise, NULL) == DP2DP_STATUS_ENTROPY && noise == 0;
        dp2dpi_rng_free(rng);
        _exit(closed ? 0 : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    dp2dpi_rng_free(rng);
}
