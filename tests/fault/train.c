/* Training: whatever allocation fails, nothing leaks, and a ledger has the entry of a run or none.
 */
#include "fault/fault_alloc.h"

#include "unit/train_data.h"

static crowd people;

static dp2dp_status train(size_t at, fault_mode how, dp2dp_train_method method, double epsilon,
                          size_t entries) {
    dp2dp_train_options options = train_seeded(method, epsilon, 3);
    dp2dp_ledger *own = NULL;
    double weights[64];
    options.steps = 3;
    options.penalty = 0.5;
    assert_int_equal(dp2dp_ledger_new(DP2DP_REPLACE_ONE, &own, NULL), OK);
    assert_int_equal(dp2dp_ledger_new(DP2DP_REPLACE_ONE, &options.ledger, NULL), OK);
    fault_arm(at, how);
    dp2dp_status status =
        dp2dpi_train_rows(&people.rows, people.labels, people.width, people.classes, people.norm,
                          &options, own, weights, &fault_error);
    fault_disarm();
    size_t theirs = dp2dp_ledger_size(options.ledger), ours = dp2dp_ledger_size(own);
    assert_true(theirs <= entries && ours <= theirs);
    assert_true(status != OK || (theirs == entries && ours == entries));
    dp2dp_ledger_free(options.ledger);
    dp2dp_ledger_free(own);
    return status;
}

static dp2dp_status train_dpgd(size_t at, fault_mode how) {
    return train(at, how, DP2DP_TRAIN_DPGD, 1, 1);
}

static dp2dp_status train_dpsgd(size_t at, fault_mode how) {
    return train(at, how, DP2DP_TRAIN_DPSGD, 1, 1);
}

static dp2dp_status train_dpsgd_noiseless(size_t at, fault_mode how) {
    return train(at, how, DP2DP_TRAIN_DPSGD, INFINITY, 0);
}

static dp2dp_status train_output(size_t at, fault_mode how) {
    return train(at, how, DP2DP_TRAIN_OUTPUT, 1, 1);
}

static dp2dp_status train_none(size_t at, fault_mode how) {
    return train(at, how, DP2DP_TRAIN_NONE, NAN, 0);
}

static void every_method_survives_every_failed_allocation(void **state) {
    (void)state;
    people = crowd_random(60, 2, 1, 3, 5);
    assert_true(fault_every_allocation(train_dpgd) >= 8);
    assert_true(fault_every_allocation(train_dpsgd_noiseless) >= 8);
    assert_true(fault_every_allocation(train_output) >= 8);
    assert_true(fault_every_allocation(train_none) >= 3);
    /* Calibration by a numerical bound repeats the same allocations many times. */
    assert_true(fault_every_nth_allocation(7, train_dpsgd) >= 8);
    crowd_free(&people);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_survives_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
