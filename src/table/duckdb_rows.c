#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "arrow/column_names.h"
#include "base/utf8.h"
#include "table/decimal.h"
#include "table/duckdb.h"
#include "table/options.h"

enum {
    NUMBER_TEXT_MAX = 1024, /* bytes of a number that is written as text */
    TEXT_MAX = 1 << 26      /* bytes of one text */
};

static const char not_whole[] = "not a whole number where text is expected";

typedef struct span {
    const char *text;
    size_t length;
} span;

static dp2dp_status refuse(const dp2dpi_duckdb *duckdb, size_t column, dp2dp_reason reason,
                           const char *what, dp2dp_error *error) {
    const dp2dpi_place place = {
        .reason = reason, .row = duckdb->row + 1, .column = duckdb->options->columns[column].name};
    return dp2dpi_fail_cell(error, &place, what, duckdb->name);
}

/* Reads text as CSV does. The text is copied because the decimal reader reads past its end. */
static dp2dp_status read_number(const dp2dpi_duckdb *duckdb, size_t column, span value, double *out,
                                dp2dp_error *error) {
    char copy[NUMBER_TEXT_MAX + DP2DPI_DECIMAL_SPARE];
    dp2dp_reason reason = DP2DP_REASON_NOT_A_NUMBER;
    const char *wrong = "not a number";
    dp2dpi_trim(&value.text, &value.length);
    if (value.length <= NUMBER_TEXT_MAX) {
        memcpy(copy, value.text, value.length);
        memset(copy + value.length, 0, DP2DPI_DECIMAL_SPARE);
        wrong = dp2dpi_decimal_read_all(copy, value.length, out, &reason);
    }
    if (wrong && reason == DP2DP_REASON_NONE) {
        return dp2dpi_fail(error, DP2DP_STATUS_MEMORY, "%s", wrong);
    }
    return wrong ? refuse(duckdb, column, reason, wrong, error) : DP2DP_STATUS_OK;
}

static dp2dp_status put_text(const dp2dpi_duckdb *duckdb, dp2dpi_batch *batch, size_t column,
                             span value, dp2dp_error *error) {
    if (value.length > TEXT_MAX) {
        return refuse(duckdb, column, DP2DP_REASON_NONE, "a text longer than 64 MiB", error);
    }
    if (memchr(value.text, '\0', value.length)) {
        return refuse(duckdb, column, DP2DP_REASON_NOT_UTF8, "a NUL byte", error);
    }
    if (!dp2dpi_utf8_valid(value.text, value.length)) {
        return refuse(duckdb, column, DP2DP_REASON_NOT_UTF8, "text that is not UTF-8", error);
    }
    return dp2dpi_batch_put_text(batch, column, value.text, value.length, error);
}

static dp2dp_status put_whole(const dp2dpi_duckdb *duckdb, dp2dpi_batch *batch, size_t column,
                              double number, dp2dp_error *error) {
    char text[24];
    if (!(fabs(number) <= 0x1p53) || trunc(number) != number) {
        return refuse(duckdb, column, DP2DP_REASON_NOT_WHOLE, not_whole, error);
    }
    int length = snprintf(text, sizeof text, "%" PRId64, (int64_t)number);
    return put_text(duckdb, batch, column, (span) {text, (size_t)length}, error);
}

static dp2dp_status put_number(const dp2dpi_duckdb *duckdb, dp2dpi_batch *batch, size_t column,
                               double number, dp2dp_error *error) {
    dp2dpi_batch_put_number(batch, column, number);
    return duckdb->columns[column].form->kind == 'i' && isinf(number)
               ? refuse(duckdb, column, DP2DP_REASON_NUMBER_RANGE, "an integer beyond 2^53", error)
               : DP2DP_STATUS_OK;
}

static dp2dp_status put_missing(const dp2dpi_duckdb *duckdb, dp2dpi_batch *batch, size_t column,
                                dp2dp_error *error) {
    if (duckdb->options->missing_count == 0) {
        return refuse(duckdb, column, DP2DP_REASON_VALUE_MISSING,
                      "NULL where no value may be missing", error);
    }
    dp2dpi_batch_set_null(batch, column);
    if (duckdb->options->columns[column].type == DP2DP_TABLE_TEXT) {
        dp2dpi_batch_set_text(batch, column, 0);
        return DP2DP_STATUS_OK;
    }
    return put_number(duckdb, batch, column, (double)NAN, error);
}

