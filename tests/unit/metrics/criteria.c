/* Tests evaluation under every criterion: hand-computed tables, a plain re-implementation, and
 * intervals. */
#include "draw.h"
#include "support.h"

#include <dp2dp/metrics.h>

#include "metrics/clopper_pearson.h"

enum {
    ROWS_MAX = 3000
};

/* Predictions, groups and labels of people who are listed as a table. */
typedef struct crowd {
    size_t n, groups, classes;
    int32_t given[ROWS_MAX], group[ROWS_MAX], label[ROWS_MAX];
} crowd;

/* table[(g K + y) K + k]: people of group g with label y who get class k. */
static void fill(crowd *c, size_t groups, size_t classes, const int *table) {
    c->n = 0;
    c->groups = groups;
    c->classes = classes;
    for (size_t i = 0; i < groups * classes * classes; i++) {
        for (int j = 0; j < table[i]; j++, c->n++) {
            assert_true(c->n < ROWS_MAX);
            c->group[c->n] = (int32_t)(i / classes / classes);
            c->label[c->n] = (int32_t)(i / classes % classes);
            c->given[c->n] = (int32_t)(i % classes);
        }
    }
}

static dp2dp_column column(const crowd *c, const int32_t *codes) {
    return (dp2dp_column) {codes, DP2DP_INT32, c->n, sizeof *codes};
}

static dp2dp_evaluate_options options_of(const crowd *c) {
    dp2dp_evaluate_options options = DP2DP_EVALUATE_OPTIONS_INIT;
    options.strata = c->groups;
    options.classes = c->classes;
    options.bootstrap_draws = 0;
    return options;
}

static dp2dp_evaluation *evaluate(const crowd *c, const dp2dp_evaluate_options *options) {
    dp2dp_column given = column(c, c->given), group = column(c, c->group);
    dp2dp_column label = column(c, c->label);
    dp2dp_evaluation *out = NULL;
    assert_ok(dp2dp_evaluate(&given, &group, &label, options, &out, &test_error));
    return out;
}

static void assert_proportion(const dp2dp_proportion *p, int64_t part, int64_t whole) {
    assert_int_equal(p->part, part);
    assert_int_equal(p->whole, whole);
    if (whole == 0) {
        assert_true(isnan(p->rate) && p->interval.low == 0 && p->interval.high == 1);
        return;
    }
    double failures = (double)(whole - part);
    assert_near(p->rate, (double)part / (double)whole, 1e-15);
    assert_near(p->interval.low, dp2dpi_interval_low((double)part, failures, 0.025), 1e-12);
    assert_near(p->interval.high, dp2dpi_interval_high((double)part, failures, 0.025), 1e-12);
}

static void assert_worst(const dp2dp_unfairness *u, double unfairness, size_t statistic,
                         size_t high, size_t low) {
    assert_true(u->measured);
    assert_near(u->unfairness, unfairness, 1e-15);
    assert_int_equal(u->statistic, statistic);
    assert_int_equal(u->group_high, high);
    assert_int_equal(u->group_low, low);
}

/* Group 0: of 20 with label 0, 5 get class 1; of 10 with label 1, 8 do. Group 1: of 40 with label
 * 0, 4; of 10, 5. Selected: 13 of 30, and 9 of 50. */
static const int binary[] = {15, 5, 2, 8, 36, 4, 5, 5};

/* Of two classes both are equally unfair but for rounding; the groups change places. */
static void assert_parity_of_binary(const dp2dp_unfairness *u) {
    size_t high = u->statistic == 0 ? 1 : 0;
    assert_worst(u, 41.0 / 50 - 17.0 / 30, u->statistic, high, 1 - high);
}

