/* Tests that the encoder hands on the rows that a schema leaves out, or skips them, as it is asked.
 */
#include "unit/schema/data.h"

/* Row 1 is left out, because its town is missing; its other values are not checked. */
static const char table[] = "age,pay,hours,job,town,note,sex,race,score\n"
                            "40,0,10,clerk,A,,female,black,3\n"
                            "?,0,10,clerk,?,,nobody,black,?\n"
                            "40,0,30,smith,B,,male,white,50\n";

enum {
    COUNTED = ALL_PARTS | DP2DP_PART_LEFT_OUT
};

TEST(a_schema_tells_which_parts_can_leave_rows_out) {
    HANDLE(dp2dp_schema) *schema = schema_of(sample_schema), *adult = schema_of("adult");
    assert_int_equal(dp2dp_schema_view(schema)->leaves_out, DP2DP_PART_FEATURES);
    assert_int_equal(dp2dp_schema_view(adult)->leaves_out, DP2DP_PART_FEATURES | DP2DP_PART_GROUP);
    FREED char *group = edited(sample_schema, "\"female\", \"male\"]",
                               "\"female\", \"male\"], \"missing\": \"drop\"");
    HANDLE(dp2dp_schema) *with_group = schema_of(group);
    assert_int_equal(dp2dp_schema_view(with_group)->leaves_out,
                     DP2DP_PART_FEATURES | DP2DP_PART_GROUP);
    FREED char *none = edited(sample_schema, "\"missing\": \"drop\"", "\"missing\": \"refuse\"");
    HANDLE(dp2dp_schema) *without = schema_of(none);
    assert_int_equal(dp2dp_schema_view(without)->leaves_out, 0);
}

/* Reads all rows, and checks that a row that is left out is a row of zeros. */
static void expect_counted(const dp2dp_schema *schema, size_t chunk_rows) {
    struct ArrowArrayStream stream;
    struct ArrowArray batch;
    int64_t row = 0;
    open_encoded(schema, COUNTED, chunk_rows, &stream);
    while (dp2dp_stream_next(&stream, &batch, &test_error) == OK && batch.release) {
        assert_int_equal(batch.n_children, 7);
        const float *numbers = values_of(&batch, 1), *scale = values_of(&batch, 3);
        const int32_t *levels = values_of(&batch, 2), *label = values_of(&batch, 4),
                      *group = values_of(&batch, 5);
        const int8_t *left_out = values_of(&batch, 6);
        size_t D = dp2dp_schema_view(schema)->numbers, Q = dp2dp_schema_view(schema)->categories;
        for (size_t i = 0; i < (size_t)batch.length; i++, row++) {
            assert_int_equal(((const int64_t *)values_of(&batch, 0))[i], row);
            assert_int_equal(left_out[i], row == 1);
            assert_int_equal(label[i], row == 2);
            assert_int_equal(group[i], row == 2 ? 1 * 3 + 1 : 0);
            assert_true(row == 1 ? scale[i] == 0 : scale[i] > 0);
            for (size_t j = 0; j < D; j++) {
                assert_true(row != 1 || numbers[i * D + j] == 0);
            }
            for (size_t q = 0; q < Q; q++) {
                assert_true(row != 1 || levels[i * Q + q] == -1);
            }
        }
        batch.release(&batch);
    }
    stream.release(&stream);
    assert_int_equal(row, 3);
}

TEST(rows_that_are_left_out_come_flagged_as_zeros) {
    HANDLE(dp2dp_schema) *schema = schema_of(sample_schema);
    write_text(table);
    expect_counted(schema, 1);
    expect_counted(schema, 2);
    expect_counted(schema, 100);
}

/* Returns the number of rows, and in *children the columns that the stream announces. */
static int64_t rows_of(const dp2dp_schema *schema, unsigned parts, int64_t *children) {
    struct ArrowArrayStream stream;
    struct ArrowSchema type;
    struct ArrowArray batch;
    int64_t rows = 0;
    open_encoded(schema, parts, 2, &stream);
    assert_int_equal(stream.get_schema(&stream, &type), 0);
    *children = type.n_children;
    type.release(&type);
    while (dp2dp_stream_next(&stream, &batch, &test_error) == OK && batch.release) {
        assert_int_equal(batch.n_children, *children);
        rows += batch.length;
        batch.release(&batch);
    }
    stream.release(&stream);
    return rows;
}

TEST(without_the_part_they_are_skipped) {
    HANDLE(dp2dp_schema) *schema = schema_of(sample_schema);
    int64_t children;
    write_text(table);
    assert_int_equal(rows_of(schema, ALL_PARTS, &children), 2);
    assert_int_equal(children, 6);
    assert_int_equal(rows_of(schema, COUNTED, &children), 3);
    assert_int_equal(children, 7);
}

