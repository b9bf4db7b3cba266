/* rng: a generator is made completely or not at all, and drawing words allocates nothing. */
#include "fault/fault_alloc.h"

#include "rng/rng.h"

TEST(a_generator_is_whole_or_absent) {
    static const uint64_t tape[1] = {7};
    for (int kind = 0; kind < 3; kind++) {
        FAIL_EACH_ALLOCATION(1) {
            HANDLE(dp2dpi_rng) *rng = (dp2dpi_rng *)&rng;
            FAULTY(kind == 0   ? dp2dpi_rng_new(&rng, NULL)
                   : kind == 1 ? dp2dpi_rng_new_insecure(1, &rng, NULL)
                               : dp2dpi_rng_new_insecure_tape(tape, 1, &rng, NULL));
            assert_int_equal(rng == NULL, fault_status != OK);
        }
    }
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
