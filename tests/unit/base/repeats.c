/* Rows that were repeated are told from rows that are equal by chance. */
#include "support.h"

#include <math.h>

#include "base/repeats.h"
#include "draw.h"

static uint64_t hash_of(size_t row) {
    return dp2dpi_repeats_mix(dp2dpi_repeats_mix(1, (uint32_t)row), 7);
}

/* Returns what is said about `rows` different rows, of which each `nth` occurs `copies` times. */
static int are_many(size_t rows, size_t nth, size_t copies) {
    dp2dpi_repeats r = {.mask = 0};
    for (size_t i = 0; i < rows; i++) {
        for (size_t c = 0; c < (i % nth == 0 ? copies : 1); c++) {
            dp2dpi_repeats_add(hash_of(i), &r);
        }
    }
    return dp2dpi_repeats_are_many(&r);
}

TEST(a_class_that_was_repeated_is_noticed_whatever_the_number_of_copies) {
    for (size_t copies = 2; copies <= 20; copies++) {
        assert_int_equal(are_many(8000, 2, copies), 1);
        assert_int_equal(copies == 2 || are_many(8000, 5, copies), 1);
        assert_int_equal(copies == 2 || are_many(800, 5, copies), 1);
    }
    assert_int_equal(are_many(8000, 8000, 5), 0);
}

/* Draws `rows` rows from `different` ones, the first of which are more frequent. */
static int by_chance(size_t rows, size_t different, double power, uint64_t seed) {
    dp2dpi_repeats r = {.mask = 0};
    for (size_t i = 0; i < rows; i++) {
        double at = ldexp((double)(draw(&seed) >> 11), -53);
        dp2dpi_repeats_add(hash_of((size_t)((double)different * pow(at, power))), &r);
    }
    return dp2dpi_repeats_are_many(&r);
}

TEST(rows_that_are_equal_by_chance_are_not) {
    for (uint64_t seed = 1; seed <= 20; seed++) {
        for (size_t different = 100; different <= 1000000; different *= 10) {
            assert_int_equal(by_chance(10000, different, 1, seed), 0);
            assert_int_equal(by_chance(10000, different, 3, seed), 0);
            assert_int_equal(by_chance(10000, different, 8, seed), 0);
        }
    }
}
