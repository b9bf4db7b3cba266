/* Writes files and reads them back through the table reader as one text. */
#ifndef DP2DP_TESTS_UNIT_TABLE_DATA_H
#define DP2DP_TESTS_UNIT_TABLE_DATA_H

#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <dp2dp/table.h>

#include "table/input.h"
#include "table/table.h"

static char table_path[] = "/tmp/dp2dp-table-XXXXXX";

FIXTURE(make_table_path) {
    int fd = mkstemp(table_path);
    return fd < 0 ? -1 : close(fd);
}

/* Also removes the archive of the same name, if the test made one. */
FIXTURE(remove_table_path) {
    char archive[sizeof table_path + 4];
    (void)snprintf(archive, sizeof archive, "%s.npz", table_path);
    (void)unlink(archive);
    return unlink(table_path);
}

GROUP(make_table_path, remove_table_path)

static inline void write_table(const char *bytes, size_t length) {
    FILE *file = fopen(table_path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

static inline void write_text(const char *text) {
    write_table(text, strlen(text));
}

/* The columns to read: up to 8 names with commas between them, as in "a,#n". A name with # before
 * it is a column of numbers, any other a column of text. */
typedef struct wanted {
    char text[128];
    dp2dp_table_column columns[8];
    dp2dp_table_options options;
} wanted;

static inline wanted *want(wanted *w, const char *names) {
    char *rest = NULL;
    memset(w, 0, sizeof *w);
    w->options = DP2DP_TABLE_OPTIONS_INIT;
    w->options.columns = w->columns;
    (void)snprintf(w->text, sizeof w->text, "%s", names);
    for (char *name = strtok_r(w->text, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
        w->columns[w->options.column_count++] = (dp2dp_table_column) {
            name + (*name == '#'), *name == '#' ? DP2DP_TABLE_NUMBER : DP2DP_TABLE_TEXT};
    }
    return w;
}

/* The result lives until the end of the enclosing block. */
#define WANT(names) want(&(wanted) {.options.column_count = 0}, names)

static inline wanted *with_markers(wanted *w, const char *const *markers, size_t count) {
    w->options.missing = markers;
    w->options.missing_count = count;
    return w;
}

/* As WANT, with markers of missing values. */
#define WANT_MARKED(names, ...)                                    \
    with_markers(WANT(names), (const char *const[]) {__VA_ARGS__}, \
                 sizeof((const char *const[]) {__VA_ARGS__}) / sizeof(char *))

typedef struct cells {
    char *text; /* every cell followed by '|', every row by '/' */
    size_t length, capacity;
    int64_t rows, largest_batch, batches;
    int code;            /* result of the last get_next */
    dp2dp_status status; /* result of the open */
    char message[DP2DP_ERROR_MESSAGE_SIZE];
} cells;

static inline void cells_free(cells *c) {
    free(c->text);
}

static inline void append(cells *c, const char *bytes, size_t length) {
    if (c->length + length + 1 > c->capacity) {
        c->capacity = 2 * (c->length + length + 1);
        c->text = realloc(c->text, c->capacity);
        assert_non_null(c->text);
    }
    memcpy(c->text + c->length, bytes, length);
    c->length += length;
    c->text[c->length] = '\0';
}

static inline int is_null(const struct ArrowArray *column, int64_t row) {
    const unsigned char *valid = column->buffers[0];
    return column->null_count > 0 && !(valid[row / 8] >> (row % 8) & 1);
}

/* Appends the rows of a batch; a null is written "~", and a row that is null "bad/". */
static inline void append_batch(cells *c, const wanted *w, const struct ArrowSchema *schema,
                                const struct ArrowArray *batch) {
    for (int64_t row = 0; row < batch->length; row++) {
        int is_bad = is_null(batch, row);
        append(c, "bad", is_bad ? 3 : 0);
        for (size_t i = 0; i < w->options.column_count && !is_bad; i++) {
            const struct ArrowArray *column = batch->children[i];
            char number[40];
            if (is_null(column, row)) {
                append(c, "~", 1);
            } else if (w->columns[i].type == DP2DP_TABLE_NUMBER) {
                double value = schema->children[i]->format[0] == 'f'
                                   ? (double)((const float *)column->buffers[1])[row]
                                   : ((const double *)column->buffers[1])[row];
                (void)snprintf(number, sizeof number, "%.17g", value);
                append(c, number, strlen(number));
            } else {
                const int32_t *offsets = column->buffers[1];
                append(c, (const char *)column->buffers[2] + offsets[row],
                       (size_t)(offsets[row + 1] - offsets[row]));
            }
            append(c, "|", 1);
        }
        append(c, "/", 1);
    }
    c->rows += batch->length;
    c->batches++;
    c->largest_batch = batch->length > c->largest_batch ? batch->length : c->largest_batch;
}

/* Reads a table; block 0: the default size. */
static inline cells read_path(const char *path, const wanted *w, size_t block) {
    cells c = {.capacity = 0};
    struct ArrowArrayStream stream;
    struct ArrowArray batch;
    struct ArrowSchema schema;
    dp2dp_error error = {0};
    append(&c, "", 0);
    c.status =
        dp2dpi_table_open(path, &w->options, block ? block : DP2DPI_INPUT_BLOCK, &stream, &error);
    if (c.status != OK) {
        assert_null(stream.release);
        memcpy(c.message, error.message, sizeof c.message);
        return c;
    }
    assert_int_equal(stream.get_schema(&stream, &schema), 0);
    while ((c.code = stream.get_next(&stream, &batch)) == 0 && batch.release) {
        append_batch(&c, w, &schema, &batch);
        batch.release(&batch);
        assert_null(batch.release);
    }
    schema.release(&schema);
    if (c.code != 0) {
        assert_null(batch.release);
        assert_int_equal(stream.get_next(&stream, &batch), c.code);
        (void)snprintf(c.message, sizeof c.message, "%s", stream.get_last_error(&stream));
    } else {
        assert_int_equal(stream.get_next(&stream, &batch), 0);
        assert_null(batch.release);
        assert_null(stream.get_last_error(&stream));
    }
    stream.release(&stream);
    assert_null(stream.release);
    return c;
}

static inline void expect_cells_of(const char *path, const wanted *w, size_t block,
                                   const char *expected) {
    OWNED(cells) c = read_path(path, w, block);
    if (c.status != OK || c.code != 0 || strcmp(c.text, expected) != 0) {
        fail_msg("%s, block %zu: \"%s\" and not \"%s\" (status %d, code %d: %s)", path, block,
                 c.text, expected, (int)c.status, c.code, c.message);
    }
}

static inline void expect_cells(const wanted *w, size_t block, const char *expected) {
    expect_cells_of(table_path, w, block, expected);
}

/* Expects DATA, at the open or later, with a message that has the words and the file but no cell.
 */
static inline void expect_refusal_of(const char *path, const wanted *w, size_t block,
                                     const char *words) {
    OWNED(cells) c = read_path(path, w, block);
    int is_data = c.status == DP2DP_STATUS_DATA || (c.status == OK && c.code == EINVAL);
    if (!is_data || !strstr(c.message, words) || !strstr(c.message, table_path) ||
        strstr(c.message, "SECRET")) {
        fail_msg("block %zu: status %d, code %d, \"%s\" without \"%s\"", block, (int)c.status,
                 c.code, c.message, words);
    }
}

static inline void expect_refusal(const wanted *w, size_t block, const char *words) {
    expect_refusal_of(table_path, w, block, words);
}

/* Writes the text and reads it with blocks of every size, so that one ends at every byte. */
static inline void expect_cells_in_all_blocks(const wanted *w, const char *text,
                                              const char *expected) {
    write_text(text);
    for (size_t block = 0; block <= strlen(text) + 2; block++) {
        expect_cells(w, block, expected);
    }
}

static inline void expect_refusal_in_all_blocks(const wanted *w, const char *text,
                                                const char *words) {
    write_text(text);
    for (size_t block = 0; block <= strlen(text) + 2; block++) {
        expect_refusal(w, block, words);
    }
}

/* The first batch of a table; schema may be NULL. */
static inline struct ArrowArray first_batch(const char *path, const wanted *w,
                                            struct ArrowSchema *schema) {
    struct ArrowArrayStream stream;
    struct ArrowArray batch;
    assert_ok(dp2dp_table_open(path, &w->options, &stream, &test_error));
    assert_true(schema == NULL || stream.get_schema(&stream, schema) == 0);
    assert_int_equal(stream.get_next(&stream, &batch), 0);
    stream.release(&stream);
    return batch;
}

/* Makes fd the standard input; returns a copy of the previous one. */
static inline int replace_standard_input(int fd) {
    int saved = dup(STDIN_FILENO);
    assert_true(saved >= 0);
    assert_int_equal(dup2(fd, STDIN_FILENO), STDIN_FILENO);
    assert_int_equal(close(fd), 0);
    return saved;
}

static inline void restore_standard_input(int saved) {
    assert_int_equal(dup2(saved, STDIN_FILENO), STDIN_FILENO);
    assert_int_equal(close(saved), 0);
}

#endif
