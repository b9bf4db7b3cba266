#include "table/options.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/options.h"
#include "base/utf8.h"

enum {
    CHUNK_ROWS_MAX = 1 << 24,
    SKIP_LINES_MAX = 1 << 20,
    MISSING_MAX = 1 << 10
};

static int is_separator(char c) {
    return c > 0 && c < 0x7F && c != '"' && c != '\n' && c != '\r' && c != '+' && c != '-' &&
           c != '.' && !(c >= '0' && c <= '9') && !((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

static int is_text(const char *text) {
    return text && dp2dpi_utf8_valid(text, strlen(text));
}

static dp2dp_status check_column(const dp2dp_table_column *column, size_t i, dp2dp_error *error) {
    if (!is_text(column->name)) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "columns: the name of column %zu must be UTF-8 text", i + 1);
    }
    if (column->type != DP2DP_TABLE_NUMBER && column->type != DP2DP_TABLE_TEXT) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "columns: the type of column %zu is unknown: %d", i + 1,
                           (int)column->type);
    }
    return DP2DP_STATUS_OK;
}

static dp2dp_status check_columns(const dp2dp_table_options *o, dp2dp_error *error) {
    dp2dpi_name *names = NULL;
    dp2dp_status status = DP2DP_STATUS_OK;
    for (size_t i = 0; i < o->column_count; i++) {
        DP2DPI_TRY(check_column(&o->columns[i], i, error));
    }
    DP2DPI_TRY(DP2DPI_ALLOC(names, o->column_count, "column names", error));
    for (size_t i = 0; i < o->column_count; i++) {
        names[i] = (dp2dpi_name) {o->columns[i].name, strlen(o->columns[i].name), i};
    }
    dp2dpi_names_sort(names, o->column_count);
    const dp2dpi_name *twice = dp2dpi_names_twice(names, o->column_count);
    if (twice) {
        char shown[DP2DPI_SHOWN_SIZE];
        status = dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "columns: \"%s\" is asked for twice",
                             dp2dpi_utf8_show(twice->text, twice->length, shown));
    }
    dp2dpi_free(names);
    return status;
}

static dp2dp_status check_missing(const dp2dp_table_options *o, dp2dp_error *error) {
    if (o->missing_count > MISSING_MAX || (o->missing_count > 0 && o->missing == NULL)) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "missing_count = %zu: must be at most %d, and 0 if missing is NULL",
                           o->missing_count, MISSING_MAX);
    }
    for (size_t i = 0; i < o->missing_count; i++) {
        if (!is_text(o->missing[i])) {
            return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                               "missing: marker %zu must be UTF-8 text", i + 1);
        }
    }
    return DP2DP_STATUS_OK;
}

static dp2dp_status check_file(const dp2dp_table_options *o, dp2dp_error *error) {
    if (!is_separator(o->separator)) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "separator = byte %d: must be an ASCII character other than a letter, "
                           "digit, quote, plus, minus, dot or line end",
                           (unsigned char)o->separator);
    }
    if (o->header != DP2DP_TABLE_HEADER_FIRST_LINE && o->header != DP2DP_TABLE_HEADER_NONE) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "header = %d: unknown value",
                           (int)o->header);
    }
    if (o->bad_rows != DP2DP_BAD_ROWS_REFUSE && o->bad_rows != DP2DP_BAD_ROWS_IGNORE) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "bad_rows = %d: unknown value",
                           (int)o->bad_rows);
    }
    if (o->skip_lines > SKIP_LINES_MAX) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "skip_lines = %zu: must be at most %d",
                           o->skip_lines, SKIP_LINES_MAX);
    }
    if (o->chunk_rows < 1 || o->chunk_rows > CHUNK_ROWS_MAX) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "chunk_rows = %zu: must be from 1 to %d",
                           o->chunk_rows, CHUNK_ROWS_MAX);
    }
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dpi_table_options_read(const char *path, const dp2dp_table_options *given,
                                       dp2dp_table_options *options, dp2dp_error *error) {
    if (path == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "path must not be NULL");
    }
    DP2DPI_TRY(dp2dpi_struct_read(DP2DP_STRUCT_TABLE_OPTIONS, given, options, error));
    if ((options->columns == NULL) != (options->column_count == 0)) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "columns: must name at least one column, or be NULL for all columns");
    }
    DP2DPI_TRY(check_file(options, error));
    DP2DPI_TRY(check_missing(options, error));
    return check_columns(options, error);
}

