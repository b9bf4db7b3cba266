#include <math.h>
#include <string.h>

#include "arrow/column_names.h"
#include "base/utf8.h"
#include "table/decimal.h"
#include "table/duckdb.h"
#include "table/options.h"

enum {
    NUMBER_TEXT_MAX = 1024, /* longest number stored as text, in bytes */
    TEXT_MAX = 1 << 26      /* longest text, in bytes */
};

static const char not_whole[] = "a number that is not whole cannot be read as text";

typedef struct span {
    const char *text;
    size_t length;
} span;

typedef struct cell {
    const dp2dpi_duckdb *duckdb;
    dp2dpi_batch *batch;
    size_t column;
    dp2dp_error *error;
} cell;

static void put_nothing(const cell *c) {
    if (c->duckdb->options->columns[c->column].type == DP2DP_TABLE_TEXT) {
        dp2dpi_batch_set_text(c->batch, c->column, 0);
    } else {
        dp2dpi_batch_put_number(c->batch, c->column, (double)NAN);
    }
}

/* Handles a value that cannot be read. If the option bad_rows is IGNORE, marks the row as bad;
 * otherwise fails and refuses the table. */
static dp2dp_status report(const cell *c, dp2dp_reason reason, const char *what) {
    if (c->batch->sound) {
        dp2dpi_batch_set_bad(c->batch);
        put_nothing(c);
        return DP2DP_STATUS_OK;
    }
    const dp2dpi_place place = {.reason = reason,
                                .row = c->duckdb->row + 1,
                                .column = c->duckdb->options->columns[c->column].name};
    return dp2dpi_fail_cell(c->error, &place, what, c->duckdb->name);
}

static dp2dp_status put_text(const cell *c, span value) {
    if (value.length > TEXT_MAX) {
        return report(c, DP2DP_REASON_NONE, "a text longer than 64 MiB");
    }
    if (memchr(value.text, '\0', value.length)) {
        return report(c, DP2DP_REASON_NOT_UTF8, "a NUL byte");
    }
    if (!dp2dpi_utf8_valid(value.text, value.length)) {
        return report(c, DP2DP_REASON_NOT_UTF8, "text that is not UTF-8");
    }
    return dp2dpi_batch_put_text(c->batch, c->column, value.text, value.length, c->error);
}

/* Reads a number from text as the CSV reader does. Copies the text, because the decimal reader
 * reads past the end of the text. */
static dp2dp_status put_number_of_text(const cell *c, span value) {
    char copy[NUMBER_TEXT_MAX + DP2DPI_DECIMAL_SPARE];
    double number = 0;
    dp2dp_reason reason = DP2DP_REASON_NOT_A_NUMBER;
    const char *wrong = "not a number";
    dp2dpi_trim(&value.text, &value.length);
    if (value.length <= NUMBER_TEXT_MAX) {
        memcpy(copy, value.text, value.length);
        memset(copy + value.length, 0, DP2DPI_DECIMAL_SPARE);
        wrong = dp2dpi_decimal_read_all(copy, value.length, &number, &reason);
    }
    if (wrong) {
        return reason == DP2DP_REASON_NONE ? dp2dpi_fail(c->error, DP2DP_STATUS_MEMORY, "%s", wrong)
                                           : report(c, reason, wrong);
    }
    dp2dpi_batch_put_number(c->batch, c->column, number);
    return DP2DP_STATUS_OK;
}

static dp2dp_status put_missing(const cell *c) {
    if (c->duckdb->options->missing_count == 0) {
        return report(c, DP2DP_REASON_VALUE_MISSING,
                      "NULL, but missing values are not allowed here");
    }
    dp2dpi_batch_set_null(c->batch, c->column);
    put_nothing(c);
    return DP2DP_STATUS_OK;
}

static dp2dp_status put_double(const cell *c, double number, int is_text) {
    if (is_text) {
        return fabs(number) <= 0x1p53 && trunc(number) == number
                   ? dp2dpi_batch_put_integer(c->batch, c->column, (int64_t)number, c->error)
                   : report(c, DP2DP_REASON_NOT_WHOLE, not_whole);
    }
    dp2dpi_batch_put_number(c->batch, c->column, number);
    return c->duckdb->columns[c->column].kind == 'i' && isinf(number)
               ? report(c, DP2DP_REASON_NUMBER_RANGE, "an integer beyond 2^53")
               : DP2DP_STATUS_OK;
}

/* Removes a fraction of zeros from a decimal: "2.00" becomes "2", ".00" becomes "0". Returns 0 if
 * the decimal is not a whole number. */
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

static dp2dp_status put(const cell *c) {
    const dp2dpi_duckdb *duckdb = c->duckdb;
    const dp2dpi_duckdb_column *from = &duckdb->columns[c->column];
    int is_text = duckdb->options->columns[c->column].type == DP2DP_TABLE_TEXT;
    size_t row = duckdb->chunk_row;
    if (from->valid && !(from->valid[row / 64] >> (row % 64) & 1)) {
        return put_missing(c);
    }
    if (!from->form->is_varchar) {
        return put_double(c, ((const double *)from->values)[row], is_text);
    }
    const dp2dpi_duckdb_text *text = (const dp2dpi_duckdb_text *)from->values + row;
    span value = {dp2dpi_duckdb_bytes(text), text->length};
    if (is_text && from->kind == 'd' && !cut_fraction(&value)) {
        return report(c, DP2DP_REASON_NOT_WHOLE, not_whole);
    }
    if (dp2dpi_table_is_missing(duckdb->options, value.text, value.length)) {
        return put_missing(c);
    }
    return is_text ? put_text(c, value) : put_number_of_text(c, value);
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
            DP2DPI_TRY(put(&(cell) {duckdb, batch, i, error}));
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
                      duckdb->columns[i].kind == 's');
    }
    return all;
}
