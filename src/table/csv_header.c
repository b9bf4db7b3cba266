/* Opens a CSV file: skips what comes before the table, reads the header and finds the columns. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/utf8.h"
#include "table/csv_scan.h"
#include "table/decimal.h"
#include "table/options.h"

/* Counts the fields of the first record; *length is its size in bytes without the line end. On
 * success the whole record is in the buffer. */
static dp2dpi_csv_step measure(dp2dpi_csv *csv, size_t *length) {
    for (;;) {
        const char *start = csv->input->buffer + csv->input->start, *p = start;
        dp2dpi_csv_field field;
        dp2dpi_csv_step step;
        size_t fields = 0;
        while ((step = dp2dpi_csv_scan(csv, p, fields, &field)) == DP2DPI_CSV_DONE) {
            fields++;
            if (*field.next != csv->separator) {
                csv->fields = fields;
                *length = (size_t)(field.next - start);
                return DP2DPI_CSV_DONE;
            }
            p = field.next + 1;
        }
        if (step == DP2DPI_CSV_FAILED || dp2dpi_csv_more(csv) == DP2DPI_CSV_FAILED) {
            return DP2DPI_CSV_FAILED;
        }
    }
}

static dp2dp_status take_names(dp2dpi_csv *csv, size_t length, dp2dp_error *error) {
    const char *p = csv->input->buffer + csv->input->start;
    dp2dpi_csv_field field = {.next = p};
    DP2DPI_TRY(DP2DPI_ALLOC(csv->names, csv->fields, "column names", error));
    DP2DPI_TRY(DP2DPI_ALLOC(csv->names_text, length + DP2DPI_DECIMAL_SPARE, "column names", error));
    char *out = csv->names_text;
    uint64_t newlines = 0;
    for (size_t i = 0; i < csv->fields; i++) {
        (void)dp2dpi_csv_scan(csv, p, i, &field);
        csv->names[i] = (dp2dpi_name) {out, dp2dpi_csv_copy(&field, out), i};
        out += csv->names[i].length + 1; /* one byte more for the NUL that replaces the separator */
        newlines += field.newlines;
        p = field.next + 1;
    }
    p = field.next + (*field.next == '\r') + 1;
    csv->input->start = (size_t)(p - csv->input->buffer);
    csv->progress.line += newlines + 1;
    return DP2DP_STATUS_OK;
}

/* Returns 1 if a name is a number. The first line then probably holds a person's values, not names.
 */
static int has_number(const dp2dpi_csv *csv) {
    for (size_t i = 0; i < csv->fields; i++) {
        const char *start = csv->names[i].text, *stop;
        size_t length = csv->names[i].length;
        double number;
        dp2dpi_trim(&start, &length);
        if (dp2dpi_decimal_read(start, &stop, &number) != DP2DPI_DECIMAL_NONE &&
            stop == start + length) {
            return 1;
        }
    }
    return 0;
}

/* Fails if the first line is a comment, has another separator or holds a number. The message begins
 * with `what` and does not show the first line, which may hold someone's values. `column` is the
 * column that was not found, or NULL. */
static dp2dp_status explain_header(const dp2dpi_csv *csv, const char *what, const char *column,
                                   dp2dp_error *error) {
    static const char separators[] = ",;\t|";
    static const char *const words[] = {"commas", "semicolons", "tabs", "bars"};
    static const char *const names[] = {"','", "';'", "tab", "'|'"};
    const char *other = csv->fields == 1 ? strpbrk(csv->names[0].text, separators) : NULL;
    dp2dpi_place place = {.column = column};
    if (csv->names[0].length > 0 && *csv->names[0].text == '#') {
        place.reason = DP2DP_REASON_COMMENT_FIRST;
        return dp2dpi_fail_at(
            error, DP2DP_STATUS_DATA, &place,
            "%s; the first line begins with #: if it is a comment, skip the lines "
            "before the column names",
            what);
    }
    if (other) {
        size_t which = (size_t)(strchr(separators, *other) - separators);
        place.reason = DP2DP_REASON_WRONG_SEPARATOR;
        return dp2dpi_fail_at(error, DP2DP_STATUS_DATA, &place,
                              "%s; the first line seems to be separated by %s: set the separator "
                              "to %s",
                              what, words[which], names[which]);
    }
    place.reason = DP2DP_REASON_NO_HEADER;
    return has_number(csv) ? dp2dpi_fail_at(error, DP2DP_STATUS_DATA, &place, "%s", what)
                           : DP2DP_STATUS_OK;
}

enum {
    LINES_MAX = 20 /* number of lines in which find_header looks for the column names */
};

