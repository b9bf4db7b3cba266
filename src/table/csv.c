#include "table/csv.h"

#include <math.h>
#include <string.h>

#include "base/utf8.h"
#include "table/csv_block.h"
#include "table/csv_halves.h"
#include "table/csv_scan.h"
#include "table/decimal.h"
#include "table/decimal_short.h"
#include "table/options.h"

static dp2dpi_csv_step judge(dp2dpi_csv *csv, size_t index, dp2dpi_decimal outcome) {
    if (outcome == DP2DPI_DECIMAL_MEMORY) {
        csv->status = dp2dpi_fail(csv->error, DP2DP_STATUS_MEMORY, "out of memory for a locale");
        return DP2DPI_CSV_FAILED;
    }
    if (outcome == DP2DPI_DECIMAL_RANGE) {
        return dp2dpi_csv_refuse(csv, index, DP2DP_REASON_NUMBER_RANGE,
                                 "a number beyond the range of float64");
    }
    return DP2DPI_CSV_DONE;
}

static int is_missing(const dp2dpi_csv *csv, const char *text, size_t length) {
    dp2dpi_trim(&text, &length);
    return dp2dpi_table_is_missing(csv->missing, csv->missing_count, text, length);
}

/* The number of a field that was scanned. */
static dp2dpi_csv_step convert(dp2dpi_csv *csv, const dp2dpi_csv_field *field, size_t index,
                               double *out) {
    const char *start = field->text, *stop;
    size_t length = field->length;
    dp2dpi_trim(&start, &length);
    if (length == 0) {
        return dp2dpi_csv_refuse(csv, index, DP2DP_REASON_VALUE_MISSING,
                                 "empty where a number is expected");
    }
    dp2dpi_decimal outcome = dp2dpi_decimal_read(start, &stop, out);
    if (outcome == DP2DPI_DECIMAL_NONE || stop != start + length) {
        return dp2dpi_csv_refuse(csv, index, DP2DP_REASON_NOT_A_NUMBER, "not a number");
    }
    return judge(csv, index, outcome);
}

/* A number in quotes, before CRLF or with spaces around it; a missing one; or not a number. */
static dp2dpi_csv_step take_number(dp2dpi_csv *csv, const char **p, size_t index,
                                   dp2dpi_batch *batch, uint64_t *newlines) {
    dp2dpi_csv_field field;
    size_t column = csv->slots[index];
    double *out = &dp2dpi_batch_store(batch, column)->numbers[batch->rows];
    dp2dpi_csv_step step = dp2dpi_csv_scan(csv, *p, index, &field);
    if (step != DP2DPI_CSV_DONE) {
        return step;
    }
    if (is_missing(csv, field.text, field.length)) {
        *out = (double)NAN;
        dp2dpi_batch_set_null(batch, column);
    } else {
        step = convert(csv, &field, index, out);
    }
    *p = field.next;
    *newlines += field.newlines;
    return step;
}

static dp2dpi_csv_step take_text(dp2dpi_csv *csv, const char **p, size_t index, dp2dpi_batch *batch,
                                 uint64_t *newlines) {
    dp2dpi_csv_field field;
    char *out;
    size_t column = csv->slots[index];
    dp2dpi_csv_step step = dp2dpi_csv_scan(csv, *p, index, &field);
    if (step != DP2DPI_CSV_DONE) {
        return step;
    }
    if (!dp2dpi_utf8_valid(field.text, field.length)) {
        return dp2dpi_csv_refuse(csv, index, DP2DP_REASON_NOT_UTF8, "text that is not UTF-8");
    }
    csv->status = dp2dpi_batch_reserve(batch, column, field.length, &out, csv->error);
    if (csv->status != DP2DP_STATUS_OK) {
        return DP2DPI_CSV_FAILED;
    }
    size_t length = dp2dpi_csv_copy(&field, out);
    if (is_missing(csv, out, length)) {
        dp2dpi_batch_set_null(batch, column);
        length = 0;
    }
    dp2dpi_batch_set_text(batch, column, length);
    *p = field.next;
    *newlines += field.newlines;
    return DP2DPI_CSV_DONE;
}

__attribute__((noinline)) static dp2dpi_csv_step
take_field(dp2dpi_csv *csv, const char **p, size_t index, dp2dpi_batch *batch, uint64_t *newlines) {
    size_t column = csv->slots[index];
    if (column == SIZE_MAX) {
        dp2dpi_csv_field field;
        dp2dpi_csv_step step = dp2dpi_csv_scan(csv, *p, index, &field);
        *p = field.next;
        *newlines += field.newlines;
        return step;
    }
    return csv->columns[column].type == DP2DP_TABLE_TEXT
               ? take_text(csv, p, index, batch, newlines)
               : take_number(csv, p, index, batch, newlines);
}

/* Reads fields from *index while they are numbers directly followed by a separator or line end, as
 * most are, in one pass. p stops at the first that is not. Returns 1 if the record ended; *p is
 * then at its line end. */
