/* Every kernel gives the results of a plain loop, on every instruction set. */
#include "decide/kernel.h"

#include "unit/phase2/data.h"

enum {
    LENGTH_MAX = 3001,
    CLASSES_MAX = 10,
    PADDING = 5
};

static float columns[CLASSES_MAX * (LENGTH_MAX + PADDING) + 1];

/* Draws a score: any number in [0, 1) if levels is 0, else a multiple of 1/levels, so that ties
 * occur. */
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

TEST(kernel_equals_a_plain_loop) {
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

TEST(the_lowest_class_wins_a_tie) {
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

/* Score k of a row minus the offset of its stratum, computed by the definition. */
static float after(const float *row, const float *offsets, int32_t stratum, size_t classes,
                   size_t k) {
    volatile float value = row[k] - offsets[(size_t)stratum * classes + k];
    return value;
}

static void rows_agree(size_t n, size_t classes, size_t padding, uint64_t levels, uint64_t seed) {
    static int32_t strata[LENGTH_MAX], which[LENGTH_MAX + 1], folded[LENGTH_MAX];
    static float out[LENGTH_MAX * CLASSES_MAX + 1], best[LENGTH_MAX], column[LENGTH_MAX],
        offset[LENGTH_MAX];
    size_t stride = classes + padding;
    float offsets[3 * CLASSES_MAX];
    for (size_t i = 0; i < n; i++) {
        double row[CLASSES_MAX];
        draw_row(&seed, classes, levels, row);
        for (size_t k = 0; k < stride; k++) { /* nobody looks at the padding */
            columns[i * stride + k] = k < classes ? (float)row[k] : NAN;
        }
    }
    for (size_t c = 0; c < 3 * classes; c++) {
        offsets[c] = score(&seed, levels) - score(&seed, levels);
    }
    for (size_t i = 0; i < n; i++) {
        strata[i] = (int32_t)(draw(&seed) % (n % 2 ? 2 : 3));
        best[i] = -INFINITY;
        folded[i] = 0;
    }
    which[n] = -7;
    out[n * classes] = -7;
    assert_true(dp2dpi_kernel_decide(columns, stride, n, classes, offsets, strata, which));
    assert_true(dp2dpi_kernel_adjust(columns, stride, n, classes, offsets, strata, out));
    for (size_t k = 0; k < classes; k++) {
        for (size_t i = 0; i < n; i++) {
            column[i] = columns[i * stride + k];
            offset[i] = offsets[(size_t)strata[i] * classes + k];
        }
        assert_true(dp2dpi_kernel_fold(column, offset, n, (int32_t)k, best, folded));
    }
    for (size_t i = 0; i < n; i++) {
        const float *row = columns + i * stride;
        size_t winner = plain_argmax(row, classes, offsets + (size_t)strata[i] * classes);
        if (which[i] != (int32_t)winner || folded[i] != (int32_t)winner) {
            fail_msg("n %zu, K %zu, row %zu: %d and %d, not %zu", n, classes, i, which[i],
                     folded[i], winner);
        }
        for (size_t k = 0; k < classes; k++) {
            float expected = after(row, offsets, strata[i], classes, k);
            assert_memory_equal(&out[i * classes + k], &expected, sizeof expected);
        }
    }
    assert_int_equal(which[n], -7);
    assert_true(out[n * classes] == -7);
}

TEST(rows_are_decided_as_by_a_plain_loop) {
    static const size_t lengths[] = {0, 1, 2, 3, 8, 15, 17, 31, 255, 256, 257, 513, 1000};
    uint64_t seed = 1;
    for (size_t classes = 2; classes <= DP2DPI_KERNEL_CLASSES; classes++) {
        for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
            for (size_t t = 0; t < 6; t++, seed++) {
                rows_agree(lengths[l], classes, t % 2 ? 0 : t, t < 3 ? 4 : 0, seed);
            }
        }
    }
}

/* Rows that are not probabilities are found, at every place of a row. One class alone does not show
 * the sum. */
TEST(what_is_not_a_probability_is_seen_wherever_it_is) {
    static const float wrong[] = {NAN, -1e-30F, INFINITY, -INFINITY, 0.7F, 50};
    static const float zero[CLASSES_MAX];
    static int32_t strata[300], which[300];
    static float out[300 * CLASSES_MAX], best[300], none[300];
    for (size_t classes = 2; classes <= DP2DPI_KERNEL_CLASSES; classes++) {
        for (size_t i = 0; i < 300 * classes; i++) {
            columns[i] = i % classes < 2 ? 0.5F : 0;
        }
        for (size_t at = 0; at < 300 * classes; at += 1 + at / 50) {
            float kept = columns[at];
            for (size_t w = 0; w <= sizeof wrong / sizeof *wrong; w++) {
                int is_bad = w > 0;
                columns[at] = is_bad ? wrong[w - 1] : kept;
                assert_int_equal(
                    dp2dpi_kernel_decide(columns, classes, 300, classes, zero, strata, which),
                    !is_bad);
                assert_int_equal(
                    dp2dpi_kernel_adjust(columns, classes, 300, classes, zero, strata, out),
                    !is_bad);
                if (at < 300) {
                    assert_int_equal(dp2dpi_kernel_fold(columns, none, 300, 0, best, which),
                                     columns[at] >= 0);
                }
            }
            columns[at] = kept;
        }
    }
}

TEST(codes_outside_are_seen_wherever_they_are) {
    static const int32_t outside[4] = {3, -1, INT32_MIN, INT32_MAX};
    int32_t strata[67];
    for (size_t i = 0; i < 67; i++) {
        strata[i] = (int32_t)(i % 3);
    }
    assert_int_equal(dp2dpi_kernel_known(strata, 67, 3), 1);
    assert_int_equal(dp2dpi_kernel_known(strata, 67, 2), 0);
    for (size_t i = 0; i < 67; i++) {
        int32_t kept = strata[i];
        strata[i] = outside[i % 4];
        assert_int_equal(dp2dpi_kernel_known(strata, 67, 3), 0);
        strata[i] = kept;
    }
}

TEST(wrong_rows_are_seen_wherever_they_are) {
    static const float wrong[6] = {-0.5F, NAN, INFINITY, 0.7F, 0.498F, -1e-30F};
    for (size_t classes = 2; classes <= 5; classes++) {
        size_t stride = classes + classes % 2;
        for (size_t i = 0; i < 70 * stride; i++) {
            size_t k = i % stride;
            columns[i] = k >= classes ? -9.0F : k < 2 ? 0.5F : 0.0F;
        }
        assert_true(dp2dpi_kernel_sums(columns, stride, 70, classes, 1e-3));
        for (size_t row = 0; row < 70; row++) {
            float *cell = &columns[row * stride + row % 2], kept = *cell;
            *cell = wrong[row % 6];
            assert_false(dp2dpi_kernel_sums(columns, stride, 70, classes, 1e-3));
            *cell = 0.4995F;
            assert_true(dp2dpi_kernel_sums(columns, stride, 70, classes, 1e-3));
            columns[row * stride] = row % 2 ? -0.25F : 1.25F; /* the sum is right */
            columns[row * stride + 1] = row % 2 ? 1.25F : -0.25F;
            assert_false(dp2dpi_kernel_sums(columns, stride, 70, classes, 1e-3));
            columns[row * stride] = columns[row * stride + 1] = kept;
        }
    }
}

/* The kernel adds (diag s − s sᵀ)/β to the matrix, on and below the diagonal. */
TEST(the_spread_of_a_softmax_is_added_below_the_diagonal) {
    enum {
        N = 13
    };
    double x[N], h[N * N], beta = 0.03;
    uint64_t seed = 4;
    for (size_t k = 0; k < N; k++) {
        x[k] = k % 4 == 3 ? 0 : (double)(draw(&seed) % 1000) / 5000;
    }
    for (size_t i = 0; i < N * N; i++) {
        h[i] = 2;
    }
    dp2dpi_kernel_spread(x, N, beta, h);
    for (size_t k = 0; k < N; k++) {
        for (size_t l = 0; l < N; l++) {
            double added = l > k ? 0 : ((k == l ? x[k] : 0) - x[k] * x[l]) / beta;
            assert_true(fabs(h[k * N + l] - 2 - added) <= 1e-12);
        }
    }
}
