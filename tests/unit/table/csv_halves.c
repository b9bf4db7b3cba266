/* Files that are long enough for two threads: text in quotes that looks like rows, errors in either
 * half, and batches of several sizes. */
#include "unit/table/data.h"

#include "arrow/batch.h"

enum {
    ROWS = 150000
};

/* Every third row has quoted line ends, after which the text looks like rows of the table. */
static char *tricky_table(size_t *length, size_t bad_row) {
    char *text = malloc((size_t)ROWS * 64);
    assert_non_null(text);
    size_t used = (size_t)sprintf(text, "a,b\n");
    for (size_t i = 0; i < ROWS; i++) {
        used += (size_t)sprintf(text + used,
                                i == bad_row    ? "t%zu,SECRET\n"
                                : i % 3 == 0    ? "\"t%zu\nx,1\ny,2\n\",%zu\n"
                                : i % 1000 == 7 ? "t%zu,NA\r\n"
                                                : "t%zu,%zu.25\n",
                                i, i);
    }
    *length = used;
    return text;
}

static void expect_row(const struct ArrowArray *batch, int64_t at, size_t i) {
    char text[64];
    const int32_t *offsets = batch->children[0]->buffers[1];
    const char *bytes = batch->children[0]->buffers[2];
    size_t length = (size_t)(offsets[at + 1] - offsets[at]);
    (void)snprintf(text, sizeof text, i % 3 == 0 ? "t%zu\nx,1\ny,2\n" : "t%zu", i);
    assert_int_equal(length, strlen(text));
    assert_memory_equal(bytes + offsets[at], text, length);
    int is_missing = i % 3 != 0 && i % 1000 == 7;
    assert_int_equal(is_null(batch->children[1], at), is_missing);
    double value = ((const double *)batch->children[1]->buffers[1])[at];
    assert_true(is_missing || value == (double)i + (i % 3 == 0 ? 0 : 0.25));
}

TEST(records_that_fool_the_guess_are_read_in_order) {
    static const size_t chunks[] = {1000, 20000, 65536, 1 << 20};
    size_t length;
    FREED char *text = tricky_table(&length, SIZE_MAX);
    assert_true(length > 2 << 20);
    write_table(text, length);
    for (size_t k = 0; k < sizeof chunks / sizeof chunks[0]; k++) {
        wanted *w = WANT_MARKED("a,#b", "NA");
        struct ArrowArrayStream stream;
        struct ArrowArray batch;
        size_t rows = 0;
        int code;
        w->options.chunk_rows = chunks[k];
        assert_ok(dp2dp_table_open(table_path, &w->options, &stream, &test_error));
        while ((code = stream.get_next(&stream, &batch)) == 0 && batch.release) {
            int64_t nulls = 0;
            assert_true((size_t)batch.length <= chunks[k]);
            for (int64_t i = 0; i < batch.length; i++) {
                expect_row(&batch, i, rows + (size_t)i);
                nulls += is_null(batch.children[1], i);
            }
            assert_int_equal(batch.children[1]->null_count, nulls);
            rows += (size_t)batch.length;
            batch.release(&batch);
        }
        assert_int_equal(code, 0);
        assert_int_equal(rows, ROWS);
        stream.release(&stream);
    }
}

TEST(an_error_anywhere_names_its_line_after_all_rows_before_it) {
    for (size_t bad = 1; bad < ROWS; bad += 14999) {
        size_t length;
        char *text = tricky_table(&length, bad), words[64];
        write_table(text, length);
        free(text);
        /* Lines before: the header, one for each row, three more for every third row. */
        (void)snprintf(words, sizeof words, "line %zu, column \"b\": not a number",
                       2 + bad + 3 * ((bad + 2) / 3));
        expect_refusal(WANT_MARKED("a,#b", "NA"), 0, words);
    }
}

TEST(empty_lines_in_the_middle_are_refused_and_at_the_end_ignored) {
    size_t length;
    FREED char *text = tricky_table(&length, SIZE_MAX);
    wanted *w = WANT_MARKED("a,#b", "NA");
    memcpy(text + length, "\n\n\n", 3);
    write_table(text, length + 3);
    OWNED(cells) c = read_path(table_path, w, 0);
    assert_int_equal(c.code, 0);
    assert_int_equal(c.rows, ROWS);
    memcpy(text + length + 3, "t,1\n", 4);
    write_table(text, length + 7);
    expect_refusal(w, 0, "an empty line among the rows");
}

/* From a line end inside the quotes on, the rest of the file is a valid table too: a row x,1, and
 * then a text that begins where the real text ends. Only the first thread can notice this. */
TEST(a_wrong_guess_that_makes_sense_is_still_found_out) {
    FREED char *text = malloc((size_t)ROWS * 32);
    struct ArrowArrayStream stream;
    struct ArrowArray batch;
    size_t rows = 0, used;
    assert_non_null(text);
    used = (size_t)sprintf(text, "a,b\n");
    for (size_t i = 0; i < ROWS; i++) {
        used += (size_t)sprintf(text + used, "\",3\nx,1\n\",%zu\n", i);
    }
    write_table(text, used);
    wanted *w = WANT("a,#b");
    w->options.chunk_rows = 16384;
    assert_ok(dp2dp_table_open(table_path, &w->options, &stream, &test_error));
    while (stream.get_next(&stream, &batch) == 0 && batch.release) {
        for (int64_t i = 0; i < batch.length; i++) {
            assert_true(((const double *)batch.children[1]->buffers[1])[i] == (double)rows++);
        }
        batch.release(&batch);
    }
    assert_int_equal(rows, ROWS);
    stream.release(&stream);
}

/* If all rows are equally long, the second thread begins at nine tenths of the second batch. The
 * empty line is put there, and up to 4 rows before and after. */
TEST(an_empty_line_where_the_second_thread_begins_is_refused) {
    enum {
        LENGTH = 16,
        CHUNK = 65536,
        COUNT = 3 * CHUNK
    };
    FREED char *text = malloc((size_t)COUNT * LENGTH + 8);
    assert_non_null(text);
    for (int off = -4; off <= 4; off++) {
        size_t used = (size_t)sprintf(text, "a,b\n"), empty = CHUNK + CHUNK * 9 / 10 + off;
        char words[64];
        for (size_t i = 0; i < COUNT; i++) {
            used += (size_t)sprintf(text + used, "t%07zu,0.250\n%s", i, i + 1 == empty ? "\n" : "");
        }
        write_table(text, used);
        (void)snprintf(words, sizeof words, "line %zu: an empty line among the rows", empty + 2);
        expect_refusal(WANT("a,#b"), 0, words);
    }
}

/* The record is read again each time the buffer grows. Its first field alone exceeds the text that
 * a batch may hold. */
TEST(a_record_with_more_text_than_a_batch_is_a_row_like_others) {
    size_t field = DP2DPI_BATCH_TEXT_MAX + 1, used = 4;
    FREED char *text = malloc(3 * field + 64);
    assert_non_null(text);
    memcpy(text, "a,b\n", used);
    memset(text + used, 'x', 2 * field);
    text[used + field] = ',';
    used += 2 * field;
    used += (size_t)sprintf(text + used, "\ny,z\n");
    write_table(text, used);
    wanted *w = WANT("a,b");
    for (size_t chunk = 1; chunk < 1000; chunk += 500) {
        w->options.chunk_rows = chunk;
        OWNED(cells) c = read_path(table_path, w, 0);
        assert_int_equal(c.code, 0);
        assert_int_equal(c.rows, 2);
        assert_int_equal(c.length, 2 * field - 1 + strlen("||/y|z|/"));
    }
}