TEST(rates_of_two_groups_and_two_classes) {
    crowd c;
    fill(&c, 2, 2, binary);
    dp2dp_evaluate_options options = options_of(&c);
    HANDLE(dp2dp_evaluation) *e = evaluate(&c, &options);
    for (size_t i = 0; i < 8; i++) {
        assert_int_equal(e->label_counts[i], binary[i]);
    }
    const dp2dp_class_rates *first = &e->class_rates[1], *second = &e->class_rates[3];
    assert_proportion(&first->selection, 13, 30);
    assert_proportion(&first->true_positive, 8, 10);
    assert_proportion(&first->false_positive, 5, 20);
    assert_proportion(&first->precision, 8, 13);
    assert_proportion(&second->selection, 9, 50);
    assert_proportion(&second->true_positive, 5, 10);
    assert_proportion(&second->false_positive, 4, 40);
    assert_proportion(&second->precision, 5, 9);
    /* Class 0: its true positives are the true negatives of class 1. */
    assert_proportion(&e->class_rates[0].true_positive, 15, 20);
    assert_proportion(&e->class_rates[0].false_positive, 2, 10);
    assert_proportion(&e->errors[0], 7, 30);
    assert_proportion(&e->errors[1], 9, 50);
    assert_near(e->disparate_impacts[1], (9.0 / 50) / (13.0 / 30), 1e-15);
    assert_near(e->disparate_impacts[0], (17.0 / 30) / (41.0 / 50), 1e-15);
    assert_true(e->disparate_impact == e->disparate_impacts[1] && e->positive == -1);
}

TEST(unfairness_of_two_groups_and_two_classes) {
    crowd c;
    fill(&c, 2, 2, binary);
    dp2dp_evaluate_options options = options_of(&c);
    HANDLE(dp2dp_evaluation) *e = evaluate(&c, &options);
    assert_int_equal(e->criterion_count, 5);
    assert_parity_of_binary(&e->criteria[DP2DP_DEMOGRAPHIC_PARITY]);
    assert_true(e->criteria[DP2DP_DEMOGRAPHIC_PARITY].unfairness == e->unfairness);
    assert_worst(&e->criteria[DP2DP_TRUE_POSITIVE_RATE_PARITY], 0.8 - 0.5, 0, 0, 1);
    assert_worst(&e->criteria[DP2DP_FALSE_POSITIVE_RATE_PARITY], 0.25 - 0.1, 0, 0, 1);
    assert_near(e->criteria[DP2DP_EQUALIZED_ODDS].unfairness, 0.3, 1e-15);
    assert_true(e->criteria[DP2DP_EQUALIZED_ODDS].statistic >= 2); /* label 1 */
    assert_false(e->criteria[DP2DP_CUSTOM].measured);
    const dp2dp_unfairness *fpr = &e->criteria[DP2DP_FALSE_POSITIVE_RATE_PARITY];
    assert_int_equal(fpr->statistic_count, 1);
    assert_true(fpr->statistics[0].class_index == 1 && fpr->statistics[0].labels[0] == 1 &&
                fpr->statistics[0].labels[1] == 0);
    assert_proportion(&fpr->rates[1], 4, 40);
    assert_null(e->criteria[DP2DP_DEMOGRAPHIC_PARITY].statistics[0].labels);
    assert_true(isnan(fpr->interval.low) && isnan(fpr->interval.high));
}

/* Three classes. Labels of group 0: 10, 10, 20; of group 1: 20, 0, 10. */
static const int ternary[] = {6, 2, 2, 1, 8, 1, 4, 6, 10, 15, 5, 0, 0, 0, 0, 3, 1, 6};

