/* Finds where up to 512 cells start, and then converts them column by column with vector code. A
 * cell that the vector code cannot convert is read by read_closely instead. */
#include "table/csv_long.h"

#include "base/clones.h"
#include "table/csv_starts.h"
#include "table/decimal.h"
#include "table/decimal_lanes.h"
#include "table/decimal_short.h"

enum {
    CELLS_MOST = 512,
    ROWS_LEAST = 8 /* fewer rows are read faster one by one */
};

/* A block of text and the positions of its cells, in the order of the text. */
typedef struct block {
    const char *text;
    size_t rows, fields;
    char separator;
    const char *none;       /* a text that is not a number, loaded in place of a malformed cell */
    const uint16_t *starts; /* see dp2dpi_csv_find_starts */
} block;

/* Returns the character that must follow each cell of column `field`: the separator, or a newline
 * after the last column. */
static char stop_of(const block *b, size_t field) {
    return field + 1 < b->fields ? b->separator : '\n';
}

/* Finds at most rows_most rows that begin before position `limit` of the text. */
static void find_rows(block *b, uint16_t *starts, size_t size, size_t rows_most, size_t limit) {
    size_t cells =
        dp2dpi_csv_find_starts(b->text, size, b->separator, rows_most * b->fields, starts);
    b->rows = cells / b->fields;
    b->rows = b->rows < rows_most ? b->rows : rows_most;
    while (b->rows > 0 && b->starts[(b->rows - 1) * b->fields] >= limit) {
        b->rows--;
    }
}

/* Loads the cell that starts at start[0]. If the cell is too long or is not followed by `stop`,
 * loads a text that is not a number instead. */
DP2DPI_INLINE void load(const block *b, const uint16_t *start, char stop, dp2dpi_lanes *out) {
    const char *p = b->text + start[0], *next = b->text + start[1];
    size_t length = (size_t)(next - p) - 1;
    if (__builtin_expect(length - 1 >= DP2DPI_LANES_LENGTH_MOST || next[-1] != stop, 0)) {
        p = b->none;
        length = 1;
    }
    dp2dpi_lanes_load(p, length, out);
}

/* Converts `count` cells of a field, from row `row` on; count is at most DP2DPI_LANES. */
DP2DPI_INLINE void convert(const block *b, size_t row, size_t field, size_t count, double *out,
                           dp2dpi_lanes *doubt) {
    dp2dpi_lanes texts[DP2DPI_LANES];
    dp2dpi_lanes_double values;
    const uint16_t *start = b->starts + row * b->fields + field;
    for (size_t k = 0; k < DP2DPI_LANES; k++) {
        load(b, start, stop_of(b, field), &texts[k]);
        start += k + 1 < count ? b->fields : 0;
    }
    dp2dpi_lanes_convert(texts, &values, doubt);
    memcpy(out + row, &values, count * sizeof *out);
}

/* Converts the cells of a field. The vectors `doubts` have one element for each row. An element
 * becomes 0 if the row's number in `out` is certainly the nearest double. Returns 0 if all elements
 * are 0. */
DP2DPI_CLONED static uint64_t convert_column(const block *shared, size_t field, double *out,
                                             dp2dpi_lanes *doubts) {
    const block b = *shared; /* a local copy, which the compiler can keep in registers */
    dp2dpi_lanes doubt, any = {0};
    size_t row = 0;
    for (; row + DP2DPI_LANES <= b.rows; row += DP2DPI_LANES) {
        convert(&b, row, field, DP2DPI_LANES, out, &doubt);
        *doubts++ = doubt;
        any |= doubt;
    }
    if (row < b.rows) {
        convert(&b, row, field, b.rows - row, out, &doubt);
        *doubts = doubt;
        any |= doubt;
    }
    return any[0] | any[1] | any[2] | any[3];
}

/* Reads one cell without vector registers. Returns 1 if the whole cell is a number, else 0. */
static int read_closely(const block *b, size_t row, size_t field, double *out) {
    const uint16_t *start = b->starts + row * b->fields + field;
    const char *end = b->text + start[1] - 1, *stop;
    return (dp2dpi_decimal_read_short(b->text + start[0], &stop, out) ||
            dp2dpi_decimal_read(b->text + start[0], &stop, out) == DP2DPI_DECIMAL_READ) &&
           stop == end && *end == stop_of(b, field);
}

/* Converts the cells of a field. Returns the number of rows before the first cell that is not a
 * number. */
static size_t take_column(const block *b, size_t field, double *out) {
    dp2dpi_lanes doubts[CELLS_MOST / DP2DPI_LANES];
    if (convert_column(b, field, out, doubts) == 0) {
        return b->rows;
    }
    for (size_t row = 0; row < b->rows; row++) {
        if (doubts[row / DP2DPI_LANES][row % DP2DPI_LANES] &&
            !read_closely(b, row, field, &out[row])) {
            return row;
        }
    }
    return b->rows;
}

static int are_numbers(const dp2dpi_csv *csv) {
    size_t i = 0;
    while (i < csv->fields && csv->targets[i]) {
        i++;
    }
    return i == csv->fields;
}

/* Returns 1 if the first row suggests that converting whole columns is faster: at least half of its
 * cells begin with one digit and a point, or consist of one digit. */
static int is_worthwhile(const block *b) {
    size_t cells = 0;
    for (size_t i = 0; i < b->fields; i++) {
        const char *p = b->text + b->starts[i];
        cells += (unsigned char)(*p - '0') < 10 && (p[1] == '.' || p[1] == stop_of(b, i));
    }
    return 2 * cells >= b->fields;
}

size_t dp2dpi_csv_take_long(const dp2dpi_csv *csv, const dp2dpi_batch *batch, size_t limit,
                            size_t *length) {
    const dp2dpi_input *input = csv->input;
    static const char none[DP2DPI_LANES_BYTES] = "?";
    uint16_t starts[CELLS_MOST + DP2DPI_STARTS_STEP + 1];
    size_t room = batch->capacity - batch->rows, most = CELLS_MOST / csv->fields;
    size_t left = input->end - input->start;
    *length = 0;
    if (most < ROWS_LEAST || left < DP2DPI_LANES_BYTES || !are_numbers(csv)) {
        return 0;
    }
    block b = {.text = input->buffer + input->start,
               .fields = csv->fields,
               .separator = csv->separator,
               .none = none,
               .starts = starts};
    find_rows(&b, starts, left - DP2DPI_LANES_BYTES, most < room ? most : room,
              limit - input->start);
    if (b.rows > 0 && !is_worthwhile(&b)) {
        return 0;
    }
    for (size_t field = 0; field < b.fields; field++) {
        b.rows = take_column(&b, field, csv->targets[field] + batch->rows);
    }
    *length = starts[b.rows * b.fields];
    return b.rows;
}
