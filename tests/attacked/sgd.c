#include "privacy/sgd_pair.h"

#include "attacked/attacked.h"

found attack_sgd(const target *t, const job *j) {
    assert_true(t->steps == STEPS && t->batch == BATCH && t->records == RECORDS);
    assert_int_equal(begin_pools(NULL), 0);
    setting s = open_fit(t->epsilon, j->seed, 0.05, (fault) {j->noise, 1, 1});
    found out = {.claimed = t->epsilon, .sound = epsilon_of(account(s.claim, 2, 1))};
    attack_pair(j, &s, ratio_of, s.claim, 2, &out);
    setting_free(&s);
    assert_int_equal(end_pools(NULL), 0);
    return out;
}
