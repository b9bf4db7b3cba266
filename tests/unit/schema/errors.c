/* Tests the reason, row and column of an error in encoded rows, and how a schema opens a table. */
#include "unit/schema/data.h"

#define HEADER "age,pay,hours,job,town,note,sex,race,score\n"
#define GOOD "30,1,10,clerk,A,x,male,white,3\n"

/* Encodes a table to its end and returns the error; its reason is NONE if there is no error. */
static dp2dp_error failure_of(const char *text, const dp2dp_table_options *options) {
    HANDLE(dp2dp_schema) *schema = schema_of(sample_schema);
    struct ArrowArrayStream stream;
    struct ArrowArray batch;
    dp2dp_error error = {0};
    write_text(text);
    if (dp2dp_schema_open(schema, ALL_PARTS, table_path, options, &stream, &error) == OK) {
        while (dp2dp_stream_next(&stream, &batch, &error) == OK && batch.release) {
            batch.release(&batch);
        }
        stream.release(&stream);
    } else {
        assert_null(stream.release);
    }
    return error;
}

TEST(a_value_that_the_schema_refuses_has_reason_row_and_column) {
    dp2dp_error error = failure_of(HEADER GOOD "30,1,10,clerk,SECRET,x,male,white,3\n", NULL);
    assert_int_equal(error.reason, DP2DP_REASON_UNKNOWN_LEVEL);
    assert_true(error.status == DP2DP_STATUS_DATA && error.row == 2 && error.line == 0);
    assert_string_equal(error.column, "town");
    assert_says(error.message, "the text is not in the schema's list of levels: /tmp/");
    assert_says(error.message, "; the schema has \"A\", \"B\"");
    assert_null(strstr(error.message, "SECRET"));
    error = failure_of(HEADER GOOD "30,1,10,clerk,NA,x,male,white,3\n", NULL);
    assert_int_equal(error.reason, DP2DP_REASON_LOOKS_MISSING);
    assert_says(error.message,
                "; the schema has \"A\", \"B\"; fill in the value or remove the row");
    error = failure_of(HEADER GOOD GOOD "30,1,10,clerk,A,x,?,white,3\n", NULL);
    assert_int_equal(error.reason, DP2DP_REASON_VALUE_MISSING);
    assert_int_equal(error.row, 3);
    assert_string_equal(error.column, "sex");
}

TEST(what_the_reader_of_the_table_says_comes_through_the_encoder_whole) {
    dp2dp_error error = failure_of(HEADER GOOD "SECRET,1,10,clerk,A,x,male,white,3\n", NULL);
    assert_int_equal(error.reason, DP2DP_REASON_NOT_A_NUMBER);
    assert_true(error.status == DP2DP_STATUS_DATA && error.row == 2 && error.line == 3);
    assert_string_equal(error.column, "age");
    error = failure_of("age,pay\n1,2\n", NULL);
    assert_int_equal(error.reason, DP2DP_REASON_NO_SUCH_COLUMN);
    assert_string_equal(error.column, "hours");
    assert_says(error.message,
                "6 of the 8 columns needed are missing (do table and schema belong together?)");
}

TEST(a_table_is_opened_with_the_options_and_the_markers_of_both) {
    static const char *const markers[] = {"gone"};
    static const char text[] = HEADER GOOD "gone,1,10,clerk,A,x,male,white,3\n"
                                           "30,1,10,clerk,?,x,male,white,3\n";
    dp2dp_table_options options = DP2DP_TABLE_OPTIONS_INIT;
    uint64_t seen = 0;
    assert_int_equal(failure_of(text, &options).reason, DP2DP_REASON_NOT_A_NUMBER);
    options.missing = markers;
    options.missing_count = 1;
    options.rows_read = &seen;
    assert_int_equal(failure_of(text, &options).status, OK);
    assert_int_equal(seen, 3); /* the row that is dropped was read, too */
    options.missing = NULL;
    assert_int_equal(failure_of(text, &options).status, DP2DP_STATUS_ARGUMENT);
    options.missing_count = 0;
    options.separator = ';';
    assert_int_equal(failure_of(text, &options).reason, DP2DP_REASON_WRONG_SEPARATOR);
}

TEST(parts_that_the_schema_lacks_are_refused_before_the_file_is_opened) {
    HANDLE(dp2dp_schema) *schema = schema_of(sample_schema);
    struct ArrowArrayStream stream;
    assert_int_equal(dp2dp_schema_open(schema, 0, "/nowhere", NULL, &stream, &test_error),
                     DP2DP_STATUS_ARGUMENT);
    assert_int_equal(dp2dp_schema_open(schema, ALL_PARTS, NULL, NULL, &stream, &test_error),
                     DP2DP_STATUS_ARGUMENT);
    assert_int_equal(dp2dp_schema_open(NULL, ALL_PARTS, "/nowhere", NULL, &stream, &test_error),
                     DP2DP_STATUS_ARGUMENT);
    assert_int_equal(dp2dp_schema_open(schema, ALL_PARTS, "/nowhere", NULL, &stream, &test_error),
                     DP2DP_STATUS_IO);
}

TEST(another_file_is_not_quoted) {
    static const char *const cases[][2] = {
        {"SECRET,1\n", "not a schema: it looks like a table"},
        {"SECRET\n", "not a schema: it is not a JSON object"},
        {"[\"SECRET\"]", "not a schema: it is not a JSON object"},
        {"", "not a schema: it is empty"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        dp2dp_schema *schema = NULL;
        dp2dp_error error = {0};
        write_table(cases[i][0], strlen(cases[i][0]));
        assert_int_equal(dp2dp_schema_load(table_path, &schema, &error), DP2DP_STATUS_DATA);
        assert_int_equal(error.reason, DP2DP_REASON_WRONG_FILE);
        assert_says(error.message, cases[i][1]);
        assert_says(error.message, table_path);
        assert_null(strstr(error.message, "SECRET"));
    }
}
