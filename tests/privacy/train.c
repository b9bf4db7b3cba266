/* Tries to falsify the guarantee of dpgd and dpsgd for each of their three kinds of release, on the
 * worst pair of crowds for all three (descent_pair.h). The false-alarm rate is 1e-6 for each of the
 * six sound runs, over the choice of the seeds, which are fixed. */
#include "privacy/descent_pair.h"

enum {
    RUNS = 100000,
    RUNS_FAULT = 10000
};

static setting open_kind(dp2dp_train_method method, int kind, fault wrong) {
    static const char *const names[KINDS] = {"gradient", "row", "slope"};
    print_message("%s, %s: ", method == DP2DP_TRAIN_DPGD ? "dpgd" : "dpsgd", names[kind]);
    return open_run(method, 1, 1 + (uint64_t)kind, kind, wrong);
}

TEST(dpgd_is_sound_and_tight) {
    for (int kind = 0; kind < KINDS; kind++) {
        OWNED(setting) s = open_kind(DP2DP_TRAIN_DPGD, kind, NONE);
        (void)expect_sound_at_one(&s.claim, 1, measure(&s, ratio_of, 0, RUNS));
    }
}

/* The attack also exceeds the ε of add/remove adjacency, which is about half. */
TEST(dpsgd_is_sound_and_tight) {
    for (int kind = 0; kind < KINDS; kind++) {
        OWNED(setting) s = open_kind(DP2DP_TRAIN_DPSGD, kind, NONE);
        double lower = expect_sound_at_one(&s.claim, 1, measure(&s, ratio_of, 0, RUNS));
        assert_true(lower > epsilon_if_removed(&s.claim, 1));
    }
}

static void expect_caught_in_all(dp2dp_train_method method, fault wrong) {
    for (int kind = 0; kind < KINDS; kind++) {
        OWNED(setting) s = open_kind(method, kind, wrong);
        expect_caught(&s.claim, 1, measure(&s, ratio_of, 0, RUNS_FAULT));
    }
}

TEST(halved_noise_is_caught) {
    expect_caught_in_all(DP2DP_TRAIN_DPGD, NOISE_HALVED);
    expect_caught_in_all(DP2DP_TRAIN_DPSGD, NOISE_HALVED);
}

TEST(a_record_that_is_not_cut_is_caught) {
    expect_caught_in_all(DP2DP_TRAIN_DPGD, NOT_CUT);
    expect_caught_in_all(DP2DP_TRAIN_DPSGD, NOT_CUT);
}

TEST(a_record_counted_twice_is_caught) {
    expect_caught_in_all(DP2DP_TRAIN_DPGD, COUNTED_TWICE);
    expect_caught_in_all(DP2DP_TRAIN_DPSGD, COUNTED_TWICE);
}

TEST(a_doubled_rate_is_caught) {
    expect_caught_in_all(DP2DP_TRAIN_DPSGD, RATE_DOUBLED);
}

GROUP(begin_crowds, end_crowds)
