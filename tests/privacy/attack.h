/* Attacks on a privacy claim, for the tests that try to falsify a guarantee.
 *
 * The attacker knows all records but one. From everything that a run releases, he guesses which of
 * two neighbouring data sets, 0 or 1, it was run on. His false-positive and false-negative rates
 * are measured over many runs and bounded from above by Clopper-Pearson, each with confidence
 * 1 − 5e-7. The claim has a non-increasing trade-off curve f and says that every attacker has
 * FNR ≥ f(FPR). So upper bounds with FNR < f(FPR) falsify the claim, and a true claim is falsified
 * with probability at most 1e-6 over the choice of the seed. The seeds are fixed, so a test always
 * passes or always fails. Passing proves nothing; planted faults show that a test can fail. */
#ifndef DP2DP_TESTS_PRIVACY_ATTACK_H
#define DP2DP_TESTS_PRIVACY_ATTACK_H

#include "support.h"

#include "mechanism/mechanism.h"
#include "mechanism/release.h"
#include "num/beta.h"

static const double attack_miss = 5e-7;  /* probability that one bound on an error rate is wrong */
static const double attack_delta = 1e-5; /* the δ at which values of ε are compared */

/* One run on data set `which`: returns the attacker's statistic. He guesses 1 if it is above a
 * threshold. Each test defines its own struct setting: the code under attack and its charges. */
typedef struct setting setting;
typedef double (*attack)(setting *s, int which);

typedef struct errors {
    double false_positive, false_negative; /* upper bounds */
} errors;

/* Clopper-Pearson bound for k errors in n runs: the p with P(Bin(n, p) ≤ k) = miss, where
 * P(Bin(n, p) ≤ k) = P(Beta(n − k, k + 1) ≤ 1 − p). */
static inline double rate_upper_at(double k, double n, double miss) {
    return k < n ? 1 - dp2dpi_beta_quantile(n - k, k + 1, miss) : 1;
}

static inline double rate_upper(double k, double n) {
    return rate_upper_at(k, n, attack_miss);
}

static inline errors measure(setting *s, attack run, double threshold, int runs) {
    double wrong[2] = {0, 0};
    for (int i = 0; i < runs; i++) {
        wrong[0] += run(s, 0) > threshold;
        wrong[1] += run(s, 1) <= threshold;
    }
    return (errors) {rate_upper(wrong[0], runs), rate_upper(wrong[1], runs)};
}

/* (ε, δ)-privacy says 1 − FNR ≤ e^ε FPR + δ. So these error rates rule out every ε below the one
 * returned, for any mechanism. */
static inline double epsilon_of_rates(errors e) {
    double caught = 1 - attack_delta - e.false_negative;
    return caught > e.false_positive ? log(caught / e.false_positive) : 0;
}

/* An accountant of the claim: the n events that were charged, with their noise times `factor`. A
 * factor other than 1 makes the noise continuous, since its scale need not fit the grid. */
static inline dp2dp_accountant *account_under(dp2dp_adjacency adjacency, const dp2dp_event *claim,
                                              size_t n, double factor) {
    dp2dp_accountant *accountant = NULL;
    assert_ok(dp2dp_accountant_new(adjacency, &accountant, NULL));
    for (size_t i = 0; i < n; i++) {
        dp2dp_event event = claim[i];
        event.sigma *= factor;
        event.scale = factor == 1 ? event.scale : 0;
        assert_ok(dp2dp_accountant_add(accountant, &event, NULL));
    }
    return accountant;
}

static inline dp2dp_accountant *account(const dp2dp_event *claim, size_t n, double factor) {
    return account_under(DP2DP_REPLACE_ONE, claim, n, factor);
}

/* Frees the accountant. */
static inline double epsilon_of(dp2dp_accountant *accountant) {
    double epsilon = 0;
    assert_ok(dp2dp_accountant_epsilon(accountant, attack_delta, DP2DP_BACKEND_AUTO, &epsilon, NULL,
                                       NULL));
    dp2dp_accountant_free(accountant);
    return epsilon;
}

