/* Evaluation and certificates: if any allocation fails, nothing leaks, and a certificate is charged
 * completely or not at all. */
#include "fault/fault_alloc.h"

#include <dp2dp/metrics.h>

#include "unit/metrics/labelled.h"

TEST(an_evaluation_is_whole_or_not_made) {
    OWNED(people) crowd = people_random(60, 3, 2, 1U << 20, 1);
    int32_t decision[60];
    dp2dp_column groups = groups_of(&crowd);
    dp2dp_column predictions = {decision, DP2DP_INT32, crowd.n, sizeof *decision};
    dp2dp_evaluate_options options = DP2DP_EVALUATE_OPTIONS_INIT;
    for (size_t i = 0; i < crowd.n; i++) {
        decision[i] = (int32_t)(i % crowd.classes);
    }
    options.strata = crowd.groups;
    options.classes = crowd.classes;
    options.bootstrap_draws = 10;
    FAIL_EACH_ALLOCATION(2) {
        HANDLE(dp2dp_evaluation) *evaluation = (dp2dp_evaluation *)&groups;
        FAULTY(dp2dp_evaluate(&predictions, &groups, &predictions, &options, &evaluation,
                              &fault_error));
        assert_int_equal(evaluation == NULL, fault_status != OK);
    }
}

/* With statistics of its own: every criterion is measured. */
TEST(an_evaluation_under_every_criterion_is_whole_or_not_made) {
    static const unsigned char set[] = {1, 0, 1};
    static const dp2dp_statistic statistic = {1, set};
    OWNED(people) crowd = people_random(60, 3, 2, 1U << 20, 1);
    int32_t decision[60];
    dp2dp_column groups = groups_of(&crowd);
    dp2dp_column predictions = {decision, DP2DP_INT32, crowd.n, sizeof *decision};
    dp2dp_evaluate_options options = DP2DP_EVALUATE_OPTIONS_INIT;
    for (size_t i = 0; i < crowd.n; i++) {
        decision[i] = (int32_t)(i % crowd.classes);
    }
    options.strata = crowd.groups;
    options.classes = crowd.classes;
    options.bootstrap_draws = 10;
    options.statistics = &statistic;
    options.statistic_count = 1;
    FAIL_EACH_ALLOCATION(30) {
        HANDLE(dp2dp_evaluation) *evaluation = (dp2dp_evaluation *)&groups;
        FAULTY(dp2dp_evaluate(&predictions, &groups, &predictions, &options, &evaluation,
                              &fault_error));
        assert_int_equal(evaluation == NULL, fault_status != OK);
    }
}

TEST(a_certificate_of_labelled_people_is_charged_once_or_not_at_all) {
    OWNED(labelled) crowd = labelled_people(90, 3, 2, 1);
    dp2dp_fit_options fit = fit_for(DP2DP_EQUALIZED_ODDS);
    fit.steps = 1;
    HANDLE(dp2dp_model) *model = labelled_model(&crowd, &fit, AWARE);
    HANDLE(dp2dp_pool) *pool = labelled_pool(&crowd, &fit, AWARE);
    dp2dp_source source = dp2dp_pool_source(pool);
    FAIL_EACH_ALLOCATION(15) {
        HANDLE(dp2dp_ledger) *ledger = new_ledger();
        dp2dp_certify_options options = DP2DP_CERTIFY_OPTIONS_INIT;
        dp2dp_certificate certificate = DP2DP_CERTIFICATE_INIT;
        options.epsilon = 1;
        options.delta = 1e-5;
        options.ledger = ledger;
        FAULTY(dp2dp_certify(&source, model, &options, &certificate, &fault_error));
        assert_true(dp2dp_ledger_size(ledger) <= 1);
        assert_true(fault_status != OK || dp2dp_ledger_size(ledger) == 1);
    }
}

TEST(a_certificate_is_charged_once_or_not_at_all) {
    OWNED(people) crowd = people_random(60, 3, 2, 1U << 20, 1);
    dp2dp_fit_options fit_options = noiseless(0);
    fit_options.steps = 1;
    HANDLE(dp2dp_model) *model = fit_people(&crowd, &fit_options);
    HANDLE(dp2dp_pool) *pool = pool_of(&crowd);
    dp2dp_source source = dp2dp_pool_source(pool);
    FAIL_EACH_ALLOCATION(5) {
        HANDLE(dp2dp_ledger) *ledger = new_ledger();
        dp2dp_certify_options options = DP2DP_CERTIFY_OPTIONS_INIT;
        dp2dp_certificate certificate = DP2DP_CERTIFICATE_INIT;
        options.epsilon = 1;
        options.delta = 1e-5;
        options.ledger = ledger;
        FAULTY(dp2dp_certify(&source, model, &options, &certificate, &fault_error));
        assert_true(dp2dp_ledger_size(ledger) <= 1);
        assert_true(fault_status != OK || dp2dp_ledger_size(ledger) == 1);
    }
}

/* The model's two releases are charged with the certificate. */
TEST(a_certificate_for_the_people_of_the_model_is_charged_with_the_model_or_not_at_all) {
    OWNED(people) crowd = people_random(60, 3, 2, 1U << 20, 1);
    dp2dp_fit_options fit_options = seeded(1, 1);
    fit_options.steps = 1;
    HANDLE(dp2dp_model) *model = fit_people(&crowd, &fit_options);
    HANDLE(dp2dp_pool) *pool = pool_of(&crowd);
    dp2dp_source source = dp2dp_pool_source(pool);
    dp2dp_certify_options options = DP2DP_CERTIFY_OPTIONS_INIT;
    options.epsilon = 1;
    options.delta = 1e-5;
    options.people = DP2DP_PEOPLE_SAME;
    FAIL_EACH_ALLOCATION(5) {
        HANDLE(dp2dp_ledger) *ledger = new_ledger();
        dp2dp_certificate certificate = DP2DP_CERTIFICATE_INIT;
        options.ledger = ledger;
        FAULTY(dp2dp_certify(&source, model, &options, &certificate, &fault_error));
        assert_true(dp2dp_ledger_size(ledger) == 0 || dp2dp_ledger_size(ledger) == 3);
        assert_true(fault_status != OK || dp2dp_ledger_size(ledger) == 3);
    }
    options.ledger = NULL;
    FAIL_EACH_ALLOCATION(5) {
        HANDLE(dp2dp_ledger) *ledger = new_ledger();
        FAULTY(dp2dp_certify_plan(&source, model, &options, ledger, &fault_error));
        assert_int_equal(dp2dp_ledger_size(ledger), fault_status == OK ? 3 : 0);
    }
}
