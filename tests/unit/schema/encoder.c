/* Tests how a schema encodes rows: every rule of docs/schema.md, and the bound on the norm. */
#include "unit/schema/data.h"

#define SAMPLE_HEADER "age,pay,hours,job,town,note,sex,race,score\n"

/* The encoded rows of a batch, one line each: position; numbers; levels; label, group. */
static void append_encoded(cells *out, const dp2dp_schema_info *info,
                           const struct ArrowArray *batch) {
    const int64_t *positions = values_of(batch, 0);
    const float *numbers = values_of(batch, 1);
    const int32_t *levels = values_of(batch, 2), *labels = values_of(batch, 4),
                  *groups = values_of(batch, 5);
    char part[64];
    for (size_t i = 0; i < (size_t)batch->length; i++) {
        append(out, part, (size_t)snprintf(part, sizeof part, "%d;", (int)positions[i]));
        for (size_t j = 0; j < info->numbers; j++) {
            append(out, part,
                   (size_t)snprintf(part, sizeof part, " %.6g",
                                    (double)numbers[i * info->numbers + j]));
        }
        append(out, ";", 1);
        for (size_t q = 0; q < info->categories; q++) {
            append(out, part,
                   (size_t)snprintf(part, sizeof part, " %d", levels[i * info->categories + q]));
        }
        append(out, part, (size_t)snprintf(part, sizeof part, "; %d %d\n", labels[i], groups[i]));
    }
}

/* The encoded rows of table_path as text; NULL on failure. */
static char *encode(const dp2dp_schema *schema, size_t chunk_rows, dp2dp_error *error) {
    struct ArrowArrayStream stream;
    struct ArrowArray batch;
    cells out = {.capacity = 0};
    append(&out, "", 0);
    dp2dp_status status;
    open_encoded(schema, ALL_PARTS, chunk_rows, &stream);
    while ((status = dp2dp_stream_next(&stream, &batch, error)) == OK && batch.release) {
        append_encoded(&out, dp2dp_schema_view(schema), &batch);
        batch.release(&batch);
    }
    stream.release(&stream);
    if (status != OK) {
        cells_free(&out);
        return NULL;
    }
    return out.text;
}

static void expect_rows(const char *table, const char *expected) {
    HANDLE(dp2dp_schema) *schema = schema_of(sample_schema);
    write_text(table);
    for (size_t chunk_rows = 1; chunk_rows < 100; chunk_rows += 49) {
        dp2dp_error error = {0};
        FREED char *text = encode(schema, chunk_rows, &error);
        if (text == NULL || strcmp(text, expected) != 0) {
            fail_msg("\"%s\" and not \"%s\" (%s)", text ? text : "", expected, error.message);
        }
    }
}

TEST(numbers_are_clipped_then_logged_then_scaled) {
    expect_rows(SAMPLE_HEADER "40,0,1,clerk,A,,female,black,0\n"
                              "60,1e6,1,clerk,A,,female,black,0\n"
                              "-5,-7,1,clerk,A,,female,black,0\n"
                              "1e9,22025.465794806718,1,clerk,A,,female,black,0\n",
                "0; 0 -5; -1 3 6 10; 0 0\n"
                "1; 1 1.90776; -1 3 6 10; 0 0\n"
                "2; -2 -5; -1 3 6 10; 0 0\n"
                "3; 3 0; -1 3 6 10; 0 0\n");
}

TEST(a_number_on_a_cut_is_below_it) {
    expect_rows(SAMPLE_HEADER "40,0,20,clerk,A,,female,black,27.576\n"
                              "40,0,20.000001,clerk,A,,female,black,27.5760001\n"
                              "40,0,40.5,clerk,A,,female,black,27\n"
                              "40,0,41,clerk,A,,female,black,28\n",
                "0; 0 -5; -1 3 6 10; 0 0\n"
                "1; 0 -5; -1 4 6 10; 1 0\n"
                "2; 0 -5; -1 4 6 10; 0 0\n"
                "3; 0 -5; -1 5 6 10; 1 0\n");
}