/* Returns 1 if one of the fields of a line is this name. */
static int has_field(const dp2dpi_csv *csv, const char *line, const char *end, const char *name) {
    size_t length = strlen(name);
    for (const char *p = line; length > 0 && (size_t)(end - p) >= length; p++) {
        int begins = p == line || p[-1] == csv->separator || p[-1] == '"' || p[-1] == ' ';
        int ends = p + length == end || p[length] == csv->separator || p[length] == '"' ||
                   p[length] == ' ' || p[length] == '\r';
        if (begins && ends && memcmp(p, name, length) == 0) {
            return 1;
        }
    }
    return 0;
}

/* Looks for the true header below the line that was read as the header. The line that was read may
 * be a remark, or the line "sep=," of a spreadsheet. Returns how many lines of the file come before
 * the line with the names of all wanted columns, or 0 if no line has all these names. */
static uint64_t find_header(const dp2dpi_csv *csv, size_t count) {
    const char *line = csv->input->buffer + csv->input->start;
    const char *end = csv->input->buffer + csv->input->end;
    for (uint64_t i = 0; i < LINES_MAX && line < end; i++) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        size_t found = 0;
        stop = stop ? stop : end;
        while (found < count && has_field(csv, line, stop, csv->options->columns[found].name)) {
            found++;
        }
        if (found == count) {
            return csv->progress.line + i - 1;
        }
        line = stop + 1;
    }
    return 0;
}

/* Explains why a column was not found in the first line. The message does not show this line,
 * because it may hold someone's values. If bad rows are ignored, the message must not depend on the
 * lines below, because they are records. */
static void explain_missing(const dp2dpi_csv *csv, size_t count, dp2dp_error *error) {
    const dp2dp_error found = *error;
    int ignore = csv->options->bad_rows == DP2DP_BAD_ROWS_IGNORE;
    uint64_t lines = ignore ? 0 : find_header(csv, count);
    char what[256];
    (void)snprintf(what, sizeof what, "no column is named \"%.70s\" in %.100s", found.column,
                   csv->input->name);
    if (lines > 0) {
        const dp2dpi_place place = {.reason = DP2DP_REASON_COMMENT_FIRST, .column = found.column};
        (void)dp2dpi_fail_at(error, DP2DP_STATUS_DATA, &place,
                             "%s; line %llu has the column names: skip %llu line%s", what,
                             (unsigned long long)lines + 1, (unsigned long long)lines,
                             lines == 1 ? "" : "s");
    } else {
        (void)explain_header(csv, what, found.column, error);
    }
}

static dp2dp_status find_by_name(dp2dpi_csv *csv, size_t count, size_t *positions,
                                 dp2dp_error *error) {
    dp2dpi_name *sorted = NULL;
    DP2DPI_TRY(DP2DPI_ALLOC(sorted, csv->fields, "column names", error));
    memcpy(sorted, csv->names, csv->fields * sizeof *sorted);
    dp2dp_status status = dp2dpi_names_find(sorted, csv->fields, csv->options->columns, count,
                                            positions, csv->input->name, error);
    dp2dpi_free(sorted);
    if (error && error->reason == DP2DP_REASON_NO_SUCH_COLUMN && status == DP2DP_STATUS_DATA) {
        explain_missing(csv, count, error);
    }
    return status;
}

static dp2dp_status find_columns(dp2dpi_csv *csv, size_t count, dp2dp_error *error) {
    size_t *positions = NULL;
    dp2dp_status status = DP2DP_STATUS_OK;
    DP2DPI_TRY(DP2DPI_ALLOC(csv->slots, csv->fields, "column names", error));
    DP2DPI_TRY(DP2DPI_ALLOC(csv->numbers[0], csv->fields, "column names", error));
    DP2DPI_TRY(DP2DPI_ALLOC(csv->numbers[1], csv->fields, "column names", error));
    DP2DPI_TRY(DP2DPI_ALLOC(positions, count, "column names", error));
    if (csv->names) {
        DP2DPI_TRY_OR_DONE(find_by_name(csv, count, positions, error));
    } else {
        DP2DPI_TRY_OR_DONE(dp2dpi_names_find_numbered(csv->fields, csv->options->columns, count,
                                                      positions, csv->input->name, error));
    }
    memset(csv->slots, 0xFF, csv->fields * sizeof(size_t));
    for (size_t i = 0; i < count; i++) {
        csv->slots[positions[i]] = i;
    }
done:
    dp2dpi_free(positions);
    return status;
}

static const dp2dpi_place empty = {.reason = DP2DP_REASON_EMPTY};

