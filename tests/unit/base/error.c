/* The status table and error messages. */
#include "support.h"

#include <dp2dp/words.h>

#include "base/error.h"

/* Written by hand, not generated from status.def: the test fails if a released value or exit code
 * changes there. */
static const struct {
    dp2dp_status status;
    int value;
    int exit_code;
    const char *name;
} pinned[] = {
    {DP2DP_STATUS_OK, 0, 0, "OK"},
    {DP2DP_STATUS_ARGUMENT, 10, 2, "ARGUMENT"},
    {DP2DP_STATUS_BUDGET, 20, 3, "BUDGET"},
    {DP2DP_STATUS_DATA, 30, 4, "DATA"},
    {DP2DP_STATUS_NO_BOUND, 40, 1, "NO_BOUND"},
    {DP2DP_STATUS_NOT_MET, 41, 5, "NOT_MET"},
    {DP2DP_STATUS_MEMORY, 50, 1, "MEMORY"},
    {DP2DP_STATUS_ENTROPY, 51, 1, "ENTROPY"},
    {DP2DP_STATUS_IO, 52, 1, "IO"},
    {DP2DP_STATUS_CANCELLED, 60, 130, "CANCELLED"},
    {DP2DP_STATUS_INTERNAL, 90, 1, "INTERNAL"},
};
enum {
    PINNED = sizeof pinned / sizeof pinned[0]
};

TEST(status_values_are_pinned) {
    size_t in_table = 0;
#define DP2DP_STATUS(name, value, exit_code, help) in_table++;
#include <dp2dp/status.def>
#undef DP2DP_STATUS
    assert_int_equal(in_table, PINNED);
    for (size_t i = 0; i < PINNED; i++) {
        assert_int_equal(pinned[i].status, pinned[i].value);
        assert_int_equal(dp2dp_status_exit_code(pinned[i].status), pinned[i].exit_code);
        assert_string_equal(dp2dp_status_name(pinned[i].status), pinned[i].name);
    }
}

TEST(status_values_and_meanings_are_unique) {
    static const struct {
        int value;
        const char *meaning;
    } table[] = {
#define DP2DP_STATUS(name, value, exit_code, help) {value, help},
#include <dp2dp/status.def>
#undef DP2DP_STATUS
    };
    const size_t n = sizeof table / sizeof table[0];
    for (size_t i = 0; i < n; i++) {
        assert_true(strlen(table[i].meaning) > 0);
        assert_string_equal(dp2dp_status_help((dp2dp_status)table[i].value), table[i].meaning);
        for (size_t j = i + 1; j < n; j++) {
            assert_int_not_equal(table[i].value, table[j].value);
            assert_string_not_equal(table[i].meaning, table[j].meaning);
        }
    }
}

/* 7 is not in the table. A status from a newer library must not look like a success. */
TEST(unknown_status_is_named_and_is_a_failure) {
    const dp2dp_status unknown = (dp2dp_status)7;
    assert_string_equal(dp2dp_status_name(unknown), "UNKNOWN");
    assert_true(strlen(dp2dp_status_help(unknown)) > 0);
    assert_int_equal(dp2dp_status_exit_code(unknown), 1);
}

TEST(failure_fills_status_and_message) {
    dp2dp_error error = {0};
    dp2dp_status status =
        dp2dpi_fail(&error, DP2DP_STATUS_ARGUMENT, "rate is %g; it must be in (0, 1]", 1.5);
    assert_int_equal(status, DP2DP_STATUS_ARGUMENT);
    assert_int_equal(error.status, DP2DP_STATUS_ARGUMENT);
    assert_string_equal(error.message, "rate is 1.5; it must be in (0, 1]");
}

TEST(failure_without_an_error_to_fill_returns_the_status) {
    assert_status(dp2dpi_fail(NULL, DP2DP_STATUS_IO, "%s", "nobody reads this"), IO);
}

TEST(a_plain_failure_names_no_place) {
    dp2dp_error error = {.reason = DP2DP_REASON_ROW_SUM, .row = 3, .line = 4, .column = "p1"};
    dp2dpi_fail(&error, DP2DP_STATUS_IO, "gone");
    assert_int_equal(error.reason, DP2DP_REASON_NONE);
    assert_true(error.row == 0 && error.line == 0);
    assert_string_equal(error.column, "");
    assert_string_equal(error.message, "gone");
}

/* The advice of the reason, if it has one, follows the message. */
TEST(a_failure_at_a_place_says_it_as_data) {
    size_t count;
    const dp2dp_word *reasons = dp2dp_words(DP2DP_WORDS_REASON, &count);
    for (const dp2dp_word *r = reasons; r < reasons + count; r++) {
        const dp2dpi_place place = {(dp2dp_reason)r->value, UINT64_C(1) << 40, 7, "p_1"};
        dp2dp_error error = {0};
        char wanted[DP2DP_ERROR_MESSAGE_SIZE];
        snprintf(wanted, sizeof wanted, "row 2 is bad%s%s", r->help ? "; " : "",
                 r->help ? r->help : "");
        assert_status(dp2dpi_fail_at(&error, DP2DP_STATUS_DATA, &place, "row %d is bad", 2), DATA);
        assert_int_equal(error.status, DP2DP_STATUS_DATA);
        assert_int_equal(error.reason, r->value);
        assert_true(error.row == UINT64_C(1) << 40 && error.line == 7);
        assert_string_equal(error.column, "p_1");
        assert_string_equal(error.message, wanted);
        assert_status(dp2dpi_fail_at(NULL, DP2DP_STATUS_DATA, &place, "x"), DATA);
    }
}

/* Message, advice and column name may each be too long. */
TEST(long_texts_are_truncated_inside_their_buffers) {
    struct {
        dp2dp_error error;
        char fence[16];
    } guarded;
    char text[3 * DP2DP_ERROR_MESSAGE_SIZE];
    const dp2dpi_place place = {.reason = DP2DP_REASON_NOT_UTF8, .column = text};
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    for (int length = DP2DP_ERROR_MESSAGE_SIZE - 30; length < (int)sizeof text; length++) {
        memset(&guarded, 0x5a, sizeof guarded);
        dp2dpi_fail_at(&guarded.error, DP2DP_STATUS_DATA, &place, "%.*s", length, text);
        size_t said = strlen(guarded.error.message),
               whole = (size_t)length + strlen("; save the file as UTF-8 text");
        assert_int_equal(said,
                         whole < DP2DP_ERROR_MESSAGE_SIZE ? whole : DP2DP_ERROR_MESSAGE_SIZE - 1);
        assert_int_equal(strlen(guarded.error.column), DP2DP_ERROR_COLUMN_SIZE - 1);
        for (size_t i = 0; i < sizeof guarded.fence; i++) {
            assert_int_equal(guarded.fence[i], 0x5a);
        }
    }
    assert_status(dp2dpi_fail(&guarded.error, DP2DP_STATUS_DATA, "%s", text), DATA);
    assert_int_equal(strlen(guarded.error.message), DP2DP_ERROR_MESSAGE_SIZE - 1);
}
