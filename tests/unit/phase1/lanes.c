/* Tests that processing many rows at a time, one in each lane, gives the same results as one by
 * one: the sums, also beside invalid rows, and the derivatives. */
#include "num/triangles.h"
#include "phase1/gradient.h"
#include "phase1/logloss.h"

#include "unit/phase1/data.h"

enum {
    BITS = 44,
    CELLS_MAX = 128,
    ROWS_MAX = 70
};

/* Makes some rows too long and sets some numbers to NaN or infinity. */
static void spoil(crowd *c, uint64_t *seed) {
    for (size_t i = 0; i < c->rows.count; i++) {
        for (size_t j = 0; j < c->rows.numbers; j++) {
            float *x = &c->rows.x[i * c->rows.numbers + j];
            *x = draw(seed) % 20  ? *x
                 : draw(seed) % 3 ? (float)(1e30 * uniform(seed))
                 : draw(seed) % 2 ? NAN
                                  : INFINITY;
        }
        for (size_t q = 0; q < c->rows.categories; q++) {
            int32_t *code = &c->rows.codes[i * c->rows.categories + q];
            *code = draw(seed) % 5 ? *code : -1;
        }
    }
}

TEST(a_sum_is_that_of_its_records_one_by_one) {
    uint64_t seed = 3;
    size_t numbers[] = {0, 3}, nonzero = 0;
    for (int run = 0; run < 600; run++) {
        OWNED(crowd) c = crowd_random(1 + draw(&seed) % ROWS_MAX, numbers[run % 2], 2,
                                      2 + draw(&seed) % 3, 90 + (unsigned)run);
        dp2dpi_examples e = crowd_examples(&c);
        OWNED(dp2dpi_gradient) g = {0};
        double weights[CELLS_MAX], levels[CELLS_MAX];
        int64_t sum[CELLS_MAX] = {0};
        uint8_t mask[ROWS_MAX];
        for (size_t i = 0; i < CELLS_MAX; i++) {
            weights[i] = 2 * uniform(&seed) - 1;
            levels[i] = (double)(draw(&seed) % DP2DPI_LEVEL_UNITS) / DP2DPI_LEVEL_UNITS;
            levels[i] = draw(&seed) % 40 ? levels[i] : NAN;
        }
        spoil(&c, &seed);
        dp2dpi_look look = {(dp2dp_term)(1 + run % 3), weights, levels, 0.5, BITS};
        int masked = draw(&seed) % 2 == 0;
        size_t cells = dp2dpi_examples_cells(&e);
        assert_ok(dp2dpi_gradient_new(&e, &g, NULL));
        for (size_t i = 0; i < c.rows.count; i++) {
            uint8_t alone[ROWS_MAX] = {0};
            mask[i] = draw(&seed) & 1;
            alone[i] = mask[i] || !masked;
            dp2dpi_gradient_sum(&g, alone, &look);
            for (size_t j = 0; j < cells; j++) {
                sum[j] += g.sum[j];
            }
        }
        dp2dpi_gradient_sum(&g, masked ? mask : NULL, &look);
        assert_memory_equal(g.sum, sum, cells * sizeof *sum);
        for (size_t i = 0; i < cells; i++) {
            nonzero += sum[i] != 0;
        }
    }
    assert_true(nonzero > 2000);
}

static void derivatives(dp2dpi_logloss *loss, const dp2dpi_examples *e, const double *weights,
                        const double *direction) {
    assert_ok(dp2dpi_logloss_new(e, DP2DPI_LOGLOSS_HESSIAN, loss, NULL));
    dp2dpi_logloss_at(loss, weights);
    if (loss->product) {
        dp2dpi_logloss_multiply(loss, weights, direction);
    }
}

/* The derivatives of many rows equal, bit for bit, those of single rows added in row order. The
 * value does not: one logarithm serves several rows. */
TEST(derivatives_are_those_of_the_rows_one_by_one) {
    for (size_t classes = 2; classes <= 5; classes++) {
        crowd all = crowd_random(ROWS_MAX, 3, 2, classes, classes), one = all;
        dp2dpi_examples many = crowd_examples(&all);
        dp2dpi_logloss loss = {0}, part = {0};
        size_t cells = dp2dpi_examples_cells(&many);
        size_t pairs = dp2dpi_triangle_size(all.width + 1) * many.outputs;
        double weights[CELLS_MAX], direction[CELLS_MAX], value = 0;
        double gradient[CELLS_MAX] = {0}, product[CELLS_MAX] = {0};
        FREED double *blocks = calloc(pairs, sizeof *blocks);
        uint64_t seed = classes;
        assert_true(blocks && cells <= CELLS_MAX);
        for (size_t i = 0; i < CELLS_MAX; i++) {
            weights[i] = 2 * uniform(&seed) - 1;
            direction[i] = 2 * uniform(&seed) - 1;
        }
        for (size_t i = 0; i < all.rows.count; i++) {
            one.rows.x = all.rows.x + i * all.rows.numbers;
            one.rows.codes = all.rows.codes + i * all.rows.categories;
            one.rows.scale = all.rows.scale + i;
            one.rows.count = 1;
            one.labels = all.labels + i;
            dp2dpi_examples e = crowd_examples(&one);
            derivatives(&part, &e, weights, direction);
            value += part.value;
            for (size_t c = 0; c < cells; c++) {
                gradient[c] += part.gradient[c];
                product[c] += part.product ? part.product[c] : 0;
            }
            for (size_t c = 0; c < pairs; c++) {
                blocks[c] += part.blocks[c];
            }
            dp2dpi_logloss_free(&part);
        }
        derivatives(&loss, &many, weights, direction);
        assert_true(fabs(loss.value - value) <= 1e-14 * value);
        assert_memory_equal(loss.gradient, gradient, cells * sizeof *gradient);
        assert_memory_equal(loss.blocks, blocks, pairs * sizeof *blocks);
        assert_true((loss.product == NULL) == (classes == 2));
        if (loss.product) {
            assert_memory_equal(loss.product, product, cells * sizeof *product);
        }
        dp2dpi_logloss_free(&loss);
        crowd_free(&all);
    }
}
