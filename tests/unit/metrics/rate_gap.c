/* Tests that rates which differ between groups are noticed, although the rule makes them equal. */
#include "unit/phase2/data.h"

#include <dp2dp/metrics.h>

enum {
    N = 4000,
    GROUPS = 3,
    CLASSES = 3
};

/* The decisions of `model` for people, counted by group. Group g is read as group (g + turn) %
 * GROUPS. */
static void count_decisions(const dp2dp_model *model, const people *p, size_t turn,
                            double table[GROUPS * CLASSES]) {
    dp2dp_matrix scores = scores_of(p);
    dp2dp_predict_options options = DP2DP_PREDICT_OPTIONS_INIT;
    FREED int32_t *read = calloc(p->n, sizeof *read), *given = calloc(p->n, sizeof *given);
    for (size_t i = 0; i < p->n; i++) {
        read[i] = (int32_t)(((size_t)p->group[i] + turn) % GROUPS);
    }
    dp2dp_column groups = {read, DP2DP_INT32, p->n, sizeof(int32_t)};
    assert_ok(dp2dp_model_predict(model, &scores, &groups, &options, given, &test_error));
    memset(table, 0, GROUPS * CLASSES * sizeof *table);
    for (size_t i = 0; i < p->n; i++) {
        table[read[i] * CLASSES + given[i]]++;
    }
}

static dp2dp_model *fit_to(const people *p, dp2dp_fit_options options) {
    HANDLE(dp2dp_pool) *pool = pool_of(p);
    dp2dp_source source = dp2dp_pool_source(pool);
    return fit_source(&source, &options);
}

TEST(groups_that_are_exchanged_are_noticed_and_named) {
    OWNED(people) p = people_favoured(N, CLASSES, GROUPS, 1);
    OWNED(people) others = people_favoured(N, CLASSES, GROUPS, 2);
    HANDLE(dp2dp_model) *model = fit_to(&p, seeded(1, 1));
    const dp2dp_model_info *info = dp2dp_model_view(model);
    double table[GROUPS * CLASSES];
    dp2dp_rate_gap gap = {99, 99, 99, 0, 0};
    count_decisions(model, &others, 0, table);
    assert_int_equal(dp2dp_warn_of_rates(info, table, 0, &gap), 0);
    assert_int_equal(gap.class_code, 99);
    count_decisions(model, &others, 1, table);
    assert_int_equal(dp2dp_warn_of_rates(info, table, 0, NULL), DP2DP_WARNING_RATES_DIFFER);
    assert_int_equal(dp2dp_warn_of_rates(info, table, 0, &gap), DP2DP_WARNING_RATES_DIFFER);
    /* The first group favours class 0, and is read as group 1. */
    assert_int_equal(gap.class_code, 0);
    assert_int_equal(gap.group_high, 1);
    assert_true(gap.rate_high > gap.rate_low + 0.2);
}

/* For people of the same population the chance of a false alarm is below 1 in 1000 for each table,
 * so more than 3 of 400 tables have one with a probability below 1 in 1000. */
TEST(people_like_those_of_the_fit_are_rarely_noticed) {
    size_t noticed = 0;
    for (uint64_t seed = 0; seed < 40; seed++) {
        OWNED(people) p = people_favoured(600, CLASSES, GROUPS, seed);
        HANDLE(dp2dp_model) *model = fit_to(&p, noiseless(0));
        for (uint64_t again = 0; again < 10; again++) {
            OWNED(people) others = people_favoured(600, CLASSES, GROUPS, 1000 + 10 * seed + again);
            double table[GROUPS * CLASSES];
            count_decisions(model, &others, 0, table);
            noticed += dp2dp_warn_of_rates(dp2dp_model_view(model), table, 0, NULL) != 0;
        }
    }
    assert_true(noticed <= 3);
}

