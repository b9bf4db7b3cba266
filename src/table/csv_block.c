/* Converts the numbers of a column without branches, several rows in each vector register. All
 * numbers must have the form of the first number: as many characters, and the point at the same
 * place. The conversion checks every byte, and stops at the first number of another form. Other
 * functions then read the remaining records. */
#include "table/csv_block.h"

#include <string.h>

#include "base/clones.h"
#include "table/csv_long.h"
#include "table/decimal_short.h"

enum {
    ROWS_MOST = 128,
    ROWS_LEAST = 8,         /* a block of fewer rows is faster to read record by record */
    BYTES_MOST = 16 * 1024, /* bytes of a block; they must fit the L1 cache, because each column
                               reads them again */
    WIDTH_MOST = 8,
    PATIENCE_MOST = 1024
};

static const uint64_t each_byte = UINT64_C(0x0101010101010101);

/* How the numbers of a column are written. Each mask covers eight bytes of text; the first byte of
 * text is the lowest byte of the mask. */
typedef struct form {
    size_t width;
    uint64_t text;   /* pattern of a number: '0' for each digit, '.' for the point, then zero
                        bytes */
    uint64_t used;   /* mask of the bytes that the number takes */
    uint64_t excess; /* convert() computes x = word ^ text, and then x + excess. For each wrong
                        byte, the highest bit is set in x or in the sum */
    uint64_t before, behind; /* masks of the digits before and after the point */
    unsigned shift; /* number of bits to shift by, so that the last digit is in the highest byte */
    double scale;
} form;

static uint64_t bytes_from(size_t from, size_t to) {
    return (to < 8 ? (UINT64_C(1) << (8 * to)) - 1 : UINT64_MAX) & (UINT64_MAX << (8 * from));
}

/* Finds the form of the number at p, which has digits and at most one point. Returns 0 if there is
 * no digit, or if the number is wider than WIDTH_MOST. */
static int find_form(const char *p, form *out) {
    size_t width = 0, point = SIZE_MAX;
    for (; (unsigned char)(p[width] - '0') < 10 || (p[width] == '.' && point == SIZE_MAX);
         width++) {
        if (width == WIDTH_MOST) {
            return 0;
        }
        point = p[width] == '.' ? width : point;
    }
    size_t whole = point == SIZE_MAX ? width : point, digits = width - (point != SIZE_MAX);
    if (digits == 0) {
        return 0;
    }
    uint64_t at_point = whole < width ? bytes_from(whole, whole + 1) : 0;
    *out = (form) {.width = width, .used = bytes_from(0, width)};
    out->text = out->used & ((each_byte * '0' & ~at_point) | (each_byte * '.' & at_point));
    out->excess = out->used & ((each_byte * 0x76 & ~at_point) | (each_byte * 0x7F & at_point));
    out->before = bytes_from(0, whole);
    out->behind = whole < width ? bytes_from(whole, width) & ~at_point : 0;
    out->shift = (unsigned)(8 * (8 - digits));
    out->scale = dp2dpi_decimal_powers[digits - whole];
    return 1;
}

/* Converts words of eight bytes of text (see dp2dpi_decimal_load) to numbers. Returns 0 if all
 * words have the form f. The digits are joined as in dp2dpi_decimal_eight. To turn an integer n <
 * 2^52 into a double, writes n into the mantissa field of the double 2^52. The result is 2^52 + n;
 * subtracting 2^52 leaves n. */
DP2DPI_CLONED static uint64_t convert(const uint64_t *restrict words, size_t rows,
                                      const form *restrict f, double *restrict out) {
    const uint64_t exponent = UINT64_C(0x4330000000000000);
    uint64_t text = f->text, used = f->used, excess = f->excess, wrong = 0;
    uint64_t before = f->before, behind = f->behind;
    unsigned shift = f->shift;
    double scale = f->scale;
    for (size_t i = 0; i < rows; i++) {
        uint64_t t = (words[i] & used) ^ text;
        wrong |= (t + excess) | t;
        t = ((t & before) | (t & behind) >> 8) << shift;
        t = (10 * t + (t >> 8)) & UINT64_C(0x00FF00FF00FF00FF);
        t = (100 * t + (t >> 16)) & UINT64_C(0x0000FFFF0000FFFF);
        t = 10000 * (t & UINT32_MAX) + (t >> 32);
        double value;
        t |= exponent;
        memcpy(&value, &t, sizeof value);
        out[i] = (value - 0x1p52) / scale;
    }
    return wrong & each_byte * 0x80;
}