static int take_numbers(const dp2dpi_csv *csv, const char **p, size_t *index, size_t row) {
    const char *at = *p, *stop;
    char separator = csv->separator;
    size_t i = *index, fields = csv->fields;
    int is_over = 0;
    for (; i < fields && csv->targets[i]; i++, at = stop + 1) {
        double value;
        if ((!dp2dpi_decimal_read_short(at, &stop, &value) &&
             dp2dpi_decimal_read(at, &stop, &value) != DP2DPI_DECIMAL_READ) ||
            (*stop != separator && *stop != '\n')) {
            break;
        }
        csv->targets[i][row] = value;
        if (*stop == '\n') {
            at = stop;
            is_over = 1;
            break;
        }
    }
    *p = at;
    *index = i;
    return is_over;
}

/* An empty line may be stray lines at the end or a missing row: what follows decides. It is never a
 * row, even in a table of one text column, where an empty value is written as two quotes. */
static int is_empty_line(const char *p) {
    return *p == '\n' || (*p == '\r' && p[1] == '\n');
}

dp2dpi_csv_step dp2dpi_csv_take_record(dp2dpi_csv *csv, dp2dpi_batch *batch) {
    const char *p = csv->input->buffer + csv->input->start, *start = p;
    uint64_t newlines = 0;
    size_t index = 0, text_bytes = batch->text_bytes;
    if (is_empty_line(p)) {
        csv->empty_line = csv->empty_line ? csv->empty_line : csv->line;
    } else {
        for (; !take_numbers(csv, &p, &index, batch->rows); p++, index++) {
            if (index == csv->fields) {
                return dp2dpi_csv_refuse_line(csv, csv->line, DP2DP_REASON_TOO_MANY_FIELDS,
                                              "more fields than the first line");
            }
            dp2dpi_csv_step step = take_field(csv, &p, index, batch, &newlines);
            if (step != DP2DPI_CSV_DONE) {
                batch->text_bytes = text_bytes; /* it will be read again */
                return step;
            }
            if (*p != csv->separator) {
                break;
            }
        }
        if (index + 1 < csv->fields) {
            return dp2dpi_csv_refuse_line(csv, csv->line, DP2DP_REASON_TOO_FEW_FIELDS,
                                          "fewer fields than the first line");
        }
        if (csv->empty_line) {
            return dp2dpi_csv_refuse_line(csv, csv->empty_line, DP2DP_REASON_EMPTY_LINE,
                                          "an empty line among the rows");
        }
        batch->rows++;
        csv->rows++;
    }
    p += (*p == '\r') + 1;
    csv->bytes += (uint64_t)(p - start);
    csv->input->start += (size_t)(p - start);
    csv->line += newlines + 1;
    return DP2DPI_CSV_DONE;
}

/* A short cut would miss a marker that looks like a number. */
void dp2dpi_csv_find_numbers(dp2dpi_csv *csv, double **targets, const dp2dpi_batch *batch) {
    csv->targets = targets;
    for (size_t i = 0; i < csv->fields; i++) {
        size_t column = csv->slots[i];
        targets[i] = column == SIZE_MAX || csv->is_number_missing
                         ? NULL
                         : dp2dpi_batch_store(batch, column)->numbers;
    }
}

/* Row after row, until the batch is full. */
static dp2dp_status read_in_order(dp2dpi_csv *csv, dp2dpi_batch *batch) {
    dp2dpi_input *input = csv->input;
    dp2dpi_csv_find_numbers(csv, csv->numbers[0], batch);
    while (!dp2dpi_batch_is_full(batch)) {
        dp2dpi_csv_step step = DP2DPI_CSV_MORE;
        if (input->start < input->end) {
            step = dp2dpi_csv_take_block(csv, batch, input->end) > 0
                       ? DP2DPI_CSV_DONE
                       : dp2dpi_csv_take_record(csv, batch);
        } else if (input->at_end) {
            break;
        }
        if (step == DP2DPI_CSV_MORE) {
            step = dp2dpi_csv_more(csv);
        }
        if (step == DP2DPI_CSV_FAILED) {
            return csv->status;
        }
    }
    return DP2DP_STATUS_OK;
}

/* Reading both halves at once needs a full buffer; the remainder is copied. */
static dp2dp_status fill_up(dp2dpi_csv *csv) {
    const dp2dpi_input *input = csv->input;
    if (!input->at_end && input->end - input->start < input->capacity / 8 &&
        dp2dpi_csv_more(csv) == DP2DPI_CSV_FAILED) {
        return csv->status;
    }
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dpi_csv_next(dp2dpi_csv *csv, const dp2dpi_layout *layout, dp2dpi_batch *batch,
                             dp2dp_error *error) {
    csv->error = error;
    csv->layout = layout;
    if (csv->spare.rows > 0) {
        dp2dpi_batch empty = *batch;
        *batch = csv->spare;
        csv->spare = empty;
        return DP2DP_STATUS_OK;
    }
    csv->status = fill_up(csv);
    if (csv->status != DP2DP_STATUS_OK) {
        return csv->status;
    }
    int is_done = dp2dpi_csv_split(csv, batch);
    return is_done || csv->status != DP2DP_STATUS_OK ? csv->status : read_in_order(csv, batch);
}

int dp2dpi_csv_is_over(const dp2dpi_csv *csv) {
    return csv->input->at_end && csv->input->start == csv->input->end && csv->spare.rows == 0;
}