TEST(unfairness_of_three_classes_looks_at_each_in_turn_or_at_the_one_named) {
    crowd c;
    fill(&c, 2, 3, ternary);
    dp2dp_evaluate_options options = options_of(&c);
    HANDLE(dp2dp_evaluation) *e = evaluate(&c, &options);
    /* True positives: class 0 .6 and .75, class 1 .8 and nobody, class 2 .5 and .6. */
    assert_worst(&e->criteria[DP2DP_TRUE_POSITIVE_RATE_PARITY], 0.75 - 0.6, 0, 1, 0);
    assert_proportion(&e->class_rates[4].true_positive, 0, 0);
    /* False positives: class 0 5/30 and 3/10, class 1 8/30 and 6/30, class 2 3/20 and 0/20. */
    assert_worst(&e->criteria[DP2DP_FALSE_POSITIVE_RATE_PARITY], 3.0 / 20, 2, 0, 1);
    assert_proportion(&e->criteria[DP2DP_FALSE_POSITIVE_RATE_PARITY].rates[3], 3, 10);
    /* Label 0: .6 .2 .2 and .75 .25 0; label 2: .2 .3 .5 and .3 .1 .6. */
    assert_near(e->criteria[DP2DP_EQUALIZED_ODDS].unfairness, 0.2, 1e-15);
    /* Selected: 11/40 and 18/30, 16/40 and 6/30, 13/40 and 6/30. */
    assert_near(e->disparate_impact, (11.0 / 40) / (18.0 / 30), 1e-15);
    options.positive = 2;
    HANDLE(dp2dp_evaluation) *named = evaluate(&c, &options);
    assert_worst(&named->criteria[DP2DP_TRUE_POSITIVE_RATE_PARITY], 0.6 - 0.5, 0, 1, 0);
    assert_worst(&named->criteria[DP2DP_FALSE_POSITIVE_RATE_PARITY], 3.0 / 20, 0, 0, 1);
    assert_near(named->disparate_impact, (6.0 / 30) / (13.0 / 40), 1e-15);
    options.positive = 1;
    HANDLE(dp2dp_evaluation) *missing = evaluate(&c, &options); /* only group 0 has label 1 */
    const dp2dp_unfairness *tpr = &missing->criteria[DP2DP_TRUE_POSITIVE_RATE_PARITY];
    assert_true(tpr->measured && isnan(tpr->unfairness));
}

TEST(custom_statistics_are_measured_with_and_without_labels) {
    static const unsigned char two[] = {1, 0, 1};
    static const dp2dp_statistic list[] = {{2, two}, {1, NULL}};
    crowd c;
    fill(&c, 2, 3, ternary);
    dp2dp_evaluate_options options = options_of(&c);
    options.statistics = list;
    options.statistic_count = 2;
    HANDLE(dp2dp_evaluation) *e = evaluate(&c, &options);
    /* Class 2 among labels 0 and 2: 12/30 and 6/30; class 1: 16/40 and 6/30. */
    assert_worst(&e->criteria[DP2DP_CUSTOM], 0.2, 0, 0, 1);
    assert_proportion(&e->criteria[DP2DP_CUSTOM].rates[0], 12, 30);
    assert_proportion(&e->criteria[DP2DP_CUSTOM].rates[3], 6, 30);
    dp2dp_column given = column(&c, c.given), group = column(&c, c.group);
    dp2dp_evaluation *out = NULL;
    assert_fails(dp2dp_evaluate(&given, &group, NULL, &options, &out, &test_error), ARGUMENT,
                 "some of them need labels");
    options.statistics = list + 1;
    options.statistic_count = 1;
    HANDLE(dp2dp_evaluation) *plain = NULL;
    assert_ok(dp2dp_evaluate(&given, &group, NULL, &options, &plain, &test_error));
    assert_worst(&plain->criteria[DP2DP_CUSTOM], 0.2, 0, 0, 1);
}

TEST(without_labels_only_demographic_parity_is_measured) {
    crowd c;
    fill(&c, 2, 2, binary);
    dp2dp_evaluate_options options = options_of(&c);
    dp2dp_column given = column(&c, c.given), group = column(&c, c.group);
    HANDLE(dp2dp_evaluation) *e = NULL;
    assert_ok(dp2dp_evaluate(&given, &group, NULL, &options, &e, &test_error));
    assert_null(e->label_counts);
    for (size_t i = 1; i < e->criterion_count; i++) {
        assert_true(!e->criteria[i].measured && isnan(e->criteria[i].unfairness));
    }
    assert_parity_of_binary(&e->criteria[DP2DP_DEMOGRAPHIC_PARITY]);
    assert_proportion(&e->class_rates[1].selection, 13, 30);
    assert_proportion(&e->class_rates[1].true_positive, 0, 0);
    assert_proportion(&e->class_rates[1].false_positive, 0, 0);
    assert_proportion(&e->class_rates[1].precision, 0, 0);
    assert_proportion(&e->errors[0], 0, 0);
}

TEST(nobody_gets_a_class_or_is_in_a_group) {
    static const int table[] = {5, 0, 3, 0, 7, 0, 2, 0, 0, 0, 0, 0};
    crowd c;
    fill(&c, 3, 2, table);
    dp2dp_evaluate_options options = options_of(&c);
    HANDLE(dp2dp_evaluation) *e = evaluate(&c, &options);
    assert_true(isnan(e->disparate_impact) && e->disparate_impacts[0] == 1);
    assert_proportion(&e->class_rates[1].precision, 0, 0);
    assert_worst(&e->criteria[DP2DP_EQUALIZED_ODDS], 0, 0, 0, 0);
}

