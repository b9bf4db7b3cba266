#include "phase2/jumps.h"

#include "support.h"

/* Two groups, two labels, two classes, 1,000 records in each stratum. */
enum {
    STRATA = 4,
    CELLS = 8
};

static const double even[CELLS] = {.5, .5, .5, .5, .5, .5, .5, .5};
static const double sizes[STRATA] = {1000, 1000, 1000, 1000};

/* Returns whether the rate of stratum 0 that changes by `change` counts as a jump if the offset of
 * stratum `moved` moves by `by`. */
static int is_noticed(int together, double change, size_t moved, double by, double variance) {
    dp2dpi_jumps jumps = {.strata = STRATA, .labels = 2, .classes = 2, .together = together};
    assert_int_equal(dp2dpi_jumps_alloc(&jumps, NULL), DP2DP_STATUS_OK);
    double offsets[CELLS] = {0}, rates[CELLS] = {0};
    memcpy(rates, even, sizeof rates);
    dp2dpi_jumps_add(&jumps, offsets, rates, sizes, variance);
    assert_int_equal(jumps.noticed, 0);
    offsets[moved * 2] += by;
    rates[0] += change;
    rates[1] -= change;
    dp2dpi_jumps_add(&jumps, offsets, rates, sizes, variance);
    int noticed = jumps.noticed;
    dp2dpi_jumps_free(&jumps);
    return noticed;
}

TEST(the_first_table_is_no_jump) {
    assert_false(is_noticed(0, 0.0, 0, 0.0, 1.0));
}

TEST(a_rate_that_changes_much_more_than_its_offsets_has_jumped) {
    assert_true(is_noticed(0, 0.3, 0, 1e-4, 1.0));
    assert_false(is_noticed(0, 0.3, 0, 1e-2, 1.0));
}

TEST(small_changes_are_not_noticed) {
    assert_false(is_noticed(0, 0.02, 0, 0.0, 1.0));
}

TEST(changes_within_five_standard_deviations_of_the_noise_are_not_noticed) {
    /* The difference of two rates of 1,000 people has the standard deviation √2 · 40/1000. */
    assert_false(is_noticed(0, 0.28, 0, 0.0, 1600.0));
    assert_true(is_noticed(0, 0.31, 0, 0.0, 1600.0));
}

TEST(offsets_of_another_label_of_the_group_explain_a_change) {
    assert_false(is_noticed(0, 0.3, 1, 1e-2, 1.0));
}

TEST(offsets_of_another_group_explain_a_change_only_if_they_decide_too) {
    assert_true(is_noticed(0, 0.3, 2, 1e-2, 1.0));
    assert_false(is_noticed(1, 0.3, 2, 1e-2, 1.0));
}
