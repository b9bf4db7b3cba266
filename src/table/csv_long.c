/* Works in three steps, each over up to 256 numbers: finds the ends of the numbers, joins their
 * digits in vector registers, and rounds each number to double with one product. */
#include "table/csv_long.h"

#include "base/clones.h"
#include "table/decimal.h"
#include "table/decimal_short.h"

enum {
    CELLS_MOST = 256,
    ROWS_LEAST = 8, /* fewer rows are read faster one by one */
    BYTES_SEEN = 32 /* a number and its separator take at most this many bytes */
};

typedef struct run {
    uint64_t words[3][CELLS_MOST]; /* up to 24 decimals of each number, one digit per byte */
    const char *texts[CELLS_MOST];
    unsigned char counts[CELLS_MOST]; /* digits in each last word, after leading zeros */
} run;

/* Adds the number at p, which has 8 to 15 decimals, to *r. `first` and `second` hold its decimals,
 * one digit per byte, and `others` marks the bytes of `second` after the last decimal. Zeros take
 * the place of missing decimals. Returns the end of the number. */
static inline const char *find_early_end(const char *p, uint64_t first, uint64_t second,
                                         uint64_t others, run *r, size_t index) {
    unsigned bits = (unsigned)__builtin_ctzll(others) & ~7U;
    r->words[0][index] = first;
    r->words[1][index] = second & ((UINT64_C(1) << bits) - 1);
    r->words[2][index] = 0;
    r->texts[index] = p;
    r->counts[index] = 0;
    return p + 10 + bits / 8;
}

/* Adds the number at p to *r. Returns the end of the number; NULL if the number does not have the
 * form that csv_long.h describes. */
static inline const char *find_end(const char *p, run *r, size_t index) {
    const uint64_t zeros = UINT64_C(0x3030303030303030), beyond = UINT64_C(0x7676767676767676);
    const uint64_t highest = UINT64_C(0x8080808080808080);
    uint64_t first = dp2dpi_decimal_load(p + 2) ^ zeros;
    uint64_t second = dp2dpi_decimal_load(p + 10) ^ zeros;
    uint64_t third = dp2dpi_decimal_load(p + 18) ^ zeros;
    uint64_t wrong = ((first + beyond) | first) & highest;
    uint64_t early = ((second + beyond) | second) & highest;
    uint64_t others = ((third + beyond) | third) & highest;
    unsigned digit = (unsigned)(unsigned char)*p - '0';
    if (digit > 9 || p[1] != '.' || wrong != 0) {
        return NULL;
    }
    if (early != 0) {
        return find_early_end(p, first, second, early, r, index);
    }
    if (others == 0) {
        return NULL;
    }
    unsigned bits = (unsigned)__builtin_ctzll(others) & ~7U;
    r->words[0][index] = first;
    r->words[1][index] = second;
    r->words[2][index] = third << 8 << (56 - bits);
    r->texts[index] = p;
    r->counts[index] = (unsigned char)(bits / 8);
    /* 19 digits fit 64 bits, and a zero before the point is not counted. */
    return bits / 8 <= 2U + (digit == 0) ? p + 18 + bits / 8 : NULL;
}

/* Adds whole records to *r. Returns the number of records; *length is their size in bytes. */
DP2DPI_CLONED static size_t gather(const dp2dpi_csv *csv, size_t most, size_t limit, run *r,
                                   size_t *length) {
    const dp2dpi_input *input = csv->input;
    const char *start = input->buffer + input->start, *p = start;
    const char *end = input->buffer + input->end, *last = input->buffer + limit;
    size_t rows = 0, fields = csv->fields, index = 0;
    *length = 0;
    for (; rows < most && p < last && (size_t)(end - p) >= BYTES_SEEN * fields; rows++) {
        for (size_t i = 0; i < fields; i++, p++) {
            p = find_end(p, r, index++);
            if (p == NULL || *p != (i + 1 < fields ? csv->separator : '\n')) {
                return rows;
            }
        }
        *length = (size_t)(p - start);
    }
    return rows;
}

/* Joins the eight digits in each word to one number, with operations that vector registers have. */
DP2DPI_CLONED static void join(uint64_t *words, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint64_t t = words[i];
        t = (10 * t + (t >> 8)) & UINT64_C(0x00FF00FF00FF00FF);
        t = (100 * t + (t >> 16)) & UINT64_C(0x0000FFFF0000FFFF);
        words[i] = 10000 * (t & UINT32_MAX) + (t >> 32);
    }
}

/* Stores the numbers of `rows` records in the targets, from row `row` on. Returns 0 if memory runs
 * out. */
DP2DPI_CLONED static int round_all(const run *r, size_t rows, size_t fields, double *const *targets,
                                   size_t row) {
    const uint64_t eight = dp2dpi_decimal_powers[8];
    for (size_t i = 0; i < rows * fields; row++) {
        for (size_t field = 0; field < fields; field++, i++) {
            double *out = targets[field] + row;
            int more = r->counts[i];
            uint64_t m = (uint64_t)(r->texts[i][0] - '0') * eight + r->words[0][i];
            m = (m * eight + r->words[1][i]) * dp2dpi_decimal_powers[more] + r->words[2][i];
            const char *end;
            if ((m == 0 || !dp2dpi_decimal_scale(m, -16 - more, out)) &&
                dp2dpi_decimal_read(r->texts[i], &end, out) != DP2DPI_DECIMAL_READ) {
                return 0;
            }
        }
    }
    return 1;
}

static int are_numbers(const dp2dpi_csv *csv) {
    size_t i = 0;
    while (i < csv->fields && csv->targets[i]) {
        i++;
    }
    return i == csv->fields;
}

size_t dp2dpi_csv_take_long(const dp2dpi_csv *csv, const dp2dpi_batch *batch, size_t limit,
                            size_t *length) {
    run r;
    size_t room = batch->capacity - batch->rows, most = CELLS_MOST / csv->fields;
    *length = 0;
    if (most < ROWS_LEAST || !are_numbers(csv)) {
        return 0;
    }
    size_t rows = gather(csv, most < room ? most : room, limit, &r, length);
    for (size_t k = 0; k < 3; k++) {
        join(r.words[k], rows * csv->fields);
    }
    if (!round_all(&r, rows, csv->fields, csv->targets, batch->rows)) {
        *length = rows = 0;
    }
    return rows;
}
