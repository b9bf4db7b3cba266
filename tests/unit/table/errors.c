/* A malformed table is reported as data too: reason, row, line and column. */
#include "unit/table/data.h"

typedef struct fault {
    const char *columns, *text;
    dp2dp_reason reason;
    uint64_t row, line;
    const char *column;
} fault;

/* Reads a table until it fails. Every further read must return the same error. */
static dp2dp_error failure_of(const wanted *w) {
    struct ArrowArrayStream stream;
    struct ArrowArray batch;
    dp2dp_error error = {0}, again = {0};
    if (dp2dp_table_open(table_path, &w->options, &stream, &error) != OK) {
        return error;
    }
    dp2dp_status status;
    while ((status = dp2dp_stream_next(&stream, &batch, &error)) == OK && batch.release) {
        batch.release(&batch);
    }
    assert_int_equal(status, error.status);
    assert_null(batch.release);
    assert_int_equal(dp2dp_stream_next(&stream, &batch, &again), status);
    if (status != OK) {
        assert_string_equal(stream.get_last_error(&stream), error.message);
        assert_memory_equal(&again, &error, sizeof error);
    }
    stream.release(&stream);
    return error;
}

static dp2dp_error expect_fault(const fault *f, const wanted *w) {
    write_text(f->text);
    dp2dp_error error = failure_of(w);
    if (error.status != DP2DP_STATUS_DATA || error.reason != f->reason || error.row != f->row ||
        error.line != f->line || strcmp(error.column, f->column) != 0) {
        fail_msg("status %d, reason %d, row %d, line %d, column \"%s\": %s", (int)error.status,
                 (int)error.reason, (int)error.row, (int)error.line, error.column, error.message);
    }
    assert_null(strstr(error.message, "SECRET"));
    return error;
}

TEST(a_fault_of_a_csv_file_has_reason_row_line_and_column) {
    static const fault faults[] = {
        {"#a", "a,b\n1,x\nSECRET,y\n", DP2DP_REASON_NOT_A_NUMBER, 2, 3, "a"},
        {"#a", "a,b\n1,\"x\n\"\n,y\n", DP2DP_REASON_LOOKS_MISSING, 2, 4, "a"},
        {"#a", "a,b\n1,x\n NA ,y\n", DP2DP_REASON_LOOKS_MISSING, 2, 3, "a"},
        {"#a", "a,b\n1,x\n?,y\n", DP2DP_REASON_LOOKS_MISSING, 2, 3, "a"},
        {"#a", "a\n1e999\n", DP2DP_REASON_NUMBER_RANGE, 1, 2, "a"},
        {"b", "a,b\n1,\xff\n", DP2DP_REASON_NOT_UTF8, 1, 2, "b"},
        {"#a", "a,b\n1,2\n1,2,3\n", DP2DP_REASON_TOO_MANY_FIELDS, 2, 3, ""},
        {"#a", "a,b\n1,2\n1\n", DP2DP_REASON_TOO_FEW_FIELDS, 2, 3, ""},
        {"#a", "a,b\n1,2\n\n1,2\n", DP2DP_REASON_EMPTY_LINE, 0, 3, ""},
        {"#a", "a,b\n1,2\n1,\"x\n", DP2DP_REASON_QUOTES, 2, 3, ""},
        {"#a", "a,b\n1,x\"y\n", DP2DP_REASON_QUOTES, 1, 2, "b"},
        {"#a", "a,b\n1,x\ry\n", DP2DP_REASON_LINE_END, 1, 2, "b"},
        {"#a", "", DP2DP_REASON_EMPTY, 0, 0, ""},
        {"#a", "\na\n", DP2DP_REASON_EMPTY_LINE, 0, 1, ""},
        {"#a", "a,b,a\n1,2,3\n", DP2DP_REASON_COLUMN_TWICE, 0, 0, "a"},
    };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        (void)expect_fault(&faults[i], WANT(faults[i].columns));
    }
}

TEST(rows_are_counted_over_all_batches_and_halves_of_the_buffer) {
    const size_t rows = 400000;
    wanted *w = WANT("#a,#b");
    w->options.chunk_rows = 10000;
    FILE *file = fopen(table_path, "wb");
    assert_non_null(file);
    fputs("a,b\n", file);
    for (size_t i = 1; i < rows; i++) {
        fprintf(file, "0.%zu,%zu\n", i, i % 7);
    }
    fputs("1,SECRET\n", file);
    assert_int_equal(fclose(file), 0);
    uint64_t seen = 0;
    w->options.rows_read = &seen;
    dp2dp_error error = failure_of(w);
    assert_int_equal(error.reason, DP2DP_REASON_NOT_A_NUMBER);
    assert_int_equal(error.row, rows);
    assert_int_equal(error.line, rows + 1);
    assert_string_equal(error.column, "b");
    assert_true(seen < rows && seen >= rows - 2 * w->options.chunk_rows);
}

TEST(rows_read_counts_the_rows_that_were_handed_out) {
    uint64_t seen = 0;
    wanted *w = WANT("#a");
    w->options.rows_read = &seen;
    w->options.chunk_rows = 2;
    write_text("a\n1\n2\n3\n");
    OWNED(cells) c = read_path(table_path, w, 0);
    assert_int_equal(c.code, 0);
    assert_int_equal(seen, 3);
}

