/* What a ledger has spent. */
#ifndef DP2DP_TESTS_UNIT_MECHANISM_SPENT_H
#define DP2DP_TESTS_UNIT_MECHANISM_SPENT_H

#include "support.h"

#include <dp2dp/ledger.h>

static inline double epsilon_spent(const dp2dp_ledger *ledger, double delta) {
    HANDLE(dp2dp_accountant) *accountant = NULL;
    double epsilon = NAN;
    assert_ok(dp2dp_ledger_account(ledger, &accountant, &test_error));
    assert_ok(dp2dp_accountant_epsilon(accountant, delta, DP2DP_BACKEND_AUTO, &epsilon, NULL,
                                       &test_error));
    return epsilon;
}

#endif
