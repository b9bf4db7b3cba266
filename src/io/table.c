#include "io/table.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "io/csv.h"
#include "io/names.h"
#include "io/npy.h"
#include "io/utf8.h"

enum {
    CHUNK_ROWS_MAX = 1 << 24
};

typedef struct table {
    dp2dp_table_options options; /* its columns are our copy */
    dp2dp_table_column *columns;
    dp2dpi_input input;
    int is_open;
    int is_npy;
    dp2dpi_csv csv;
    dp2dpi_npy npy;
    dp2dp_error error; /* of the last call; status OK: none */
} table;

static void table_free(table *t) {
    for (size_t i = 0; t->columns && i < t->options.column_count; i++) {
        dp2dpi_free((char *)t->columns[i].name);
    }
    dp2dpi_free(t->columns);
    dp2dpi_csv_free(&t->csv);
    dp2dpi_npy_free(&t->npy);
    if (t->is_open) {
        dp2dpi_input_close(&t->input);
    }
    dp2dpi_free(t);
}

static int is_separator(char c) {
    return c > 0 && c < 0x7F && c != '"' && c != '\n' && c != '\r' && c != '+' && c != '-' &&
           c != '.' && !(c >= '0' && c <= '9') && !((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

static dp2dp_status check_column(const dp2dp_table_column *column, size_t i, dp2dp_error *error) {
    if (column->name == NULL || !dp2dpi_utf8_valid(column->name, strlen(column->name))) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "columns: the name of number %zu must be UTF-8 text", i + 1);
    }
    if (column->type != DP2DP_TABLE_NUMBER && column->type != DP2DP_TABLE_TEXT) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "columns: the type of number %zu is %d: no such type", i + 1,
                           (int)column->type);
    }
    return DP2DP_STATUS_OK;
}

static dp2dp_status check_twice(const dp2dp_table_options *o, dp2dp_error *error) {
    void *memory = NULL;
    dp2dp_status status =
        dp2dpi_alloc_for("column names", o->column_count, sizeof(dp2dpi_name), &memory, error);
    dp2dpi_name *names = memory;
    for (size_t i = 0; i < o->column_count && status == DP2DP_STATUS_OK; i++) {
        status = check_column(&o->columns[i], i, error);
        if (status == DP2DP_STATUS_OK) {
            names[i] = (dp2dpi_name) {o->columns[i].name, strlen(o->columns[i].name), i};
        }
    }
    if (status == DP2DP_STATUS_OK) {
        dp2dpi_names_sort(names, o->column_count);
        const dp2dpi_name *twice = dp2dpi_names_twice(names, o->column_count);
        if (twice) {
            char shown[DP2DPI_SHOWN_SIZE];
            status = dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "columns: \"%s\" is asked for twice",
                                 dp2dpi_utf8_show(twice->text, twice->length, shown));
        }
    }
    dp2dpi_free(memory);
    return status;
}

static dp2dp_status check_options(const char *path, const dp2dp_table_options *o,
                                  dp2dp_error *error) {
    if (path == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "path must not be NULL");
    }
    if (o == NULL || o->struct_size != sizeof *o) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "table options: start from DP2DP_TABLE_OPTIONS_INIT");
    }
    if (o->columns == NULL || o->column_count == 0) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "columns: at least 1 must be asked for");
    }
    if (!is_separator(o->separator)) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "separator = byte %d: it must be an ASCII character that is no letter, "
                           "digit, quote, plus, minus, dot or line end",
                           (unsigned char)o->separator);
    }
    if (o->header != DP2DP_TABLE_HEADER_FIRST_LINE && o->header != DP2DP_TABLE_HEADER_NONE) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "header = %d: no such header",
                           (int)o->header);
    }
    if (o->chunk_rows < 1 || o->chunk_rows > CHUNK_ROWS_MAX) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "chunk_rows = %zu: it must be from 1 to %d", o->chunk_rows,
                           CHUNK_ROWS_MAX);
    }
    return check_twice(o, error);
}

static dp2dp_status copy_columns(table *t, dp2dp_error *error) {
    void *memory = NULL;
    size_t count = t->options.column_count;
    dp2dp_status status =
        dp2dpi_alloc_for("column names", count, sizeof(dp2dp_table_column), &memory, error);
    t->columns = memory;
    for (size_t i = 0; i < count && status == DP2DP_STATUS_OK; i++) {
        char *name = NULL;
        status = dp2dpi_strdup(t->options.columns[i].name, &name, error);
        t->columns[i] = (dp2dp_table_column) {name, t->options.columns[i].type};
    }
    t->options.columns = t->columns;
    return status;
}

