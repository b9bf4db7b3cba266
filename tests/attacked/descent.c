#include "privacy/descent_pair.h"

#include "attacked/attacked.h"

static found attack_descent(dp2dp_train_method method, const target *t, const job *j) {
    assert_true(t->steps == STEPS && t->records == RECORDS);
    assert_true(t->batch == (method == DP2DP_TRAIN_DPSGD ? BATCH : 0));
    assert_int_equal(begin_crowds(NULL), 0);
    setting s = open_run(method, t->epsilon, j->seed, 0, j->noise < 1 ? NOISE_HALVED : NONE);
    found out = {.claimed = t->epsilon, .sound = epsilon_of(account(&s.claim, 1, 1))};
    attack_pair(j, &s, ratio_of, &s.claim, 1, &out);
    setting_free(&s);
    assert_int_equal(end_crowds(NULL), 0);
    return out;
}

found attack_dpgd(const target *t, const job *j) {
    return attack_descent(DP2DP_TRAIN_DPGD, t, j);
}

found attack_dpsgd(const target *t, const job *j) {
    return attack_descent(DP2DP_TRAIN_DPSGD, t, j);
}
