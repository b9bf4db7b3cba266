#include "table/npy.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "arrow/column_names.h"
#include "base/alloc.h"
#include "table/options.h"

static const char magic[DP2DPI_NPY_MAGIC_SIZE] = {'\x93', 'N', 'U', 'M', 'P', 'Y'};

enum {
    HEADER_MAX = 1 << 20
};

int dp2dpi_npy_is(const char *bytes, size_t length) {
    return length >= sizeof magic && memcmp(bytes, magic, sizeof magic) == 0;
}

static dp2dp_status truncated(const dp2dpi_npy *npy, dp2dp_error *error) {
    return dp2dpi_fail_at(error, DP2DP_STATUS_DATA, &(dp2dpi_place) {.row = npy->row + 1},
                          "the file ends before row %" PRIu64 " of %" PRIu64 ": %s", npy->row + 1,
                          npy->rows, npy->input->name);
}

/* Reads until the buffer has `length` unread bytes. Fails with DATA if the file ends earlier. */
static dp2dp_status need(dp2dpi_npy *npy, size_t length, dp2dp_error *error) {
    dp2dpi_input *input = npy->input;
    if (input->end - input->start < length) {
        DP2DPI_TRY(dp2dpi_input_peek(input, length, error));
    }
    if (input->end - input->start >= length) {
        return DP2DP_STATUS_OK;
    }
    return npy->size ? truncated(npy, error)
                     : dp2dpi_fail(error, DP2DP_STATUS_DATA,
                                   "the file ends within its NPY header: %s", input->name);
}

/* Reads the start of the file: magic number, major and minor version (1 byte each), length of the
 * header (2 bytes in version 1, otherwise 4), header text. */
static dp2dp_status read_preamble(dp2dpi_npy *npy, dp2dp_error *error) {
    dp2dpi_input *input = npy->input;
    DP2DPI_TRY(need(npy, sizeof magic + 6, error));
    const char *version = input->buffer + input->start + sizeof magic;
    if (version[0] < 1 || version[0] > 3 || version[1] != 0) {
        return dp2dpi_fail(error, DP2DP_STATUS_DATA,
                           "NPY version %d.%d cannot be read; only 1.0, 2.0 and 3.0 can: %s",
                           (unsigned char)version[0], (unsigned char)version[1], input->name);
    }
    size_t field = version[0] == 1 ? 2 : 4, before = sizeof magic + 2 + field;
    size_t length = (size_t)dp2dpi_little_endian(version + 2, field);
    if (length > HEADER_MAX) {
        return dp2dpi_fail(error, DP2DP_STATUS_DATA, "the NPY header is longer than %d bytes: %s",
                           HEADER_MAX, input->name);
    }
    DP2DPI_TRY(need(npy, before + length, error));
    npy->data_start = before + length;
    input->start += before + length;
    return dp2dpi_npy_read_header(npy, input->buffer + input->start - length, length, error);
}

static dp2dp_status check_size(const dp2dpi_npy *npy, dp2dp_error *error) {
    uint64_t bytes;
    if (__builtin_mul_overflow(npy->rows, npy->width, &bytes) ||
        __builtin_mul_overflow(bytes, npy->size, &bytes) || bytes >= INT64_MAX / 2) {
        return dp2dpi_fail(error, DP2DP_STATUS_DATA,
                           "the shape in the NPY header is too large for a file: %s",
                           npy->input->name);
    }
    if (npy->width > DP2DPI_INPUT_KEEP_MAX / npy->size) {
        return dp2dpi_fail(error, DP2DP_STATUS_DATA, "the array has more than %zu columns: %s",
                           DP2DPI_INPUT_KEEP_MAX / npy->size, npy->input->name);
    }
    if (npy->is_by_column && npy->width > 1 && !npy->input->can_seek) {
        return dp2dpi_fail(
            error, DP2DP_STATUS_DATA,
            "an array in Fortran order cannot be read from a pipe or a compressed file; "
            "use a plain file, or save the array in C order (%s)",
            npy->input->name);
    }
    return DP2DP_STATUS_OK;
}

static dp2dp_status too_long(const dp2dpi_npy *npy, dp2dp_error *error) {
    return dp2dpi_fail(error, DP2DP_STATUS_DATA,
                       "the file has more bytes than its NPY header says: %s", npy->input->name);
}

/* Checks the size of a file in Fortran order. Reading its columns does not check the size: the file
 * may end within a column that is not read. */
