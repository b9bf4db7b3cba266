/* A column in another unit is noticed although its numbers are within the bounds. */
#include <stdint.h>
#include <string.h>

#include "schema/spread.h"
#include "support.h"

static dp2dp_schema_column numeric(double lower, double upper) {
    return (dp2dp_schema_column) {
        .role = DP2DP_ROLE_FEATURE, .lower = lower, .upper = upper, .scale = upper / 2 - lower / 2};
}

/* Adds `count` numbers, `first` and further ones that are `step` apart. */
static void add(const dp2dp_schema_column *c, size_t count, double first, double step,
                dp2dpi_spread *s) {
    for (size_t i = 0; i < count; i++) {
        dp2dpi_spread_add(c, first + (double)i * step, s);
    }
}

static dp2dp_spread sum_up(const dp2dp_schema_column *c, const dp2dpi_spread *s) {
    dp2dp_spread found;
    dp2dpi_spread_sum_up(c, s, &found);
    return found;
}

TEST(numbers_in_a_fiftieth_of_the_bounds_are_narrow_from_20_on) {
    dp2dp_schema_column c = numeric(0, 120);
    dp2dpi_spread s = {0};
    add(&c, 19, 0.2, 0.01, &s);
    assert_false(sum_up(&c, &s).is_narrow);
    add(&c, 1, 0.9, 0, &s);
    dp2dp_spread found = sum_up(&c, &s);
    assert_true(found.is_narrow);
    assert_int_equal(found.values, 20);
    assert_int_equal(found.inside, 20);
    assert_true(found.lower == 0);
    assert_true(found.upper > 2.399999 && found.upper < 2.400001);
}

TEST(one_in_a_hundred_elsewhere_is_enough_to_be_silent) {
    for (int outside = 0; outside < 2; outside++) {
        dp2dp_schema_column c = numeric(-1000, 1000);
        dp2dpi_spread s = {0};
        add(&c, 99, 1, 0.1, &s);
        assert_true(sum_up(&c, &s).is_narrow);
        add(&c, 1, outside ? 5000 : 500, 0, &s);
        assert_false(sum_up(&c, &s).is_narrow);
        add(&c, 1, 2, 0, &s);
        assert_true(sum_up(&c, &s).is_narrow);
    }
}

TEST(zeros_and_bounds_do_not_count) {
    dp2dp_schema_column c = numeric(-100, 99999);
    dp2dpi_spread s = {0};
    add(&c, 1000, 0, 0, &s);
    add(&c, 1000, -100, 0, &s);
    add(&c, 1000, 99999, 0, &s);
    add(&c, 30, 100, 900, &s);
    dp2dp_spread found = sum_up(&c, &s);
    assert_int_equal(found.values, 30);
    assert_false(found.is_narrow);
}

