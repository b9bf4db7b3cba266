/* The stream of a table: ownership, end, cancelling, and checks of the options. */
#include <sys/wait.h>
#include <time.h>

#include "unit/table/data.h"

static const char small[] = "a,b\nx,1\ny,2\nz,3\n";

static struct ArrowArrayStream open_small(const wanted *w) {
    struct ArrowArrayStream stream;
    write_table(small, sizeof small - 1);
    assert_ok(dp2dp_table_open(table_path, &w->options, &stream, &test_error));
    return stream;
}

TEST(the_schema_is_a_struct_of_the_columns_asked_for) {
    struct ArrowSchema schema;
    struct ArrowArrayStream stream = open_small(WANT("#b,a"));
    assert_int_equal(stream.get_schema(&stream, &schema), 0);
    stream.release(&stream);
    assert_string_equal(schema.format, "+s");
    assert_int_equal(schema.n_children, 2);
    assert_string_equal(schema.children[0]->name, "b");
    assert_string_equal(schema.children[0]->format, "g");
    assert_string_equal(schema.children[1]->name, "a");
    assert_string_equal(schema.children[1]->format, "u");
    assert_int_equal(schema.children[1]->flags & ARROW_FLAG_NULLABLE, 0);
    schema.release(&schema);
    assert_null(schema.release);
}

TEST(a_batch_outlives_its_stream_and_a_column_its_batch) {
    write_text(small);
    struct ArrowArray batch = first_batch(table_path, WANT("#b,a"), NULL);
    assert_int_equal(batch.length, 3);
    assert_int_equal(batch.null_count, 0);
    assert_int_equal(batch.n_buffers, 1);
    assert_null(batch.buffers[0]);
    struct ArrowArray text = *batch.children[1];
    batch.children[1]->release = NULL;
    assert_true(((const double *)batch.children[0]->buffers[1])[2] == 3);
    batch.release(&batch);
    assert_int_equal(text.length, 3);
    assert_int_equal(text.n_buffers, 3);
    assert_memory_equal(text.buffers[2], "xyz", 3);
    text.release(&text);
    assert_null(text.release);
}

TEST(options_may_go_when_the_stream_is_open) {
    struct ArrowArray batch;
    wanted *w = WANT("a");
    struct ArrowArrayStream stream = open_small(w);
    memset(w, 0x55, sizeof *w);
    assert_int_equal(stream.get_next(&stream, &batch), 0);
    assert_int_equal(batch.length, 3);
    batch.release(&batch);
    stream.release(&stream);
}

TEST(batches_have_at_most_the_rows_asked_for) {
    wanted *w = WANT("a,#b");
    write_table(small, sizeof small - 1);
    for (size_t rows = 1; rows <= 4; rows++) {
        w->options.chunk_rows = rows;
        OWNED(cells) c = read_path(table_path, w, 3);
        assert_string_equal(c.text, "x|1|/y|2|/z|3|/");
        assert_int_equal(c.batches, (3 + rows - 1) / rows);
        assert_int_equal(c.largest_batch, rows < 3 ? rows : 3);
    }
}

TEST(text_that_outgrows_its_room_is_kept) {
    wanted *w = WANT("a");
    w->options.chunk_rows = 3;
    write_text("a\nshort\nof more than the eight bytes a row has room for\nend\n");
    expect_cells(w, 0, "short|/of more than the eight bytes a row has room for|/end|/");
}

TEST(long_text_ends_a_batch_early) {
    enum {
        ROW = 1 << 20
    };
    FREED char *row = malloc(ROW);
    FILE *file = fopen(table_path, "wb");
    assert_non_null(row);
    assert_non_null(file);
    memset(row, 'x', ROW - 1);
    row[ROW - 1] = '\n';
    assert_true(fputs("a\n", file) >= 0);
    for (int i = 0; i < 100; i++) {
        assert_int_equal(fwrite(row, 1, ROW, file), ROW);
    }
    assert_int_equal(fclose(file), 0);
    OWNED(cells) c = read_path(table_path, WANT("a"), 0);
    assert_int_equal(c.code, 0);
    assert_int_equal(c.rows, 100);
    assert_in_range(c.largest_batch, 8, 9); /* at most one row beyond 8 MiB */
    assert_int_equal(c.length, 100 * (ROW - 1 + strlen("|/")));
}

