#include "io/csv.h"

#include <string.h>

#include "io/csv_scan.h"
#include "io/decimal.h"
#include "io/utf8.h"

static const char not_a_number[] = "not a number";

static dp2dpi_csv_step judge(dp2dpi_csv *csv, size_t index, dp2dpi_decimal outcome) {
    if (outcome == DP2DPI_DECIMAL_MEMORY) {
        csv->status = dp2dpi_fail(csv->error, DP2DP_STATUS_MEMORY, "out of memory for a locale");
        return DP2DPI_CSV_FAILED;
    }
    if (outcome == DP2DPI_DECIMAL_RANGE) {
        return dp2dpi_csv_refuse(csv, index, "a number beyond the range of float64");
    }
    return DP2DPI_CSV_DONE;
}

static int is_blank(char c) {
    return c == ' ' || c == '\t';
}

/* In quotes, before CRLF, with blanks around it, or none at all. */
static dp2dpi_csv_step take_unusual_number(dp2dpi_csv *csv, const char **p, size_t index,
                                           double *out, uint64_t *newlines) {
    dp2dpi_csv_field field;
    const char *stop;
    dp2dpi_csv_step step = dp2dpi_csv_scan(csv, *p, index, &field);
    if (step != DP2DPI_CSV_DONE) {
        return step;
    }
    const char *start = field.text, *end = field.text + field.length;
    while (start < end && is_blank(*start)) {
        start++;
    }
    while (start < end && is_blank(end[-1])) {
        end--;
    }
    if (start == end) {
        return dp2dpi_csv_refuse(csv, index, "empty where a number is wanted");
    }
    dp2dpi_decimal outcome = dp2dpi_decimal_read(start, &stop, out);
    if (outcome == DP2DPI_DECIMAL_NONE || stop != end) {
        return dp2dpi_csv_refuse(csv, index, not_a_number);
    }
    *p = field.next;
    *newlines += field.newlines;
    return judge(csv, index, outcome);
}

/* Most numbers are followed by a separator or line end at once: then they are read and delimited in
 * one pass. */
static dp2dpi_csv_step take_number(dp2dpi_csv *csv, const char **p, size_t index, double *out,
                                   uint64_t *newlines) {
    const char *stop;
    dp2dpi_decimal outcome = dp2dpi_decimal_read(*p, &stop, out);
    if (outcome == DP2DPI_DECIMAL_READ && (*stop == csv->separator || *stop == '\n')) {
        *p = stop;
        return DP2DPI_CSV_DONE;
    }
    return take_unusual_number(csv, p, index, out, newlines);
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
        return dp2dpi_csv_refuse(csv, index, "text that is not UTF-8");
    }
    csv->status = dp2dpi_batch_reserve(batch, column, field.length, &out, csv->error);
    if (csv->status != DP2DP_STATUS_OK) {
        return DP2DPI_CSV_FAILED;
    }
    dp2dpi_batch_set_text(batch, column, dp2dpi_csv_copy(&field, out));
    *p = field.next;
    *newlines += field.newlines;
    return DP2DPI_CSV_DONE;
}

static dp2dpi_csv_step take_field(dp2dpi_csv *csv, const char **p, size_t index,
                                  dp2dpi_batch *batch, uint64_t *newlines) {
    size_t column = csv->slots[index];
    if (column == SIZE_MAX) {
        dp2dpi_csv_field field;
        dp2dpi_csv_step step = dp2dpi_csv_scan(csv, *p, index, &field);
        *p = field.next;
        *newlines += field.newlines;
        return step;
    }
    if (csv->columns[column].type == DP2DP_TABLE_TEXT) {
        return take_text(csv, p, index, batch, newlines);
    }
    double *numbers = dp2dpi_batch_store(batch, column)->numbers;
    return take_number(csv, p, index, &numbers[batch->rows], newlines);
}

/* An empty line is an end of the table that was forgotten, or something missing: what follows
 * decides. It is no row, not even in a table of one column of text, where an empty value is written
 * as two quotes. */
static int is_empty_line(const char *p) {
    return *p == '\n' || (*p == '\r' && p[1] == '\n');
}

static dp2dpi_csv_step take_record(dp2dpi_csv *csv, dp2dpi_batch *batch) {
    const char *p = csv->input->buffer + csv->input->start;
    uint64_t newlines = 0;
    size_t index = 0;
    if (is_empty_line(p)) {
        csv->empty_line = csv->empty_line ? csv->empty_line : csv->line;
    } else {
        for (;; p++, index++) {
            if (index == csv->fields) {
                return dp2dpi_csv_refuse_line(csv, csv->line, "more fields than the first line");
            }
            dp2dpi_csv_step step = take_field(csv, &p, index, batch, &newlines);
            if (step != DP2DPI_CSV_DONE) {
                return step;
            }
            if (*p != csv->separator) {
                break;
            }
        }
        if (index + 1 < csv->fields) {
            return dp2dpi_csv_refuse_line(csv, csv->line, "fewer fields than the first line");
        }
        if (csv->empty_line) {
            return dp2dpi_csv_refuse_line(csv, csv->empty_line, "an empty line among the rows");
        }
        batch->rows++;
    }
    csv->input->start = (size_t)(p + (*p == '\r') + 1 - csv->input->buffer);
    csv->line += newlines + 1;
    return DP2DPI_CSV_DONE;
}

dp2dp_status dp2dpi_csv_next(dp2dpi_csv *csv, dp2dpi_batch *batch, dp2dp_error *error) {
    dp2dpi_input *input = csv->input;
    csv->error = error;
    while (!dp2dpi_batch_is_full(batch)) {
        dp2dpi_csv_step step = DP2DPI_CSV_MORE;
        if (input->start < input->end) {
            step = take_record(csv, batch);
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
