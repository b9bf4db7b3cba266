/* Rows that are written alike are read many at once: cells and refusals must be the same as for
 * reading one field at a time. */
#include "unit/table/data.h"

enum {
    ROWS = 300,
    COLUMNS = 3,
    CELL_MAX = 22
};

static char text[ROWS * COLUMNS * 32]; /* the table */
static uint64_t state_of_draw = 1;

static size_t below(size_t bound) {
    state_of_draw = state_of_draw * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (size_t)(state_of_draw >> 33) % bound;
}

/* How the cells of each column are written; 0 stands for any digit. */
typedef struct pattern {
    char cells[COLUMNS][CELL_MAX + 1];
} pattern;

/* One digit, a point and 15 to 20 decimals. */
static pattern long_pattern(void) {
    pattern p;
    for (size_t i = 0; i < COLUMNS; i++) {
        memset(p.cells[i], '0', CELL_MAX);
        p.cells[i][1] = '.';
        p.cells[i][2 + 15 + below(6)] = '\0';
    }
    return p;
}

static pattern draw_pattern(size_t width_most) {
    pattern p;
    for (size_t i = 0; i < COLUMNS; i++) {
        size_t width = 1 + below(width_most), point = below(width + 2);
        memset(p.cells[i], '0', width);
        p.cells[i][width] = '\0';
        if (point < width && width > 1) {
            p.cells[i][point] = '.';
        }
    }
    return p;
}

/* Writes a table of random digits; returns its length. */
static size_t write_alike(const pattern *p) {
    char *out = text + sprintf(text, "a,b,c\n");
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t k = 0; k < COLUMNS; k++) {
            for (const char *c = p->cells[k]; *c; c++) {
                *out++ = *c == '0' ? (char)('0' + below(10)) : *c;
            }
            *out++ = k + 1 < COLUMNS ? ',' : '\n';
        }
    }
    return (size_t)(out - text);
}

/* Expects the numbers that strtod reads from the table. */
static void expect_as_strtod(const wanted *w, size_t block) {
    OWNED(cells) expected = {.capacity = 0};
    char number[40], *at = text + strlen("a,b,c\n");
    for (size_t i = 0; i < (size_t)ROWS * COLUMNS; i++) {
        (void)snprintf(number, sizeof number, "%.17g|%s", strtod(at, &at),
                       i % COLUMNS + 1 < COLUMNS ? "" : "/");
        append(&expected, number, strlen(number));
        at++;
    }
    expect_cells(w, block, expected.text);
}

static const size_t blocks[] = {0, 50, 333, 4096};

TEST(rows_written_alike_are_those_of_strtod) {
    for (int i = 0; i < 200; i++) {
        pattern p = i % 5 == 0 ? long_pattern() : draw_pattern(i % 5 == 1 ? CELL_MAX : 8);
        wanted *w = WANT("#a,#b,#c");
        w->options.chunk_rows = i % 3 ? 65536 : 1 + below(200);
        write_table(text, write_alike(&p));
        expect_as_strtod(w, blocks[i % 4]);
    }
}

/* Doubles as programs print them in full: most have 17 decimals, some more or fewer, and the
 * smallest an exponent. A third of the tables has numbers of 1 to 25 decimals. */
TEST(long_numbers_of_several_lengths_are_those_of_strtod) {
    for (int i = 0; i < 100; i++) {
        size_t used = (size_t)sprintf(text, "a,b,c\n");
        for (size_t cell = 0; cell < (size_t)ROWS * COLUMNS; cell++) {
            double value = ((double)below(1U << 31) + (double)below(1U << 31) * 0x1p-31) * 0x1p-31;
            value *= below(20) == 0 ? 1e-5 : i % 5 == 0 ? 9 : below(9) == 0 ? 0.01 : 1;
            value = below(200) == 0 ? 0 : value;
            char stop = cell % COLUMNS + 1 < COLUMNS ? ',' : '\n';
            used += i % 3 == 1
                        ? (size_t)sprintf(text + used, "%.*f%c", (int)(1 + below(25)), value, stop)
                        : (size_t)sprintf(text + used, i % 7 ? "%.17g%c" : "%.18f%c", value, stop);
        }
        write_table(text, used);
        expect_as_strtod(WANT("#a,#b,#c"), blocks[i % 4]);
    }
}

/* A marker that looks like a number turns the fast path off. */
static cells read_closely(const char *names, size_t block) {
    return read_path(table_path, WANT_MARKED(names, "-987654321"), block);
}