TEST(a_hundred_thousand_columns_are_found_and_read) {
    enum {
        COUNT = 100000,
        ROWS = 3
    };
    FREED dp2dp_table_column *columns = calloc(COUNT, sizeof *columns);
    char(*names)[8] = calloc(COUNT, sizeof *names);
    FILE *file = fopen(table_path, "wb");
    assert_non_null(columns);
    assert_non_null(names);
    assert_non_null(file);
    for (size_t i = 0; i < COUNT; i++) {
        (void)snprintf(names[i], sizeof names[i], "c%zu", i);
        columns[COUNT - 1 - i] = (dp2dp_table_column) {names[i], DP2DP_TABLE_NUMBER};
        (void)fprintf(file, "%s%s", i ? "," : "", names[i]);
    }
    for (size_t row = 0; row < ROWS; row++) {
        for (size_t i = 0; i < COUNT; i++) {
            (void)fprintf(file, "%s%zu", i ? "," : "\n", i + row);
        }
    }
    assert_int_equal(fclose(file), 0);
    wanted *w = WANT("");
    w->options.columns = columns;
    w->options.column_count = COUNT;
    struct ArrowArray batch = first_batch(table_path, w, NULL);
    assert_int_equal(batch.length, ROWS);
    for (size_t i = 0; i < COUNT; i++) {
        const double *values = batch.children[i]->buffers[1];
        for (size_t row = 0; row < ROWS; row++) {
            assert_true(values[row] == (double)(COUNT - 1 - i + row));
        }
    }
    batch.release(&batch);
    free(names);
}

/* Cancels only once: the stream must stay cancelled without asking again. */
static int run_out(void *context) {
    int *left = context;
    return (*left)-- == 0;
}

TEST(a_cancelled_stream_says_so_and_stays_cancelled) {
    int cancelled_at_open = 0, cancelled_later = 0;
    write_table(small, sizeof small - 1);
    for (int reads = 0;; reads++) {
        int left = reads;
        wanted *w = WANT("a,#b");
        w->options.cancel = run_out;
        w->options.cancel_context = &left;
        OWNED(cells) c = read_path(table_path, w, 4);
        cancelled_at_open += c.status == DP2DP_STATUS_CANCELLED;
        cancelled_later += c.status == OK && c.code == ECANCELED;
        int is_through = c.status == OK && c.code == 0;
        assert_true(is_through || strstr(c.message, "cancelled"));
        if (is_through) {
            break;
        }
    }
    assert_true(cancelled_at_open >= 1);
    assert_true(cancelled_later >= 1);
}

/* Starts a process that writes to our standard input in two parts, with a pause before each. */
static pid_t feed_standard_input(const char *bytes, size_t length, int *saved) {
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        size_t half = length / 2;
        struct timespec pause = {0, 20000000};
        (void)nanosleep(&pause, NULL);
        int failed = write(ends[1], bytes, half) != (ssize_t)half;
        (void)nanosleep(&pause, NULL);
        failed |= write(ends[1], bytes + half, length - half) != (ssize_t)(length - half);
        _exit(failed);
    }
    assert_int_equal(close(ends[1]), 0);
    *saved = replace_standard_input(ends[0]);
    assert_int_equal(fcntl(STDIN_FILENO, F_SETFL, O_NONBLOCK), 0);
    return child;
}

TEST(a_pipe_reads_like_a_file_but_for_fortran_order) {
    static const char fortran[] = "\x93NUMPY\1\0\x3E\0{'descr': '|i1', 'fortran_order': True, "
                                  "'shape': (2, 2), }   \n\1\2\3\4";
    static const struct {
        const char *bytes;
        size_t length;
    } inputs[] = {{small, sizeof small - 1}, {fortran, sizeof fortran - 1}};
    for (size_t i = 0; i < 2; i++) {
        int outcome = -1, saved;
        wanted *w = WANT(i ? "#0" : "a,#b");
        pid_t child = feed_standard_input(inputs[i].bytes, inputs[i].length, &saved);
        OWNED(cells) c = read_path("-", w, 0);
        if (i == 0) {
            assert_string_equal(c.text, "x|1|/y|2|/z|3|/");
        } else {
            assert_int_equal(c.status, DP2DP_STATUS_DATA);
            assert_says(c.message, "Fortran order cannot be read from a pipe");
            assert_says(c.message, "standard input");
            write_table(fortran, sizeof fortran - 1);
            expect_cells(w, 0, "1|/2|/");
        }
        assert_int_equal(waitpid(child, &outcome, 0), child);
        assert_int_equal(outcome, 0);
        restore_standard_input(saved);
    }
}

/* Reads from the current position of standard input. */
TEST(standard_input_may_be_a_file_read_halfway) {
    write_text("first line of another reader\na,b\nx,1\n");
    int fd = open(table_path, O_RDONLY);
    assert_true(fd >= 0);
    assert_int_equal(lseek(fd, 29, SEEK_SET), 29);
    int saved = replace_standard_input(fd);
    expect_cells_of("-", WANT("#b"), 0, "1|/");
    restore_standard_input(saved);
}

TEST(what_cannot_be_read_is_an_io_failure_with_its_name) {
    wanted *w = WANT("a");
    OWNED(cells) missing = read_path("/nonexistent/table.csv", w, 0),
                 folder = read_path("/tmp", w, 0);
    assert_int_equal(missing.status, DP2DP_STATUS_IO);
    assert_says(missing.message, "/nonexistent/table.csv");
    assert_int_equal(folder.status, DP2DP_STATUS_IO);
}