static dp2dp_status check_length(const dp2dpi_npy *npy, dp2dp_error *error) {
    char bytes[2]; /* the last byte of the array and the byte after it */
    size_t got, before = npy->rows > 0 && npy->width > 0;
    uint64_t end = npy->data_start + npy->rows * npy->width * npy->size;
    DP2DPI_TRY(
        dp2dpi_raw_read_at(&npy->input->raw, end - before, bytes, sizeof bytes, &got, error));
    if (got < before) {
        return dp2dpi_fail(error, DP2DP_STATUS_DATA,
                           "the file has fewer bytes than its NPY header says: %s",
                           npy->input->name);
    }
    return got > before ? too_long(npy, error) : DP2DP_STATUS_OK;
}

/* If the input is a member of an archive, reads the whole member to verify its checksum, because
 * reading by column skips bytes. */
static dp2dp_status check_archive(dp2dpi_input *input, dp2dp_error *error) {
    while (input->inflate && !input->at_end) {
        input->start = input->end;
        DP2DPI_TRY(dp2dpi_input_fill(input, error));
    }
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dpi_npy_open(dp2dpi_npy *npy, dp2dpi_input *input, dp2dp_table_options *options,
                             dp2dp_error *error) {
    npy->input = input;
    npy->options = options;
    DP2DPI_TRY(read_preamble(npy, error));
    DP2DPI_TRY(check_size(npy, error));
    DP2DPI_TRY(dp2dpi_table_options_take_all(options, NULL, (size_t)npy->width, error));
    DP2DPI_TRY(DP2DPI_ALLOC(npy->positions, options->column_count, "column names", error));
    /* An array of one column is the same in Fortran and C order, and C order can be read from a
     * pipe. */
    npy->is_by_column = npy->is_by_column && npy->width > 1;
    DP2DPI_TRY(dp2dpi_names_find_numbered((size_t)npy->width, options->columns,
                                          options->column_count, npy->positions, input->name,
                                          error));
    if (!npy->is_by_column) {
        return DP2DP_STATUS_OK;
    }
    DP2DPI_TRY(check_length(npy, error));
    return check_archive(input, error);
}

void dp2dpi_npy_free(dp2dpi_npy *npy) {
    dp2dpi_free(npy->positions);
}

static uint64_t load(const dp2dpi_npy *npy, const char *bytes) {
    return npy->size == 8   ? dp2dpi_little_endian(bytes, 8)
           : npy->size == 4 ? dp2dpi_little_endian(bytes, 4)
                            : dp2dpi_little_endian(bytes, npy->size);
}

static double to_double(const dp2dpi_npy *npy, uint64_t bits) {
    double number;
    float single;
    if (npy->size == sizeof number) {
        memcpy(&number, &bits, sizeof number);
        return number;
    }
    uint32_t low = (uint32_t)bits;
    memcpy(&single, &low, sizeof single);
    return (double)single;
}

/* Reads an integer or boolean item; returns 0 if the item does not fit int64. */
static int to_integer(const dp2dpi_npy *npy, uint64_t bits, int64_t *out) {
    size_t unused = (64 - 8 * npy->size) % 64;
    *out = npy->kind == 'b'   ? bits != 0
           : npy->kind == 'i' ? (int64_t)(bits << unused) >> unused
                              : (int64_t)bits;
    return npy->kind != 'u' || bits <= INT64_MAX;
}

/* Handles an item that cannot be read. If the option bad_rows is IGNORE, marks the row as bad;
 * otherwise fails and refuses the file. */
static dp2dp_status report(const dp2dpi_npy *npy, dp2dpi_batch *batch, size_t column,
                           dp2dp_reason reason, const char *what, dp2dp_error *error) {
    if (batch->sound) {
        dp2dpi_batch_set_bad(batch);
        return DP2DP_STATUS_OK;
    }
    const dp2dpi_place place = {
        .reason = reason, .row = npy->row + 1, .column = npy->options->columns[column].name};
    return dp2dpi_fail_cell(error, &place, what, npy->input->name);
}

/* Puts the item at `bytes` into the next row of a column. Nothing is rounded: a column of numbers
 * refuses an integer beyond 2^53, which a double may not hold exactly; a text column refuses a
 * number that is not whole. */
static dp2dp_status put(const dp2dpi_npy *npy, dp2dpi_batch *batch, size_t column,
                        const char *bytes, dp2dp_error *error) {
    const int64_t most = INT64_C(1) << 53;
    uint64_t bits = load(npy, bytes);
    double number;
    int64_t whole = 0;
    int is_whole;
    if (npy->kind == 'f') {
        number = to_double(npy, bits);
        is_whole = fabs(number) <= (double)most && (double)(int64_t)number == number;
        whole = is_whole ? (int64_t)number : 0;
    } else {
        is_whole = to_integer(npy, bits, &whole);
        number = (double)whole;
    }
    if (npy->options->columns[column].type == DP2DP_TABLE_TEXT) {
        if (is_whole) {
            return dp2dpi_batch_put_integer(batch, column, whole, error);
        }
        dp2dpi_batch_set_text(batch, column, 0);
        return report(npy, batch, column, DP2DP_REASON_NOT_WHOLE,
                      "a number that is not whole cannot be read as text", error);
    }
    dp2dpi_batch_put_number(batch, column, number);
    return npy->kind == 'f' || (is_whole && whole >= -most && whole <= most)
               ? DP2DP_STATUS_OK
               : report(npy, batch, column, DP2DP_REASON_NUMBER_RANGE, "an integer beyond 2^53",
                        error);
}

static dp2dp_status next_by_row(dp2dpi_npy *npy, dp2dpi_batch *batch, dp2dp_error *error) {
    dp2dpi_input *input = npy->input;
    size_t row_size = (size_t)npy->width * npy->size;
    while (!dp2dpi_batch_is_full(batch) && npy->row < npy->rows) {
        DP2DPI_TRY(need(npy, row_size, error));
        for (size_t i = 0; i < npy->options->column_count; i++) {
            const char *item_at = input->buffer + input->start + npy->positions[i] * npy->size;
            DP2DPI_TRY(put(npy, batch, i, item_at, error));
        }
        input->start += row_size;
        npy->row++;
        batch->rows++;
    }
    return DP2DP_STATUS_OK;
}

/* Reads `rows` rows of one column, from first_row on. Uses the input's buffer as scratch, which is
 * allowed because the header has already been read. batch->rows counts from 0 for each column. */
static dp2dp_status column_rows(dp2dpi_npy *npy, dp2dpi_batch *batch, size_t column,
                                uint64_t first_row, size_t rows, dp2dp_error *error) {
    dp2dpi_input *input = npy->input;
    size_t at_once = input->capacity / npy->size;
    uint64_t first = npy->data_start + npy->positions[column] * npy->rows * npy->size;
    for (batch->rows = 0; batch->rows < rows;) {
        size_t left = rows - batch->rows, n = left < at_once ? left : at_once, got;
        npy->row = first_row + batch->rows;
        DP2DPI_TRY(dp2dpi_raw_read_at(&input->raw, first + npy->row * npy->size, input->buffer,
                                      n * npy->size, &got, error));
        if (got < n * npy->size) {
            npy->row += got / npy->size;
            return truncated(npy, error);
        }
        for (size_t i = 0; i < n; i++, batch->rows++, npy->row++) {
            DP2DPI_TRY(put(npy, batch, column, input->buffer + i * npy->size, error));
        }
    }
    return DP2DP_STATUS_OK;
}

static dp2dp_status next_by_column(dp2dpi_npy *npy, dp2dpi_batch *batch, dp2dp_error *error) {
    uint64_t first_row = npy->row, left = npy->rows - first_row;
    size_t rows = left < batch->capacity ? (size_t)left : batch->capacity;
    for (size_t i = 0; i < npy->options->column_count; i++) {
        DP2DPI_TRY(column_rows(npy, batch, i, first_row, rows, error));
    }
    npy->row = first_row + rows;
    return DP2DP_STATUS_OK;
}

static dp2dp_status check_end(dp2dpi_npy *npy, dp2dp_error *error) {
    dp2dpi_input *input = npy->input;
    npy->is_checked = 1;
    if (input->end == input->start && !input->at_end) {
        DP2DPI_TRY(dp2dpi_input_fill(input, error));
    }
    return input->end > input->start ? too_long(npy, error) : DP2DP_STATUS_OK;
}

int dp2dpi_npy_is_float32(const dp2dpi_npy *npy) {
    return npy->kind == 'f' && npy->size == sizeof(float);
}

dp2dp_status dp2dpi_npy_next(dp2dpi_npy *npy, dp2dpi_batch *batch, dp2dp_error *error) {
    if (npy->is_by_column) {
        return next_by_column(npy, batch, error);
    }
    DP2DPI_TRY(next_by_row(npy, batch, error));
    return npy->row == npy->rows && !npy->is_checked ? check_end(npy, error) : DP2DP_STATUS_OK;
}