TEST(texts_are_trimmed_and_aliases_and_unknown_levels_known) {
    expect_rows(SAMPLE_HEADER "40,0,1, Clerk. ,\tA,,female,black,0\n"
                              "40,0,1,smith,B ,,female,black,0\n"
                              "40,0,1,Smith,B,,female,black,0\n"
                              "40,0,1,clerks,B,,female,black,0\n",
                "0; 0 -5; -1 3 6 10; 0 0\n"
                "1; 0 -5; -1 3 7 11; 0 0\n"
                "2; 0 -5; -1 3 8 11; 0 0\n"
                "3; 0 -5; -1 3 8 11; 0 0\n");
}

TEST(what_is_missing_has_its_level_or_its_row_is_left_out) {
    expect_rows(SAMPLE_HEADER "?,0,1,clerk,A,,female,black,0\n"
                              "40,0,1, ? ,A,,female,black,0\n"
                              "40,0,1,,A,,female,black,0\n"
                              "40,0,1,clerk,?,,female,black,0\n"
                              "40,0,1,clerk,,,nobody,black,0\n"
                              "100,0,1,clerk,B,,female,black,0\n",
                "0; 0 -5; 2 3 6 10; 0 0\n"
                "1; 0 -5; -1 3 9 10; 0 0\n"
                "2; 0 -5; -1 3 9 10; 0 0\n"
                "5; 3 -5; -1 3 6 11; 0 0\n");
}

TEST(the_group_is_the_place_in_the_product) {
    expect_rows(SAMPLE_HEADER "40,0,1,clerk,A,,female,white,0\n"
                              "40,0,1,clerk,A,,female,green,0\n"
                              "40,0,1,clerk,A,,male,black,0\n"
                              "40,0,1,clerk,A,,male,blue,0\n",
                "0; 0 -5; -1 3 6 10; 0 1\n"
                "1; 0 -5; -1 3 6 10; 0 2\n"
                "2; 0 -5; -1 3 6 10; 0 3\n"
                "3; 0 -5; -1 3 6 10; 0 5\n");
}

TEST(a_table_without_rows_or_with_none_kept_gives_no_rows) {
    expect_rows(SAMPLE_HEADER, "");
    expect_rows(SAMPLE_HEADER "40,0,1,clerk,?,,female,black,0\n", "");
}

TEST(what_cannot_be_encoded_is_refused_with_row_and_column) {
    static const struct {
        const char *row, *words;
    } bad[] = {
        {"40,0,1,clerk,SECRET,,female,black,0",
         "row 2, column \"town\": the text is not in the schema's"},
        {"40,0,1,clerk,A,,SECRET,black,0",
         "row 2, column \"sex\": the text is not in the schema's"},
        {"40,0,1,clerk,A,,?,black,0", "row 2, column \"sex\": the value is missing"},
        {"40,?,1,clerk,A,,female,black,0", "row 2, column \"pay\": the value is missing"},
        {"40,0,?,clerk,A,,female,black,0", "row 2, column \"hours\": the value is missing"},
        {"40,0,1,clerk,A,,female,black,?", "row 2, column \"score\": the value is missing"},
        {"40,SECRET,1,clerk,A,,female,black,0", "line 3, column \"pay\": not a number"},
    };
    HANDLE(dp2dp_schema) *schema = schema_of(sample_schema);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char table[256];
        dp2dp_error error = {0};
        int length = snprintf(table, sizeof table,
                              SAMPLE_HEADER "40,0,1,clerk,A,,female,black,0\n%s\n", bad[i].row);
        write_table(table, (size_t)length);
        for (size_t chunk_rows = 1; chunk_rows < 10; chunk_rows += 8) {
            assert_null(encode(schema, chunk_rows, &error));
            assert_int_equal(error.status, DP2DP_STATUS_DATA);
            if (!strstr(error.message, bad[i].words) || !strstr(error.message, table_path) ||
                strstr(error.message, "SECRET")) {
                fail_msg("\"%s\" without \"%s\"", error.message, bad[i].words);
            }
        }
    }
}