/* A plain re-implementation: for each criterion, all (class, set of labels), all pairs of groups.
 */
static double rate_of(const crowd *c, size_t g, size_t k, const int *set) {
    double part = 0, whole = 0;
    for (size_t i = 0; i < c->n; i++) {
        if ((size_t)c->group[i] == g && set[c->label[i]]) {
            whole++;
            part += (size_t)c->given[i] == k;
        }
    }
    return part / whole; /* NAN if nobody is there */
}

static double gap_of(const crowd *c, size_t k, const int *set) {
    double largest = NAN;
    for (size_t g = 0; g < c->groups; g++) {
        for (size_t h = 0; h < c->groups; h++) {
            if (g != h) {
                largest = fmax(largest, rate_of(c, g, k, set) - rate_of(c, h, k, set));
            }
        }
    }
    return largest;
}

static double plain_unfairness(const crowd *c, dp2dp_criterion criterion) {
    double largest = NAN;
    for (size_t k = 0; k < c->classes; k++) {
        for (size_t y = 0; y < c->classes; y++) {
            int set[8];
            for (size_t i = 0; i < c->classes; i++) {
                set[i] = criterion == DP2DP_DEMOGRAPHIC_PARITY           ? 1
                         : criterion == DP2DP_FALSE_POSITIVE_RATE_PARITY ? i != y
                                                                         : i == y;
            }
            int used = criterion == DP2DP_EQUALIZED_ODDS || criterion == DP2DP_DEMOGRAPHIC_PARITY ||
                       (k == y && (c->classes > 2 || k == 1));
            largest = used ? fmax(largest, gap_of(c, k, set)) : largest;
        }
    }
    return largest;
}

TEST(evaluation_agrees_with_a_plain_one_on_random_tables) {
    uint64_t seed = 5;
    for (size_t trial = 0; trial < 64; trial++) {
        int table[5 * 5 * 5];
        size_t groups = 2 + trial % 4, classes = 2 + trial / 4 % 4;
        for (size_t i = 0; i < groups * classes * classes; i++) {
            table[i] = draw(&seed) % 3 ? (int)(draw(&seed) % 20) : 0;
        }
        for (size_t k = 0; k < classes && trial % 5 == 0; k++) {
            table[k] = 0; /* nobody of group 0 has label 0 */
        }
        crowd c;
        fill(&c, groups, classes, table);
        dp2dp_evaluate_options options = options_of(&c);
        HANDLE(dp2dp_evaluation) *e = evaluate(&c, &options);
        for (size_t i = 0; i < DP2DP_CUSTOM; i++) {
            const dp2dp_unfairness *u = &e->criteria[i];
            double rates[2], wanted = plain_unfairness(&c, (dp2dp_criterion)i);
            if (isnan(wanted)) {
                assert_true(isnan(u->unfairness));
                continue;
            }
            assert_near(u->unfairness, wanted, 1e-14);
            rates[0] = u->rates[u->group_high * u->statistic_count + u->statistic].rate;
            rates[1] = u->rates[u->group_low * u->statistic_count + u->statistic].rate;
            assert_near(rates[0] - rates[1], wanted, 1e-14);
        }
    }
}

/* Two groups of 1,000 people with label 1 each, of whom 700 and 400 get class 1. The resampled
 * difference is nearly normal with a standard deviation of 0.02121. */
