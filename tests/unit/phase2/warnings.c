/* What a fit warns about, judged from its options and released tables alone. */
#include "unit/phase2/data.h"

/* n people in two groups, the second with `few`; scores spread evenly. */
static unsigned warnings_of(size_t n, size_t few, double epsilon, double delta, uint64_t seed) {
    OWNED(people) p = people_new(n, 2, 2);
    for (size_t i = 0; i < n; i++) {
        double x = 0.05 + 0.9 * (double)(i * 7919 % n) / (double)n;
        people_set(&p, i, (const double[]) {x, 1 - x});
        p.group[i] = i < few;
    }
    dp2dp_fit_options options = seeded(epsilon, seed);
    options.delta = delta;
    HANDLE(dp2dp_model) *model = fit_people(&p, &options);
    return dp2dp_model_view(model)->warnings & ~(unsigned)DP2DP_WARNING_SCORES_ORIGIN_NOT_STATED;
}

/* The noise on the size of a group is about 7 people here; a false answer is 8 of its standard
 * deviations away. */
TEST(a_group_that_drowns_in_the_noise_is_warned_about) {
    for (uint64_t seed = 1; seed <= 10; seed++) {
        assert_int_equal(warnings_of(2000, 10, 1, 1e-5, seed), DP2DP_WARNING_GROUP_TOO_SMALL);
        assert_int_equal(warnings_of(2000, 500, 1, 1e-5, seed), 0);
    }
}

TEST(budgets_that_promise_little_are_warned_about) {
    assert_int_equal(warnings_of(2000, 1000, 1, 1.0 / 2000, 1), DP2DP_WARNING_DELTA_LARGE);
    assert_int_equal(warnings_of(2000, 1000, 1, 0.75 / 2000, 1), DP2DP_WARNING_DELTA_LARGE);
    assert_int_equal(warnings_of(2000, 1000, 1, 0.74 / 2000, 1), 0);
    assert_int_equal(warnings_of(2000, 1000, 10.5, 1e-5, 1), DP2DP_WARNING_EPSILON_LARGE);
    assert_true(warnings_of(2000, 1000, 1e-5, 0.5, 1) & DP2DP_WARNING_EPSILON_BELOW_DELTA);
    assert_int_equal(warnings_of(2000, 1000, 10, 1e-5, 1), 0);
}

/* Scores with so many values; group 1 has higher ones. */
static unsigned warnings_with_levels(size_t levels, uint64_t seed) {
    uint64_t state = seed;
    OWNED(people) p = people_new(10000, 2, 2);
    for (size_t i = 0; i < p.n; i++) {
        p.group[i] = (int32_t)(draw(&state) % 2);
        double x = (double)(draw(&state) % levels + draw(&state) % levels) / (double)levels;
        x = (x + 0.4 * p.group[i] + 0.1) / 2.6;
        people_set(&p, i, (const double[]) {x, 1 - x});
    }
    dp2dp_fit_options options = seeded(1, seed);
    HANDLE(dp2dp_model) *model = fit_people(&p, &options);
    return dp2dp_model_view(model)->warnings & DP2DP_WARNING_TIES;
}

/* A false alarm has probability below 1e-3 for each of these fits. */
TEST(scores_that_many_people_share_are_warned_about_and_continuous_ones_are_not) {
    for (uint64_t seed = 1; seed <= 5; seed++) {
        assert_int_equal(warnings_with_levels(4, seed), DP2DP_WARNING_TIES);
        assert_int_equal(warnings_with_levels(1U << 20, seed), 0);
    }
}

/* The rates of a table are divided by sizes that are uncertain while there is little but noise. */
TEST(noise_is_not_taken_for_scores_that_many_people_share) {
    OWNED(people) p = people_random(2000, 2, 4, 1U << 20, 1);
    for (uint64_t seed = 1; seed <= 10; seed++) {
        dp2dp_fit_options options = seeded(1, seed);
        options.rows_per_person = 1000;
        HANDLE(dp2dp_model) *model = fit_people(&p, &options);
        assert_false(dp2dp_model_view(model)->warnings & DP2DP_WARNING_TIES);
    }
}