/* The bound holds in exact arithmetic. Long double has enough bits to add these squares without
 * error that matters. */
TEST(no_row_is_longer_than_the_norm_and_none_shorter_than_need_be) {
    uint64_t seed = 1;
    for (int trial = 0; trial < 20000; trial++) {
        OWNED(dp2dpi_rows) rows;
        double norm = 0.5 + (double)(trial % 7);
        assert_ok(dp2dpi_rows_new(3, 2, 1, &rows, NULL));
        for (size_t j = 0; j < 3; j++) {
            seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            rows.x[j] = (float)((double)(seed >> 11) * 0x1p-53 * 8 - 4);
        }
        rows.codes[0] = trial % 3 ? 3 : -1;
        rows.codes[1] = 4;
        dp2dpi_rows_clip(&rows, 0, norm);
        long double square = rows.codes[0] >= 0 ? 2 : 1;
        for (size_t j = 0; j < 3; j++) {
            square += (long double)rows.x[j] * (long double)rows.x[j];
        }
        long double scaled = square * (long double)rows.scale[0] * (long double)rows.scale[0];
        assert_true(scaled <= (long double)norm * (long double)norm);
        if (square <= (long double)(norm * norm * (1 - 1e-12))) {
            assert_true(rows.scale[0] == 1);
        } else {
            assert_true(scaled >= (long double)(norm * norm * (1 - 1e-6)));
        }
    }
}

/* Expected bits from mpmath and exact fractions: the second number is x = (log1p(12345) - 10) / 2,
 * and the scale is 2 / sqrt(9 + x² + 3), rounded down. */
TEST(a_number_has_the_same_bits_everywhere) {
    static const char table[] = SAMPLE_HEADER "100,12345,1,clerk,A,,female,black,0\n";
    HANDLE(dp2dp_schema) *schema = schema_of(sample_schema);
    struct ArrowArrayStream stream;
    struct ArrowArray batch;
    write_text(table);
    open_encoded(schema, DP2DP_PART_FEATURES, 10, &stream);
    assert_int_equal(stream.get_next(&stream, &batch), 0);
    const float *numbers = values_of(&batch, 1);
    assert_true(numbers[0] == 3);
    assert_true(numbers[1] == -0x1.28673cp-2F);
    assert_true(*(const float *)values_of(&batch, 3) == 0x1.2693a4p-1F);
    assert_int_equal(batch.n_children, 4); /* no label, no group */
    batch.release(&batch);
    stream.release(&stream);
}

TEST(a_stream_of_batches_says_what_it_holds) {
    static const char *const names[] = {"row", "numbers", "levels", "scale", "label", "group"};
    static const char *const formats[] = {"l", "+w:2", "+w:4", "f", "i", "i"};
    static const char table[] = SAMPLE_HEADER "40,0,1,clerk,?,,female,black,0\n"
                                              "60,0,1,clerk,A,,male,black,30\n";
    HANDLE(dp2dp_schema) *schema = schema_of(sample_schema);
    struct ArrowArrayStream stream;
    struct ArrowSchema type;
    struct ArrowArray batch;
    write_text(table);
    open_encoded(schema, ALL_PARTS, 10, &stream);
    assert_int_equal(stream.get_schema(&stream, &type), 0);
    assert_string_equal(type.format, "+s");
    assert_int_equal(type.n_children, 6);
    for (size_t i = 0; i < 6; i++) {
        assert_string_equal(type.children[i]->name, names[i]);
        assert_string_equal(type.children[i]->format, formats[i]);
    }
    assert_string_equal(type.children[1]->children[0]->format, "f");
    assert_string_equal(type.children[2]->children[0]->format, "i");
    type.release(&type);
    assert_int_equal(stream.get_next(&stream, &batch), 0);
    assert_int_equal(batch.length, 1);
    assert_int_equal(*(const int64_t *)values_of(&batch, 0), 1);
    assert_int_equal(batch.children[1]->children[0]->length, 2);
    assert_true(*(const float *)values_of(&batch, 1) == 1);
    assert_int_equal(((const int32_t *)values_of(&batch, 2))[3], 10);
    assert_int_equal(*(const int32_t *)values_of(&batch, 4), 1);
    /* A child that was moved away outlives its batch. */
    struct ArrowArray group = *batch.children[5];
    batch.children[5]->release = NULL;
    batch.release(&batch);
    assert_int_equal(((const int32_t *)group.buffers[1])[0], 3);
    group.release(&group);
    assert_int_equal(stream.get_next(&stream, &batch), 0);
    assert_null(batch.release);
    stream.release(&stream);
}