/* Converts the numbers of one column. Returns the number of rows before the first row whose number
 * has another form or is not followed by `stop`. */
static size_t take_column(const char *at, size_t stride, size_t rows, const form *f, char stop,
                          double *out) {
    uint64_t words[ROWS_MOST];
    unsigned wrong = 0;
    size_t width = f->width, row = 0;
    do {
        words[row] = dp2dpi_decimal_load(at);
        wrong |= (unsigned)(at[width] != stop);
        at += stride;
    } while (++row < rows);
    if (wrong == 0 && convert(words, rows, f, out) == 0) {
        return rows;
    }
    at -= rows * stride;
    for (size_t i = 0; i < rows; i++) {
        if (at[i * stride + width] != stop || convert(&words[i], 1, f, &out[i]) != 0) {
            return i;
        }
    }
    return rows;
}

/* Sets *length to the length of the next record, including the line feed. Returns how many records
 * from the next one on have this length. Counts only records that begin before `limit`, are in the
 * buffer and fit the batch. */
static size_t count_alike(const dp2dpi_csv *csv, const dp2dpi_batch *batch, size_t limit,
                          size_t *length) {
    const dp2dpi_input *input = csv->input;
    const char *p = input->buffer + input->start;
    size_t left = input->end - input->start;
    size_t most = left < BYTES_MOST / ROWS_LEAST ? left : BYTES_MOST / ROWS_LEAST;
    const char *found = memchr(p, '\n', most);
    if (found == NULL) {
        return 0;
    }
    size_t stride = *length = (size_t)(found - p) + 1;
    size_t rows = left / stride, room = batch->capacity - batch->rows, alike = 0;
    size_t begun = (limit - input->start + stride - 1) / stride;
    rows = rows < begun ? rows : begun;
    rows = rows < room ? rows : room;
    rows = rows < ROWS_MOST ? rows : ROWS_MOST;
    rows = rows < BYTES_MOST / stride ? rows : BYTES_MOST / stride;
    while (alike < rows && p[(alike + 1) * stride - 1] == '\n') {
        alike++;
    }
    return alike;
}

/* Reads records of the same form, column by column. Returns the number of records; *length is the
 * size of all of them in bytes. */
static size_t take_alike(const dp2dpi_csv *csv, const dp2dpi_batch *batch, size_t limit,
                         size_t *length) {
    size_t rows = count_alike(csv, batch, limit, length), stride = *length;
    const char *start = csv->input->buffer + csv->input->start, *p = start;
    for (size_t i = 0; i < csv->fields && rows >= ROWS_LEAST; i++) {
        form f;
        char stop = i + 1 < csv->fields ? csv->separator : '\n';
        if (csv->targets[i] == NULL || !find_form(p, &f)) {
            return 0;
        }
        rows = take_column(p, stride, rows, &f, stop, csv->targets[i] + batch->rows);
        p += f.width + 1;
    }
    rows = rows >= ROWS_LEAST && p == start + stride ? rows : 0;
    *length = rows * stride;
    return rows;
}

size_t dp2dpi_csv_take_block(dp2dpi_csv *csv, dp2dpi_batch *batch, size_t limit) {
    dp2dpi_csv_progress *progress = &csv->progress;
    if (progress->alone > 0 || progress->empty_line) {
        progress->alone -= progress->alone > 0;
        return 0;
    }
    size_t length = 0, rows = take_alike(csv, batch, limit, &length);
    if (rows == 0) {
        rows = dp2dpi_csv_take_long(csv, batch, limit, &length);
    }
    unsigned patience = 2 * progress->patience + 1;
    progress->alone = rows > 0 ? 0 : progress->patience;
    progress->patience = rows > 0 ? 0 : patience < PATIENCE_MOST ? patience : PATIENCE_MOST;
    progress->bytes += length;
    progress->line += rows;
    progress->rows += rows;
    csv->input->start += length;
    batch->rows += rows;
    return rows;
}
