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

/* Handles a value that cannot be read. If the option bad_rows is IGNORE, marks the row as bad;
 * otherwise fails and refuses the file. */
static dp2dpi_csv_step report(dp2dpi_csv *csv, size_t index, dp2dp_reason reason, const char *what,
                              dp2dpi_batch *batch) {
    if (batch->sound == NULL) {
        return dp2dpi_csv_refuse(csv, index, reason, what);
    }
    dp2dpi_batch_set_bad(batch);
    return DP2DPI_CSV_DONE;
}

static dp2dpi_csv_step put_number(dp2dpi_csv *csv, const dp2dpi_csv_field *field, size_t index,
                                  dp2dpi_batch *batch) {
    double value = (double)NAN;
    dp2dp_reason reason;
    dp2dpi_csv_step step = DP2DPI_CSV_DONE;
    if (dp2dpi_table_is_missing(csv->options, field->text, field->length)) {
        dp2dpi_batch_set_null(batch, csv->slots[index]);
    } else {
        const char *wrong = dp2dpi_decimal_read_all(field->text, field->length, &value, &reason);
        if (wrong && reason == DP2DP_REASON_NONE) {
            csv->status = dp2dpi_fail(csv->error, DP2DP_STATUS_MEMORY, "%s", wrong);
            return DP2DPI_CSV_FAILED;
        }
        if (wrong) {
            step = report(csv, index, reason, wrong, batch);
        }
    }
    dp2dpi_batch_put_number(batch, csv->slots[index], value);
    return step;
}

static dp2dpi_csv_step put_text(dp2dpi_csv *csv, const dp2dpi_csv_field *field, size_t index,
                                dp2dpi_batch *batch) {
    char *out;
    size_t column = csv->slots[index];
    if (!dp2dpi_utf8_valid(field->text, field->length)) {
        dp2dpi_batch_set_text(batch, column, 0);
        return report(csv, index, DP2DP_REASON_NOT_UTF8, "text that is not UTF-8", batch);
    }
    csv->status = dp2dpi_batch_reserve(batch, column, field->length, &out, csv->error);
    if (csv->status != DP2DP_STATUS_OK) {
        return DP2DPI_CSV_FAILED;
    }
    size_t length = dp2dpi_csv_copy(field, out);
    if (dp2dpi_table_is_missing(csv->options, out, length)) {
        dp2dpi_batch_set_null(batch, column);
        length = 0;
    }
    dp2dpi_batch_set_text(batch, column, length);
    return DP2DPI_CSV_DONE;
}

/* Reads one field that take_numbers cannot read: a text, a missing number, or a number in quotes,
 * between blanks or before CRLF. Skips a field that is not stored, and reports a malformed field.
 */
__attribute__((noinline)) static dp2dpi_csv_step
take_field(dp2dpi_csv *csv, const char **p, size_t index, dp2dpi_batch *batch, uint64_t *newlines) {
    size_t column = csv->slots[index];
    dp2dpi_csv_field field;
    dp2dpi_csv_step step = dp2dpi_csv_scan(csv, *p, index, &field);
    if (step == DP2DPI_CSV_DONE && column != SIZE_MAX) {
        step = csv->options->columns[column].type == DP2DP_TABLE_TEXT
                   ? put_text(csv, &field, index, batch)
                   : put_number(csv, &field, index, batch);
    }
    *p = field.next;
    *newlines += field.newlines;
    return step;
}

/* The fast path for most fields. From field *index on, reads numbers and stores them in
 * csv->targets. Stops at the first field that has no target, or that is not a number directly
 * followed by a separator or line feed; *p and *index then point to this field. Returns 1 if the
 * record ended; *p is then at the line feed of the record. */
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

/* Returns 1 if p is at an empty line. An empty line is never a row: even in a table of one text
 * column, an empty value is written as two quotes. The caller allows empty lines only at the end of
 * the file, because an empty line elsewhere may mean that a row was lost. */
static int is_empty_line(const char *p) {
    return *p == '\n' || (*p == '\r' && p[1] == '\n');
}

dp2dpi_csv_step dp2dpi_csv_take_record(dp2dpi_csv *csv, dp2dpi_batch *batch) {
    const char *p = csv->input->buffer + csv->input->start, *start = p;
    dp2dpi_csv_progress *progress = &csv->progress;
    uint64_t newlines = 0;
    size_t index = 0, text_bytes = batch->text_bytes;
    if (is_empty_line(p)) {
        progress->empty_line = progress->empty_line ? progress->empty_line : progress->line;
    } else {
        for (; !take_numbers(csv, &p, &index, batch->rows); p++, index++) {
            if (index == csv->fields) {
                return dp2dpi_csv_refuse_line(csv, progress->line, DP2DP_REASON_TOO_MANY_FIELDS,
                                              "more fields than the first line");
            }
            dp2dpi_csv_step step = take_field(csv, &p, index, batch, &newlines);
            if (step != DP2DPI_CSV_DONE) {
                batch->text_bytes = text_bytes; /* drops the text that this record added, because
                                                   the record may be read again */
                return step;
            }
            if (*p != csv->separator) {
                break;
            }
        }
        if (index + 1 < csv->fields) {
            return dp2dpi_csv_refuse_line(csv, progress->line, DP2DP_REASON_TOO_FEW_FIELDS,
                                          "fewer fields than the first line");
        }
        if (progress->empty_line) {
            return dp2dpi_csv_refuse_line(csv, progress->empty_line, DP2DP_REASON_EMPTY_LINE,
                                          "an empty line among the rows");
        }
        batch->rows++;
        progress->rows++;
    }
    p += (*p == '\r') + 1;
    progress->bytes += (uint64_t)(p - start);
    csv->input->start += (size_t)(p - start);
    progress->line += newlines + 1;
    return DP2DPI_CSV_DONE;
}

void dp2dpi_csv_find_numbers(dp2dpi_csv *csv, double **targets, const dp2dpi_batch *batch) {
    csv->targets = targets;
    for (size_t i = 0; i < csv->fields; i++) {
        size_t column = csv->slots[i];
        /* A field whose target is NULL is read by take_field, not by take_numbers. If a marker of
         * missing values looks like a number, all targets are NULL, because only take_field
         * compares numbers with the markers. */
        targets[i] = column == SIZE_MAX || csv->is_number_missing
                         ? NULL
                         : dp2dpi_batch_store(batch, column)->numbers;
    }
}

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

dp2dp_status dp2dpi_csv_next(dp2dpi_csv *csv, const dp2dpi_layout *layout, dp2dpi_batch *batch,
                             dp2dp_error *error) {
    const dp2dpi_input *input = csv->input;
    int is_done;
    csv->error = error;
    csv->layout = layout;
    if (csv->spare.rows > 0) {
        dp2dpi_batch empty = *batch;
        *batch = csv->spare;
        csv->spare = empty;
        return DP2DP_STATUS_OK;
    }
    /* Fills the buffer so that two threads have work. Filling copies the unread bytes, so the
     * buffer is filled only when few unread bytes are left. */
    if (!input->at_end && input->end - input->start < input->capacity / 8 &&
        dp2dpi_csv_more(csv) == DP2DPI_CSV_FAILED) {
        return csv->status;
    }
    DP2DPI_TRY(dp2dpi_csv_split(csv, batch, &is_done));
    return is_done ? DP2DP_STATUS_OK : read_in_order(csv, batch);
}

int dp2dpi_csv_is_over(const dp2dpi_csv *csv) {
    return csv->input->at_end && csv->input->start == csv->input->end && csv->spare.rows == 0;
}
