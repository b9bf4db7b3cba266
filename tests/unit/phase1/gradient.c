/* Tests the bounded sum of dpgd and dpsgd: its value, and how much one record can change it. */
#include "phase1/gradient.h"

#include "unit/phase1/data.h"

enum {
    BITS = 48, /* some tests also use 52; above 48, a double does not hold all sums */
    CELLS_MAX = 128,
    ROWS_MAX = 8
};

#define UNITS(n) ((n) / (double)DP2DPI_LEVEL_UNITS)
static const double levels[CELLS_MAX] = {
    1, 1,           1, 0.5,         0.25, 0, UNITS(4001), UNITS(7),    1,
    1, UNITS(1000), 1, UNITS(4095), 0.75, 0, UNITS(1),    UNITS(3000), UNITS(2001)};

static dp2dpi_look look_at(dp2dp_term term, const double *weights, double clip) {
    return (dp2dpi_look) {term, weights, levels, clip, BITS};
}

/* Σ clip((softmax − onehot) ⊗ v), v = (row, 1) with levels counted as above, and Σ clip((softmax −
 * onehot)·z), in double precision and without any of the code under test. */
static double plain_sum(const crowd *c, const double *weights, double clip, double *sum) {
    size_t outputs = c->classes == 2 ? 1 : c->classes, length = c->width + 1;
    double slopes = 0;
    memset(sum, 0, outputs * length * sizeof *sum);
    for (size_t i = 0; i < c->rows.count; i++) {
        float row[CELLS_MAX];
        double z[8], logits[8], total = outputs == 1, residual = 0, square = 1, slope = 0;
        crowd_spread(c, i, row);
        row[c->width] = 1;
        for (size_t h = 0; h < outputs; h++) {
            z[h] = 0;
            for (size_t j = 0; j < length; j++) {
                z[h] += (double)row[j] * weights[j * outputs + h];
            }
            logits[h] = z[h];
            z[h] = exp(z[h]);
            total += z[h];
        }
        for (size_t h = 0; h < outputs; h++) {
            z[h] = z[h] / total - ((size_t)c->labels[i] == (outputs == 1 ? 1 : h));
            residual += z[h] * z[h];
            slope += z[h] * logits[h];
        }
        slopes += fmax(-clip, fmin(clip, slope));
        for (size_t j = 0; j < c->width; j++) {
            row[j] *= j < c->rows.numbers ? 1 : (float)levels[j];
            square += (double)row[j] * (double)row[j];
        }
        double cut = fmin(1, clip / sqrt(residual * square));
        for (size_t j = 0; j < length; j++) {
            for (size_t h = 0; h < outputs; h++) {
                sum[j * outputs + h] += cut * z[h] * (double)row[j];
            }
        }
    }
    return slopes;
}

TEST(sums_are_those_of_clipped_gradients) {
    for (size_t classes = 2; classes <= 5; classes++) {
        for (int wide = 0; wide < 2; wide++) {
            OWNED(crowd) c = crowd_random(500, wide ? 3 : 0, wide ? 2 : 3, classes, 40 + classes);
            dp2dpi_examples e = crowd_examples(&c);
            OWNED(dp2dpi_gradient) g = {0};
            double weights[CELLS_MAX], sum[CELLS_MAX], clip = wide ? 0.7 : 100;
            uint64_t seed = classes;
            assert_ok(dp2dpi_gradient_new(&e, &g, NULL));
            for (size_t i = 0; i < CELLS_MAX; i++) {
                weights[i] = 2 * uniform(&seed) - 1;
            }
            double slope = plain_sum(&c, weights, clip, sum);
            dp2dpi_look look = look_at(DP2DP_TERM_GRADIENT, weights, clip);
            for (int bits = BITS; bits <= BITS + 4; bits += 4) {
                look.grid_bits = bits;
                dp2dpi_gradient_sum(&g, NULL, &look);
                for (size_t i = 0; i < dp2dpi_examples_cells(&e); i++) {
                    double ours = ldexp((double)g.sum[i], -bits) * clip;
                    assert_true(fabs(ours - sum[i]) < 1e-5 * (1 + fabs(sum[i])));
                }
            }
            look.grid_bits = BITS;
            look.term = DP2DP_TERM_SLOPE;
            dp2dpi_gradient_sum(&g, NULL, &look);
            assert_true(fabs(ldexp((double)g.sum[0], -BITS) * clip - slope) < 1e-5 * fabs(slope));
            for (size_t i = 1; i < dp2dpi_examples_cells(&e); i++) {
                assert_int_equal(g.sum[i], 0);
            }
        }
    }
}

