#include "privacy/certificate_pair.h"

#include "attacked/attacked.h"

found attack_certificate(const target *t, const job *j) {
    OWNED(setting) s = open_certificate(t->epsilon, j->seed, j->noise);
    found out = {.claimed = t->epsilon, .sound = epsilon_of(account(&s.claim, 1, 1))};
    attack_pair(j, &s, ratio_of, &s.claim, 1, &out);
    return out;
}