static void expect_argument(const char *path, const dp2dp_table_options *options,
                            const char *words) {
    struct ArrowArrayStream stream;
    dp2dp_error error = {0};
    memset(&stream, 0x55, sizeof stream);
    assert_status(dp2dp_table_open(path, options, &stream, &error), ARGUMENT);
    assert_null(stream.release);
    assert_says(error.message, words);
}

/* Sets one option of `w` to a value that must be refused. */
#define REFUSE(w, option, value, words)              \
    do {                                             \
        dp2dp_table_options options_ = (w)->options; \
        options_.option = (value);                   \
        expect_argument("-", &options_, words);      \
    } while (0)

TEST(options_outside_their_bounds_are_refused_by_name) {
    const wanted *good = WANT("a,#b");
    expect_argument(NULL, &good->options, "path");
    expect_argument("-", NULL, "DP2DP_TABLE_OPTIONS_INIT");
    REFUSE(good, struct_size, 1, "DP2DP_TABLE_OPTIONS_INIT");
    REFUSE(good, column_count, 0, "columns");
    REFUSE(good, chunk_rows, 0, "chunk_rows");
    REFUSE(good, chunk_rows, ((size_t)1 << 24) + 1, "chunk_rows");
    REFUSE(good, header, (dp2dp_table_header)7, "header");
    REFUSE(good, skip_lines, ((size_t)1 << 20) + 1, "skip_lines");
    REFUSE(good, missing_count, 1, "missing_count");
    REFUSE(WANT_MARKED("a,#b", "NA"), missing_count, 1025, "missing_count");
    expect_argument("-", &WANT_MARKED("a,#b", "NA", "\xFF")->options, "missing: marker 2");
    expect_argument("-", &WANT_MARKED("a,#b", "NA", NULL)->options, "missing: marker 2");
    dp2dp_table_column columns[2] = {{"a", DP2DP_TABLE_TEXT}, {"a", DP2DP_TABLE_NUMBER}};
    REFUSE(good, columns, columns, "\"a\" is asked for twice");
    columns[1] = (dp2dp_table_column) {"b", (dp2dp_table_type)9};
    REFUSE(good, columns, columns, "type of column 2");
    columns[1] = (dp2dp_table_column) {"\xFF", DP2DP_TABLE_TEXT};
    REFUSE(good, columns, columns, "name of column 2");
    columns[1] = (dp2dp_table_column) {NULL, DP2DP_TABLE_TEXT};
    REFUSE(good, columns, columns, "name of column 2");
}

/* Opens the file without naming a column; the names are joined by commas. */
static dp2dp_status names_of(const char *text, dp2dp_table_header header, char names[64]) {
    dp2dp_table_options options = DP2DP_TABLE_OPTIONS_INIT;
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    options.header = header;
    names[0] = '\0';
    write_text(text);
    dp2dp_status status = dp2dp_table_open(table_path, &options, &stream, &test_error);
    if (status == OK) {
        assert_int_equal(stream.get_schema(&stream, &schema), 0);
        for (int64_t i = 0; i < schema.n_children; i++) {
            assert_string_equal(schema.children[i]->format, "u");
            (void)snprintf(names + strlen(names), 64 - strlen(names), "%s,",
                           schema.children[i]->name);
        }
        schema.release(&schema);
        stream.release(&stream);
    }
    return status;
}

TEST(without_named_columns_every_column_is_read_as_text_unless_the_header_may_be_values) {
    char names[64];
    assert_int_equal(names_of("a,\"b, c\",d\n1,2,3\n", DP2DP_TABLE_HEADER_FIRST_LINE, names), OK);
    assert_string_equal(names, "a,b, c,d,");
    assert_int_equal(names_of("x,2\n", DP2DP_TABLE_HEADER_NONE, names), OK);
    assert_string_equal(names, "0,1,");
    assert_int_equal(names_of("SECRET,2\n", DP2DP_TABLE_HEADER_FIRST_LINE, names),
                     DP2DP_STATUS_DATA);
    assert_int_equal(test_error.reason, DP2DP_REASON_NO_HEADER);
    assert_null(strstr(test_error.message, "SECRET"));
    assert_int_equal(names_of("SECRET;b\n", DP2DP_TABLE_HEADER_FIRST_LINE, names),
                     DP2DP_STATUS_DATA);
    assert_int_equal(test_error.reason, DP2DP_REASON_WRONG_SEPARATOR);
    assert_null(strstr(test_error.message, "SECRET"));
    assert_int_equal(names_of("a,a\n", DP2DP_TABLE_HEADER_FIRST_LINE, names), DP2DP_STATUS_DATA);
    assert_int_equal(test_error.reason, DP2DP_REASON_COLUMN_TWICE);
    assert_int_equal(names_of("a,\xFF\n", DP2DP_TABLE_HEADER_FIRST_LINE, names), DP2DP_STATUS_DATA);
}