TEST(where_nothing_can_be_left_out_the_part_changes_nothing) {
    HANDLE(dp2dp_schema) *schema = schema_of(sample_schema);
    int64_t children;
    write_text("race,sex\nwhite,male\nblack,female\n");
    assert_int_equal(rows_of(schema, DP2DP_PART_GROUP | DP2DP_PART_LEFT_OUT, &children), 2);
    assert_int_equal(children, 2);
}

TEST(the_part_alone_is_refused) {
    HANDLE(dp2dp_schema) *schema = schema_of(sample_schema);
    struct ArrowArrayStream stream;
    write_text(table);
    assert_fails(
        dp2dp_schema_open(schema, DP2DP_PART_LEFT_OUT, table_path, NULL, &stream, &test_error),
        ARGUMENT, "parts = 8");
    assert_fails(dp2dp_schema_open(schema, 16, table_path, NULL, &stream, &test_error), ARGUMENT,
                 "parts = 16");
}

/* Bad in every way that the encoder finds, and in one that the table reader finds. */
static const char bad_table[] = "age,pay,hours,job,town,note,sex,race,score\n"
                                "40,0,10,clerk,A,,female,black,3\n"
                                "40,0,10,clerk,A,,nobody,black,3\n" /* unknown group */
                                "40,0,10,clerk,C,,female,black,3\n" /* unknown level */
                                "40,?,10,clerk,A,,female,black,3\n" /* missing feature */
                                "40,0,10,clerk,A,,female,black,?\n" /* missing label */
                                "40,0,10,clerk,?,,female,black,3\n" /* dropped by the schema */
                                "x,0,10,clerk,A,,female,black,3\n"  /* not a number */
                                "?,0,10,?,A,,female,other,3\n"      /* these are levels: not bad */
                                "40,0,30,smith,B,,male,white,50\n";

TEST(bad_rows_that_are_ignored_come_flagged_as_zeros) {
    HANDLE(dp2dp_schema) *schema = schema_of(sample_schema);
    static const int8_t expected[] = {0, 1, 1, 1, 1, 1, 1, 0, 0};
    size_t D = dp2dp_schema_view(schema)->numbers, Q = dp2dp_schema_view(schema)->categories;
    write_text(bad_table);
    for (size_t chunk = 1; chunk < 12; chunk += 2) {
        struct ArrowArrayStream stream;
        struct ArrowArray batch;
        size_t row = 0;
        open_encoded(schema, COUNTED | DP2DP_PART_IGNORE_BAD, chunk, &stream);
        while (dp2dp_stream_next(&stream, &batch, &test_error) == OK && batch.release) {
            const float *numbers = values_of(&batch, 1), *scale = values_of(&batch, 3);
            const int32_t *levels = values_of(&batch, 2), *label = values_of(&batch, 4),
                          *group = values_of(&batch, 5);
            for (size_t i = 0; i < (size_t)batch.length; i++, row++) {
                int8_t bad = ((const int8_t *)values_of(&batch, 6))[i];
                assert_int_equal(((const int64_t *)values_of(&batch, 0))[i], row);
                assert_int_equal(bad, expected[row]);
                assert_true(!bad || (scale[i] == 0 && label[i] == 0 && group[i] == 0));
                for (size_t j = 0; bad && j < D; j++) {
                    assert_true(numbers[i * D + j] == 0);
                }
                for (size_t q = 0; bad && q < Q; q++) {
                    assert_int_equal(levels[i * Q + q], -1);
                }
            }
            batch.release(&batch);
        }
        stream.release(&stream);
        assert_int_equal(row, 9);
    }
}

TEST(if_bad_rows_are_ignored_the_flag_is_there_whatever_the_schema_says) {
    HANDLE(dp2dp_schema) *schema = schema_of(sample_schema);
    int64_t children;
    write_text("race,sex\nwhite,male\nblack,female\n");
    assert_int_equal(
        rows_of(schema, DP2DP_PART_GROUP | DP2DP_PART_LEFT_OUT | DP2DP_PART_IGNORE_BAD, &children),
        2);
    assert_int_equal(children, 3);
}

TEST(bad_rows_are_never_skipped) {
    HANDLE(dp2dp_schema) *schema = schema_of(sample_schema);
    struct ArrowArrayStream stream;
    write_text(bad_table);
    assert_fails(dp2dp_schema_open(schema, ALL_PARTS | DP2DP_PART_IGNORE_BAD, table_path, NULL,
                                   &stream, &test_error),
                 ARGUMENT, "parts: DP2DP_PART_IGNORE_BAD needs DP2DP_PART_LEFT_OUT");
}
