/* Tries to falsify the guarantee of a fit by solver sgd, on the worst pair of pools for it
 * (sgd_pair.h). The false-alarm rate is 1e-6 for each sound fit, over the choice of the seeds,
 * which are fixed. */
#include "privacy/sgd_pair.h"

enum {
    RUNS = 100000
};
static const fault none = {1, 1, 1};

static setting sound;
static errors sound_errors;

FIXTURE(begin) {
    begin_pools(state);
    sound = open_fit(1, 1, 0.05, none);
    sound_errors = measure(&sound, ratio_of, 0, RUNS);
    return 0;
}

FIXTURE(end) {
    setting_free(&sound);
    return end_pools(state);
}

TEST(a_fit_is_sound_and_tight) {
    (void)expect_sound_at_one(sound.claim, 2, sound_errors);
}

/* Add/remove adjacency compares a record with no record, which costs about half as much as
 * replacing it by its opposite. */
TEST(accounting_for_a_record_removed_is_exceeded) {
    assert_true(epsilon_lower(sound.claim, 2, sound_errors) > epsilon_if_removed(sound.claim, 2));
}

static void expect_caught_with(fault wrong) {
    OWNED(setting) s = open_fit(1, 2, 0.05, wrong);
    expect_caught(s.claim, 2, measure(&s, ratio_of, 0, RUNS));
}

TEST(halved_noise_is_caught) {
    expect_caught_with((fault) {0.5, 1, 1});
}

TEST(a_doubled_rate_is_caught) {
    expect_caught_with((fault) {1, 2, 1});
}

TEST(a_norm_beyond_its_bound_is_caught) {
    expect_caught_with((fault) {1, 1, 2});
}

/* Half of the budget (of μ²) goes to the group counts, so a claim without them is far too small. */
TEST(counts_that_are_not_charged_are_caught) {
    OWNED(setting) s = open_fit(1, 3, 0.5, none);
    double whole = epsilon_of(account(s.claim, 2, 1)),
           claim = epsilon_of(account(s.claim + 1, 1, 1));
    double lower = epsilon_lower(s.claim, 2, measure(&s, ratio_of, 0, RUNS));
    print_message("epsilon: accounted %.4f, without the counts %.4f, measured at least %.4f\n",
                  whole, claim, lower);
    assert_true(lower > claim && lower <= whole);
}

GROUP(begin, end)
