/* The public random numbers of the dither, which models rely on bit by bit. */
#include <math.h>

#include "decide/model.h"

#include "unit/phase2/data.h"

enum {
    RECORDS = 300, /* more than one piece */
    CLASSES = 9
};

/* Computed from docs/model.md by a script in Python, in whole numbers: the draws of classes 0 to 6
 * in units of 2^-21. */
TEST(draws_are_those_of_the_document) {
    static const struct {
        uint64_t seed, key;
        uint32_t draws[7];
    } cases[] = {
        {0, 0, {2090906, 590896, 1244710, 631599, 1368283, 1686831, 2000937}},
        {42, 1, {1692298, 1395440, 698171, 1261344, 2050546, 1386581, 1062842}},
        {UINT64_MAX,
         UINT64_C(0x123456789ABCDEF0),
         {336801, 2060698, 1863484, 1490113, 1802758, 1302710, 1565565}},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        for (size_t k = 0; k < 7; k++) {
            float whole = dp2dpi_dither_draw(&(dp2dp_dither) {1.0, cases[c].seed}, cases[c].key, k);
            float part = dp2dpi_dither_draw(&(dp2dp_dither) {0.15, cases[c].seed}, cases[c].key, k);
            assert_true(whole == (float)cases[c].draws[k] * 0x1p-21F);
            assert_true(part == (float)cases[c].draws[k] * ((float)0.15 * 0x1p-21F));
        }
    }
}

/* From the same script; 3 · 2^-15 is half a unit, and goes to the even one of its neighbours. */
TEST(keys_of_scores_are_those_of_the_document) {
    const float two[] = {0.25F, 0.75F}, half[] = {0x3p-15F, 1 - 0x3p-15F};
    const float five[] = {0.5F, 0.125F, 0.125F, 0.0625F, 0.1875F};
    assert_true(dp2dpi_dither_key_of_scores(two, 1, 2) == UINT64_C(0x30001000));
    assert_true(dp2dpi_dither_key_of_scores(half, 1, 2) == UINT64_C(0x3FFE0002));
    assert_true(dp2dpi_dither_key_of_scores(five, 1, 5) == UINT64_C(0x0F193B4D0AEBA74D));
}

/* Rounds by the mathematical library instead of by a sum. */
TEST(scores_are_rounded_to_the_nearest_unit) {
    float scores[2 * RECORDS];
    uint64_t keys[RECORDS];
    for (size_t i = 0; i < RECORDS; i++) {
        float halves = (float)i * 0x1p-15F;
        scores[i] = i % 3 == 0   ? halves
                    : i % 3 == 1 ? nextafterf(halves, 2)
                                 : nextafterf(halves, 0);
        scores[RECORDS + i] = 1 - scores[i];
    }
    dp2dpi_dither_keys_of_scores(scores, RECORDS, 2, RECORDS, keys);
    for (size_t i = 0; i < RECORDS; i++) {
        uint64_t low = (uint64_t)lrint((double)scores[i] * 0x1p14);
        uint64_t high = (uint64_t)lrint((double)scores[RECORDS + i] * 0x1p14);
        assert_true(keys[i] == (low | high << 16));
    }
}

/* Adjusted scores have no ties to show the last bit of a draw. */
TEST(the_draws_of_a_column_are_those_of_its_records) {
    const dp2dp_dither dither = {0.15, 9};
    static float scores[CLASSES * RECORDS], out[CLASSES * RECORDS];
    uint64_t keys[RECORDS], seed = 3;
    for (size_t i = 0; i < RECORDS; i++) {
        keys[i] = draw(&seed);
    }
    dp2dpi_dither_add(&dither, keys, RECORDS, RECORDS, CLASSES, scores, out);
    for (size_t i = 0; i < CLASSES * RECORDS; i++) {
        assert_true(out[i] == dp2dpi_dither_draw(&dither, keys[i % RECORDS], i / RECORDS));
    }
}

/* Sums of products of centred draws, over neighbouring positions and over the classes of a record.
 * With fixed seeds this either holds or not; a good hash exceeds 5 standard errors in one of these
 * 45 sums with probability 3e-5. */
TEST(draws_of_positions_and_classes_are_uncorrelated) {
    enum {
        N = 1 << 18
    };
    double products[CLASSES][CLASSES] = {{0}}, before[CLASSES] = {0};
    for (uint64_t i = 0; i < N; i++) {
        double now[CLASSES];
        for (size_t k = 0; k < CLASSES; k++) {
            now[k] = (double)dp2dpi_dither_draw(&(dp2dp_dither) {1.0, 7}, i, k) - 0.5;
            for (size_t j = 0; j < k; j++) {
                products[k][j] += now[k] * now[j];
            }
            products[k][k] += now[k] * before[k];
            before[k] = now[k];
        }
    }
    for (size_t k = 0; k < CLASSES; k++) {
        for (size_t j = 0; j <= k; j++) {
            assert_true(fabs(products[k][j]) * 12 < 5 * sqrt(N));
        }
    }
}
