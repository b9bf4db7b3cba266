/* A number without a doubt must be that of strtod, bit for bit. */
#include "table/decimal_lanes.h"

#include <inttypes.h>
#include <math.h>

#include "draw.h"
#include "support.h"

enum {
    TEXT_MOST = 64
};

static uint64_t state_of_draw = 1;

static size_t below(size_t bound) {
    return (size_t)(draw(&state_of_draw) % bound);
}

typedef struct four {
    char texts[DP2DPI_LANES][TEXT_MOST];
    double values[DP2DPI_LANES];
    uint64_t doubts[DP2DPI_LANES];
} four;

/* Converts the texts, each of which has junk after it. */
static void convert(four *f) {
    dp2dpi_lanes texts[DP2DPI_LANES], doubt;
    dp2dpi_lanes_double values;
    for (size_t i = 0; i < DP2DPI_LANES; i++) {
        size_t length = strlen(f->texts[i]);
        char text[TEXT_MOST];
        memset(text, (int)below(256), sizeof text);
        memcpy(text, f->texts[i], length);
        dp2dpi_lanes_load(text, length, &texts[i]);
    }
    dp2dpi_lanes_convert(texts, &values, &doubt);
    memcpy(f->values, &values, sizeof values);
    memcpy(f->doubts, &doubt, sizeof doubt);
}

/* Returns the number of doubts. */
static size_t expect_as_strtod(four *f) {
    size_t doubts = 0;
    convert(f);
    for (size_t i = 0; i < DP2DPI_LANES; i++) {
        double expected = strtod(f->texts[i], NULL);
        if (f->doubts[i]) {
            doubts++;
        } else if (memcmp(&expected, &f->values[i], sizeof expected) != 0) {
            fail_msg("%s: %a and not %a", f->texts[i], f->values[i], expected);
        }
    }
    return doubts;
}

static void put_digits(char *out, size_t count) {
    for (size_t i = 0; i < count; i++) {
        out[i] = (char)('0' + below(10));
    }
    out[count] = '\0';
}

/* A digit, a point and up to 22 decimals, of which the first may be zeros. */
static void random_number(char *out) {
    size_t decimals = below(3) ? 15 + below(8) : below(23), zeros = below(4) ? 0 : below(8);
    put_digits(out, 2 + decimals);
    out[0] = (char)(below(2) ? '0' : out[0]);
    out[1] = '.';
    memset(out + 2, '0', zeros < decimals ? zeros : decimals);
}

TEST(random_decimals_are_those_of_strtod) {
    four f;
    for (int round = 0; round < 500000; round++) {
        for (size_t i = 0; i < DP2DPI_LANES; i++) {
            random_number(f.texts[i]);
        }
        (void)expect_as_strtod(&f);
    }
}

/* The middle between two doubles, cut after up to 22 decimals, and its neighbours. */
TEST(numbers_near_the_middle_between_two_doubles_are_those_of_strtod) {
    four f;
    for (int round = 0; round < 100000; round++) {
        double value = ldexp(1 + uniform(&state_of_draw), -(int)below(12) + 2);
        long double middle = ((long double)value + nextafter(value, 10)) / 2;
        size_t length = (size_t)snprintf(f.texts[0], TEXT_MOST, "%.60Lf", middle);
        length = length < 24 ? length : 18 + below(7);
        f.texts[0][length] = '\0';
        for (size_t i = 1; i < DP2DPI_LANES; i++) {
            memcpy(f.texts[i], f.texts[0], length + 1);
            f.texts[i][length - 1] = (char)('0' + below(10));
        }
        (void)expect_as_strtod(&f);
    }
}

/* So that the tests above test something, and files with probabilities are read fast. */
TEST(doubts_about_probabilities_are_rare) {
    four f;
    size_t doubts = 0, rounds = 100000;
    for (size_t round = 0; round < rounds; round++) {
        for (size_t i = 0; i < DP2DPI_LANES; i++) {
            (void)snprintf(f.texts[i], TEXT_MOST, "%.17f", uniform(&state_of_draw));
        }
        doubts += expect_as_strtod(&f);
    }
    assert_in_range(doubts, 0, rounds / 1000);
}

TEST(short_numbers_have_no_doubt) {
    static const char *const texts[] = {"0",   "7",     "9.",    "0.0",   "1.0",
                                        "0.5", "0.125", "1.375", "9.875", "0.0000000"};
    four f;
    for (size_t i = 0; i + DP2DPI_LANES <= sizeof texts / sizeof texts[0]; i += 2) {
        for (size_t k = 0; k < DP2DPI_LANES; k++) {
            (void)strcpy(f.texts[k], texts[i + k]);
        }
        assert_int_equal(expect_as_strtod(&f), 0);
    }
}

/* Puts one byte that is not a digit anywhere in a number. */
TEST(a_text_that_is_not_a_number_is_a_doubt_and_its_neighbours_are_none) {
    four f;
    for (size_t length = 1; length <= DP2DPI_LANES_LENGTH_MOST; length++) {
        for (size_t at = 0; at < length; at++) {
            for (int byte = 1; byte < 256; byte++) {
                size_t lane = below(DP2DPI_LANES);
                int is_right = at == 1 ? byte == '.' : byte >= '0' && byte <= '9';
                for (size_t i = 0; i < DP2DPI_LANES; i++) {
                    (void)strcpy(f.texts[i], "0.5");
                }
                memset(f.texts[lane], '0', length);
                f.texts[lane][length] = '\0';
                f.texts[lane][1] = length > 1 ? '.' : '\0';
                f.texts[lane][at] = (char)byte;
                convert(&f);
                for (size_t i = 0; i < DP2DPI_LANES; i++) {
                    if (i != lane || !is_right) { /* a number near 0 may have a doubt */
                        assert_int_equal(f.doubts[i] != 0, i == lane);
                    }
                }
            }
        }
    }
}
