/* Charges and releases: their order, the rounding of the noise, and the releases that a charge
 * allows. */
#include "support.h"

#include <sys/wait.h>
#include <unistd.h>

#include "mechanism/mechanism.h"
#include "noise/noise.h"

DEFINE_HANDLE(dp2dpi_charge)

static dp2dp_ledger *ledger;
static dp2dpi_rng *rng;

FIXTURE(begin) {
    return dp2dp_ledger_new(DP2DP_REPLACE_ONE, &ledger, NULL) != OK ||
           dp2dpi_rng_new_insecure(20, &rng, NULL) != OK;
}

FIXTURE(end) {
    dp2dp_ledger_free(ledger);
    dp2dpi_rng_free(rng);
    return 0;
}

static dp2dp_event sum_event(dp2dp_mechanism mechanism, double sigma, uint64_t coordinates) {
    dp2dp_event event = DP2DP_EVENT_INIT;
    event.mechanism = mechanism;
    event.sensitivity = 2;
    event.sigma = sigma;
    event.coordinates = coordinates;
    event.rate = mechanism == DP2DP_POISSON ? 0.25 : 0;
    event.label = "sum";
    event.set = "spring";
    return event;
}

static dp2dpi_charge *charge_of(const dp2dp_event *event, int grid_bits) {
    dp2dpi_charge *charge = NULL;
    assert_ok(dp2dpi_charge_new(ledger, rng, event, 1, grid_bits, &charge, &test_error));
    return charge;
}

static dp2dp_event entry_of(size_t i, dp2dp_rng_kind *kind) {
    dp2dp_event event = DP2DP_EVENT_INIT;
    assert_ok(dp2dp_ledger_entry(ledger, i, &event, kind, NULL));
    return event;
}

#define TEST_WITH_LEDGER(name) TEST_WITH(name, begin, end)

TEST_WITH_LEDGER(the_ledger_line_carries_the_noise_that_is_drawn) {
    const double sigmas[] = {1, 0.1, 3.0000000001, 1000.0 / 3, 0x1p-31, 0x1p20};
    for (size_t i = 0; i < sizeof sigmas / sizeof sigmas[0]; i++) {
        dp2dp_event event = sum_event(DP2DP_GAUSSIAN, sigmas[i], 3);
        event.sensitivity = sigmas[i];
        event.scale = 12345; /* ignored on entry */
        HANDLE(dp2dpi_charge) *charge = charge_of(&event, 30);
        dp2dp_rng_kind kind;
        dp2dp_event line = entry_of(i, &kind);
        assert_true(line.sigma >= sigmas[i]);
        assert_true(line.scale == line.sigma * 0x1p30 && line.scale == floor(line.scale));
        assert_true(line.scale == 1 || (line.scale - 1) * 0x1p-30 < sigmas[i]);
        assert_int_equal(kind, DP2DP_RNG_INSECURE);
        assert_string_equal(line.label, "sum");
        assert_string_equal(line.set, "spring");
        const dp2dp_event *charged = dp2dpi_charge_event(charge);
        assert_true(charged->sigma == line.sigma && charged->scale == line.scale);
        assert_string_equal(charged->label, "sum");
    }
}

TEST_WITH_LEDGER(a_prepared_charge_allows_no_release_until_it_is_committed) {
    dp2dp_event event = sum_event(DP2DP_POISSON, 1, 2);
    HANDLE(dp2dpi_charge) *charge = NULL;
    int64_t sum[2] = {1, 2};
    uint8_t mask[8];
    assert_ok(dp2dpi_charge_prepare(rng, &event, 1, 30, &charge, NULL));
    assert_int_equal(dp2dpi_charge_left(charge), 0);
    assert_status(dp2dpi_charge_poisson_mask(charge, sizeof mask, mask, NULL), BUDGET);
    assert_ok(dp2dp_ledger_set_budget(ledger, 0.01, 1e-5, NULL));
    assert_status(dp2dpi_charge_commit(ledger, &charge, 1, NULL), BUDGET);
    assert_status(dp2dpi_charge_poisson_mask(charge, sizeof mask, mask, NULL), BUDGET);
    assert_int_equal(dp2dp_ledger_size(ledger), 1);
    HANDLE(dp2dp_ledger) *other = NULL;
    assert_ok(dp2dp_ledger_new(DP2DP_REPLACE_ONE, &other, NULL));
    assert_ok(dp2dpi_charge_commit(other, &charge, 1, NULL));
    assert_int_equal(dp2dpi_charge_left(charge), 1);
    assert_ok(dp2dpi_charge_poisson_mask(charge, sizeof mask, mask, NULL));
    assert_ok(dp2dpi_charge_release(charge, 2, sum, sum, NULL));
}