TEST(a_few_numbers_are_tiny_if_they_are_within_a_thousandth_of_the_range_from_0) {
    static const struct {
        double lower, upper, first, step;
        size_t count;
        int expected;
    } cases[] = {
        {0, 100000, 5, 3, 5, 1},      {0, 100000, 5, 3, 4, 0},       {0, 100000, 5, 3, 19, 1},
        {0, 100000, 5, 3, 20, 1},     {0, 100000, 5, 30, 5, 0},      {0, 100000, 5, 0, 5, 0},
        {-50000, 50000, -7, 3, 5, 1}, {2000, 100000, 2001, 3, 5, 1}, {0, 100000, -5, 3, 5, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        dp2dp_schema_column c = numeric(cases[i].lower, cases[i].upper);
        dp2dpi_spread s = {0};
        add(&c, cases[i].count, cases[i].first, cases[i].step, &s);
        assert_int_equal(dp2dpi_spread_is_tiny(&s), cases[i].expected && cases[i].count < 20);
    }
}

TEST(few_different_numbers_are_a_count_or_a_default) {
    dp2dp_schema_column c = numeric(0, 100000);
    dp2dpi_spread s = {0};
    for (size_t i = 0; i < 100; i++) {
        add(&c, 9, 1, 1, &s);
    }
    assert_false(sum_up(&c, &s).is_narrow);
    add(&c, 1, 10, 0, &s);
    assert_true(sum_up(&c, &s).is_narrow);
    /* Different numbers elsewhere do not help a default. */
    memset(&s, 0, sizeof s);
    add(&c, 9, 10000, 1000, &s);
    add(&c, 2000, 7, 0, &s);
    assert_false(sum_up(&c, &s).is_narrow);
}

TEST(a_scale_of_its_own_is_not_judged_by_the_bounds) {
    for (int i = 0; i < 2; i++) {
        dp2dp_schema_column c = numeric(0, 120);
        dp2dpi_spread s = {0};
        c.scale = i == 0 ? 29 : c.scale;
        c.number = i == 1 ? SIZE_MAX : 0; /* a feature with cuts */
        add(&c, 100, 0.1, 0.01, &s);
        assert_false(sum_up(&c, &s).is_narrow);
    }
}

TEST(numbers_with_a_logarithm_are_narrow_in_a_thousandth_at_the_lower_bound) {
    dp2dp_schema_column c = numeric(0, 1e6);
    c.log1p = 1;
    c.scale = 7; /* of the logarithm, whatever the bounds */
    for (int i = 0; i < 3; i++) {
        dp2dpi_spread s = {0};
        /* incomes in thousands, incomes that are mostly low, and incomes that are all alike */
        add(&c, 99, i == 2 ? 500000 : 20, i == 1 ? 15 : 5, &s);
        dp2dp_spread found = sum_up(&c, &s);
        assert_int_equal(found.is_narrow, i == 0);
        assert_true(found.lower == 0);
        assert_true(found.upper > 999.999 && found.upper < 1000.001);
    }
}

TEST(bounds_of_any_size_are_divided) {
    dp2dp_schema_column c = numeric(-1.7e308, 1.7e308);
    dp2dpi_spread s = {0};
    add(&c, 30, -1.65e308, 1e307, &s);
    assert_int_equal(sum_up(&c, &s).values, 30);
    assert_false(sum_up(&c, &s).is_narrow);
}

TEST(a_column_of_groups_or_classes_has_one_level_until_a_number_is_beyond_a_cut) {
    static const double cuts[] = {30, 60};
    static const dp2dp_role roles[] = {DP2DP_ROLE_SENSITIVE, DP2DP_ROLE_LABEL};
    for (size_t i = 0; i < 2; i++) {
        dp2dp_schema_column c = {
            .role = roles[i], .number = SIZE_MAX, .cuts = cuts, .cut_count = 2};
        dp2dpi_spread s = {0};
        add(&c, 19, 400, 1, &s);
        assert_false(sum_up(&c, &s).has_one_level);
        add(&c, 1, 61, 0, &s);
        assert_true(sum_up(&c, &s).has_one_level);
        assert_int_equal(sum_up(&c, &s).level, 2);
        add(&c, 1, 60, 0, &s);
        add(&c, 20, 61, 0, &s);
        assert_false(sum_up(&c, &s).has_one_level);
        assert_false(sum_up(&c, &s).is_narrow);
    }
}

TEST(equal_numbers_are_noticed_and_zeros_and_bounds_only_in_many_rows) {
    static const double equal[] = {2400, 0, -10, 20000};
    static const size_t enough[] = {100, 1000, 1000, 1000};
    for (size_t i = 0; i < 4; i++) {
        dp2dp_schema_column c = numeric(-10, 20000);
        dp2dpi_spread s = {0};
        c.type = DP2DP_TABLE_NUMBER;
        add(&c, enough[i] - 1, equal[i], 0, &s);
        assert_false(sum_up(&c, &s).has_one_value);
        add(&c, 1, equal[i], 0, &s);
        assert_true(sum_up(&c, &s).has_one_value);
        assert_int_equal(sum_up(&c, &s).all, enough[i]);
        add(&c, 1, 1, 0, &s);
        assert_false(sum_up(&c, &s).has_one_value);
    }
}

TEST(a_listed_level_that_everybody_has_is_noticed) {
    static const dp2dp_role roles[] = {DP2DP_ROLE_SENSITIVE, DP2DP_ROLE_LABEL, DP2DP_ROLE_FEATURE};
    for (size_t i = 0; i < 3; i++) {
        dp2dp_schema_column c = {
            .role = roles[i], .number = SIZE_MAX, .type = DP2DP_TABLE_TEXT, .level_count = 2};
        int is_feature = c.role == DP2DP_ROLE_FEATURE;
        dp2dpi_spread s = {0};
        for (int j = 0; j < (is_feature ? 999 : 99); j++) {
            dp2dpi_spread_add_level(1, &s);
        }
        dp2dp_spread found = sum_up(&c, &s);
        assert_false(found.has_one_level || found.has_one_value);
        dp2dpi_spread_add_level(1, &s);
        found = sum_up(&c, &s);
        assert_int_equal(found.has_one_level, !is_feature);
        assert_int_equal(found.has_one_value, is_feature);
        assert_int_equal(found.level, !is_feature);
        dp2dpi_spread_add_level(-1, &s);
        found = sum_up(&c, &s);
        assert_false(found.has_one_level || found.has_one_value);
    }
}

/* Adds the whole numbers from `from` to 7000 as a table with dots between thousands gives them. */
static void add_dotted(const dp2dp_schema_column *c, int from, int step, dp2dpi_spread *s) {
    for (int i = from; i <= 7000; i += step) {
        dp2dpi_spread_add(c, i < 1000 ? i : i / 1000.0, s);
    }
}

TEST(a_dot_between_thousands_that_was_read_as_a_decimal_point_is_noticed) {
    static const double ordinary[] = {1000, 0.5, 2.3455, 999.5, 1e300, NAN};
    for (int from = 540; from <= 940; from += 100) {
        dp2dp_schema_column c = numeric(0, 20000);
        dp2dpi_spread s = {0};
        add_dotted(&c, from, 3, &s);
        add(&c, 50, 0, 0, &s); /* zeros tell nothing */
        dp2dp_spread found = sum_up(&c, &s);
        assert_true(found.has_thousands);
        assert_true(found.numbers == s.all - 50 && found.fractions > found.numbers / 2);
        for (size_t i = 0; i < sizeof ordinary / sizeof *ordinary; i++) {
            dp2dpi_spread other = s;
            add(&c, 1, ordinary[i], 0, &other);
            assert_false(sum_up(&c, &other).has_thousands);
        }
    }
}

TEST(decimals_that_are_meant_are_not_taken_for_thousands) {
    dp2dp_schema_column c = numeric(0, 1000);
    dp2dpi_spread s = {0};
    add(&c, 900, 1.123, 1.001, &s); /* three decimals everywhere */
    assert_false(sum_up(&c, &s).has_thousands);
    memset(&s, 0, sizeof s);
    add(&c, 90, 1.25, 0.05, &s); /* prices, and whole ones above them */
    add(&c, 900, 100, 1, &s);
    assert_false(sum_up(&c, &s).has_thousands);
    memset(&s, 0, sizeof s);
    for (size_t i = 0; i < 99; i++) { /* three significant digits */
        add(&c, 1, 1.01 + 0.05 * (double)i, 0, &s);
        add(&c, 1, 10.1 + 0.9 * (double)i, 0, &s);
        add(&c, 1, 100 + 9 * (double)i, 0, &s);
    }
    assert_false(sum_up(&c, &s).has_thousands);
    memset(&s, 0, sizeof s);
    add(&c, 500, 1.001, 0.017, &s); /* a code for a missing value, such as 999 */
    add(&c, 100, 999, 0, &s);
    assert_false(sum_up(&c, &s).has_thousands);
}

TEST(one_and_the_same_number_outside_the_bounds_is_counted) {
    static const double markers[] = {-999, 9999};
    for (size_t i = 0; i < 2; i++) {
        dp2dp_schema_column c = numeric(0, 100);
        dp2dpi_spread s = {0};
        add(&c, 900, 0.1, 0.1, &s);
        add(&c, 19, markers[i], 0, &s);
        assert_int_equal(sum_up(&c, &s).same_outside, 0);
        add(&c, 1, markers[i], 0, &s);
        assert_int_equal(sum_up(&c, &s).same_outside, 20);
        /* Other numbers beyond the other bound do not matter; beyond the same bound they do. */
        add(&c, 30, i == 0 ? 101 : -101, 1, &s);
        assert_int_equal(sum_up(&c, &s).same_outside, 20);
        add(&c, 1, markers[i] * 2, 0, &s);
        assert_int_equal(sum_up(&c, &s).same_outside, 20);
        add(&c, 1, markers[i] * 3, 0, &s);
        assert_int_equal(sum_up(&c, &s).same_outside, 0);
        c.number = SIZE_MAX; /* a feature with cuts has no bounds */
        memset(&s, 0, sizeof s);
        add(&c, 100, markers[i], 0, &s);
        assert_int_equal(sum_up(&c, &s).same_outside, 0);
    }
}

TEST(other_numbers_that_come_first_make_the_count_of_the_same_number_a_lower_bound) {
    dp2dp_schema_column c = numeric(0, 100);
    dp2dpi_spread s = {0};
    add(&c, 3, 101, 1, &s);
    add(&c, 300, 9999, 0, &s);
    uint64_t same = sum_up(&c, &s).same_outside;
    assert_true(same >= 297 && same <= 300);
}

TEST(a_tail_beyond_a_bound_is_no_single_number) {
    dp2dp_schema_column c = numeric(0, 100);
    dp2dpi_spread s = {0};
    for (size_t i = 0; i < 30; i++) {
        add(&c, 30, 101, 1, &s);
        add(&c, 30, 101, 0, &s);
    }
    assert_int_equal(sum_up(&c, &s).same_outside, 0);
}

TEST(the_smallest_and_the_largest_number_of_a_feature_are_known) {
    dp2dp_schema_column c = numeric(-100, 100);
    dp2dpi_spread s = {0};
    add(&c, 30, -3.25, 0.5, &s);
    assert_true(sum_up(&c, &s).smallest == -3.25);
    assert_true(sum_up(&c, &s).largest == 11.25);
    add(&c, 1, -1000, 0, &s); /* also outside the bounds */
    add(&c, 1, 1000, 0, &s);
    assert_true(sum_up(&c, &s).smallest == -1000);
    assert_true(sum_up(&c, &s).largest == 1000);
    c.role = DP2DP_ROLE_SENSITIVE;
    assert_true(sum_up(&c, &s).smallest == 0);
}

TEST(numbers_that_are_all_above_0_have_a_smallest_number_above_0) {
    dp2dp_schema_column c = numeric(0, 100);
    dp2dpi_spread s = {0};
    add(&c, 30, 5, 1, &s);
    assert_true(sum_up(&c, &s).smallest == 5);
    assert_true(sum_up(&c, &s).largest == 34);
}

TEST(a_number_of_nines_within_the_bounds_that_is_far_from_all_others_is_counted) {
    static const struct {
        double number, first, step;
        size_t rows, expected;
    } cases[] = {{999, 95, 1, 20, 20}, {999, 95, 1, 19, 0},    {-999, 95, 1, 20, 20},
                 {-1, 0, 0.01, 20, 0}, {-1, 0, 0.003, 20, 20}, {99, 18, 1, 20, 0},
                 {999, 95, 8, 20, 0},  {998, 95, 1, 20, 0},    {1000, 95, 1, 20, 0},
                 {9, 0, 0.02, 20, 20}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        dp2dp_schema_column c = numeric(-1000, 1000);
        dp2dpi_spread s = {0};
        add(&c, 40, cases[i].first, cases[i].step, &s);
        add(&c, cases[i].rows, cases[i].number, 0, &s);
        add(&c, 40, cases[i].first, cases[i].step, &s);
        dp2dp_spread found = sum_up(&c, &s);
        assert_int_equal(found.same_inside, cases[i].expected);
        assert_int_equal(found.is_lowest, cases[i].expected > 0 && cases[i].number < 0);
    }
}

TEST(a_number_of_nines_must_be_one_value_in_a_hundred_and_within_the_bounds) {
    dp2dp_schema_column c = numeric(0, 1000), narrow = numeric(0, 200);
    dp2dpi_spread s = {0};
    for (size_t i = 0; i < 20; i++) {
        add(&c, 99, 95, 0.5, &s);
    }
    add(&c, 20, 999, 0, &s);
    assert_int_equal(sum_up(&c, &s).same_inside, 20);
    assert_int_equal(sum_up(&narrow, &s).same_inside, 0);
    add(&c, 1, 100, 0, &s);
    assert_int_equal(sum_up(&c, &s).same_inside, 0);
}

TEST(one_unlisted_text_is_counted_if_few_others_are_unlisted) {
    static const struct {
        size_t same, others;
        uint64_t expected;
    } cases[] = {{20, 0, 20}, {19, 0, 0}, {95, 5, 95}, {94, 6, 0}};
    const dp2dp_schema_column c = {.role = DP2DP_ROLE_FEATURE, .kind = DP2DP_KIND_CATEGORICAL};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        dp2dpi_spread s = {0};
        for (size_t k = 0; k < cases[i].same; k++) {
            dp2dpi_spread_add_unlisted(7, 1, &s);
        }
        for (size_t k = 0; k < cases[i].others; k++) {
            dp2dpi_spread_add_unlisted(100 + (double)k, 0, &s);
        }
        assert_int_equal(sum_up(&c, &s).same_unlisted, cases[i].expected);
        assert_int_equal(sum_up(&c, &s).missing_unlisted, cases[i].same < 20 ? 0 : cases[i].same);
    }
}

TEST(two_numbers_say_nothing_about_what_stands_for_a_missing_value) {
    dp2dp_schema_column c = numeric(-1, 999);
    dp2dpi_spread s = {0};
    add(&c, 100, 0, 0, &s);
    add(&c, 100, -1, 0, &s);
    assert_int_equal(sum_up(&c, &s).same_inside, 0);
}