TEST(the_interval_of_a_rate_of_labelled_people_is_nearly_normal) {
    static const int table[] = {100, 0, 300, 700, 0, 100, 600, 400};
    crowd c;
    fill(&c, 2, 2, table);
    dp2dp_evaluate_options options = options_of(&c);
    options.bootstrap_draws = 20000;
    HANDLE(dp2dp_evaluation) *e = evaluate(&c, &options);
    HANDLE(dp2dp_evaluation) *again = evaluate(&c, &options);
    const dp2dp_unfairness *tpr = &e->criteria[DP2DP_TRUE_POSITIVE_RATE_PARITY];
    assert_near(tpr->unfairness, 0.3, 1e-12);
    assert_near(tpr->interval.low, 0.3 - 1.96 * 0.02121, 0.003);
    assert_near(tpr->interval.high, 0.3 + 1.96 * 0.02121, 0.003);
    assert_memory_equal(&tpr->interval, &again->criteria[DP2DP_TRUE_POSITIVE_RATE_PARITY].interval,
                        sizeof tpr->interval);
    /* Demographic parity is resampled as without labels. */
    dp2dp_column given = column(&c, c.given), group = column(&c, c.group);
    HANDLE(dp2dp_evaluation) *plain = NULL;
    assert_ok(dp2dp_evaluate(&given, &group, NULL, &options, &plain, &test_error));
    assert_memory_equal(&plain->unfairness_interval, &e->unfairness_interval,
                        sizeof e->unfairness_interval);
    assert_memory_equal(&e->criteria[0].interval, &e->unfairness_interval,
                        sizeof e->unfairness_interval);
}

/* Group 0 has labels 0 and 2 in equal parts; class 1 is given to everybody with label 0 and to
 * nobody with label 2. So its false positive rate, 0.5, varies only because the labels do, with a
 * standard deviation of sqrt(.25 / 1000) = 0.01581. Nobody else gets class 1 wrongly. */
TEST(labels_are_resampled_together_with_decisions) {
    int table[18] = {0};
    crowd c;
    table[1] = 500;             /* label 0 gets class 1 */
    table[2 * 3 + 2] = 500;     /* label 2 gets class 2 */
    table[9] = table[17] = 400; /* group 1: each gets its label */
    fill(&c, 2, 3, table);
    dp2dp_evaluate_options options = options_of(&c);
    options.bootstrap_draws = 20000;
    options.positive = 1;
    HANDLE(dp2dp_evaluation) *e = evaluate(&c, &options);
    const dp2dp_unfairness *fpr = &e->criteria[DP2DP_FALSE_POSITIVE_RATE_PARITY];
    assert_near(fpr->unfairness, 0.5, 1e-12);
    assert_near(fpr->interval.low, 0.5 - 1.96 * 0.01581, 0.003);
    assert_near(fpr->interval.high, 0.5 + 1.96 * 0.01581, 0.003);
}

/* The table of labels would have more than 2^20 numbers. */
TEST(too_many_pairs_of_labels_and_classes_are_not_measured) {
    crowd c;
    fill(&c, 2, 2, binary);
    dp2dp_evaluate_options options = options_of(&c);
    options.classes = 725;
    HANDLE(dp2dp_evaluation) *e = evaluate(&c, &options);
    assert_null(e->label_counts);
    assert_false(e->criteria[DP2DP_EQUALIZED_ODDS].measured);
    assert_proportion(&e->class_rates[1].true_positive, 8, 10);
    options.classes = 724;
    HANDLE(dp2dp_evaluation) *fits = evaluate(&c, &options);
    assert_non_null(fits->label_counts);
    assert_near(fits->criteria[DP2DP_TRUE_POSITIVE_RATE_PARITY].unfairness, 0.3, 1e-15);
    assert_false(fits->criteria[DP2DP_EQUALIZED_ODDS].measured); /* 724^3 flags are too many */
}

TEST(bad_criteria_are_refused) {
    static const unsigned char none[] = {0, 0};
    static const dp2dp_statistic bad[] = {{2, NULL}, {0, none}};
    crowd c;
    dp2dp_evaluation *out = NULL;
    fill(&c, 2, 2, binary);
    dp2dp_column given = column(&c, c.given), group = column(&c, c.group);
    dp2dp_column label = column(&c, c.label);
    for (int i = 0; i < 5; i++) {
        static const char *const because[] = {"positive = 2", "positive = -2", "statistic 1",
                                              "statistic 1", "given together"};
        dp2dp_evaluate_options options = options_of(&c);
        options.positive = i == 0 ? 2 : i == 1 ? -2 : -1;
        options.statistics = i == 2 || i == 3 ? &bad[i - 2] : NULL;
        options.statistic_count = i >= 2;
        assert_fails(dp2dp_evaluate(&given, &group, &label, &options, &out, &test_error), ARGUMENT,
                     because[i]);
        assert_null(out);
    }
}
