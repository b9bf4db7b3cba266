/* The sums of weights times offsets, with AVX-512 where there is and without. */
#include "decide/weigh_rows.h"

#include <math.h>
#include <string.h>

#include "unit/phase2/data.h"

enum {
    CLASSES_MAX = 7,
    PARTS_MAX = 40
};

/* Rows of weights in memory that ends with the last of them, so that the address sanitizer sees a
 * read past it. */
typedef struct weights {
    size_t n, parts, stride;
    float *at;
} weights;

static weights weights_new(size_t n, size_t parts, size_t stride, uint64_t *seed) {
    weights w = {n, parts, stride, malloc(((n - 1) * stride + parts) * sizeof(float))};
    assert_non_null(w.at);
    for (size_t i = 0; i < n; i++) {
        double numbers[PARTS_MAX];
        draw_row(seed, parts, 0, numbers);
        for (size_t j = 0; j < parts; j++) {
            w.at[i * stride + j] = (float)numbers[j];
        }
    }
    return w;
}

static int weigh(const weights *w, size_t classes, const float *offsets, float *out) {
    float table[DP2DPI_COLUMNS_TABLES];
    assert_true(dp2dpi_columns_lay_out(offsets, w->parts, classes, table));
    return dp2dpi_columns_weigh(&(dp2dpi_plain_rows) {w->at, w->stride, w->n}, w->n, w->parts,
                                classes, table, w->n, out);
}

/* The definition, without fused operations. */
static float sum_of(const float *row, size_t parts, size_t classes, const float *offsets,
                    size_t k) {
    volatile float sum = 0;
    for (size_t j = 0; j < parts; j++) {
        volatile float product = row[j] * offsets[j * classes + k];
        sum += product;
    }
    return sum;
}

TEST(sums_have_the_bits_of_the_definition) {
    const size_t counts[] = {8, 16, 48};
    float offsets[PARTS_MAX * CLASSES_MAX], out[48 * CLASSES_MAX];
    uint64_t seed = 5;
    for (size_t c = 0; c < PARTS_MAX * CLASSES_MAX; c++) {
        offsets[c] = (float)((double)draw(&seed) * 0x1p-62 - 2.0);
    }
    for (size_t classes = 2; classes <= CLASSES_MAX; classes++) {
        for (size_t parts = 4; parts <= PARTS_MAX; parts++) {
            size_t n = counts[draw(&seed) % 3];
            weights w = weights_new(n, parts, parts, &seed);
            assert_true(weigh(&w, classes, offsets, out));
            for (size_t i = 0; i < n * classes; i++) {
                const float *row = w.at + i % n * parts;
                assert_true(out[i] == sum_of(row, parts, classes, offsets, i / n));
            }
            free(w.at);
        }
    }
}

TEST(every_invalid_weight_is_noticed) {
    static const float bad[] = {-0.25F, 2.0F, NAN, INFINITY};
    float offsets[25 * 5] = {0}, out[16 * 5];
    uint64_t seed = 6;
    for (size_t n = 8; n <= 16; n += 8) {
        weights w = weights_new(n, 25, 25, &seed);
        for (size_t i = 0; i < n * 25; i++) {
            for (size_t b = 0; b < sizeof bad / sizeof *bad; b++) {
                float *next = &w.at[i / 25 * 25 + (i % 25 + 1) % 25], kept = w.at[i], other = *next;
                w.at[i] = bad[b];
                *next += b == 0 ? kept + 0.25F : 0.0F; /* so that the sum stays 1 */
                assert_false(weigh(&w, 5, offsets, out));
                w.at[i] = kept;
                *next = other;
            }
        }
        free(w.at);
    }
}