static void expect_as_read_closely(const char *names, size_t block) {
    OWNED(cells) one = read_path(table_path, WANT(names), block),
                 other = read_closely(names, block);
    if (one.status != other.status || one.code != other.code || strcmp(one.text, other.text) != 0 ||
        strcmp(one.message, other.message) != 0) {
        fail_msg("code %d, \"%s\" and not %d, \"%s\"; %lld rows and %lld", one.code, one.message,
                 other.code, other.message, (long long)one.rows, (long long)other.rows);
    }
}

TEST(any_byte_put_anywhere_changes_what_it_would_if_read_closely) {
    static const char likely[] = "0123456789.,\n\r\"-+eE /:\t";
    for (int i = 0; i < 600; i++) {
        pattern p = i % 3 ? draw_pattern(8) : long_pattern();
        size_t length = write_alike(&p);
        for (size_t changes = 1 + below(2); changes > 0; changes--) {
            text[6 + below(length - 6)] =
                (char)(below(2) ? (size_t)likely[below(sizeof likely - 1)] : below(256));
        }
        write_table(text, length);
        expect_as_read_closely("#a,#b,#c", blocks[i % 4]);
    }
}

/* Cells of the same width but of another form. */
TEST(a_row_unlike_the_others_is_read_by_itself) {
    static const char *const unlike[] = {"-0.12345", "+0.12345",   "12345678", "1.234e-5",
                                         " 0.1234 ", "\"0.1234\"", ".1234567", "1234567."};
    pattern p = {{"0.000000", "0.000000", "0.000000"}};
    for (int i = 0; i < 200; i++) {
        size_t length = write_alike(&p);
        for (size_t changes = 1 + below(5); changes > 0; changes--) {
            memcpy(text + 6 + 9 * below((size_t)ROWS * COLUMNS), unlike[below(8)], 8);
        }
        write_table(text, length);
        expect_as_read_closely("#a,#b,#c", blocks[i % 4]);
        expect_as_read_closely("#c,b,#a", blocks[i % 4]);
    }
}

/* Long numbers, and one cell in `gap` that is something else; some of these are no numbers. */
static size_t write_mixed(size_t gap, size_t kinds) {
    static const char *const others[] = {"7",       "-0.5",  "12.25",   "1e-05",  "-1.5E+3",
                                         "+0.25",   ".5",    "3.",      "100",    "0.5 ",
                                         "\"0.5\"", "0.5\r", "1,2",     "0.1\n0", "",
                                         "0.5.5",   "0.5x",  "\"1,5\"", "--0.5",  "\n"};
    size_t used = (size_t)sprintf(text, "a,b,c\n");
    for (size_t cell = 0; cell < (size_t)ROWS * COLUMNS; cell++) {
        char stop = cell % COLUMNS + 1 < COLUMNS ? ',' : '\n';
        double value = ((double)below(1U << 31) + (double)below(1U << 31) * 0x1p-31) * 0x1p-31;
        used += below(gap) ? (size_t)sprintf(text + used, "%.17g%c", value, stop)
                           : (size_t)sprintf(text + used, "%s%c", others[below(kinds)], stop);
    }
    return used;
}

TEST(other_cells_among_long_numbers_are_what_they_are_if_read_closely) {
    for (int i = 0; i < 400; i++) {
        write_table(text, write_mixed(i % 3 ? 500 : 1 + below(20), i % 2 ? 20 : 9));
        expect_as_read_closely("#a,#b,#c", blocks[i % 4]);
    }
}

TEST(a_wrong_cell_among_rows_written_alike_is_named) {
    static const char *const columns[] = {"\"a\"", "\"b\"", "\"c\""};
    pattern p = {{"0.000000", "0.000000", "0.000000"}};
    char words[64];
    wanted *w = WANT("#a,#b,#c");
    for (size_t cell = 0; cell < (size_t)ROWS * COLUMNS; cell += 7) {
        size_t length = write_alike(&p);
        text[6 + 9 * cell + 4] = ':'; /* in ASCII the next after '9' */
        write_table(text, length);
        (void)snprintf(words, sizeof words, "line %zu, column %s: not a number", 2 + cell / 3,
                       columns[cell % 3]);
        expect_refusal(w, 0, words);
    }
}

TEST(an_empty_line_among_rows_written_alike_is_refused) {
    pattern p = {{"0.00", "0", "00"}};
    size_t length = write_alike(&p), row = 10, middle = 6 + 150 * row;
    memmove(text + middle + 1, text + middle, length - middle);
    text[middle] = '\n';
    write_table(text, length + 1);
    expect_refusal(WANT("#a,#b,#c"), 0, "line 152: an empty line among the rows");
}
