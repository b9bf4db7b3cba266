/* The last-iterate bound: it refuses runs that violate a premise, and is never above the cost of
 * all steps. */
#include "unit/accountant/events.h"

/* x = D N / (η Δ) = 50: fifty steps of the largest shift cross the domain. */
static dp2dp_last_iterate valid(void) {
    return (dp2dp_last_iterate) {.struct_size = sizeof(dp2dp_last_iterate),
                                 .sensitivity = 2,
                                 .sigma = 40,
                                 .population = 1000,
                                 .step_size = 0.04,
                                 .smoothing = 0.1,
                                 .share_min = 0.25,
                                 .diameter = 0.004,
                                 .steps = 1000,
                                 .batch = 1000};
}

static double epsilon_of_run(dp2dp_last_iterate run) {
    double epsilon = NAN;
    assert_ok(dp2dp_last_iterate_epsilon(&run, 1e-5, &epsilon, &test_error));
    return epsilon;
}

/* ε if all steps were released: computed with a domain so wide that hiding does not help, and
 * checked by a scan over Rényi orders. */
static double composed(dp2dp_last_iterate run) {
    double ratio = run.sensitivity / run.sigma;
    run.diameter = 1e12;
    double epsilon = epsilon_of_run(run);
    double scan = closed_form_zcdp(0.5 * ratio * ratio * (double)run.steps, 1e-5);
    assert_true(epsilon >= scan * (1 - 1e-9) && epsilon <= scan * (1 + 1e-4));
    return epsilon;
}

static void refused(dp2dp_last_iterate run, const char *name) {
    double epsilon = -1;
    assert_fails(dp2dp_last_iterate_epsilon(&run, 1e-5, &epsilon, &test_error), ARGUMENT, name);
    assert_true(epsilon == -1);
}

#define REFUSED_WITH(field, value, name)  \
    do {                                  \
        dp2dp_last_iterate run = valid(); \
        run.field = value;                \
        refused(run, name);               \
    } while (0)

TEST(each_violated_premise_is_refused_by_name) {
    REFUSED_WITH(batch, 999, "batch");
    REFUSED_WITH(batch, 0, "batch");
    REFUSED_WITH(clipped, 1, "clipped");
    REFUSED_WITH(intermediate_released, 1, "intermediate_released");
    REFUSED_WITH(step_size, 2 * run.smoothing * run.share_min * (1 + 1e-12), "step_size");
    REFUSED_WITH(struct_size, sizeof run - 1, "DP2DP_LAST_ITERATE_INIT");
    REFUSED_WITH(struct_size, 0, "DP2DP_LAST_ITERATE_INIT");
}

TEST(the_largest_step_of_the_premise_is_accepted) {
    dp2dp_last_iterate run = valid();
    run.step_size = 2 * run.smoothing * run.share_min;
    assert_true(epsilon_of_run(run) > 0);
}

TEST(no_parameter_may_be_zero_negative_or_not_finite) {
    static const double bad[] = {0, -1, NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        REFUSED_WITH(sensitivity, bad[i], "sensitivity");
        REFUSED_WITH(sigma, bad[i], "sigma");
        REFUSED_WITH(population, bad[i], "population");
        REFUSED_WITH(step_size, bad[i], "step");
        REFUSED_WITH(smoothing, bad[i], "smoothing");
        REFUSED_WITH(share_min, bad[i], "share_min");
        REFUSED_WITH(diameter, bad[i], "diameter");
    }
    REFUSED_WITH(steps, 0, "steps");
    REFUSED_WITH(share_min, 0.5 + 1e-9, "share_min");
}

TEST(delta_outside_its_bounds_is_refused) {
    static const double bad[] = {0, 1, -1, NAN, INFINITY};
    dp2dp_last_iterate run = valid();
    for (size_t i = 0; i < 5; i++) {
        double epsilon = -1;
        assert_fails(dp2dp_last_iterate_epsilon(&run, bad[i], &epsilon, &test_error), ARGUMENT,
                     "delta");
        assert_true(epsilon == -1);
    }
}

TEST(never_above_the_composition_of_all_steps) {
    for (double diameter = 1e-6; diameter < 10; diameter *= 7) {
        for (uint64_t steps = 1; steps <= 1000000; steps *= 10) {
            dp2dp_last_iterate run = valid();
            run.diameter = diameter;
            run.steps = steps;
            assert_true(epsilon_of_run(run) <= composed(run) * (1 + 1e-12));
        }
    }
}

TEST(few_steps_cost_exactly_their_composition) {
    for (uint64_t steps = 1; steps <= 200; steps += 199) { /* 4 x = 200 */
        dp2dp_last_iterate run = valid();
        run.steps = steps;
        assert_true(fabs(epsilon_of_run(run) / composed(run) - 1) < 1e-12);
    }
}

/* The last m = x = 50 steps cost m + 2x + x²/m = 4x, for any number of steps before them. */
TEST(many_steps_cost_no_more_than_crossing_the_domain) {
    dp2dp_last_iterate run = valid();
    run.steps = 201;
    double settled = epsilon_of_run(run);
    run.steps = 200;
    assert_true(fabs(settled / composed(run) - 1) < 1e-9);
    for (uint64_t steps = 1000; steps <= UINT64_C(1000000000000); steps *= 1000) {
        run.steps = steps;
        assert_true(epsilon_of_run(run) == settled && settled < composed(run));
    }
}

TEST(cost_rises_with_the_diameter_and_falls_with_the_noise) {
    double before = 0;
    for (double diameter = 1e-4; diameter < 1; diameter *= 3) {
        dp2dp_last_iterate run = valid();
        run.diameter = diameter;
        run.steps = 1000000000;
        double epsilon = epsilon_of_run(run);
        assert_true(epsilon > before);
        run.sigma *= 1.1;
        assert_true(epsilon_of_run(run) < epsilon);
        before = epsilon;
    }
}

/* Every field must be given: a struct of zeros is refused. A new field changes the size below, so
 * this test must be extended. */
TEST(every_field_of_a_run_is_known_here) {
    dp2dp_last_iterate empty = {.struct_size = sizeof empty};
    refused(empty, "must be finite and above 0");
    assert_int_equal(sizeof(dp2dp_last_iterate), 10 * 8 + 2 * sizeof(int));
}
