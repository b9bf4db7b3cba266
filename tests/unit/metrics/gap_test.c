/* Tests the exact test of a gap against probabilities that are known. */
#include "metrics/gap_test.h"

#include "support.h"

/* All of 5 people against none of 5. If both rates are p, the probability is (p (1 − p))^5, which
 * is largest at p = 1/2. */
TEST(the_largest_probability_is_found) {
    const dp2dpi_gap_counts all = {5, 5, 0, 5};
    double found = dp2dpi_gap_p_value(&all, 0, 1e-6);
    assert_true(found > 0.98 / 1024 && found < 1.0 / 1024 + 3e-6);
}

TEST(the_order_of_sizes_does_not_matter) {
    const dp2dpi_gap_counts one = {9, 10, 20, 100}, other = {80, 100, 1, 10};
    double a = dp2dpi_gap_p_value(&one, 0.02, 1e-6), b = dp2dpi_gap_p_value(&other, 0.02, 1e-6);
    assert_true(a > 0 && a < 1e-3 && b > 0 && b < 1e-3);
}

TEST(a_gap_that_is_allowed_is_likelier) {
    const dp2dpi_gap_counts counts = {30, 40, 40, 100};
    double none = dp2dpi_gap_p_value(&counts, 0, 1e-6);
    double some = dp2dpi_gap_p_value(&counts, 0.1, 1e-6);
    assert_true(none < some && some < 1);
}
