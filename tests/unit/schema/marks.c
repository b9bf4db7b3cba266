/* Tests which features are said to be known only after the label. */
#include "support.h"

#include <math.h>

#include "schema/marks.h"

enum {
    NUMBER = 1,
    LEVEL = 0
};

static void add(size_t rows, double first, double step, int32_t label, size_t classes,
                dp2dpi_marks *m) {
    for (size_t i = 0; i < rows; i++) {
        dp2dpi_marks_add(first + step * (double)i, NUMBER, label, classes, m);
    }
}

TEST(numbers_whose_ranges_do_not_overlap_need_100_people_on_each_side) {
    for (size_t rows = 99; rows <= 100; rows++) {
        dp2dpi_marks m = {0};
        add(rows, 10, 0.5, 0, 2, &m);
        add(rows, 100, 0.5, 1, 2, &m);
        assert_int_equal(dp2dpi_marks_find(&m, NUMBER).is_apart, rows == 100);
        assert_int_equal(dp2dpi_marks_find(&m, LEVEL).is_apart, 0);
        dp2dpi_marks_add(55, NUMBER, 1, 2, &m);
        dp2dpi_marks_add(55, NUMBER, 0, 2, &m);
        assert_int_equal(dp2dpi_marks_find(&m, NUMBER).is_apart, 0);
    }
}

TEST(of_three_classes_each_two_must_be_apart) {
    dp2dpi_marks m = {0};
    add(100, 300, 1, 2, 3, &m);
    add(10, 10, 1, 0, 3, &m);
    add(90, 100, 1, 1, 3, &m);
    assert_int_equal(dp2dpi_marks_find(&m, NUMBER).is_apart, 1);
    add(1, 150, 1, 0, 3, &m);
    assert_int_equal(dp2dpi_marks_find(&m, NUMBER).is_apart, 0);
}

TEST(a_value_that_one_class_has_and_nobody_else_marks_this_class) {
    for (size_t rows = 99; rows <= 100; rows++) {
        dp2dpi_marks m = {0};
        for (size_t i = 0; i < 600; i++) {
            dp2dpi_marks_add((double)(i % 5), LEVEL, (int32_t)(i % 2), 3, &m);
        }
        for (size_t i = 0; i < rows; i++) {
            dp2dpi_marks_add(7, LEVEL, 2, 3, &m);
        }
        dp2dpi_marked found = dp2dpi_marks_find(&m, LEVEL);
        assert_int_equal(found.kind, rows == 100);
        assert_int_equal(found.label, rows == 100 ? 2 : 0);
        dp2dpi_marks_add(7, LEVEL, 0, 3, &m);
        assert_int_equal(dp2dpi_marks_find(&m, LEVEL).kind, 0);
    }
}

TEST(a_class_with_two_values_is_not_marked_nor_is_one_that_comes_late) {
    dp2dpi_marks m = {0}, late = {0};
    for (size_t i = 0; i < 300; i++) {
        dp2dpi_marks_add((double)(i % 2), LEVEL, 0, 3, &m);
        dp2dpi_marks_add((double)(2 + i % 2), LEVEL, 2, 3, &m);
        dp2dpi_marks_add((double)(i % 30), LEVEL, 0, 2, &late);
    }
    for (size_t i = 0; i < 300; i++) { /* after more values than are remembered */
        dp2dpi_marks_add(29, LEVEL, 1, 2, &late);
    }
    assert_int_equal(dp2dpi_marks_find(&m, LEVEL).kind, 0);
    assert_int_equal(dp2dpi_marks_find(&late, LEVEL).kind, 0);
}

TEST(a_number_that_is_not_0_for_one_class_only_marks_this_class) {
    for (int missing = 0; missing < 2; missing++) {
        dp2dpi_marks m = {0};
        for (size_t i = 0; i < 200; i++) {
            dp2dpi_marks_add(0, NUMBER, (int32_t)(i % 2), 3, &m);
            dp2dpi_marks_add(missing ? -INFINITY : 0, NUMBER, (int32_t)(i % 2), 3, &m);
            dp2dpi_marks_add(-50 + (double)i, NUMBER, 2, 3, &m); /* once 0 */
        }
        assert_int_equal(dp2dpi_marks_find(&m, NUMBER).kind, 0);
        m = (dp2dpi_marks) {0};
        for (size_t i = 0; i < 200; i++) {
            dp2dpi_marks_add(0, NUMBER, (int32_t)(i % 2), 3, &m);
            dp2dpi_marks_add(missing ? -INFINITY : 0, NUMBER, (int32_t)(i % 2), 3, &m);
            dp2dpi_marks_add(-50.5 + (double)i, NUMBER, 2, 3, &m);
        }
        dp2dpi_marked found = dp2dpi_marks_find(&m, NUMBER);
        assert_int_equal(found.kind, 2);
        assert_int_equal(found.label, 2);
        dp2dpi_marks_add(3, NUMBER, 1, 3, &m);
        assert_int_equal(dp2dpi_marks_find(&m, NUMBER).kind, 0);
    }
}

TEST(an_ordinary_feature_is_soon_no_longer_examined) {
    dp2dpi_marks m = {0};
    add(100, 0, 1, 0, 2, &m);
    add(100, 50, 1, 1, 2, &m);
    assert_true(m.is_over);
    assert_int_equal(dp2dpi_marks_find(&m, NUMBER).is_apart, 0);
}

TEST(too_many_classes_are_not_judged) {
    dp2dpi_marks m = {0};
    for (size_t i = 0; i < 1000; i++) {
        dp2dpi_marks_add((double)(i % 2), LEVEL, (int32_t)(i % 2), DP2DPI_MARKS_CLASSES + 1, &m);
    }
    assert_int_equal(dp2dpi_marks_find(&m, LEVEL).kind, 0);
}