TEST(a_failed_stream_stays_failed) {
    static const char table[] = SAMPLE_HEADER "40,0,1,clerk,C,,female,black,0\n"
                                              "60,0,1,clerk,A,,male,black,30\n";
    HANDLE(dp2dp_schema) *schema = schema_of(sample_schema);
    struct ArrowArrayStream stream;
    struct ArrowArray batch;
    write_text(table);
    open_encoded(schema, ALL_PARTS, 1, &stream);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(stream.get_next(&stream, &batch), EINVAL);
        assert_null(batch.release);
        assert_says(stream.get_last_error(&stream), "row 1, column \"town\"");
    }
    stream.release(&stream);
}

TEST(only_the_columns_of_the_parts_are_needed) {
    static const char table[] = "race,sex\nwhite,male\n";
    HANDLE(dp2dp_schema) *schema = schema_of(sample_schema);
    HANDLE(dp2dp_schema) *unlabelled = schema_of(
        HEADING "\"origin\": \"public\", \"columns\": [{\"name\": \"race\", \"role\": \"feature\", "
                "\"kind\": \"categorical\", \"levels\": [\"x\"]}]}");
    struct ArrowArrayStream rows, stream;
    struct ArrowArray batch;
    dp2dp_error error = {0};
    const wanted *w = WANT("race,sex");
    write_text(table);
    assert_ok(dp2dp_table_open(table_path, &w->options, &rows, NULL));
    assert_ok(dp2dp_schema_encode(schema, DP2DP_PART_GROUP, &rows, NULL, &stream, NULL));
    assert_int_equal(stream.get_next(&stream, &batch), 0);
    assert_int_equal(batch.n_children, 2);
    assert_int_equal(((const int32_t *)batch.children[1]->buffers[1])[0], 4);
    batch.release(&batch);
    stream.release(&stream);
    /* First the rows lack columns, then the schema does. */
    assert_ok(dp2dp_table_open(table_path, &w->options, &rows, NULL));
    assert_fails(dp2dp_schema_encode(schema, ALL_PARTS, &rows, "rows.csv", &stream, &test_error),
                 DATA, "no column is named \"age\"");
    assert_says(test_error.message, "rows.csv");
    assert_null(rows.release);
    assert_null(stream.release);
    assert_ok(dp2dp_table_open(table_path, &w->options, &rows, NULL));
    assert_fails(dp2dp_schema_encode(unlabelled, ALL_PARTS, &rows, NULL, &stream, &test_error),
                 ARGUMENT, "the schema has no label");
    assert_null(rows.release);
    assert_ok(dp2dp_table_open(table_path, &w->options, &rows, NULL));
    assert_status(dp2dp_schema_encode(schema, 8, &rows, NULL, &stream, &error), ARGUMENT);
    assert_null(rows.release);
    assert_status(dp2dp_schema_encode(schema, ALL_PARTS, &rows, NULL, &stream, &error), ARGUMENT);
}