TEST_WITH_LEDGER(noise_from_the_kernel_is_marked_secure) {
    HANDLE(dp2dpi_rng) *secure = NULL;
    HANDLE(dp2dpi_charge) *charge = NULL;
    dp2dp_event event = sum_event(DP2DP_GAUSSIAN, 1, 1);
    dp2dp_rng_kind kind;
    assert_ok(dp2dpi_rng_new(&secure, NULL));
    assert_ok(dp2dpi_charge_new(ledger, secure, &event, 1, 30, &charge, NULL));
    (void)entry_of(0, &kind);
    assert_int_equal(kind, DP2DP_RNG_SECURE);
}

/* Computes ⌈q 2^64⌉ in integers, from the 53-bit mantissa of q. */
static uint64_t exact_threshold(double q) {
    int exponent;
    uint64_t mantissa = (uint64_t)ldexp(frexp(q, &exponent), 53);
    int shift = exponent - 53 + 64;
    if (shift >= 0) {
        return mantissa << shift;
    }
    if (shift <= -53) {
        return 1;
    }
    uint64_t below = ((uint64_t)1 << -shift) - 1;
    return (mantissa >> -shift) + ((mantissa & below) != 0);
}

TEST_WITH_LEDGER(the_charged_rate_is_the_exact_rate_of_the_mask) {
    const double rates[] = {0.064,   1e-3,      0x1p-12, 0x1.fffffffffffffp-13,
                            1e-4,    1e-8,      1e-15,   1e-19,
                            0x1p-64, 0x1.8p-65, 5e-324};
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        dp2dp_event event = sum_event(DP2DP_POISSON, 1, 1);
        event.rate = rates[i];
        HANDLE(dp2dpi_charge) *charge = charge_of(&event, 30);
        double charged = dp2dpi_charge_event(charge)->rate;
        dp2dp_rng_kind kind;
        assert_true(charged == entry_of(i, &kind).rate);
        assert_true(charged >= rates[i]);
        assert_true(ldexp(charged, 64) == (double)exact_threshold(rates[i]));
        assert_true((uint64_t)ldexp(charged, 64) == exact_threshold(rates[i]));
    }
}

TEST_WITH_LEDGER(the_release_is_the_sum_plus_the_noise_of_the_charged_scale) {
    enum {
        N = 5
    };
    const int64_t sum[N] = {0, -7, (int64_t)1 << 62, -((int64_t)1 << 62), 123456789};
    dp2dp_event event = sum_event(DP2DP_GAUSSIAN, 4.5, N);
    int64_t released[N];
    int64_t noise[N];
    HANDLE(dp2dpi_rng) *same_seed = seeded_rng(20);
    HANDLE(dp2dpi_charge) *charge = charge_of(&event, 30);
    assert_ok(dp2dpi_charge_release(charge, N, sum, released, NULL));
    assert_ok(dp2dpi_noise_gaussian(same_seed, (uint64_t)(4.5 * 0x1p30), N, noise, NULL));
    for (size_t i = 0; i < N; i++) {
        assert_true(released[i] == sum[i] + noise[i] && noise[i] != 0);
    }
}

TEST_WITH_LEDGER(sum_and_release_may_share_their_memory) {
    int64_t values[3] = {1, 2, 3};
    const int64_t sum[3] = {1, 2, 3};
    int64_t apart[3];
    dp2dp_event event = sum_event(DP2DP_GAUSSIAN, 4.5, 3);
    dp2dpi_charge *charge = charge_of(&event, 30);
    assert_ok(dp2dpi_charge_release(charge, 3, values, values, NULL));
    dp2dpi_charge_free(charge);
    dp2dpi_rng_free(rng);
    assert_ok(dp2dpi_rng_new_insecure(20, &rng, NULL));
    charge = charge_of(&event, 30);
    assert_ok(dp2dpi_charge_release(charge, 3, sum, apart, NULL));
    assert_memory_equal(values, apart, sizeof values);
    dp2dpi_charge_free(charge);
}

TEST_WITH_LEDGER(no_more_releases_than_charged) {
    int64_t value = 5;
    int64_t released = 0;
    dp2dp_event event = sum_event(DP2DP_GAUSSIAN, 4, 1);
    event.count = 3;
    HANDLE(dp2dpi_charge) *charge = charge_of(&event, 30);
    for (uint64_t left = 3; left > 0; left--) {
        assert_true(dp2dpi_charge_left(charge) == left);
        assert_ok(dp2dpi_charge_release(charge, 1, &value, &released, NULL));
    }
    assert_true(dp2dpi_charge_left(charge) == 0);
    assert_status(dp2dpi_charge_release(charge, 1, &value, &released, NULL), BUDGET);
    assert_true(released == 0);
    assert_int_equal(dp2dp_ledger_size(ledger), 1);
}

