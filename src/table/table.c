#include "table/table.h"

#include <string.h>

#include "arrow/stream_make.h"
#include "base/alloc.h"
#include "table/csv.h"
#include "table/duckdb.h"
#include "table/foreign.h"
#include "table/npy.h"
#include "table/npz.h"
#include "table/options.h"

typedef struct table {
    dp2dp_table_options options;
    dp2dpi_layout layout;
    dp2dpi_input input;
    int is_open; /* 1: input must be closed */
    int is_over;
    int is_npy;
    int is_sql;
    dp2dpi_csv csv;
    dp2dpi_npy npy;
    dp2dpi_duckdb duckdb;
} table;

static void table_free(void *context) {
    table *t = context;
    dp2dpi_table_options_free(&t->options);
    dp2dpi_csv_free(&t->csv);
    dp2dpi_npy_free(&t->npy);
    dp2dpi_duckdb_free(&t->duckdb);
    if (t->is_open) {
        dp2dpi_input_close(&t->input);
    }
    dp2dpi_free(t);
}

/* Opens the file that a path names. *member is the name of the array in the file; NULL if the path
 * names no array. */
static dp2dp_status open_file(table *t, const char *path, const char **member, size_t block,
                              dp2dp_error *error) {
    size_t length;
    char *file = NULL;
    DP2DPI_TRY(dp2dpi_strdup(path, &file, error));
    *member = dp2dpi_npz_member_of(path, &length);
    file[length] = '\0';
    dp2dp_status status = dp2dpi_input_open(&t->input, file, path, block, error);
    dp2dpi_free(file);
    t->is_open = status == DP2DP_STATUS_OK;
    t->input.raw.stop = t->options.cancel;
    t->input.raw.stop_context = t->options.cancel_context;
    return status;
}

/* Prepares the input: decompresses a compressed file and enters a member of an archive. Then finds
 * the format of the plain bytes. */
static dp2dp_status unwrap(table *t, const char *member, dp2dp_error *error) {
    dp2dpi_input *input = &t->input;
    DP2DPI_TRY(dp2dpi_input_peek(input, DP2DPI_FOREIGN_START, error));
    DP2DPI_TRY(dp2dpi_foreign_refuse(input->buffer, input->end, input->name, error));
    dp2dpi_inflate_kind kind = dp2dpi_inflate_kind_of(input->buffer, input->end);
    int is_archive = dp2dpi_npz_is(input->buffer, input->end);
    if (member && !is_archive) {
        return dp2dpi_fail(
            error, DP2DP_STATUS_DATA,
            "\"::\" names an array in an NPZ archive, but the file is not an NPZ archive: %s",
            input->name);
    }
    if (is_archive) {
        DP2DPI_TRY(dp2dpi_npz_enter(input, member, error));
    } else if (kind != DP2DPI_INFLATE_NONE) {
        DP2DPI_TRY(dp2dpi_input_inflate(input, kind, error));
    }
    DP2DPI_TRY(dp2dpi_input_peek(input, DP2DPI_NPY_MAGIC_SIZE, error));
    t->is_npy = dp2dpi_npy_is(input->buffer, input->end);
    if (is_archive && !t->is_npy) {
        return dp2dpi_fail_at(
            error, DP2DP_STATUS_DATA, &(dp2dpi_place) {.reason = DP2DP_REASON_NOT_A_TABLE},
            "the archive holds something other than an NPY array: %s", input->name);
    }
    return DP2DP_STATUS_OK;
}

static void set_layout(table *t, int is_float32) {
    t->layout = (dp2dpi_layout) {.columns = t->options.columns,
                                 .count = t->options.column_count,
                                 .is_float32 = is_float32,
                                 .has_nulls = t->options.missing_count > 0,
                                 .has_bad = t->options.bad_rows == DP2DP_BAD_ROWS_IGNORE};
}

