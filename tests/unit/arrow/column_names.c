/* Columns are found by their exact names. A similar name is suggested if it cannot be a cell. */
#include "support.h"

#include "arrow/column_names.h"

/* The error if column `wanted` is looked up in a table whose only column is `there`. */
static dp2dp_error asked(const char *wanted, const char *there) {
    dp2dpi_name names[] = {{there, strlen(there), 0}};
    dp2dp_table_column column = {wanted, DP2DP_TABLE_NUMBER};
    dp2dp_error error = {0};
    size_t position;
    assert_status(dp2dpi_names_find(names, 1, &column, 1, &position, "t.csv", &error), DATA);
    return error;
}

TEST(a_slip_is_put_right) {
    static const char *const slips[][2] = {
        {"agee", "age"}, {"age", "Age"},       {"b", " b"},
        {"b", "b\x1B"},  {"p_no", "p_On"},     {"score_0", "score_1"},
        {"paid", "pad"}, {"income", "incone"}, {"hours", "hours\xC2"}};
    for (size_t i = 0; i < sizeof slips / sizeof *slips; i++) {
        dp2dp_error error = asked(slips[i][0], slips[i][1]);
        if (strstr(error.message, "; the nearest name is ") == NULL) {
            fail_msg("%s, %s: %s", slips[i][0], slips[i][1], error.message);
        }
    }
}

/* In a file without a header the first line holds values: numbers, dates and short words. */
TEST(what_may_be_a_cell_is_not_shown) {
    static const char *const cells[][2] = {
        {"39", "38"},  {"0.25", "0.26"}, {"x2", "-2"},
        {" 12", "11"}, {"1e5", " +1e5"}, {"2025-01", "2025-01-1"},
        {"y", "yes"},  {"sex", "set"},   {"p9", "p0"},
        {"g", "F"},    {"no", "None"},   {"abc", ""},
        {"", "x"},     {"name", "Ann"}};
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        dp2dp_error error = asked(cells[i][0], cells[i][1]);
        if (strstr(error.message, "nearest")) {
            fail_msg("%s, %s: %s", cells[i][0], cells[i][1], error.message);
        }
    }
}

TEST(of_several_the_nearest_is_suggested) {
    dp2dpi_name names[] = {{"incomes_2", 9, 0}, {"income", 6, 1}, {"incoming", 8, 2}};
    dp2dp_table_column column = {"incomee", DP2DP_TABLE_NUMBER};
    size_t position;
    assert_status(dp2dpi_names_find(names, 3, &column, 1, &position, "t.csv", &test_error), DATA);
    assert_string_equal(test_error.message,
                        "no column is named \"incomee\"; the nearest name is \"income\" (t.csv)");
}

TEST(a_long_name_is_neither_shown_nor_compared) {
    char wanted[80], there[80];
    for (size_t length = 60; length < 70; length++) {
        memset(wanted, 'a', sizeof wanted);
        memset(there, 'a', sizeof there);
        wanted[length] = there[length + 1] = '\0';
        dp2dp_error error = asked(wanted, there);
        assert_int_equal(strstr(error.message, "nearest") != NULL, length + 1 <= 64);
    }
}
