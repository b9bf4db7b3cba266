/* Tests which features are said to tell the group. */
#include "support.h"

#include "schema/tells.h"

/* Adds `rows` rows: value i % values, group `of` that value. */
static int tells(size_t rows, size_t values, size_t wrong) {
    dp2dpi_tells t = {0};
    for (size_t i = 0; i < rows; i++) {
        double value = (double)(i % values);
        dp2dpi_tells_add(value, i < wrong ? 1 - (int32_t)value % 2 : (int32_t)value % 2, &t);
    }
    return dp2dpi_tells_all(&t);
}

TEST(a_copy_of_the_group_tells_it_from_20_rows_outside_the_largest_group_on) {
    assert_true(tells(40, 2, 0));
    assert_false(tells(39, 2, 0));
}

TEST(one_row_in_another_group_is_enough_to_tell_nothing) {
    assert_false(tells(1000, 2, 1));
}

TEST(each_value_needs_ten_rows) {
    assert_true(tells(200, 20, 0));
    assert_false(tells(199, 20, 0));
}

TEST(a_feature_with_more_than_20_values_is_not_judged) {
    assert_true(tells(100000, 20, 0));
    assert_false(tells(100000, 21, 0));
}

TEST(a_feature_tells_nothing_if_everybody_is_in_one_group) {
    dp2dpi_tells t = {0};
    for (size_t i = 0; i < 1000; i++) {
        dp2dpi_tells_add((double)(i % 2), 1, &t);
    }
    assert_false(dp2dpi_tells_all(&t));
}
