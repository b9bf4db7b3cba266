/* Tests that every number that dpgd and dpsgd release has noise, and that rows reach the weights
 * only through the released numbers. */
#include "phase1/descent.h"

#include "unit/phase1/data.h"

enum {
    CELLS_MAX = 64,
    RELEASES = 2000
};
static const dp2dp_term terms[] = {DP2DP_TERM_GRADIENT, DP2DP_TERM_ROW, DP2DP_TERM_SLOPE};

static dp2dpi_descent open_descent(const dp2dpi_examples *e, const dp2dp_train_options *options,
                                   dp2dp_ledger **own) {
    dp2dpi_descent d;
    assert_ok(dp2dp_ledger_new(DP2DP_REPLACE_ONE, own, NULL));
    assert_ok(dp2dpi_descent_new(e, options, *own, &d, &test_error));
    return d;
}

/* For each cell, adds the squares of (released − noiseless)/σ over many releases of one term. σ is
 * that of the ledger's entry. Checks that one release more than the entry counts is refused. */
static void add_squares(const dp2dpi_examples *e, dp2dp_train_method method, dp2dp_term term,
                        double *squares) {
    dp2dp_train_options options = train_seeded(method, 1, 10 * (uint64_t)method + (uint64_t)term);
    dp2dp_train_options bare = train_seeded(method, INFINITY, 1);
    dp2dp_ledger *own[2];
    double weights[CELLS_MAX], out[CELLS_MAX], without[CELLS_MAX], clip = 0.8;
    options.steps = bare.steps = RELEASES;
    options.batch = bare.batch = e->rows->count; /* every sample has all rows */
    dp2dpi_descent noisy = open_descent(e, &options, &own[0]);
    dp2dpi_descent still = open_descent(e, &bare, &own[1]);
    dp2dp_event event = DP2DP_EVENT_INIT;
    dp2dp_rng_kind kind;
    assert_int_equal(dp2dp_ledger_size(own[0]) + dp2dp_ledger_size(own[1]), 1);
    assert_ok(dp2dp_ledger_entry(own[0], 0, &event, &kind, NULL));
    assert_true(event.sensitivity == 2 && event.count == RELEASES &&
                event.coordinates == dp2dpi_examples_cells(e));
    for (size_t c = 0; c < dp2dpi_examples_cells(e); c++) {
        weights[c] = sin((double)c);
        squares[c] = 0;
    }
    assert_ok(dp2dpi_descent_release(&still, term, weights, clip, without, NULL));
    for (int t = 0; t < RELEASES; t++) {
        assert_ok(dp2dpi_descent_release(&noisy, term, weights, clip, out, NULL));
        for (size_t c = 0; c < dp2dpi_examples_cells(e); c++) {
            double z = (out[c] - without[c]) * noisy.batch / (clip * event.sigma);
            squares[c] += z * z;
        }
    }
    assert_status(dp2dpi_descent_release(&noisy, term, weights, clip, out, NULL), BUDGET);
    for (int i = 0; i < 2; i++) {
        dp2dpi_descent_free(i ? &still : &noisy);
        dp2dp_ledger_free(own[i]);
    }
}

/* Each sum of 2000 squares is chi-squared and leaves 6.5 standard deviations with probability
 * 5e-10. There are 168 sums, so the false-alarm rate is 1e-7; the seeds are fixed. */
TEST(every_cell_of_every_release_has_the_noise_charged) {
    for (size_t classes = 2; classes <= 3; classes++) {
        OWNED(crowd) c = crowd_random(40, 2, 1, classes, 7);
        dp2dpi_examples e = crowd_examples(&c);
        for (int method = DP2DP_TRAIN_DPGD; method <= DP2DP_TRAIN_DPSGD; method++) {
            for (int i = 0; i < 3; i++) {
                double squares[CELLS_MAX];
                add_squares(&e, (dp2dp_train_method)method, terms[i], squares);
                for (size_t cell = 0; cell < dp2dpi_examples_cells(&e); cell++) {
                    assert_true(fabs(squares[cell] - RELEASES) < 6.5 * sqrt(2.0 * RELEASES));
                }
            }
        }
    }
}

/* All rows are equal and clipped. Dividing the sum by the size of the sample would give a constant,
 * and the size is private. Dividing by the expected size gives a variance of (1 − q)/(n q). Of 4000
 * nearly normal draws, mean and variance leave 6 standard deviations with probability 3e-9. */
TEST(a_mean_of_a_sample_is_divided_by_a_public_number) {
    enum {
        DRAWS = 4000,
        PEOPLE = 200,
        BATCH = 50
    };
    OWNED(crowd) c = crowd_new(PEOPLE, 1, 0, 2);
    dp2dp_train_options options = train_seeded(DP2DP_TRAIN_DPSGD, INFINITY, 3);
    HANDLE(dp2dp_ledger) *own = NULL;
    double sum = 0, squares = 0, clip = 0.01, q = (double)BATCH / PEOPLE;
    for (size_t i = 0; i < PEOPLE; i++) {
        c.rows.x[i] = 3;
    }
    options.steps = DRAWS;
    options.batch = BATCH;
    dp2dpi_examples e = crowd_examples(&c);
    OWNED(dp2dpi_descent) d = open_descent(&e, &options, &own);
    for (int t = 0; t < DRAWS; t++) {
        double out[2], weights[2] = {0, 0};
        assert_ok(dp2dpi_descent_release(&d, DP2DP_TERM_GRADIENT, weights, clip, out, NULL));
        double length = sqrt(out[0] * out[0] + out[1] * out[1]) / clip;
        sum += length;
        squares += (length - 1) * (length - 1);
    }
    double variance = (1 - q) / (PEOPLE * q);
    assert_true(fabs(sum / DRAWS - 1) < 6 * sqrt(variance / DRAWS));
    assert_true(fabs(squares / DRAWS - variance) < 6 * variance * sqrt(2.0 / DRAWS));
}

/* With very large noise, the same seed gives nearly the same weights for different people, unless
 * the rows reach the weights without noise. Step size and noise depend only on public numbers. In
 * correct code, weights differ by up to 0.012 of the largest weight. */
TEST(nothing_reaches_the_weights_but_through_the_noise) {
    for (int method = DP2DP_TRAIN_DPGD; method <= DP2DP_TRAIN_DPSGD; method++) {
        for (uint64_t seed = 1; seed <= 5; seed++) {
            dp2dp_train_options options = train_seeded((dp2dp_train_method)method, 1e-4, seed);
            OWNED(crowd) a = crowd_random(60, 2, 2, 3, seed),
                         b = crowd_random(60, 2, 2, 3, seed + 1000);
            double apart = 0, largest = 0;
            options.steps = 100;
            options.step_size = 1;
            for (size_t i = 0; i < a.rows.count; i++) { /* a: all rows have the same levels */
                b.labels[i] = (a.labels[i] + 1) % 3;
                a.rows.codes[2 * i] = 2;
                a.rows.codes[2 * i + 1] = 2 + LEVELS;
                a.rows.scale[i] = 1;
                dp2dpi_rows_clip(&a.rows, i, a.norm);
            }
            FREED double *of_a = train_crowd(&a, &options, NULL),
                         *of_b = train_crowd(&b, &options, NULL);
            for (size_t i = 0; i < 3 * (a.width + 1); i++) {
                apart = fmax(apart, fabs(of_a[i] - of_b[i]));
                largest = fmax(largest, fabs(of_a[i]));
            }
            assert_true(apart < 0.05 * largest);
        }
    }
}
