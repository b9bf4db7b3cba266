#include "table/options.h"

#include <string.h>

#include "arrow/names.h"
#include "base/alloc.h"
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
                           "columns: the name of number %zu must be UTF-8 text", i + 1);
    }
    if (column->type != DP2DP_TABLE_NUMBER && column->type != DP2DP_TABLE_TEXT) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "columns: the type of number %zu is %d: no such type", i + 1,
                           (int)column->type);
    }
    return DP2DP_STATUS_OK;
}

static dp2dp_status check_columns(const dp2dp_table_options *o, dp2dp_error *error) {
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

static dp2dp_status check_missing(const dp2dp_table_options *o, dp2dp_error *error) {
    if (o->missing_count > MISSING_MAX || (o->missing_count > 0 && o->missing == NULL)) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "missing_count = %zu: there may be %d, and missing must have them",
                           o->missing_count, MISSING_MAX);
    }
    for (size_t i = 0; i < o->missing_count; i++) {
        if (!is_text(o->missing[i])) {
            return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                               "missing: number %zu must be UTF-8 text", i + 1);
        }
    }
    return DP2DP_STATUS_OK;
}

static dp2dp_status check_file(const dp2dp_table_options *o, dp2dp_error *error) {
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
    if (o->skip_lines > SKIP_LINES_MAX) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "skip_lines = %zu: it must be at most %d",
                           o->skip_lines, SKIP_LINES_MAX);
    }
    if (o->chunk_rows < 1 || o->chunk_rows > CHUNK_ROWS_MAX) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "chunk_rows = %zu: it must be from 1 to %d", o->chunk_rows,
                           CHUNK_ROWS_MAX);
    }
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dpi_table_options_check(const char *path, const dp2dp_table_options *options,
                                        dp2dp_error *error) {
    if (path == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "path must not be NULL");
    }
    if (options == NULL || options->struct_size != sizeof *options) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "table options: start from DP2DP_TABLE_OPTIONS_INIT");
    }
    if (options->columns == NULL || options->column_count == 0) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "columns: at least 1 must be asked for");
    }
    dp2dp_status status = check_file(options, error);
    if (status == DP2DP_STATUS_OK) {
        status = check_missing(options, error);
    }
    return status == DP2DP_STATUS_OK ? check_columns(options, error) : status;
}

static dp2dp_status copy_columns(const dp2dp_table_options *options, dp2dp_table_options *out,
                                 dp2dp_error *error) {
    void *memory = NULL;
    dp2dp_status status = dp2dpi_alloc_for("column names", options->column_count,
                                           sizeof(dp2dp_table_column), &memory, error);
    dp2dp_table_column *columns = memory;
    out->columns = columns;
    for (size_t i = 0; i < options->column_count && status == DP2DP_STATUS_OK; i++) {
        char *name = NULL;
        status = dp2dpi_strdup(options->columns[i].name, &name, error);
        columns[i] = (dp2dp_table_column) {name, options->columns[i].type};
    }
    return status;
}

static void trim(char *text) {
    size_t start = strspn(text, " \t"), length = strlen(text + start);
    while (length > 0 && (text[start + length - 1] == ' ' || text[start + length - 1] == '\t')) {
        length--;
    }
    memmove(text, text + start, length);
    text[length] = '\0';
}

/* Blanks around a marker count no more than those around a field. */
static dp2dp_status copy_missing(const dp2dp_table_options *options, dp2dp_table_options *out,
                                 dp2dp_error *error) {
    void *memory = NULL;
    dp2dp_status status =
        dp2dpi_alloc_for("missing markers", options->missing_count, sizeof(char *), &memory, error);
    char **texts = memory;
    out->missing = memory;
    for (size_t i = 0; i < options->missing_count && status == DP2DP_STATUS_OK; i++) {
        status = dp2dpi_strdup(options->missing[i], &texts[i], error);
        if (status == DP2DP_STATUS_OK) {
            trim(texts[i]);
        }
    }
    return status;
}

dp2dp_status dp2dpi_table_options_copy(const dp2dp_table_options *options, dp2dp_table_options *out,
                                       dp2dp_error *error) {
    *out = *options;
    out->missing = NULL;
    dp2dp_status status = copy_columns(options, out, error);
    return status == DP2DP_STATUS_OK ? copy_missing(options, out, error) : status;
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