/* Rows that are not longer than the clip are not clipped. */
TEST(sums_of_rows_are_the_rows_in_the_first_output) {
    OWNED(crowd) c = crowd_random(300, 3, 2, 3, 8);
    dp2dpi_examples e = crowd_examples(&c);
    OWNED(dp2dpi_gradient) g = {0};
    dp2dpi_look look = look_at(DP2DP_TERM_ROW, NULL, sqrt(10));
    double sum[CELLS_MAX] = {0};
    for (size_t i = 0; i < c.rows.count; i++) {
        float row[CELLS_MAX];
        crowd_spread(&c, i, row);
        for (size_t j = 0; j < c.width; j++) {
            sum[j] += (double)row[j] * (j < c.rows.numbers ? 1 : levels[j]);
        }
    }
    sum[c.width] = (double)c.rows.count;
    assert_ok(dp2dpi_gradient_new(&e, &g, NULL));
    dp2dpi_gradient_sum(&g, NULL, &look);
    for (size_t i = 0; i < dp2dpi_examples_cells(&e); i++) {
        double ours = ldexp((double)g.sum[i], -BITS) * sqrt(10);
        assert_true(fabs(ours - (i % 3 == 0 ? sum[i / 3] : 0)) < 1e-5 * 300);
    }
}

TEST(threads_and_order_change_nothing) {
    OWNED(crowd) c = crowd_random(20000, 3, 2, 3, 9);
    dp2dpi_examples e = crowd_examples(&c);
    OWNED(dp2dpi_gradient) one = {0}, many = {0};
    double weights[CELLS_MAX] = {0.3, -0.2, 1.5, 0.1};
    FREED uint8_t *mask = malloc(c.rows.count);
    uint64_t seed = 2;
    assert_non_null(mask);
    for (size_t i = 0; i < c.rows.count; i++) {
        mask[i] = draw(&seed) & 1;
    }
    e.threads = 1;
    assert_ok(dp2dpi_gradient_new(&e, &one, NULL));
    e.threads = 7;
    assert_ok(dp2dpi_gradient_new(&e, &many, NULL));
    assert_true(many.tasks > 4);
    for (int run = 0; run < 6; run++) {
        int masked = run % 2;
        dp2dpi_look look = look_at((dp2dp_term)(1 + run / 2), weights, 1);
        dp2dpi_gradient_sum(&one, masked ? mask : NULL, &look);
        dp2dpi_gradient_sum(&many, masked ? mask : NULL, &look);
        assert_memory_equal(one.sum, many.sum, dp2dpi_examples_cells(&e) * sizeof *one.sum);
        many.tasks = 1;
        dp2dpi_gradient_sum(&many, masked ? mask : NULL, &look);
        assert_memory_equal(one.sum, many.sum, dp2dpi_examples_cells(&e) * sizeof *one.sum);
        many.tasks = one.tasks;
    }
}

/* Makes row i extreme: huge, tiny or NaN numbers, longer than the norm, any label. */
static void mischief(crowd *c, size_t i, uint64_t *seed) {
    static const double sizes[] = {0, 1e-44, 1e-30, 1, 3, 1e10, 1e30, 3e38};
    for (size_t j = 0; j < c->rows.numbers; j++) {
        c->rows.x[i * c->rows.numbers + j] =
            (float)(sizes[draw(seed) % 8] * (2 * uniform(seed) - 1));
        if (draw(seed) % 50 == 0) {
            c->rows.x[i * c->rows.numbers + j] = draw(seed) % 2 ? NAN : INFINITY;
        }
    }
    for (size_t q = 0; q < c->rows.categories; q++) {
        uint64_t level = draw(seed) % (LEVELS + 1);
        c->rows.codes[i * c->rows.categories + q] =
            level < LEVELS ? (int32_t)(c->rows.numbers + q * LEVELS + level) : -1;
    }
    c->rows.scale[i] = draw(seed) % 4 ? 1 : (float)pow(10, 80 * uniform(seed) - 42);
    c->rows.scale[i] = draw(seed) % 50 ? c->rows.scale[i] : draw(seed) % 2 ? NAN : INFINITY;
    c->labels[i] = (int32_t)(draw(seed) % c->classes);
}

