/* rng: a generator is made whole or not at all; drawing words allocates nothing. */
#include "fault/fault_alloc.h"

#include "rng/rng.h"

static dp2dp_status check(dp2dp_status status, dp2dpi_rng *rng) {
    assert_int_equal(rng == NULL, status != DP2DP_STATUS_OK);
    dp2dpi_rng_free(rng);
    return status;
}

static dp2dp_status secure(size_t at, fault_mode how) {
    dp2dpi_rng *rng = (dp2dpi_rng *)&rng;
    fault_arm(at, how);
    dp2dp_status status = dp2dpi_rng_new(&rng, NULL);
    return check(status, rng);
}

static dp2dp_status insecure(size_t at, fault_mode how) {
    dp2dpi_rng *rng = (dp2dpi_rng *)&rng;
    fault_arm(at, how);
    dp2dp_status status = dp2dpi_rng_new_insecure(1, &rng, NULL);
    return check(status, rng);
}

static dp2dp_status tape(size_t at, fault_mode how) {
    static const uint64_t words[1] = {7};
    dp2dpi_rng *rng = (dp2dpi_rng *)&rng;
    fault_arm(at, how);
    dp2dp_status status = dp2dpi_rng_new_insecure_tape(words, 1, &rng, NULL);
    return check(status, rng);
}

TEST(a_generator_is_whole_or_absent) {
    assert_true(fault_every_allocation(secure) >= 1);
    assert_true(fault_every_allocation(insecure) >= 1);
    assert_true(fault_every_allocation(tape) >= 1);
}

TEST(words_are_drawn_without_allocating) {
    HANDLE(dp2dpi_rng) *rng = NULL;
    assert_ok(dp2dpi_rng_new(&rng, NULL));
    fault_arm(0, FAULT_FROM_THEN_ON);
    assert_ok(dp2dpi_rng_begin(rng, NULL));
    for (int i = 0; i < 5000; i++) {
        (void)dp2dpi_rng_word(rng);
    }
    assert_ok(dp2dpi_rng_end(rng, NULL));
    assert_int_equal(fault_seen, 0);
    fault_disarm();
}