TEST(a_column_that_is_missing_comes_with_what_may_be_the_matter) {
    static const struct {
        fault fault;
        const char *words;
    } cases[] = {
        {{"#a", "b,c\n1,2\n", DP2DP_REASON_NO_SUCH_COLUMN, 0, 0, "a"}, "no column is named \"a\""},
        {{"pay", "Pay ,c\n1,2\n", DP2DP_REASON_NO_SUCH_COLUMN, 0, 0, "pay"},
         "the nearest name is \"Pay \""},
        {{"#a,b", "zz,b,yy\n1,2,3\n", DP2DP_REASON_NO_SUCH_COLUMN, 0, 0, "a"},
         "; its columns are zz, b, yy"},
        {{"#a,b,c,d", "zz,d\n1,2\n", DP2DP_REASON_NO_SUCH_COLUMN, 0, 0, "a"},
         "; 3 of the 4 columns needed are missing (do table and schema belong together?); its "
         "columns "
         "are zz, d"},
        {{"#a", "a;b\n1;2\n", DP2DP_REASON_WRONG_SEPARATOR, 0, 0, "a"},
         "the first line seems to be separated by semicolons: set the separator to ';'"},
        {{"#a", "a\tb\n1\t2\n", DP2DP_REASON_WRONG_SEPARATOR, 0, 0, "a"},
         "seems to be separated by tabs: set the separator to tab"},
        {{"#a", "a|b\n1|2\n", DP2DP_REASON_WRONG_SEPARATOR, 0, 0, "a"}, "set the separator to '|'"},
        {{"#a", "# SECRET; 1,2\nb\n1\n", DP2DP_REASON_COMMENT_FIRST, 0, 0, "a"},
         "the first line begins with #: if it is a comment, skip the lines before the column "
         "names"},
        {{"#a", "# SECRET; 1,2\na\n1\n", DP2DP_REASON_COMMENT_FIRST, 0, 0, "a"},
         "line 2 has the column names: skip 1 line"},
        {{"#a,b", "SECRET\nsecret,ab\n\"b\", a\r\n1,2\n", DP2DP_REASON_COMMENT_FIRST, 0, 0, "a"},
         "line 3 has the column names: skip 2 lines"},
        {{"#a,SECRE", "SECRET,.5\nb,1\n", DP2DP_REASON_NO_HEADER, 0, 0, "a"},
         "the first line must hold the column names, but it holds a number"},
        {{"SECRE", "SECRET,\" -1e3 \"\nb,1\n", DP2DP_REASON_NO_HEADER, 0, 0, "SECRE"},
         "the first line must hold"},
        {{"#a", "{\"a\": \"SECRET\"}\n", DP2DP_REASON_WRONG_FILE, 0, 0, ""},
         "this is JSON, not a table"},
        {{"#a", " [1, 2]\n", DP2DP_REASON_WRONG_FILE, 0, 0, ""}, "this is JSON, not a table"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        dp2dp_error error = expect_fault(&cases[i].fault, WANT(cases[i].fault.columns));
        assert_says(error.message, cases[i].words);
    }
}

/* A first line without any wanted column may hold a person's values. */
TEST(names_that_may_be_values_are_not_shown) {
    static const fault f = {"a,b", "SECRET,x\n1,2\n", DP2DP_REASON_NO_SUCH_COLUMN, 0, 0, "a"};
    dp2dp_error error = expect_fault(&f, WANT(f.columns));
    assert_null(strstr(error.message, "its columns are"));
}

TEST(a_table_may_begin_as_json_does) {
    write_text("[a],b\n1,2\n");
    expect_cells(WANT("#[a]"), 0, "1|/");
}

TEST(without_a_header_a_column_is_its_position) {
    static const fault faults[] = {
        {"#1", "1,2\n1,SECRET\n", DP2DP_REASON_NOT_A_NUMBER, 2, 2, "1"},
        {"#7", "1,2\n", DP2DP_REASON_NO_SUCH_COLUMN, 0, 0, "7"},
    };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        wanted *w = WANT(faults[i].columns);
        w->options.header = DP2DP_TABLE_HEADER_NONE;
        (void)expect_fault(&faults[i], w);
    }
}

/* The items are 1 and 2.5, which is not a whole number and so cannot be text. */
TEST(a_fault_of_an_npy_file_has_reason_row_and_column) {
    static const char head[] = "\x93NUMPY\x01\x00\x46\x00{'descr': '<f8', 'fortran_order': False, "
                               "'shape': (2, 1), }          \n";
    const double values[] = {1, 2.5};
    char text[sizeof head - 1 + sizeof values];
    memcpy(text, head, sizeof head - 1);
    memcpy(text + sizeof head - 1, values, sizeof values);
    write_table(text, sizeof text);
    dp2dp_error error = failure_of(WANT("0"));
    assert_int_equal(error.reason, DP2DP_REASON_NOT_WHOLE);
    assert_int_equal(error.row, 2);
    assert_int_equal(error.line, 0);
    assert_string_equal(error.column, "0");
}

TEST(a_long_name_of_a_column_is_cut_at_a_whole_character) {
    char name[199] = "", text[256];
    dp2dp_table_column column = {name, DP2DP_TABLE_NUMBER};
    wanted *w = WANT("x");
    for (size_t i = 0; i < sizeof name / 2; i++) {
        memcpy(name + 2 * i, "\xc3\xa9", 3);
    }
    (void)snprintf(text, sizeof text, "%s\nSECRET\n", name);
    w->options.columns = &column;
    write_text(text);
    dp2dp_error error = failure_of(w);
    assert_int_equal(error.reason, DP2DP_REASON_NOT_A_NUMBER);
    assert_int_equal(strlen(error.column), DP2DP_ERROR_COLUMN_SIZE - 2);
    assert_memory_equal(error.column, name, DP2DP_ERROR_COLUMN_SIZE - 2);
}