TEST(small_groups_and_noise_are_allowed_for) {
    OWNED(people) p = people_favoured(N, CLASSES, GROUPS, 1);
    HANDLE(dp2dp_model) *model = fit_to(&p, seeded(1, 1));
    const dp2dp_model_info *info = dp2dp_model_view(model);
    const double few[] = {19, 0, 0, 0, 19, 0, 0, 0, 19};
    const double gap[] = {500, 500, 0, 700, 300, 0, 500, 500, 0};
    assert_int_equal(dp2dp_warn_of_rates(info, few, 0, NULL), 0);
    assert_int_equal(dp2dp_warn_of_rates(info, gap, 0, NULL), DP2DP_WARNING_RATES_DIFFER);
    assert_int_equal(dp2dp_warn_of_rates(info, gap, 5, NULL), DP2DP_WARNING_RATES_DIFFER);
    assert_int_equal(dp2dp_warn_of_rates(info, gap, 60, NULL), 0);
}

/* Small groups are tested exactly: in batches of 240 people, groups that are exchanged are noticed,
 * and others hardly ever. More than 4 of 1000 batches have a false alarm with a probability below 1
 * in 250. */
TEST(exchanged_groups_are_noticed_in_small_batches) {
    size_t alarms = 0, noticed = 0;
    for (uint64_t seed = 0; seed < 10; seed++) {
        OWNED(people) p = people_favoured(N, CLASSES, GROUPS, seed);
        HANDLE(dp2dp_model) *model = fit_to(&p, noiseless(0));
        const dp2dp_model_info *info = dp2dp_model_view(model);
        for (uint64_t again = 0; again < 100; again++) {
            OWNED(people) others = people_favoured(240, CLASSES, GROUPS, 1000 + 100 * seed + again);
            double table[GROUPS * CLASSES];
            count_decisions(model, &others, 0, table);
            alarms += dp2dp_warn_of_rates(info, table, 0, NULL) != 0;
            count_decisions(model, &others, 1, table);
            noticed += dp2dp_warn_of_rates(info, table, 0, NULL) != 0;
        }
    }
    assert_in_range(alarms, 0, 4);
    assert_in_range(noticed, 800, 1000);
}

/* The same gap is one of chance in a group of 20 people, and not in one of 60. */
TEST(a_gap_of_a_small_group_is_tested_exactly) {
    OWNED(people) p = people_favoured(N, CLASSES, GROUPS, 1);
    HANDLE(dp2dp_model) *model = fit_to(&p, noiseless(0));
    const dp2dp_model_info *info = dp2dp_model_view(model);
    const double chance[] = {50, 50, 0, 50, 50, 0, 17, 3, 0};
    const double clear[] = {50, 50, 0, 50, 50, 0, 51, 9, 0};
    dp2dp_rate_gap gap;
    assert_int_equal(dp2dp_warn_of_rates(info, chance, 0, NULL), 0);
    assert_int_equal(dp2dp_warn_of_rates(info, clear, 0, &gap), DP2DP_WARNING_RATES_DIFFER);
    assert_int_equal(gap.group_high == 2 || gap.group_low == 2, 1);
    assert_int_equal(dp2dp_warn_of_rates(info, clear, 1, NULL), 0); /* noise: 100 people needed */
}

TEST(a_gap_that_the_rule_allows_is_not_noticed) {
    OWNED(people) p = people_favoured(N, CLASSES, GROUPS, 1);
    HANDLE(dp2dp_model) *model = fit_to(&p, noiseless(0.25));
    const double gap[] = {500, 500, 0, 700, 300, 0, 500, 500, 0};
    assert_int_equal(dp2dp_warn_of_rates(dp2dp_model_view(model), gap, 0, NULL), 0);
}

/* The classifier's own decisions differ clearly between groups, but no rule made them equal. */
TEST(a_classifier_without_a_rule_is_not_judged) {
    const double gap[] = {500, 500, 0, 700, 300, 0, 500, 500, 0};
    dp2dp_model_info bare = {.classes = CLASSES};
    assert_int_equal(dp2dp_warn_of_rates(&bare, gap, 0, NULL), 0);
}
