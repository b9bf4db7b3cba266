/* Tests which numbers are said to be ids. */
#include "draw.h"
#include "support.h"

#include "schema/number_ids.h"

static dp2dpi_ids_sample samples[DP2DPI_IDS_SAMPLES];

/* Returns what is known about `count` numbers: 7, 10, 13, … in another order. */
static dp2dpi_ids spaced(size_t count, double step) {
    dp2dpi_ids ids = {0};
    memset(samples, 0, sizeof samples);
    for (size_t i = 0; i < count; i++) {
        dp2dpi_ids_add(7 + step * (double)(i * 7919 % count), samples, &ids);
    }
    return ids;
}

TEST(different_whole_numbers_are_ids_from_1000_on) {
    dp2dpi_ids ids = spaced(999, 1);
    assert_false(dp2dpi_ids_are(&ids));
    ids = spaced(1000, 1);
    assert_true(dp2dpi_ids_are(&ids));
    ids = spaced(100000, 3);
    assert_true(dp2dpi_ids_are(&ids));
}

TEST(numbers_in_a_wide_range_are_no_ids) {
    dp2dpi_ids ids = spaced(1000, 20);
    assert_true(dp2dpi_ids_are(&ids));
    ids = spaced(1000, 21);
    assert_false(dp2dpi_ids_are(&ids));
}

TEST(one_fraction_or_one_early_copy_is_enough_to_be_no_id) {
    static const double others[] = {0.5, 7};
    for (size_t i = 0; i < 2; i++) {
        dp2dpi_ids ids = spaced(1000, 1);
        dp2dpi_ids_add(others[i], samples, &ids);
        assert_false(dp2dpi_ids_are(&ids));
        assert_false(samples[0].is_taken); /* another column may use it */
    }
}

TEST(numbers_drawn_by_chance_are_no_ids) {
    for (uint64_t seed = 1; seed <= 200; seed++) {
        dp2dpi_ids ids = {0};
        uint64_t drawn = seed;
        memset(samples, 0, sizeof samples);
        for (size_t i = 0; i < 3000; i++) {
            dp2dpi_ids_add((double)(draw(&drawn) % 59000), samples, &ids);
        }
        assert_false(dp2dpi_ids_are(&ids));
    }
}

TEST(more_columns_than_samples_are_possible) {
    static dp2dpi_ids ids[DP2DPI_IDS_SAMPLES + 1];
    memset(samples, 0, sizeof samples);
    memset(ids, 0, sizeof ids);
    for (size_t i = 0; i < 1000; i++) {
        for (size_t j = 0; j <= DP2DPI_IDS_SAMPLES; j++) {
            dp2dpi_ids_add((double)i, samples, &ids[j]);
        }
    }
    for (size_t j = 0; j <= DP2DPI_IDS_SAMPLES; j++) {
        assert_int_equal(dp2dpi_ids_are(&ids[j]), j < DP2DPI_IDS_SAMPLES);
    }
}
