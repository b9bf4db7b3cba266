/* Solver counts with most scores near 0 and 1: steps become shorter where they overshoot, and only
 * there. */
#include "phase2/step.h"

#include "unit/phase2/data.h"

/* Scores near 0 and 1: each person has a place on a line, shifted by group, and the odds of being
 * above each of classes − 1 cuts are exp(steep × the distance to the cut). */
static people people_crowded(size_t n, size_t classes, size_t groups, double steep, uint64_t seed) {
    people p = people_new(n, classes, groups);
    double raw[8];
    for (size_t i = 0; i < n; i++) {
        double place = -6, below = 0;
        size_t g = (size_t)(uniform(&seed) * uniform(&seed) * (double)groups);
        p.group[i] = (int32_t)g;
        for (int sum = 0; sum < 6; sum++) { /* nearly normal, of variance 2 */
            place += 2 * uniform(&seed);
        }
        place += 2.5 * (double)(g % 2) - 0.4 * (double)g;
        for (size_t k = 0; k < classes; k++) {
            double cut = classes == 2 ? 0 : 3 * (double)k / (double)(classes - 2) - 1.5;
            double up_to = k + 1 == classes ? 1 : 1 / (1 + exp(steep * (place - cut)));
            raw[k] = fmax(up_to - below, 1e-9);
            below = up_to;
        }
        people_set(&p, i, raw);
    }
    return p;
}

typedef struct outcome {
    double unfairness, accuracy;
} outcome;

static outcome outcome_of(const people *pool, const people *others,
                          const dp2dp_fit_options *options) {
    outcome o;
    HANDLE(dp2dp_model) *model = fit_people(pool, options);
    o.unfairness = unfairness_of(model, others, &o.accuracy);
    return o;
}

static const struct {
    size_t classes, groups;
    double steep;
} crowds[3] = {{2, 2, 5}, {3, 5, 3}, {4, 3, 4}};

static people crowd(size_t c, size_t n, uint64_t seed) {
    return people_crowded(n, crowds[c].classes, crowds[c].groups, crowds[c].steep, seed + c);
}

/* Measured on people outside the pool, so that ties in the pool do not matter. With the scheduled
 * steps alone, every case fails. */
TEST(crowds_are_as_fair_as_exact_makes_them_without_noise) {
    static const double rhos[2] = {0, 0.05};
    for (size_t c = 0; c < 3; c++) {
        OWNED(people) pool = crowd(c, 10000, 100), others = crowd(c, 20000, 200);
        for (size_t r = 0; r < 2; r++) {
            dp2dp_fit_options counts = noiseless(rhos[r]), exact = noiseless(rhos[r]);
            exact.solver = DP2DP_SOLVER_EXACT;
            outcome found = outcome_of(&pool, &others, &counts),
                    best = outcome_of(&pool, &others, &exact);
            if (!(found.unfairness <= best.unfairness + 0.01) ||
                !(found.accuracy >= best.accuracy - 0.01)) {
                fail_msg("crowd %zu, rho %g: U %.4f, exact %.4f; accuracy %.4f, exact %.4f", c,
                         rhos[r], found.unfairness, best.unfairness, found.accuracy, best.accuracy);
            }
        }
    }
}

TEST(crowds_are_nearly_as_fair_with_noise) {
    for (size_t c = 0; c < 3; c++) {
        OWNED(people) pool = crowd(c, 10000, 300), others = crowd(c, 20000, 400);
        dp2dp_fit_options exact = noiseless(0);
        exact.solver = DP2DP_SOLVER_EXACT;
        double best = outcome_of(&pool, &others, &exact).unfairness, mean = 0;
        for (uint64_t seed = 0; seed < 5; seed++) {
            dp2dp_fit_options counts = seeded(1, seed);
            mean += outcome_of(&pool, &others, &counts).unfairness / 5;
        }
        if (!(mean <= best + 0.02)) {
            fail_msg("crowd %zu: U %.4f on average, exact %.4f", c, mean, best);
        }
    }
}

/* Gaps of ±1.9 standard deviations have products of 3.6 variances, below the bound of 4. */
TEST(gaps_within_the_noise_change_nothing) {
    for (int same = 0; same < 2; same++) {
        dp2dpi_step step = dp2dpi_step_first();
        assert_int_equal(dp2dpi_step_judge(&step, 1, 0.19, 0.01), DP2DPI_STRIDE_KEPT);
        assert_int_equal(dp2dpi_step_judge(&step, 1, same ? 0.19 : -0.19, 0.01),
                         DP2DPI_STRIDE_KEPT);
        assert_true(dp2dpi_step_length(&step, 2.5) == 2.5);
    }
}

TEST(steps_that_overshoot_are_halved_until_they_do_not) {
    dp2dpi_step step = dp2dpi_step_first();
    double gap = 0.3, length = 1;
    assert_int_equal(dp2dpi_step_judge(&step, length, gap, 0.01), DP2DPI_STRIDE_KEPT);
    for (int i = 0; i < 5; i++) {
        gap = -gap;
        assert_int_equal(dp2dpi_step_judge(&step, length, gap, 0.01), DP2DPI_STRIDE_SHORTER);
        assert_true(dp2dpi_step_length(&step, 1) == length / 2);
        length /= 2;
    }
    assert_int_equal(dp2dpi_step_judge(&step, length, gap, 0.01), DP2DPI_STRIDE_LONGER);
    assert_true(dp2dpi_step_length(&step, 1) > length && dp2dpi_step_length(&step, 1) < 2 * length);
    assert_true(dp2dpi_step_length(&step, length / 8) == length / 8);
}

/* No single product of two gaps is significant, but the sum of several products is. */
TEST(small_swings_add_up) {
    dp2dpi_step step = dp2dpi_step_first();
    int halved = 0;
    for (int i = 0; i < 12; i++) {
        halved += dp2dpi_step_judge(&step, 1, i % 2 ? 0.17 : -0.17, 0.01) == DP2DPI_STRIDE_SHORTER;
        assert_true(i > 1 || halved == 0);
    }
    assert_true(halved > 0);
}

TEST(a_step_never_vanishes) {
    dp2dpi_step step = dp2dpi_step_first();
    for (int i = 0; i < 5000; i++) {
        (void)dp2dpi_step_judge(&step, dp2dpi_step_length(&step, 1), i % 2 ? 1 : -1, 0);
        assert_true(dp2dpi_step_length(&step, 1) > 0);
    }
    assert_true(dp2dpi_step_length(&step, 1) < 2e-9);
}
