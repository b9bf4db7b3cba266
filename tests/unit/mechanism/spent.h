/* The entries of a ledger, and what they cost together. */
#ifndef DP2DP_TESTS_UNIT_MECHANISM_SPENT_H
#define DP2DP_TESTS_UNIT_MECHANISM_SPENT_H

#include "support.h"

#include <dp2dp/ledger.h>

static inline dp2dp_event entry_of(const dp2dp_ledger *ledger, size_t i) {
    dp2dp_event event = DP2DP_EVENT_INIT;
    dp2dp_rng_kind rng;
    assert_ok(dp2dp_ledger_entry(ledger, i, &event, &rng, &test_error));
    return event;
}

static inline dp2dp_ledger *ledger_with_budget(double epsilon) {
    dp2dp_ledger *ledger = new_ledger();
    assert_ok(dp2dp_ledger_set_budget(ledger, epsilon, 1e-5, &test_error));
    return ledger;
}

static inline double epsilon_spent(const dp2dp_ledger *ledger, double delta) {
    HANDLE(dp2dp_accountant) *accountant = NULL;
    double epsilon = NAN;
    assert_ok(dp2dp_ledger_account(ledger, &accountant, &test_error));
    assert_ok(dp2dp_accountant_epsilon(accountant, delta, DP2DP_BACKEND_AUTO, &epsilon, NULL,
                                       &test_error));
    return epsilon;
}

#endif