/* Adds the term of row i alone to sum. */
static void add_row(const dp2dpi_examples *e, size_t i, const dp2dpi_look *look, int64_t *sum) {
    OWNED(dp2dpi_gradient) g = {0};
    uint8_t mask[ROWS_MAX] = {0};
    mask[i] = 1;
    assert_ok(dp2dpi_gradient_new(e, &g, NULL));
    dp2dpi_gradient_sum(&g, mask, look);
    for (size_t c = 0; c < dp2dpi_examples_cells(e); c++) {
        sum[c] += g.sum[c];
    }
}

/* Returns |a − b|, or |a| if b is NULL, in units of clip. */
static double length_of(const int64_t *a, const int64_t *b, size_t n) {
    long double squares = 0;
    for (size_t i = 0; i < n; i++) {
        long double d = (long double)(a[i] - (b ? b[i] : 0));
        squares += d * d;
    }
    return (double)(sqrtl(squares) / (long double)((int64_t)1 << BITS));
}

/* Tries 20,000 pairs of neighbours with random terms, rows, weights, levels and clips. */
TEST(a_replaced_record_moves_the_sum_by_no_more_than_charged) {
    double most = 0, longest = 0;
    uint64_t seed = 17;
    for (int run = 0; run < 20000; run++) {
        OWNED(crowd) c = crowd_new(3, draw(&seed) % 4, draw(&seed) % 3, 2 + draw(&seed) % 3);
        dp2dpi_examples e = crowd_examples(&c);
        size_t cells = dp2dpi_examples_cells(&e);
        double weights[CELLS_MAX], counts[CELLS_MAX];
        dp2dpi_look look = {(dp2dp_term)(1 + draw(&seed) % 3), weights, counts,
                            pow(10, 6 * uniform(&seed) - (draw(&seed) % 8 ? 5 : 150)), BITS};
        int64_t sums[2][CELLS_MAX];
        memset(sums, 0, sizeof sums);
        double size = draw(&seed) % 3 ? 0 : pow(10, 8 * uniform(&seed) - 4);
        for (size_t i = 0; i < CELLS_MAX; i++) {
            weights[i] = size * (2 * uniform(&seed) - 1);
            counts[i] = draw(&seed) % 2 ? 1 : UNITS((double)(draw(&seed) % DP2DPI_LEVEL_UNITS));
            counts[i] = draw(&seed) % 100 ? counts[i]
                        : draw(&seed) % 2 ? NAN
                                          : pow(10, 600 * uniform(&seed) - 300);
        }
        mischief(&c, 0, &seed);
        mischief(&c, 1, &seed);
        if (draw(&seed) % 2) { /* the same row with another label has the opposite gradient */
            c.labels[1] = c.labels[0] == 0;
            c.rows.scale[1] = c.rows.scale[0];
            memcpy(c.rows.x + c.rows.numbers, c.rows.x, c.rows.numbers * sizeof *c.rows.x);
            memcpy(c.rows.codes + c.rows.categories, c.rows.codes,
                   c.rows.categories * sizeof *c.rows.codes);
        }
        for (size_t i = 0; i < 2; i++) {
            add_row(&e, i, &look, sums[i]);
            longest = fmax(longest, length_of(sums[i], NULL, cells));
        }
        most = fmax(most, length_of(sums[0], sums[1], cells));
    }
    print_message("one record %.9f, replaced %.9f, in units of clip\n", longest, most);
    assert_true(longest <= 1 && longest > 0.9999);
    assert_true(most <= 2 && most > 1.9998);
}

TEST(what_is_not_a_number_adds_nothing) {
    OWNED(crowd) c = crowd_new(1, 2, 1, 2);
    dp2dpi_examples e = crowd_examples(&c);
    double weights[CELLS_MAX] = {0};
    int64_t sum[CELLS_MAX] = {0};
    dp2dpi_look look = look_at(DP2DP_TERM_GRADIENT, weights, 1);
    c.rows.x[0] = NAN;
    c.rows.x[1] = 1e30F;
    add_row(&e, 0, &look, sum);
    assert_true(length_of(sum, NULL, dp2dpi_examples_cells(&e)) <= 1);
    weights[c.width] = NAN;
    memset(sum, 0, sizeof sum);
    c.rows.x[0] = 1;
    add_row(&e, 0, &look, sum);
    assert_true(length_of(sum, NULL, dp2dpi_examples_cells(&e)) == 0);
    look.term = DP2DP_TERM_SLOPE;
    add_row(&e, 0, &look, sum);
    assert_true(length_of(sum, NULL, dp2dpi_examples_cells(&e)) == 0);
}
