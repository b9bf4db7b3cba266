/* Tests what an evaluation says about suspicious labels and decisions. */
#include "support.h"

#include <dp2dp/metrics.h>

enum {
    PEOPLE = 600
};

static int32_t group[PEOPLE], given[PEOPLE], truth[PEOPLE];

static dp2dp_column column_of(const int32_t *codes, size_t rows) {
    return (dp2dp_column) {codes, DP2DP_INT32, rows, sizeof *codes};
}

static dp2dp_evaluation *evaluate(size_t rows, size_t classes) {
    dp2dp_evaluate_options options = DP2DP_EVALUATE_OPTIONS_INIT;
    dp2dp_column predictions = column_of(given, rows), labels = column_of(truth, rows);
    dp2dp_column groups = column_of(group, rows);
    dp2dp_evaluation *out;
    options.strata = 2;
    options.classes = classes;
    options.bootstrap_draws = 0;
    assert_ok(dp2dp_evaluate(&predictions, &groups, &labels, &options, &out, &test_error));
    return out;
}

/* One person in `period` gets class 1. The labels of one block of ten people in `wrong_every` are
 * wrong; 0: none. */
static unsigned warn(size_t rows, size_t classes, size_t period, size_t wrong_every) {
    for (size_t i = 0; i < rows; i++) {
        group[i] = (int32_t)(i % 2);
        given[i] = i % period == 0;
        truth[i] = wrong_every > 0 && i / 10 % wrong_every == 0 ? 1 - given[i] : given[i];
    }
    HANDLE(dp2dp_evaluation) *e = evaluate(rows, classes);
    return e->warnings;
}

TEST(a_good_classifier_gets_no_warning) {
    assert_int_equal(warn(PEOPLE, 2, 3, 5), 0);
}

TEST(labels_that_are_all_right_are_suspicious_from_100_people_on) {
    assert_int_equal(warn(100, 2, 3, 0), DP2DP_WARNING_LABELS_ARE_DECISIONS);
    assert_int_equal(warn(99, 2, 3, 0), 0);
    assert_int_equal(warn(100, 3, 3, 0),
                     DP2DP_WARNING_LABELS_ARE_DECISIONS | DP2DP_WARNING_EMPTY_CLASS);
}

TEST(inverted_labels_are_worse_than_guessing) {
    assert_int_equal(warn(PEOPLE, 2, 3, 1), DP2DP_WARNING_WORSE_THAN_GUESSING);
    assert_int_equal(dp2dp_warn_of_labels(10, 5, 2), 0);
    assert_int_equal(dp2dp_warn_of_labels(10, 4, 2), DP2DP_WARNING_WORSE_THAN_GUESSING);
    assert_int_equal(dp2dp_warn_of_labels(10, 4, 3), 0);
}

/* Label and decision are independent: each is 1 for one person in three. */
TEST(labels_in_another_order_are_no_better_than_guessing) {
    for (size_t i = 0; i < PEOPLE; i++) {
        group[i] = (int32_t)(i % 2);
        given[i] = i % 3 == 0;
        truth[i] = i / 3 % 3 == 0;
    }
    HANDLE(dp2dp_evaluation) *e = evaluate(PEOPLE, 2);
    assert_int_equal(e->warnings, DP2DP_WARNING_NO_BETTER_THAN_GUESSING);
    HANDLE(dp2dp_evaluation) *few = evaluate(99, 2);
    assert_int_equal(few->warnings, 0);
}

/* One person in twenty has label 1. The classifier finds a quarter of them, and nobody else. */
TEST(a_classifier_that_finds_some_people_of_a_rare_class_is_better_than_guessing) {
    for (size_t i = 0; i < PEOPLE; i++) {
        group[i] = (int32_t)(i % 2);
        truth[i] = i % 20 == 0;
        given[i] = i % 80 == 0;
    }
    HANDLE(dp2dp_evaluation) *e = evaluate(PEOPLE, 2);
    assert_int_equal(e->warnings, 0);
}

TEST(one_class_for_everybody_is_told_before_and_after) {
    memset(given, 0, sizeof given);
    for (size_t i = 0; i < PEOPLE; i++) {
        truth[i] = i % 3 == 0;
    }
    HANDLE(dp2dp_evaluation) *e = evaluate(PEOPLE, 2);
    assert_int_equal(e->warnings, DP2DP_WARNING_ONE_CLASS);
    HANDLE(dp2dp_evaluation) *few = evaluate(99, 2);
    assert_int_equal(few->warnings, 0);
    for (size_t i = 0; i < PEOPLE; i++) {
        given[i] = i % 3 == 0 || i % 5 == 0;
    }
    HANDLE(dp2dp_evaluation) *other = evaluate(PEOPLE, 2);
    assert_int_equal(other->warnings, 0);
    assert_int_equal(dp2dp_warn_of_decisions(other, e), DP2DP_WARNING_ONE_CLASS);
    assert_int_equal(dp2dp_warn_of_decisions(e, other), DP2DP_WARNING_ONE_CLASS);
}

/* Three classes of 200 people each. The classifier is right about a share of each class, and the
 * others get the next class; then its decisions `a` and `b` are exchanged. */
static unsigned exchange(size_t right, int32_t a, int32_t b) {
    for (size_t i = 0; i < PEOPLE; i++) {
        group[i] = (int32_t)(i / 3 % 2);
        truth[i] = (int32_t)(i % 3);
        int32_t k = i / 3 % 10 < right ? truth[i] : (truth[i] + 1) % 3;
        given[i] = k == a ? b : k == b ? a : k;
    }
    HANDLE(dp2dp_evaluation) *e = evaluate(PEOPLE, 3);
    return e->warnings;
}

TEST(two_exchanged_classes_are_noticed_if_the_scores_still_beat_a_guess) {
    assert_int_equal(exchange(7, 0, 0), 0);
    assert_int_equal(exchange(10, 1, 2), DP2DP_WARNING_WORSE_THAN_GUESSING);
    assert_int_equal(exchange(10, 0, 1), DP2DP_WARNING_WORSE_THAN_GUESSING);
    assert_int_equal(exchange(7, 1, 2), DP2DP_WARNING_WORSE_THAN_GUESSING);
}

/* A classifier that is trained with weights gives the rare class 2 to most people of class 1: with
 * the two exchanged there would be fewer errors, and yet they are in the right order. */
TEST(a_rare_class_that_is_given_too_often_is_not_exchanged) {
    for (size_t i = 0; i < PEOPLE; i++) {
        group[i] = (int32_t)(i % 2);
        truth[i] = i % 2 == 0 ? 0 : i % 20 == 1 ? 2 : 1;
        given[i] = truth[i] == 1 && i % 10 < 7 ? 2 : truth[i];
    }
    HANDLE(dp2dp_evaluation) *e = evaluate(PEOPLE, 3);
    assert_int_equal(e->warnings, 0);
}

TEST(labels_that_are_the_decisions_of_the_rule_are_told) {
    for (size_t i = 0; i < PEOPLE; i++) {
        group[i] = (int32_t)(i % 2);
        truth[i] = i % 3 == 0;
        given[i] = i % 7 == 0 ? 1 : truth[i];
    }
    HANDLE(dp2dp_evaluation) *before = evaluate(PEOPLE, 2);
    memcpy(given, truth, sizeof given);
    HANDLE(dp2dp_evaluation) *after = evaluate(PEOPLE, 2);
    assert_int_equal(dp2dp_warn_of_decisions(before, before), 0);
    assert_int_equal(dp2dp_warn_of_decisions(before, after), DP2DP_WARNING_LABELS_ARE_DECISIONS);
}
