/* A level that is a number is found by its value: in CSV cells, and in Arrow columns of numbers. */
#include "unit/schema/data.h"

/* The features x (numbers) and z (with a leading zero that matters); group s; label y. */
static const char coded[] =
    HEADING "\"origin\": \"public\", \"missing\": [\"?\"], \"columns\": ["
            "{\"name\": \"x\", \"role\": \"feature\", \"kind\": \"categorical\", "
            "\"levels\": [\"0\", \"1\", \"2.5\"]},"
            "{\"name\": \"z\", \"role\": \"feature\", \"kind\": \"categorical\", "
            "\"levels\": [\"01\", \"1\"]},"
            "{\"name\": \"s\", \"role\": \"sensitive\", \"kind\": \"categorical\", "
            "\"levels\": [\"-1\", \"1\"]},"
            "{\"name\": \"y\", \"role\": \"label\", \"kind\": \"categorical\", "
            "\"levels\": [\"0\", \"1\"]}]}";

TEST(a_cell_stands_for_the_level_of_its_value) {
    HANDLE(dp2dp_schema) *schema = schema_of(coded);
    struct ArrowArrayStream stream;
    struct ArrowArray batch;
    write_text("x,z,s,y\n1.0,1,-1.0,1.0\n00,01,+1,0.0\n25e-1,1.0,01,1\n3,1,1,0\n");
    open_encoded(schema, ALL_PARTS, 100, &stream);
    assert_ok(dp2dp_stream_next(&stream, &batch, &test_error));
    assert_int_equal(batch.length, 4);
    const int32_t *levels = values_of(&batch, 2), *label = values_of(&batch, 4),
                  *group = values_of(&batch, 5);
    /* x: 0, 1, 2.5, unknown are features 0 to 3; z: 01, 1, unknown are 4 to 6. */
    static const int32_t expected[][4] = {{1, 5, 0, 1}, {0, 4, 1, 0}, {2, 6, 1, 1}, {3, 5, 1, 0}};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(levels[2 * i], expected[i][0]);
        assert_int_equal(levels[2 * i + 1], expected[i][1]);
        assert_int_equal(group[i], expected[i][2]);
        assert_int_equal(label[i], expected[i][3]);
    }
    batch.release(&batch);
    stream.release(&stream);
}

TEST(a_number_that_is_no_level_is_refused_as_before) {
    HANDLE(dp2dp_schema) *schema = schema_of(coded);
    struct ArrowArrayStream stream;
    struct ArrowArray batch;
    write_text("x,z,s,y\n1,1,1,1\n1,1,1.5,1\n");
    open_encoded(schema, ALL_PARTS, 100, &stream);
    assert_fails(dp2dp_stream_next(&stream, &batch, &test_error), DATA,
                 "row 2, column \"s\": the text is not in the schema's list of levels");
    stream.release(&stream);
}

/* What pandas makes of whole numbers with gaps: a column of float64, with NaN where a value is
 * missing. Reads s as numbers first, so that the encoder meets Arrow's format g. */
TEST(a_column_of_floats_matches_levels) {
    HANDLE(dp2dp_schema) *schema = schema_of(coded);
    const wanted *w = WANT("#s");
    struct ArrowArrayStream rows, stream;
    struct ArrowArray batch;
    write_text("s\n1\n-1.0\n");
    assert_ok(dp2dp_table_open(table_path, &w->options, &rows, &test_error));
    assert_ok(dp2dp_schema_encode(schema, DP2DP_PART_GROUP, &rows, NULL, &stream, &test_error));
    assert_ok(dp2dp_stream_next(&stream, &batch, &test_error));
    assert_int_equal(((const int32_t *)values_of(&batch, 1))[0], 1);
    assert_int_equal(((const int32_t *)values_of(&batch, 1))[1], 0);
    batch.release(&batch);
    stream.release(&stream);
    write_text("s\n1\n0.5\n");
    assert_ok(dp2dp_table_open(table_path, &w->options, &rows, &test_error));
    assert_ok(dp2dp_schema_encode(schema, DP2DP_PART_GROUP, &rows, NULL, &stream, &test_error));
    assert_fails(dp2dp_stream_next(&stream, &batch, &test_error), DATA,
                 "row 2, column \"s\": a number that is not whole cannot be read as text");
    assert_int_equal(test_error.reason, DP2DP_REASON_NOT_WHOLE);
    stream.release(&stream);
}
