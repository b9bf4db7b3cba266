/* Classes that hardly anybody of a group gets any more with the rule. */
#include "common/number.h"
#include "show/criteria.h"

enum {
    PEOPLE = 100, /* smaller groups are not judged */
    FORMER = 20   /* at least this many people must have had the class before */
};

static const double noticed = 0.02; /* least rate without the rule of a class that can be lost */
static const double hardly = 0.1;   /* a lost class has less than this part of its old rate */

static int is_lost(const cli_measured *m, size_t group, size_t k) {
    size_t classes = m->before->classes, at = group * classes + k;
    double people = 0, before = (double)m->before->counts[at], after = (double)m->after->counts[at];
    for (size_t j = 0; j < classes; j++) {
        people += (double)m->before->counts[group * classes + j];
    }
    return people >= PEOPLE && before >= FORMER && before >= noticed * people &&
           after < hardly * before;
}

void cli_lost_text(const cli_measured *m, int one_positive, cli_out *out) {
    int found = 0;
    for (size_t g = 0; g < m->before->strata; g++) {
        for (size_t k = 0; k < m->before->classes; k++) {
            size_t at = g * m->before->classes + k;
            if (is_lost(m, g, k)) {
                cli_out_prose(out,
                              "CAUTION: hardly anybody of the group %.100s gets the class %.100s "
                              "any more: %.1f %% with the rule, %.1f %% without it.",
                              m->groups[g], m->classes[k], 100 * m->after->rates[at],
                              100 * m->before->rates[at]);
                found = 1;
            }
        }
    }
    if (found && one_positive && m->before->classes > 2) {
        cli_out_prose(out, "--positive makes only the rate of one class equal, at the cost of the "
                           "other classes. Without --positive, every class counts.");
    }
}
