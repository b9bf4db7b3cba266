#include "privacy/output_pair.h"

#include "attacked/attacked.h"

found attack_output(const target *t, const job *j) {
    assert_int_equal(t->records, RECORDS);
    OWNED(setting) s = open_run(t->epsilon, j->seed, j->noise);
    found out = {.claimed = t->epsilon, .sound = epsilon_of(account(&s.claim, 1, 1))};
    attack_pair(j, &s, ratio_of, &s.claim, 1, &out);
    return out;
}
