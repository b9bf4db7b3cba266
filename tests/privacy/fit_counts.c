/* Tries to falsify the guarantee of a fit by solver counts, on the worst pair of pools for it
 * (counts_pair.h). The false-alarm rate is 1e-6 for each sound fit, over the choice of the seeds,
 * which are fixed. */
#include "privacy/counts_pair.h"

enum {
    RUNS = 100000
};

TEST(a_fit_is_sound_and_tight) {
    OWNED(setting) s = open_fit(1, 1, 1);
    (void)expect_sound_at_one(s.claim, 2, measure(&s, ratio_of, 0, RUNS));
}

TEST(halved_noise_is_caught) {
    OWNED(setting) s = open_fit(1, 2, 0.5);
    expect_caught(s.claim, 2, measure(&s, ratio_of, 0, RUNS));
}

/* The attacker subtracts two tables of one fit at different offsets. The person's decision changes
 * between the pools in the second table only, so the difference shows the change. If both tables
 * have the same noise (second_seed 0), the noise cancels. */
static errors errors_of_a_difference(uint64_t second_seed, dp2dp_event *claim) {
    enum {
        FITS = 500
    };
    static const double everybody_first[CELLS] = {-2, 0, -2, 0}, none[CELLS] = {0};
    double wrong[2] = {0, 0}, moved[2][CELLS];
    for (int i = 0; i < 2 * FITS; i++) {
        OWNED(setting) s = open_fit(1, (uint64_t)i, 1),
                       t = open_fit(1, (uint64_t)i + second_seed, 1);
        moved_table(&s, i % 2, everybody_first, moved[0]);
        moved_table(&t, i % 2, none, moved[1]);
        wrong[i % 2] += (moved[1][3] - moved[0][3] > 0.5) != (i % 2);
        memcpy(claim, s.claim, sizeof s.claim);
    }
    return (errors) {rate_upper(wrong[0], FITS), rate_upper(wrong[1], FITS)};
}

TEST(noise_used_twice_is_caught) {
    dp2dp_event claim[2];
    errors e = errors_of_a_difference(0, claim);
    expect_caught(claim, 2, e);
}

TEST(fresh_noise_passes_the_attack_that_catches_the_other) {
    dp2dp_event claim[2];
    errors e = errors_of_a_difference(1000000, claim);
    assert_false(is_falsified(claim, 2, 1, e));
}

GROUP(begin_pools, end_pools)