/* The digits of a decimal that is a whole number: "2" for "2.00", "0" for ".00". 0 if it is not
 * whole. */
static int cut_fraction(span *decimal) {
    const char *point = memchr(decimal->text, '.', decimal->length);
    if (point == NULL) {
        return 1;
    }
    for (const char *p = point + 1; p < decimal->text + decimal->length; p++) {
        if (*p != '0') {
            return 0;
        }
    }
    decimal->length = (size_t)(point - decimal->text);
    *decimal = decimal->length > 0 ? *decimal : (span) {"0", 1};
    return 1;
}

/* Puts a value into row batch->rows of a column. */
static dp2dp_status put(const dp2dpi_duckdb *duckdb, dp2dpi_batch *batch, size_t column,
                        dp2dp_error *error) {
    const dp2dpi_duckdb_column *from = &duckdb->columns[column];
    int is_text = duckdb->options->columns[column].type == DP2DP_TABLE_TEXT;
    size_t i = duckdb->chunk_row;
    if (from->valid && !(from->valid[i / 64] >> (i % 64) & 1)) {
        return put_missing(duckdb, batch, column, error);
    }
    if (!from->form->is_varchar) {
        double number = ((const double *)from->values)[i];
        return is_text ? put_whole(duckdb, batch, column, number, error)
                       : put_number(duckdb, batch, column, number, error);
    }
    const dp2dpi_duckdb_text *cell = (const dp2dpi_duckdb_text *)from->values + i;
    span value = {dp2dpi_duckdb_bytes(cell), cell->length};
    if (is_text && from->form->kind == 'd' && !cut_fraction(&value)) {
        return refuse(duckdb, column, DP2DP_REASON_NOT_WHOLE, not_whole, error);
    }
    if (dp2dpi_table_is_missing(duckdb->options, value.text, value.length)) {
        return put_missing(duckdb, batch, column, error);
    }
    if (is_text) {
        return put_text(duckdb, batch, column, value, error);
    }
    double number = 0;
    DP2DPI_TRY(read_number(duckdb, column, value, &number, error));
    return put_number(duckdb, batch, column, number, error);
}

static dp2dp_status next_chunk(dp2dpi_duckdb *duckdb, dp2dp_error *error) {
    const dp2dpi_duckdb_api *api = &duckdb->api;
    DP2DPI_TRY(dp2dpi_duckdb_fetch(duckdb, error));
    for (size_t i = 0; i < duckdb->options->column_count && duckdb->chunk_rows > 0; i++) {
        void *vector = api->data_chunk_get_vector(duckdb->chunk, i);
        duckdb->columns[i].values = api->vector_get_data(vector);
        duckdb->columns[i].valid = api->vector_get_validity(vector);
    }
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dpi_duckdb_next(dp2dpi_duckdb *duckdb, dp2dpi_batch *batch, dp2dp_error *error) {
    while (!dp2dpi_batch_is_full(batch)) {
        if (duckdb->chunk_row == duckdb->chunk_rows) {
            DP2DPI_TRY(next_chunk(duckdb, error));
            if (duckdb->chunk_rows == 0) {
                break;
            }
        }
        for (size_t i = 0; i < duckdb->options->column_count; i++) {
            DP2DPI_TRY(put(duckdb, batch, i, error));
        }
        duckdb->chunk_row++;
        duckdb->row++;
        batch->rows++;
    }
    return DP2DP_STATUS_OK;
}

int dp2dpi_duckdb_is_float32(const dp2dpi_duckdb *duckdb) {
    int all = 1;
    for (size_t i = 0; i < duckdb->options->column_count; i++) {
        all = all && (duckdb->options->columns[i].type == DP2DP_TABLE_TEXT ||
                      duckdb->columns[i].form->kind == 's');
    }
    return all;
}
