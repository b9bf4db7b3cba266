/* Attackers, how often they are wrong, and what that rules out: for the tests that try to falsify a
 * guarantee.
 *
 * An attacker who knows everything but one record sees all that a run releases and says which of
 * two neighbouring data sets it came from. Over many runs his two error rates are measured and
 * bounded from above by Clopper-Pearson, each at confidence 1 − 5e-7. A claim says, through its
 * trade-off curve f, that no attacker has a false-negative rate below f(false-positive rate), and f
 * does not increase: a pair of upper bounds below the curve falsifies it. So a true claim is called
 * false with probability at most 1e-6 over the choice of the seed. The seeds are fixed: a test that
 * passes does so always. Passing proves nothing; planted faults show that a test can fail. */
#ifndef DP2DP_TESTS_PRIVACY_ATTACK_H
#define DP2DP_TESTS_PRIVACY_ATTACK_H

#include "support.h"

#include "mechanism/mechanism.h"
#include "mechanism/release.h"
#include "num/beta.h"

static const double attack_miss = 5e-7;  /* per error rate */
static const double attack_delta = 1e-5; /* at which ε is compared */

/* What the attacker computes from one run on data set 0 or 1; he says 1 above a threshold. A test
 * defines its own setting. */
typedef struct setting setting;
typedef double (*attack)(setting *s, int which);

typedef struct errors {
    double false_positive, false_negative; /* upper bounds */
} errors;

/* P(Bin(n, p) ≤ k) = P(Beta(n − k, k + 1) ≤ 1 − p): the p at which it is attack_miss. */
static inline double rate_upper(double k, double n) {
    return k < n ? 1 - dp2dpi_beta_quantile(n - k, k + 1, attack_miss) : 1;
}

static inline errors measure(setting *s, attack run, double threshold, int runs) {
    double wrong[2] = {0, 0};
    for (int i = 0; i < runs; i++) {
        wrong[0] += run(s, 0) > threshold;
        wrong[1] += run(s, 1) <= threshold;
    }
    return (errors) {rate_upper(wrong[0], runs), rate_upper(wrong[1], runs)};
}

/* A claim is what was charged: n events. With other noise it is another claim, on no grid. */
static inline dp2dp_accountant *account(const dp2dp_event *claim, size_t n, double factor) {
    dp2dp_accountant *accountant = NULL;
    assert_ok(dp2dp_accountant_new(DP2DP_REPLACE_ONE, &accountant, NULL));
    for (size_t i = 0; i < n; i++) {
        dp2dp_event event = claim[i];
        event.sigma *= factor;
        event.scale = factor == 1 ? event.scale : 0;
        assert_ok(dp2dp_accountant_add(accountant, &event, NULL));
    }
    return accountant;
}

/* Takes the accountant. */
static inline double epsilon_of(dp2dp_accountant *accountant) {
    double epsilon = 0;
    assert_ok(dp2dp_accountant_epsilon(accountant, attack_delta, DP2DP_BACKEND_AUTO, &epsilon, NULL,
                                       NULL));
    dp2dp_accountant_free(accountant);
    return epsilon;
}

static inline int is_falsified(const dp2dp_event *claim, size_t n, double factor, errors e) {
    HANDLE(dp2dp_accountant) *accountant = account(claim, n, factor);
    double least = 0;
    assert_ok(dp2dp_accountant_tradeoff(accountant, e.false_positive, &least, NULL));
    return e.false_negative < least;
}

/* The largest ε among the falsified claims of the same releases with more noise, or less. */
static inline double epsilon_lower(const dp2dp_event *claim, size_t n, errors e) {
    double falsified = 16, standing = 1.0 / 16;
    for (int i = 0; i < 14; i++) {
        double factor = sqrt(falsified * standing);
        *(is_falsified(claim, n, factor, e) ? &falsified : &standing) = factor;
    }
    return epsilon_of(account(claim, n, falsified));
}

/* Sound, and so near the claim that a fault would show. Returns the measured ε. */
static inline double expect_sound(const dp2dp_event *claim, size_t n, errors e) {
    double accounted = epsilon_of(account(claim, n, 1)), measured = epsilon_lower(claim, n, e);
    print_message("epsilon: accounted %.4f, measured at least %.4f\n", accounted, measured);
    assert_false(is_falsified(claim, n, 1, e));
    assert_true(measured <= accounted && measured >= 0.8 * accounted);
    return measured;
}

static inline void expect_caught(const dp2dp_event *claim, size_t n, errors e) {
    double accounted = epsilon_of(account(claim, n, 1)), measured = epsilon_lower(claim, n, e);
    print_message("epsilon: accounted %.4f, measured at least %.4f\n", accounted, measured);
    assert_true(is_falsified(claim, n, 1, e));
    assert_true(measured > accounted);
}

/* What the same releases would be said to cost if a record were removed and none came instead:
 * about half. */
static inline double epsilon_if_removed(const dp2dp_event *claim, size_t n) {
    dp2dp_accountant *accountant = NULL;
    assert_ok(dp2dp_accountant_new(DP2DP_ADD_REMOVE, &accountant, NULL));
    for (size_t i = 0; i < n; i++) {
        dp2dp_event event = claim[i];
        event.sensitivity = 1;
        assert_ok(dp2dp_accountant_add(accountant, &event, NULL));
    }
    return epsilon_of(accountant);
}

/* Puts in the place of the charge of event i one for any number of runs, charged to `scratch`, its
 * noise and its rate multiplied. Returns what was charged: the claim. */
static inline dp2dp_event recharge(dp2dpi_release *r, size_t i, dp2dp_ledger *scratch, double noise,
                                   double rate) {
    dp2dp_event claim = *dp2dpi_release_event(r, i), drawn;
    claim.label = claim.set = NULL;
    drawn = claim;
    drawn.count = (uint64_t)1 << 40;
    drawn.sigma *= noise;
    drawn.rate *= rate;
    dp2dpi_charge_free(r->charges[i]);
    assert_ok(dp2dpi_charge_new(scratch, r->rng, &drawn, 1, r->grid_bits, &r->charges[i], NULL));
    return claim;
}

#endif