static inline int is_falsified_under(dp2dp_adjacency adjacency, const dp2dp_event *claim, size_t n,
                                     double factor, errors e) {
    HANDLE(dp2dp_accountant) *accountant = account_under(adjacency, claim, n, factor);
    double least = 0;
    assert_ok(dp2dp_accountant_tradeoff(accountant, e.false_positive, &least, NULL));
    return e.false_negative < least;
}

static inline int is_falsified(const dp2dp_event *claim, size_t n, double factor, errors e) {
    return is_falsified_under(DP2DP_REPLACE_ONE, claim, n, factor, e);
}

/* The largest ε that these error rates falsify, among claims that differ from the given one in the
 * amount of noise only, by a factor from 1/16 to 16; 0 if they falsify none. */
static inline double epsilon_lower_under(dp2dp_adjacency adjacency, const dp2dp_event *claim,
                                         size_t n, errors e) {
    double falsified = 16, standing = 1.0 / 16;
    if (!is_falsified_under(adjacency, claim, n, falsified, e)) {
        return 0;
    }
    for (int i = 0; i < 14; i++) {
        double factor = sqrt(falsified * standing);
        *(is_falsified_under(adjacency, claim, n, factor, e) ? &falsified : &standing) = factor;
    }
    return epsilon_of(account_under(adjacency, claim, n, falsified));
}

static inline double epsilon_lower(const dp2dp_event *claim, size_t n, errors e) {
    return epsilon_lower_under(DP2DP_REPLACE_ONE, claim, n, e);
}

/* Prints both; returns the measured ε and in *accounted that of the claim. */
static inline double measured_epsilon(const dp2dp_event *claim, size_t n, errors e,
                                      double *accounted) {
    double measured = epsilon_lower(claim, n, e);
    *accounted = epsilon_of(account(claim, n, 1));
    print_message("epsilon: accounted %.4f, measured at least %.4f\n", *accounted, measured);
    return measured;
}

/* The claim holds, and the attack comes so near to it that a fault would show. Returns the measured
 * ε. */
static inline double expect_sound(const dp2dp_event *claim, size_t n, errors e) {
    double accounted, measured = measured_epsilon(claim, n, e, &accounted);
    assert_false(is_falsified(claim, n, 1, e));
    assert_true(measured <= accounted && measured >= 0.8 * accounted);
    return measured;
}

/* As expect_sound, for the claim of a whole run at ε = 1, of which it spends at least 0.999. */
static inline double expect_sound_at_one(const dp2dp_event *claim, size_t n, errors e) {
    double accounted = epsilon_of(account(claim, n, 1));
    assert_true(accounted <= 1 && accounted >= 0.999);
    return expect_sound(claim, n, e);
}

static inline void expect_caught(const dp2dp_event *claim, size_t n, errors e) {
    double accounted, measured = measured_epsilon(claim, n, e, &accounted);
    assert_true(is_falsified(claim, n, 1, e));
    assert_true(measured > accounted);
}

/* The ε of the same releases under add/remove adjacency, where a record is removed instead of
 * replaced: about half. */
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

/* Replaces the charge of event i by one in the ledger `scratch` that allows 2^40 runs and has its
 * noise and its sampling rate multiplied. Returns the event as it was charged: the claim. */
static inline dp2dp_event recharge(dp2dpi_release *r, size_t i, dp2dp_ledger *scratch, double noise,
                                   double rate) {
    dp2dp_event claim = *dp2dpi_release_event(r, i), drawn;
    claim.label = claim.role = claim.set = claim.release_id = NULL;
    drawn = claim;
    drawn.count = (uint64_t)1 << 40;
    drawn.sigma *= noise;
    drawn.rate *= rate;
    dp2dpi_charge_free(r->charges[i]);
    assert_ok(dp2dpi_charge_new(scratch, r->rng, &drawn, 1, r->grid_bits, &r->charges[i], NULL));
    return claim;
}

#endif
