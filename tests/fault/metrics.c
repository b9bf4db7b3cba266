/* Measuring: whatever allocation fails, nothing leaks, and a certificate is charged or it is not.
 */
#include "fault/fault_alloc.h"

#include <dp2dp/metrics.h>

#include "unit/phase2/data.h"

static people crowd;

static dp2dp_status evaluate(size_t at, fault_mode how) {
    int32_t decision[60];
    dp2dp_column groups = groups_of(&crowd);
    dp2dp_column predictions = {decision, DP2DP_INT32, crowd.n, sizeof *decision};
    dp2dp_evaluate_options options = DP2DP_EVALUATE_OPTIONS_INIT;
    HANDLE(dp2dp_evaluation) *evaluation = (dp2dp_evaluation *)&groups;
    for (size_t i = 0; i < crowd.n; i++) {
        decision[i] = (int32_t)(i % crowd.classes);
    }
    options.strata = crowd.groups;
    options.classes = crowd.classes;
    options.bootstrap_draws = 10;
    fault_arm(at, how);
    dp2dp_status status =
        dp2dp_evaluate(&predictions, &groups, &predictions, &options, &evaluation, &fault_error);
    assert_int_equal(evaluation == NULL, status != OK);
    return status;
}

static dp2dp_status certify(size_t at, fault_mode how) {
    dp2dp_fit_options fit_options = noiseless(0);
    dp2dp_certify_options options = DP2DP_CERTIFY_OPTIONS_INIT;
    dp2dp_certificate certificate = DP2DP_CERTIFICATE_INIT;
    fit_options.steps = 1;
    dp2dp_model *model = fit_people(&crowd, &fit_options);
    HANDLE(dp2dp_pool) *pool = pool_of(&crowd);
    dp2dp_source source = dp2dp_pool_source(pool);
    options.epsilon = 1;
    options.delta = 1e-5;
    assert_ok(dp2dp_ledger_new(DP2DP_REPLACE_ONE, &options.ledger, NULL));
    fault_arm(at, how);
    dp2dp_status status = dp2dp_certify(&source, model, &options, &certificate, &fault_error);
    fault_disarm();
    assert_true(dp2dp_ledger_size(options.ledger) <= 1);
    assert_true(status != OK || dp2dp_ledger_size(options.ledger) == 1);
    dp2dp_ledger_free(options.ledger);
    dp2dp_model_free(model);
    return status;
}

TEST(an_evaluation_is_whole_or_not_made) {
    assert_true(fault_every_allocation(evaluate) >= 2);
}

TEST(a_certificate_is_charged_once_or_not_at_all) {
    assert_true(fault_every_allocation(certify) >= 5);
}

FIXTURE(begin) {
    crowd = people_random(60, 3, 2, 1U << 20, 1);
    return 0;
}

FIXTURE(end) {
    people_free(&crowd);
    return 0;
}

GROUP(begin, end)
