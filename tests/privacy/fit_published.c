/* Shows that Algorithm 1 as published costs more than its own accounting claims, and no more than
 * our bound, on a pair of pools built for this (published_pair.h): of 1,000 people 25 are in the
 * small group, and one of these changes class.
 *
 * The attacker guesses "second pool" if the likelihood ratio is above e^threshold. The bounds of
 * attack.h rule out every ε below log((1 − δ − FNR)/FPR), for any mechanism, with confidence
 * 1 − 1e-6 over the choice of the seeds, which are fixed. */
#include "privacy/published_pair.h"

enum {
    RUNS = 100000
};
static const double threshold = 2.5;

TEST(the_published_claim_is_exceeded_and_the_sound_bound_is_not) {
    static const double claims[2] = {0.5, 1};
    for (int i = 0; i < 2; i++) {
        OWNED(setting) s = open_fit((plan) {WITHIN, 1000, 25, 32, 4, 25}, claims[i], 1);
        double claim = s.releases.epsilon_claimed, sound = epsilon_sound(&s);
        double lower = epsilon_of_rates(measure(&s, ratio_of, threshold, RUNS));
        print_message("epsilon: claimed %.4f, measured at least %.4f, sound bound %.4f\n", claim,
                      lower, sound);
        assert_true(claim <= claims[i] && claim > 0.99 * claims[i]);
        assert_true(s.releases.price.bounded);
        assert_true(lower > 2 * claim);
        assert_true(lower <= sound);
    }
}