/* Tries a release in a forked child, which has a copy of the charge, and returns the status. */
static int release_in_child(dp2dpi_charge *charge) {
    int64_t value = 0;
    int64_t released = 9;
    int status = 0;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dp2dp_status found = dp2dpi_charge_release(charge, 1, &value, &released, NULL);
        dp2dpi_charge_free(charge);
        _exit(found == OK || released == 0 ? (int)found : 255);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

TEST_WITH_LEDGER(a_forked_child_cannot_release_what_its_parent_charged) {
    int64_t value = 0;
    int64_t released = 0;
    dp2dp_event event = sum_event(DP2DP_GAUSSIAN, 4, 1);
    HANDLE(dp2dpi_charge) *charge = charge_of(&event, 30);
    assert_status(release_in_child(charge), BUDGET);
    assert_true(dp2dpi_charge_left(charge) == 1);
    assert_ok(dp2dpi_charge_release(charge, 1, &value, &released, NULL));
}

TEST_WITH_LEDGER(a_forked_child_cannot_use_its_parents_mask) {
    uint8_t mask[4];
    int64_t value = 0;
    int64_t released = 0;
    dp2dp_event event = sum_event(DP2DP_POISSON, 4, 1);
    event.count = 2;
    HANDLE(dp2dpi_charge) *charge = charge_of(&event, 30);
    assert_ok(dp2dpi_charge_poisson_mask(charge, 4, mask, NULL));
    assert_int_not_equal(release_in_child(charge), OK);
    assert_ok(dp2dpi_charge_release(charge, 1, &value, &released, NULL));
}

TEST_WITH_LEDGER(a_wrong_call_draws_nothing_and_zeroes_the_output) {
    int64_t sum[3] = {0, 0, 0};
    int64_t released[3] = {9, 9, 9};
    const int64_t zero[3] = {0, 0, 0};
    dp2dp_event event = sum_event(DP2DP_GAUSSIAN, 4, 2);
    HANDLE(dp2dpi_charge) *charge = charge_of(&event, 30);
    assert_status(dp2dpi_charge_release(charge, 3, sum, released, NULL), ARGUMENT);
    assert_memory_equal(released, zero, sizeof zero);
    sum[1] = ((int64_t)1 << 62) + 1;
    released[0] = released[1] = 9;
    assert_status(dp2dpi_charge_release(charge, 2, sum, released, NULL), INTERNAL);
    assert_memory_equal(released, zero, 2 * sizeof zero[0]);
    sum[1] = INT64_MIN;
    assert_status(dp2dpi_charge_release(charge, 2, sum, released, NULL), INTERNAL);
    assert_true(dp2dpi_charge_left(charge) == 1);
}

TEST_WITH_LEDGER(a_poisson_release_needs_its_mask) {
    enum {
        N = 4000
    };
    static uint8_t mask[N];
    int64_t value = 0;
    int64_t released = 0;
    size_t included = 0;
    dp2dp_event event = sum_event(DP2DP_POISSON, 4, 1);
    event.count = 2;
    dp2dpi_charge *charge = charge_of(&event, 30);
    assert_status(dp2dpi_charge_release(charge, 1, &value, &released, NULL), INTERNAL);
    assert_ok(dp2dpi_charge_poisson_mask(charge, N / 2, mask, NULL));
    assert_ok(dp2dpi_charge_poisson_mask(charge, N / 2, mask + N / 2, NULL));
    assert_ok(dp2dpi_charge_release(charge, 1, &value, &released, NULL));
    assert_status(dp2dpi_charge_release(charge, 1, &value, &released, NULL), INTERNAL);
    assert_true(dp2dpi_charge_left(charge) == 1);
    for (size_t i = 0; i < N; i++) {
        included += mask[i];
    }
    /* Binomial(4000, 1/4): five standard deviations, fixed seed. */
    assert_true(included > 1000 - 137 && included < 1000 + 137);
    assert_ok(dp2dpi_charge_poisson_mask(charge, N, mask, NULL));
    assert_ok(dp2dpi_charge_release(charge, 1, &value, &released, NULL));
    mask[0] = 1;
    assert_status(dp2dpi_charge_poisson_mask(charge, N, mask, NULL), BUDGET);
    assert_int_equal(mask[0], 0);
    dp2dpi_charge_free(charge);
    event = sum_event(DP2DP_GAUSSIAN, 4, 1);
    charge = charge_of(&event, 30);
    assert_status(dp2dpi_charge_poisson_mask(charge, N, mask, NULL), ARGUMENT);
    dp2dpi_charge_free(charge);
}

static void refused(dp2dp_event event, int grid_bits, const char *word) {
    dp2dpi_charge *charge = (dp2dpi_charge *)&event;
    assert_fails(dp2dpi_charge_new(ledger, rng, &event, 1, grid_bits, &charge, &test_error),
                 ARGUMENT, word);
    assert_null(charge);
    assert_int_equal(dp2dp_ledger_size(ledger), 0);
}

TEST_WITH_LEDGER(bad_parameters_are_refused_before_the_ledger_changes) {
    const double sigmas[] = {0, -1, NAN, INFINITY, -INFINITY, 0x1p20 * (1 + 0x1p-50), 1e300};
    for (size_t i = 0; i < sizeof sigmas / sizeof sigmas[0]; i++) {
        refused(sum_event(DP2DP_GAUSSIAN, sigmas[i], 1), 30, "sigma");
    }
    refused(sum_event(DP2DP_GAUSSIAN, 1, 1), -1, "grid_bits");
    refused(sum_event(DP2DP_GAUSSIAN, 1e-9, 1), 63, "grid_bits");
    refused(sum_event(DP2DP_GAUSSIAN, 1, 0), 30, "coordinates");
    refused(sum_event(DP2DP_GAUSSIAN, 1, UINT64_MAX), 30, "coordinates");
    refused(sum_event(DP2DP_DECLARED, 1, 1), 30, "declared");
    refused(sum_event((dp2dp_mechanism)99, 1, 1), 30, "mechanism");
    dp2dp_event event = sum_event(DP2DP_POISSON, 1, 1);
    event.rate = 1.5;
    refused(event, 30, "rate");
    event.rate = NAN;
    refused(event, 30, "rate");
    event = sum_event(DP2DP_GAUSSIAN, 1, 1);
    event.count = 0;
    refused(event, 30, "count");
    event.struct_size = 8;
    refused(event, 30, "struct_size");
}

/* The library has no sampler for batches of fixed size, so such a charge would cost less than the
 * release. */
TEST_WITH_LEDGER(a_batch_of_fixed_size_cannot_be_released) {
    dp2dp_event event = sum_event(DP2DP_WITHOUT_REPLACEMENT, 4, 1);
    event.rate = 0.001;
    refused(event, 30, "without-replacement");
    event = sum_event(DP2DP_WITH_REPLACEMENT, 4, 1);
    event.population = 1000;
    event.draws = 1;
    refused(event, 30, "with-replacement");
}

/* An empty tape fails at the first random word. A refused charge must not read any. */
TEST_WITH_LEDGER(a_refused_charge_draws_no_noise) {
    dp2dpi_charge *charge = NULL;
    const uint64_t words[1] = {0};
    dp2dp_event event = sum_event(DP2DP_GAUSSIAN, 0.5, 1);
    HANDLE(dp2dpi_rng) *tape = taped_rng(words, 0);
    assert_ok(dp2dp_ledger_set_budget(ledger, 1, 1e-5, NULL));
    assert_status(dp2dpi_charge_new(ledger, tape, &event, 1, 30, &charge, NULL), BUDGET);
    assert_null(charge);
    assert_int_equal(charges_in(ledger), 0);
    assert_int_equal(dp2dpi_rng_failed(tape), 0);
}

TEST_WITH_LEDGER(a_release_that_fails_is_not_refunded) {
    HANDLE(dp2dpi_charge) *charge = NULL;
    const uint64_t words[1] = {0};
    int64_t sum[2] = {11, 12};
    int64_t released[2] = {9, 9};
    dp2dp_event event = sum_event(DP2DP_GAUSSIAN, 4, 2);
    event.count = 2;
    HANDLE(dp2dpi_rng) *tape = taped_rng(words, 0);
    assert_ok(dp2dpi_charge_new(ledger, tape, &event, 1, 30, &charge, NULL));
    assert_status(dp2dpi_charge_release(charge, 2, sum, released, NULL), ENTROPY);
    assert_true(released[0] == 0 && released[1] == 0);
    assert_true(dp2dpi_charge_left(charge) == 1);
    assert_int_equal(dp2dp_ledger_size(ledger), 1);
    dp2dpi_charge_free(NULL);
}
