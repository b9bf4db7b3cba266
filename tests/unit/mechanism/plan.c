/* A plan charges like the real run but needs no records. */
#include <dp2dp/fit.h>

#include "support.h"

/* A fit has two entries. Some budgets have room for the first, smaller one only. */
TEST(a_plan_that_is_refused_leaves_nothing_in_the_ledger) {
    dp2dp_source source = DP2DP_SOURCE_INIT;
    dp2dp_fit_options options = DP2DP_FIT_OPTIONS_INIT;
    source.records = 300;
    source.strata = source.classes = 2;
    source.row_sums = DP2DP_ROW_SUMS_CHECK;
    options.epsilon = 1;
    options.delta = 1e-5;
    for (double budget = 0.05; budget < 2; budget *= 2) {
        dp2dp_ledger *ledger = new_ledger();
        assert_ok(dp2dp_ledger_set_budget(ledger, budget, 1e-5, &test_error));
        dp2dp_status status = dp2dp_fit_plan(&source, &options, ledger, &test_error);
        assert_int_equal(status, budget < 1 ? DP2DP_STATUS_BUDGET : OK);
        assert_int_equal(charges_in(ledger), budget < 1 ? 0 : 2);
        dp2dp_ledger_free(ledger);
    }
}