static dp2dp_status copy_columns(const dp2dp_table_options *options, dp2dp_table_options *out,
                                 dp2dp_error *error) {
    dp2dp_table_column *columns = NULL;
    out->columns = NULL;
    DP2DPI_TRY(DP2DPI_ALLOC(columns, options->column_count, "column names", error));
    out->columns = columns;
    for (size_t i = 0; i < options->column_count; i++) {
        char *name = NULL;
        DP2DPI_TRY(dp2dpi_strdup(options->columns[i].name, &name, error));
        columns[i] = (dp2dp_table_column) {name, options->columns[i].type};
    }
    return DP2DP_STATUS_OK;
}

/* Copies the markers of missing values without the blanks around them, because fields are compared
 * without blanks. */
static dp2dp_status copy_missing(const dp2dp_table_options *options, dp2dp_table_options *out,
                                 dp2dp_error *error) {
    char **texts = NULL;
    DP2DPI_TRY(DP2DPI_ALLOC(texts, options->missing_count, "missing markers", error));
    out->missing = (const char *const *)texts;
    for (size_t i = 0; i < options->missing_count; i++) {
        const char *marker = options->missing[i];
        size_t length = strlen(marker);
        dp2dpi_trim(&marker, &length);
        DP2DPI_TRY(DP2DPI_ALLOC(texts[i], length + 1, "missing markers", error));
        memcpy(texts[i], marker, length);
    }
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dpi_table_options_copy(const dp2dp_table_options *options, dp2dp_table_options *out,
                                       dp2dp_error *error) {
    *out = *options;
    out->missing = NULL;
    DP2DPI_TRY(copy_columns(options, out, error));
    return copy_missing(options, out, error);
}

dp2dp_status dp2dpi_table_options_take_all(dp2dp_table_options *options, const dp2dpi_name *names,
                                           size_t count, dp2dp_error *error) {
    dp2dp_table_column *columns = NULL;
    if (options->column_count > 0) {
        return DP2DP_STATUS_OK;
    }
    DP2DPI_TRY(DP2DPI_ALLOC(columns, count, "column names", error));
    dp2dpi_free((dp2dp_table_column *)options->columns);
    options->columns = columns;
    options->column_count = count;
    for (size_t i = 0; i < count; i++) {
        char number[24], *name = NULL;
        size_t digits = (size_t)snprintf(number, sizeof number, "%zu", i);
        size_t length = names ? names[i].length : digits;
        DP2DPI_TRY(DP2DPI_ALLOC(name, length + 1, "column names", error));
        memcpy(name, names ? names[i].text : number, length);
        columns[i] = (dp2dp_table_column) {name, DP2DP_TABLE_TEXT};
        if (!is_text(name)) {
            return dp2dpi_fail(error, DP2DP_STATUS_DATA, "the name of column %zu is not UTF-8 text",
                               i + 1);
        }
    }
    return DP2DP_STATUS_OK;
}

void dp2dpi_table_options_free(dp2dp_table_options *options) {
    for (size_t i = 0; options->columns && i < options->column_count; i++) {
        dp2dpi_free((char *)options->columns[i].name);
    }
    for (size_t i = 0; options->missing && i < options->missing_count; i++) {
        dp2dpi_free((char *)options->missing[i]);
    }
    dp2dpi_free((dp2dp_table_column *)options->columns);
    dp2dpi_free((char **)options->missing);
}