static dp2dp_status read_start(table *t, const char *path, size_t block, dp2dp_error *error) {
    dp2dpi_input *input = &t->input;
    dp2dp_status status = dp2dpi_input_open(input, path, block, error);
    t->is_open = status == DP2DP_STATUS_OK;
    input->cancel = t->options.cancel;
    input->cancel_context = t->options.cancel_context;
    while (status == DP2DP_STATUS_OK && !input->at_end && input->end < DP2DPI_NPY_MAGIC_SIZE) {
        status = dp2dpi_input_fill(input, error);
    }
    if (status != DP2DP_STATUS_OK) {
        return status;
    }
    t->is_npy = dp2dpi_npy_is(input->buffer, input->end);
    return t->is_npy ? dp2dpi_npy_open(&t->npy, input, &t->options, error)
                     : dp2dpi_csv_open(&t->csv, input, &t->options, error);
}

static int errno_of(dp2dp_status status) {
    switch (status) {
    case DP2DP_STATUS_OK:
        return 0;
    case DP2DP_STATUS_DATA:
        return EINVAL;
    case DP2DP_STATUS_MEMORY:
        return ENOMEM;
    case DP2DP_STATUS_CANCELLED:
        return ECANCELED;
    default:
        return EIO;
    }
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    table *t = stream->private_data;
    dp2dp_error error = {DP2DP_STATUS_OK, ""};
    dp2dp_status status = dp2dpi_batch_schema(t->columns, t->options.column_count, out, &error);
    if (status != DP2DP_STATUS_OK && t->error.status == DP2DP_STATUS_OK) {
        memcpy(t->error.message, error.message, sizeof error.message);
    }
    return errno_of(status);
}

/* A failed stream stays failed: the rows behind a gap are not handed out. */
static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    table *t = stream->private_data;
    dp2dpi_batch batch;
    memset(out, 0, sizeof *out);
    if (t->error.status != DP2DP_STATUS_OK) {
        return errno_of(t->error.status);
    }
    dp2dp_status status = dp2dpi_batch_new(t->columns, t->options.column_count,
                                           t->options.chunk_rows, &batch, &t->error);
    if (status == DP2DP_STATUS_OK) {
        status = t->is_npy ? dp2dpi_npy_next(&t->npy, &batch, &t->error)
                           : dp2dpi_csv_next(&t->csv, &batch, &t->error);
        if (status == DP2DP_STATUS_OK && batch.rows > 0) {
            dp2dpi_batch_publish(&batch, out);
        }
        dp2dpi_batch_free(&batch);
    }
    return errno_of(status);
}

static const char *get_last_error(struct ArrowArrayStream *stream) {
    const table *t = stream->private_data;
    return t->error.message[0] ? t->error.message : NULL;
}

static void release(struct ArrowArrayStream *stream) {
    table_free(stream->private_data);
    stream->private_data = NULL;
    stream->release = NULL;
}

dp2dp_status dp2dpi_table_open(const char *path, const dp2dp_table_options *options, size_t block,
                               struct ArrowArrayStream *out, dp2dp_error *error) {
    void *memory = NULL;
    memset(out, 0, sizeof *out);
    dp2dp_status status = check_options(path, options, error);
    if (status == DP2DP_STATUS_OK) {
        status = dp2dpi_alloc_for("a table", 1, sizeof(table), &memory, error);
    }
    if (status != DP2DP_STATUS_OK) {
        return status;
    }
    table *t = memory;
    t->options = *options;
    if ((status = copy_columns(t, error)) != DP2DP_STATUS_OK ||
        (status = read_start(t, path, block, error)) != DP2DP_STATUS_OK) {
        table_free(t);
        return status;
    }
    *out = (struct ArrowArrayStream) {.get_schema = get_schema,
                                      .get_next = get_next,
                                      .get_last_error = get_last_error,
                                      .release = release,
                                      .private_data = t};
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dp_table_open(const char *path, const dp2dp_table_options *options,
                              struct ArrowArrayStream *out, dp2dp_error *error) {
    return dp2dpi_table_open(path, options, DP2DPI_INPUT_BLOCK, out, error);
}
