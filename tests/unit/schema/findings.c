/* Tests that the encoder tells what it finds in every row, and agrees with what it does. */
#include "unit/schema/data.h"

enum {
    CHECKED = ALL_PARTS | DP2DP_PART_FINDINGS,
    COLUMNS = 9
};

#define HEADER "age,pay,hours,job,town,note,sex,race,score\n"

/* Each row with a letter for what is found in each column and one for the outcome. The columns are
 * age, pay, hours, job, town, note, sex, race, score. */
static const struct {
    const char *row, *found;
} rows[] = {
    {"40,0,10,clerk,A,x,female,black,3\n", "......... K"},
    {"101,0,10,Clerk.,A,?,female,black,3\n", "c........ K"},
    {"-1,2e6,1e9,baker,A,,female,green,3\n", "cc.u...u. K"},
    {"?,0,10,?,B,,male,white,50\n", "m..m..... K"},
    {"40,0,10,clerk,C,,female,black,3\n", "....u.... R"},
    {"40,?,10,clerk,A,,female,black,3\n", ".m....... R"},
    {"40,0,?,clerk,A,,nobody,black,?\n", "..m...u.m R"},
    {"40,-5,?,clerk,?,,nobody,black,?\n", ".cm.m.u.m L"},
    {"0,1e6,10,clerk, A ,, male ,?,3\n", ".......m. R"},
};

enum {
    ROWS = sizeof rows / sizeof rows[0]
};

static void expect_findings(const dp2dp_schema *schema, size_t chunk_rows) {
    struct ArrowArrayStream stream;
    struct ArrowArray batch;
    size_t row = 0;
    open_encoded(schema, CHECKED, chunk_rows, &stream);
    while (dp2dp_stream_next(&stream, &batch, &test_error) == OK && batch.release) {
        assert_int_equal(batch.n_children, 3);
        const int8_t *findings = values_of(&batch, 1), *outcomes = values_of(&batch, 2);
        for (int64_t i = 0; i < batch.length; i++, row++) {
            char found[COLUMNS + 3];
            assert_int_equal(((const int64_t *)values_of(&batch, 0))[i], row);
            for (size_t j = 0; j < COLUMNS; j++) {
                found[j] = ".cum"[*findings++];
            }
            (void)snprintf(found + COLUMNS, 3, " %c", "KLR"[outcomes[i]]);
            assert_string_equal(found, rows[row].found);
        }
        batch.release(&batch);
    }
    stream.release(&stream);
    assert_int_equal(row, ROWS);
}

TEST(every_value_and_every_row_has_its_finding) {
    HANDLE(dp2dp_schema) *schema = schema_of(sample_schema);
    char table[1024] = HEADER;
    for (size_t i = 0; i < ROWS; i++) {
        strcat(table, rows[i].row);
    }
    write_text(table);
    expect_findings(schema, 1);
    expect_findings(schema, 4);
    expect_findings(schema, 100);
}

/* Encodes each row alone: it must be kept, left out or refused, as its finding says. */
TEST(findings_say_what_encoding_does) {
    HANDLE(dp2dp_schema) *schema = schema_of(sample_schema);
    for (size_t i = 0; i < ROWS; i++) {
        struct ArrowArrayStream stream;
        struct ArrowArray batch;
        char table[256];
        (void)snprintf(table, sizeof table, HEADER "%s", rows[i].row);
        write_text(table);
        open_encoded(schema, ALL_PARTS, 10, &stream);
        dp2dp_status status = dp2dp_stream_next(&stream, &batch, &test_error);
        char done = status != OK ? 'R' : batch.release ? 'K' : 'L';
        assert_int_equal(done, rows[i].found[COLUMNS + 1]);
        if (batch.release) {
            batch.release(&batch);
        }
        stream.release(&stream);
    }
}

/* The rows that are kept have a number below and one above the bounds, and unknown texts. */
TEST(values_outside_are_counted_in_the_rows_that_are_kept) {
    static const char *const told[] = {
        "40,0,10,clerk,A,x,female,black,3\n", "101,0,10,Clerk.,A,?,female,black,3\n",
        "-1,2e6,1e9,baker,A,,female,green,3\n", "?,0,10,?,B,,male,white,50\n",
        "40,-5,?,clerk,?,,nobody,black,?\n"};
    static const uint64_t expected[COLUMNS] = {2, 1, 0, 1, 0, 0, 0, 1, 0};
    HANDLE(dp2dp_schema) *schema = schema_of(sample_schema);
    char table[1024] = HEADER;
    for (size_t i = 0; i < sizeof told / sizeof told[0]; i++) {
        strcat(table, told[i]);
    }
    write_text(table);
    for (unsigned ignore = 0; ignore < 2; ignore++) {
        uint64_t columns[COLUMNS] = {0};
        dp2dp_outside outside = {.columns = columns};
        dp2dp_table_options options = DP2DP_TABLE_OPTIONS_INIT;
        struct ArrowArrayStream stream;
        struct ArrowArray batch;
        unsigned parts =
            ALL_PARTS | DP2DP_PART_LEFT_OUT | (ignore ? (unsigned)DP2DP_PART_IGNORE_BAD : 0U);
        options.chunk_rows = 2;
        options.outside = &outside;
        assert_ok(dp2dp_schema_open(schema, parts, table_path, &options, &stream, &test_error));
        while (dp2dp_stream_next(&stream, &batch, &test_error) == OK && batch.release) {
            batch.release(&batch);
        }
        stream.release(&stream);
        assert_int_equal(outside.rows, ignore ? 0 : 4);
        for (size_t j = 0; j < COLUMNS; j++) {
            assert_int_equal(columns[j], ignore ? 0 : expected[j]);
        }
    }
}

TEST(the_stream_says_what_it_holds) {
    static const char *const names[] = {"row", "findings", "outcome"};
    static const char *const formats[] = {"l", "+w:9", "c"};
    HANDLE(dp2dp_schema) *schema = schema_of(sample_schema);
    struct ArrowArrayStream stream;
    struct ArrowSchema type;
    write_text(HEADER);
    open_encoded(schema, CHECKED, 10, &stream);
    assert_int_equal(stream.get_schema(&stream, &type), 0);
    assert_int_equal(type.n_children, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_string_equal(type.children[i]->name, names[i]);
        assert_string_equal(type.children[i]->format, formats[i]);
    }
    type.release(&type);
    stream.release(&stream);
}

TEST(findings_need_a_part_to_read_and_skip_nothing) {
    HANDLE(dp2dp_schema) *schema = schema_of(sample_schema);
    struct ArrowArrayStream stream;
    write_text(HEADER);
    static const unsigned wrong[] = {DP2DP_PART_FINDINGS, CHECKED | DP2DP_PART_LEFT_OUT};
    for (size_t i = 0; i < 2; i++) {
        assert_fails(dp2dp_schema_open(schema, wrong[i], table_path, NULL, &stream, &test_error),
                     ARGUMENT, "must be a combination of dp2dp_part bits");
    }
}
