/* The starts of cells must be those that a look at every byte finds. */
#include "table/csv_starts.h"

#include "draw.h"
#include "support.h"

enum {
    SIZE_MOST = 4096,
    CELLS_MOST = 512
};

typedef size_t (*finder)(const char *text, size_t size, char separator, size_t most,
                         uint16_t *starts);

static uint64_t state_of_draw = 1;

static size_t below(size_t bound) {
    return (size_t)(draw(&state_of_draw) % bound);
}

/* Looks at the bytes of whole steps one by one. */
static size_t look(const char *text, size_t size, char separator, size_t most, uint16_t *starts) {
    size_t found = 0, steps = size / DP2DPI_STARTS_STEP;
    starts[0] = 0;
    for (size_t step = 0; step < steps && found < most; step++) {
        for (size_t i = step * DP2DPI_STARTS_STEP; i < (step + 1) * DP2DPI_STARTS_STEP; i++) {
            if (text[i] == separator || text[i] == '\n') {
                starts[++found] = (uint16_t)(i + 1);
            }
        }
    }
    return found;
}

/* The text lies in a block of its own size, so that a sanitizer reports reading too far. */
static void expect_as_looked_at(const char *text, size_t size, char separator, size_t most) {
    static const finder finders[] = {dp2dpi_csv_find_starts, dp2dpi_csv_find_starts_plain};
    uint16_t expected[CELLS_MOST + DP2DPI_STARTS_STEP + 1];
    FREED char *copy = malloc(size + 1);
    assert_non_null(copy);
    memcpy(copy, text, size);
    size_t count = look(copy, size, separator, most, expected);
    for (size_t i = 0; i < 2; i++) {
        size_t room = (most + DP2DPI_STARTS_STEP + 1) * sizeof(uint16_t);
        FREED uint16_t *starts = malloc(room);
        assert_non_null(starts);
        assert_int_equal(finders[i](copy, size, separator, most, starts), count);
        assert_memory_equal(starts, expected, (count + 1) * sizeof *starts);
    }
}

TEST(starts_are_found_in_texts_of_any_density) {
    static const char separators[] = ",;\t|:~ ";
    char text[SIZE_MOST];
    for (int round = 0; round < 3000; round++) {
        char separator = separators[below(sizeof separators - 1)];
        size_t size = below(SIZE_MOST), gap = 1 + below(40);
        for (size_t i = 0; i < size; i++) {
            char end = below(4) ? separator : '\n';
            text[i] = below(gap) ? (char)below(256) : end;
        }
        expect_as_looked_at(text, size, separator, 1 + below(CELLS_MOST));
    }
}

TEST(every_byte_is_told_from_a_separator) {
    char text[DP2DPI_STARTS_STEP];
    for (int byte = 0; byte < 256; byte++) {
        memset(text, byte, sizeof text);
        for (size_t i = 0; i < sizeof text; i += 5) {
            text[i] = i % 2 ? ',' : '\n';
        }
        expect_as_looked_at(text, sizeof text, ',', CELLS_MOST);
    }
}