static dp2dp_status skip_mark(dp2dpi_csv *csv, dp2dp_error *error) {
    static const char mark[] = "\xEF\xBB\xBF";
    dp2dpi_input *input = csv->input;
    DP2DPI_TRY(dp2dpi_input_peek(input, 4, error));
    if (memcmp(input->buffer + input->start, mark, 3) == 0) {
        input->start += 3;
    }
    return input->start < input->end ? DP2DP_STATUS_OK
                                     : dp2dpi_fail_at(error, DP2DP_STATUS_DATA, &empty,
                                                      "the file is empty: %s", input->name);
}

/* Skips the lines before the table. Quotes have no meaning in these lines. */
static dp2dp_status skip_lines(dp2dpi_csv *csv, size_t count, dp2dp_error *error) {
    dp2dpi_input *input = csv->input;
    while (count > 0) {
        size_t length = input->end - input->start;
        const char *from = input->buffer + input->start, *found = memchr(from, '\n', length);
        input->start += found ? (size_t)(found - from) + 1 : length;
        count -= found != NULL;
        csv->progress.line += found != NULL;
        DP2DPI_TRY(dp2dpi_input_peek(input, 1, error));
        if (input->start == input->end) {
            return dp2dpi_fail_at(error, DP2DP_STATUS_DATA, &empty,
                                  "the file has no lines after the skipped ones: %s", input->name);
        }
    }
    return DP2DP_STATUS_OK;
}

/* Checks that the first line seems to hold column names. If the caller names columns, this check is
 * not needed: the names of these columns in the first line show that this line is the header. */
static dp2dp_status check_names(const dp2dpi_csv *csv, dp2dp_error *error) {
    char what[160];
    (void)snprintf(what, sizeof what, "cannot read the names of the columns of %.100s",
                   csv->input->name);
    return explain_header(csv, what, NULL, error);
}

static dp2dp_status read_header(dp2dpi_csv *csv, dp2dp_table_options *options, dp2dp_error *error) {
    size_t length = 0;
    DP2DPI_TRY(skip_lines(csv, options->skip_lines, error));
    dp2dpi_csv_close_last_line(csv);
    if (measure(csv, &length) != DP2DPI_CSV_DONE) {
        return csv->status;
    }
    if (length == 0) {
        (void)dp2dpi_csv_refuse_line(csv, csv->progress.line, DP2DP_REASON_EMPTY_LINE,
                                     "an empty line where the table begins");
        return csv->status;
    }
    if (options->header == DP2DP_TABLE_HEADER_FIRST_LINE) {
        DP2DPI_TRY(take_names(csv, length, error));
        DP2DPI_TRY(options->column_count > 0 ? DP2DP_STATUS_OK : check_names(csv, error));
    }
    DP2DPI_TRY(dp2dpi_table_options_take_all(options, csv->names, csv->fields, error));
    return find_columns(csv, options->column_count, error);
}

/* Returns 1 if the file begins with { or [, as JSON does. A valid table may begin in this way
 * too. */
static int begins_as_json(const dp2dpi_input *input) {
    const char *start = input->buffer + input->start;
    start += strspn(start, " \t\r\n");
    return *start == '{' || *start == '[';
}

dp2dp_status dp2dpi_csv_open(dp2dpi_csv *csv, dp2dpi_input *input, dp2dp_table_options *options,
                             dp2dp_error *error) {
    csv->input = input;
    csv->options = options;
    csv->separator = options->separator;
    csv->progress.line = 1;
    csv->error = error;
    dp2dpi_csv_scan_init(csv);
    for (size_t i = 0; i < options->missing_count; i++) {
        const char *first = options->missing[i];
        csv->is_number_missing |= *first && strchr("+-.0123456789", *first) != NULL;
    }
    DP2DPI_TRY(skip_mark(csv, error));
    int is_json = begins_as_json(input);
    dp2dp_status status = read_header(csv, options, error);
    return status == DP2DP_STATUS_DATA && is_json
               ? dp2dpi_fail_at(error, status, &(dp2dpi_place) {.reason = DP2DP_REASON_WRONG_FILE},
                                "this is JSON, not a table: %s", input->name)
               : status;
}

void dp2dpi_csv_free(dp2dpi_csv *csv) {
    dp2dpi_thread_pool_free(csv->workers);
    dp2dpi_free(csv->slots);
    dp2dpi_free(csv->numbers[0]);
    dp2dpi_free(csv->numbers[1]);
    dp2dpi_batch_free(&csv->spare);
    dp2dpi_free(csv->names);
    dp2dpi_free(csv->names_text);
}
