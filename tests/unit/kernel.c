/* The counting kernel is a plain loop, whatever the instruction set makes of it. */
#include "phase2/kernel.h"

#include "unit/phase2_data.h"

enum {
    LENGTH_MAX = 3001,
    CLASSES_MAX = 10,
    PADDING = 5
};

static float columns[CLASSES_MAX * (LENGTH_MAX + PADDING) + 1];

/* levels = 0: any number in [0, 1); else multiples of 1/levels, and offsets with the same ties. */
static float score(uint64_t *state, uint64_t levels) {
    return levels ? (float)(draw(state) % levels) / (float)levels
                  : (float)(draw(state) >> 40) * 0x1p-24F;
}

static void agrees(size_t n, size_t classes, uint64_t levels, size_t shift, uint64_t seed) {
    size_t stride = n + seed % PADDING;
    float offsets[CLASSES_MAX];
    int64_t fast[CLASSES_MAX], plain[CLASSES_MAX];
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        columns[i] = score(&seed, levels);
    }
    for (size_t k = 0; k < classes; k++) {
        offsets[k] = score(&seed, levels) - score(&seed, levels);
        fast[k] = plain[k] = (int64_t)(1000 * k) - 7; /* counts are added to */
    }
    for (size_t i = 0; i < n; i++) {
        float row[CLASSES_MAX];
        for (size_t k = 0; k < classes; k++) {
            row[k] = columns[shift + k * stride + i];
        }
        plain[plain_argmax(row, classes, offsets)]++;
    }
    dp2dpi_kernel_count(columns + shift, stride, n, classes, offsets, fast);
    for (size_t k = 0; k < classes; k++) {
        if (fast[k] != plain[k]) {
            fail_msg("n %zu, K %zu, %d levels, class %zu: %lld, not %lld", n, classes, (int)levels,
                     k, (long long)fast[k], (long long)plain[k]);
        }
    }
}

static void kernel_equals_a_plain_loop(void **state) {
    (void)state;
    static const size_t lengths[] = {0,    1,    2,    3,    7,    8,         15,  16,
                                     17,   31,   33,   63,   65,   127,       500, 1023,
                                     1024, 1025, 2047, 2048, 2049, LENGTH_MAX};
    static const uint64_t all_levels[] = {0, 2, 3, 16};
    uint64_t seed = 1;
    for (size_t classes = 2; classes <= CLASSES_MAX; classes++) {
        for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
            for (size_t t = 0; t < 4; t++) {
                agrees(lengths[l], classes, all_levels[t], seed % 2, seed);
                seed++;
            }
        }
    }
}

static void the_lowest_class_wins_a_tie(void **state) {
    (void)state;
    static const float equal[3 * 4] = {0.25F, 0.5F, 0.F,  1.F,   0.25F, 0.5F,
                                       0.F,   1.F,  0.5F, 0.75F, 0.25F, 1.25F};
    static const float offsets[3] = {0, 0, 0.25F};
    int64_t counts[3] = {0, 0, 0};
    dp2dpi_kernel_count(equal, 4, 4, 3, offsets, counts);
    assert_int_equal(counts[0], 4);
    assert_int_equal(counts[1] + counts[2], 0);
    int64_t two[2] = {0, 0};
    dp2dpi_kernel_count(equal, 4, 4, 2, offsets, two);
    assert_int_equal(two[0], 4);
    assert_int_equal(two[1], 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernel_equals_a_plain_loop),
        cmocka_unit_test(the_lowest_class_wins_a_tie),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