/* The noise of a rate is about 3.7/n for n people: 0.0074 for the 500 people of the smaller group,
 * and 0.037 for 100. */
TEST(rates_that_the_noise_may_move_far_are_warned_about) {
    for (uint64_t seed = 1; seed <= 10; seed++) {
        assert_int_equal(warnings_of(2000, 100, 1, 1e-5, seed), DP2DP_WARNING_RATES_NOISY);
        assert_int_equal(warnings_of(2000, 500, 1, 1e-5, seed), 0);
    }
}

TEST(an_epsilon_that_the_solver_ignores_is_warned_about) {
    OWNED(people) p = people_new(4, 2, 2);
    for (size_t i = 0; i < p.n; i++) {
        people_set(&p, i, (const double[]) {1 + (double)i, 2});
        p.group[i] = i % 2 != 0;
    }
    dp2dp_fit_options options = DP2DP_FIT_OPTIONS_INIT;
    options.solver = DP2DP_SOLVER_EXACT;
    options.epsilon = 1;
    HANDLE(dp2dp_model) *model = fit_people(&p, &options);
    assert_true(dp2dp_model_view(model)->warnings & DP2DP_WARNING_EPSILON_UNUSED);
}

/* Two groups, the first with a share of `share`; the second has higher scores. Most people get
 * class 0 without a rule. The weights are the same for everybody: the group scores of a classifier
 * that learned nothing. */
static dp2dp_model *fit_with_equal_weights(float weight, double share, uint64_t seed) {
    enum {
        N = 8000
    };
    uint64_t state = seed;
    OWNED(people) p = people_new(N, 2, 2);
    FREED float *weights = calloc((size_t)2 * N, sizeof *weights);
    dp2dp_pool_options options = DP2DP_POOL_OPTIONS_INIT;
    for (size_t i = 0; i < N; i++) {
        double u = (double)(draw(&state) >> 11) * 0x1p-53;
        p.group[i] = u >= share;
        u = (double)(draw(&state) >> 11) * 0x1p-53;
        double x = 0.05 + 0.5 * u + 0.2 * p.group[i];
        people_set(&p, i, (const double[]) {1 - x, x});
        weights[2 * i] = weight;
        weights[2 * i + 1] = 1 - weight;
    }
    dp2dp_matrix given = {weights, DP2DP_FLOAT32, N, 2, 2 * sizeof(float), sizeof(float)};
    options.weights = &given;
    dp2dp_fit_options fit = seeded(1, seed);
    HANDLE(dp2dp_pool) *pool = pool_with(&p, options);
    dp2dp_source source = dp2dp_pool_source(pool);
    return fit_source(&source, &fit);
}

/* Offsets cannot change the gap with such weights; they only give everybody a class that hardly
 * anybody got. Giving everybody the usual class is fair too, and changes fewer decisions. */
TEST(a_rule_that_changes_more_decisions_than_one_class_for_everybody_is_replaced) {
    for (uint64_t seed = 1; seed <= 10; seed++) {
        HANDLE(dp2dp_model) *model = fit_with_equal_weights(0.5F, 0.3, seed);
        const dp2dp_model_info *info = dp2dp_model_view(model);
        assert_true(info->warnings & DP2DP_WARNING_CONSTANT_RULE);
        assert_true(info->offsets[0] == -4 && info->offsets[2] == -4);
        assert_true(info->offsets[1] == 0 && info->offsets[3] == 0);
    }
}

/* With right shares as weights, the offsets of the groups cancel, and few decisions change. */
TEST(a_rule_that_changes_few_decisions_is_kept) {
    for (uint64_t seed = 1; seed <= 10; seed++) {
        HANDLE(dp2dp_model) *model = fit_with_equal_weights(0.7F, 0.7, seed);
        assert_false(dp2dp_model_view(model)->warnings & DP2DP_WARNING_CONSTANT_RULE);
    }
}
