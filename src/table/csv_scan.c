#include "table/csv_scan.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/utf8.h"

enum {
    STOPS_FIELD = 1,
    STOPS_QUOTES = 2
};

/* Fills csv->stops, the bytes at which the scan of a plain field or of quoted text stops. NUL is
 * one of these bytes, because a NUL follows the last byte of the buffer. */
void dp2dpi_csv_scan_init(dp2dpi_csv *csv) {
    csv->stops[(unsigned char)csv->separator] = STOPS_FIELD;
    csv->stops['\r'] = STOPS_FIELD;
    csv->stops['\n'] = STOPS_FIELD | STOPS_QUOTES;
    csv->stops['"'] = STOPS_FIELD | STOPS_QUOTES;
    csv->stops['\0'] = STOPS_FIELD | STOPS_QUOTES;
}

/* Returns the number of the row that begins on this line; 0 if the line is the header or empty. */
static uint64_t row_at(const dp2dpi_csv *csv, uint64_t line) {
    return csv->slots && line == csv->progress.line ? csv->progress.rows + 1 : 0;
}

dp2dpi_csv_step dp2dpi_csv_refuse(dp2dpi_csv *csv, size_t index, dp2dp_reason reason,
                                  const char *what) {
    char position[24];
    dp2dpi_place place = {
        .reason = reason, .row = row_at(csv, csv->progress.line), .line = csv->progress.line};
    if (csv->names) {
        place.column = csv->names[index].text;
        csv->status = dp2dpi_fail_cell(csv->error, &place, what, csv->input->name);
    } else {
        (void)snprintf(position, sizeof position, "%zu", index);
        place.column = position;
        csv->status = dp2dpi_fail_at(csv->error, DP2DP_STATUS_DATA, &place,
                                     "line %" PRIu64 ", column %s (counted from 0): %s: %s",
                                     csv->progress.line, position, what, csv->input->name);
    }
    return DP2DPI_CSV_FAILED;
}

dp2dpi_csv_step dp2dpi_csv_refuse_line(dp2dpi_csv *csv, uint64_t line, dp2dp_reason reason,
                                       const char *what) {
    const dp2dpi_place place = {.reason = reason, .row = row_at(csv, line), .line = line};
    csv->status = dp2dpi_fail_cell(csv->error, &place, what, csv->input->name);
    return DP2DPI_CSV_FAILED;
}

void dp2dpi_csv_close_last_line(dp2dpi_csv *csv) {
    dp2dpi_input *input = csv->input;
    if (input->at_end && !csv->is_closed) {
        csv->is_closed = 1;
        if (input->end > input->start && input->buffer[input->end - 1] != '\n') {
            input->buffer[input->end++] = '\n';
            input->buffer[input->end] = '\0';
        }
    }
}

dp2dpi_csv_step dp2dpi_csv_more(dp2dpi_csv *csv) {
    dp2dpi_input *input = csv->input;
    if (input->at_end) {
        return dp2dpi_csv_refuse_line(csv, csv->progress.line, DP2DP_REASON_QUOTES,
                                      "a quote is opened and never closed");
    }
    if (input->end - input->start >= DP2DPI_INPUT_KEEP_MAX) {
        return dp2dpi_csv_refuse_line(
            csv, csv->progress.line, DP2DP_REASON_QUOTES,
            "a record longer than 64 MiB; is there a quote that is not closed?");
    }
    csv->status = dp2dpi_input_fill(input, csv->error);
    dp2dpi_csv_close_last_line(csv);
    return csv->status == DP2DP_STATUS_OK ? DP2DPI_CSV_DONE : DP2DPI_CSV_FAILED;
}

static dp2dpi_csv_step refuse_nul(dp2dpi_csv *csv, const char *p, size_t index) {
    if (p == csv->input->buffer + csv->input->end) {
        return DP2DPI_CSV_MORE;
    }
    return dp2dpi_csv_refuse(csv, index, DP2DP_REASON_NOT_UTF8, "a NUL byte; is the file UTF-16?");
}

/* Checks that a field ended at a separator or line end. p is the end of the field. */
static dp2dpi_csv_step check_end(dp2dpi_csv *csv, const char *p, size_t index) {
    if (*p == csv->separator || *p == '\n' || (*p == '\r' && p[1] == '\n')) {
        return DP2DPI_CSV_DONE;
    }
    if (*p == '\0') {
        return refuse_nul(csv, p, index);
    }
    if (*p == '\r') {
        if (p + 1 == csv->input->buffer + csv->input->end) {
            return DP2DPI_CSV_MORE;
        }
        return dp2dpi_csv_refuse(csv, index, DP2DP_REASON_LINE_END,
                                 "a carriage return without a line feed");
    }
    return dp2dpi_csv_refuse(csv, index, DP2DP_REASON_QUOTES,
                             *p == '"' ? "a quote inside a field that does not start with a quote"
                                       : "text after a closing quote");
}

static dp2dpi_csv_step scan_quoted(dp2dpi_csv *csv, const char *p, size_t index,
                                   dp2dpi_csv_field *out) {
    *out = (dp2dpi_csv_field) {.text = p};
    for (;;) {
        while (!(csv->stops[(unsigned char)*p] & STOPS_QUOTES)) {
            p++;
        }
        if (*p == '\0') {
            return refuse_nul(csv, p, index);
        }
        if (*p == '\n') {
            out->newlines++;
            p++;
        } else if (p[1] == '"') {
            out->has_doubled = 1;
            p += 2;
        } else {
            break;
        }
    }
    out->length = (size_t)(p - out->text);
    out->next = p + 1;
    return check_end(csv, p + 1, index);
}

dp2dpi_csv_step dp2dpi_csv_scan(dp2dpi_csv *csv, const char *p, size_t index,
                                dp2dpi_csv_field *out) {
    if (*p == '"') {
        return scan_quoted(csv, p + 1, index, out);
    }
    const char *end = p;
    while (!(csv->stops[(unsigned char)*end] & STOPS_FIELD)) {
        end++;
    }
    *out = (dp2dpi_csv_field) {.text = p, .length = (size_t)(end - p), .next = end};
    return check_end(csv, end, index);
}

size_t dp2dpi_csv_copy(const dp2dpi_csv_field *field, char *out) {
    if (!field->has_doubled) {
        memcpy(out, field->text, field->length);
        return field->length;
    }
    size_t used = 0;
    for (size_t i = 0; i < field->length; i++) {
        out[used++] = field->text[i];
        i += field->text[i] == '"';
    }
    return used;
}