static dp2dp_status read_start(table *t, const char *path, size_t block, dp2dp_error *error) {
    const char *member = NULL;
    DP2DPI_TRY(open_file(t, path, &member, block, error));
    DP2DPI_TRY(unwrap(t, member, error));
    if (t->is_npy) {
        DP2DPI_TRY(dp2dpi_npy_open(&t->npy, &t->input, &t->options, error));
    } else {
        DP2DPI_TRY(dp2dpi_csv_open(&t->csv, &t->input, &t->options, error));
    }
    set_layout(t, t->is_npy && dp2dpi_npy_is_float32(&t->npy));
    return t->is_npy && t->npy.is_by_column ? DP2DP_STATUS_OK
                                            : dp2dpi_input_read_ahead(&t->input, error);
}

static dp2dp_status run_query(table *t, const char *operand, dp2dp_error *error) {
    t->is_sql = 1;
    DP2DPI_TRY(dp2dpi_duckdb_open(&t->duckdb, operand, &t->options, error));
    set_layout(t, dp2dpi_duckdb_is_float32(&t->duckdb));
    return DP2DP_STATUS_OK;
}

static dp2dp_status describe(void *context, struct ArrowSchema *out, dp2dp_error *error) {
    const table *t = context;
    return dp2dpi_batch_schema(&t->layout, out, error);
}

/* Reads the next rows. At the end of the file, or if the file seems malformed, checks that the file
 * has not changed since it was opened. */
static dp2dp_status read_rows(table *t, dp2dpi_batch *batch, dp2dp_error *error) {
    if (t->is_sql) {
        return dp2dpi_duckdb_next(&t->duckdb, batch, error);
    }
    dp2dp_status status = t->is_npy ? dp2dpi_npy_next(&t->npy, batch, error)
                                    : dp2dpi_csv_next(&t->csv, &t->layout, batch, error);
    int is_over = t->is_npy ? t->npy.row == t->npy.rows : dp2dpi_csv_is_over(&t->csv);
    if (status == DP2DP_STATUS_DATA || (status == DP2DP_STATUS_OK && is_over)) {
        DP2DPI_TRY(dp2dpi_raw_check_unchanged(&t->input.raw, error));
    }
    return status;
}

static dp2dp_status next(void *context, struct ArrowArray *out, dp2dp_error *error) {
    table *t = context;
    dp2dpi_batch batch;
    if (t->is_over) {
        return DP2DP_STATUS_OK;
    }
    if (t->options.cancel && t->options.cancel(t->options.cancel_context)) {
        return dp2dpi_fail(error, DP2DP_STATUS_CANCELLED, "cancelled while reading a table");
    }
    DP2DPI_TRY(dp2dpi_batch_new(&t->layout, t->options.chunk_rows, &batch, error));
    dp2dp_status status = read_rows(t, &batch, error);
    t->is_over = status == DP2DP_STATUS_OK && batch.rows == 0;
    if (status == DP2DP_STATUS_OK && batch.rows > 0) {
        if (t->options.rows_read) {
            *t->options.rows_read += batch.rows;
        }
        dp2dpi_batch_publish(&batch, out);
    }
    dp2dpi_batch_free(&batch);
    return status;
}

static const dp2dpi_stream_kind of_table = {describe, next, table_free};

static dp2dp_status open_table(table *t, const char *path, const dp2dp_table_options *options,
                               size_t block, dp2dp_error *error) {
    DP2DPI_TRY(dp2dpi_table_options_copy(options, &t->options, error));
    return dp2dpi_duckdb_is(path) ? run_query(t, path, error) : read_start(t, path, block, error);
}

dp2dp_status dp2dpi_table_open(const char *path, const dp2dp_table_options *given, size_t block,
                               struct ArrowArrayStream *out, dp2dp_error *error) {
    dp2dp_table_options options;
    table *t = NULL;
    memset(out, 0, sizeof *out);
    DP2DPI_TRY(dp2dpi_table_options_read(path, given, &options, error));
    DP2DPI_TRY(DP2DPI_ALLOC(t, 1, "a table", error));
    dp2dp_status status = open_table(t, path, &options, block, error);
    if (status != DP2DP_STATUS_OK) {
        table_free(t);
        return status;
    }
    return dp2dpi_stream_make(&of_table, t, out, error);
}

dp2dp_status dp2dp_table_open(const char *path, const dp2dp_table_options *options,
                              struct ArrowArrayStream *out, dp2dp_error *error) {
    return dp2dpi_table_open(path, options, DP2DPI_INPUT_BLOCK, out, error);
}
