/* A pair of crowds that is nearly the worst for method output, and its attacker.
 *
 * All others have the row 0 and class 0, so the classifier is nearly sure of class 0 everywhere.
 * One person has class 1 and the longest row allowed, x in the first crowd and −x in the second:
 * the gradients of this person's loss are nearly opposite and nearly as long as they can be. There
 * are so many others that this person hardly moves the classifier. The weights of both crowds are
 * computed once, without noise; they do not depend on chance. Each run draws the noise. The
 * attacker (attack.h) computes the likelihood ratio. */
#ifndef DP2DP_TESTS_PRIVACY_OUTPUT_PAIR_H
#define DP2DP_TESTS_PRIVACY_OUTPUT_PAIR_H

#include "privacy/attack.h"
#include "privacy/output_data.h"

enum {
    RECORDS = 20000,
    CELLS = 2 /* the slope and the intercept */
};

/* The claim is what one run charges to `ledger`. All runs draw their noise from a charge to
 * `scratch` that is equal, or differs by the planted fault. */
struct setting {
    dp2dpi_release release;
    dp2dp_ledger *ledger, *scratch;
    dp2dp_event claim;
    double weights[2][CELLS];
};

static inline crowd crowd_for(int which) {
    crowd c = crowd_new(RECORDS, 1, 0, 2);
    c.norm = 5;
    c.rows.x[0] = which ? -5 : 5;
    c.labels[0] = 1;
    return c;
}

static inline setting open_run(double epsilon, uint64_t seed, double noise) {
    setting s = {.ledger = new_ledger(), .scratch = new_ledger()};
    dp2dp_train_options options = options_for(INFINITY, 3e-3);
    for (int i = 0; i < 2; i++) {
        OWNED(crowd) c = crowd_for(i);
        dp2dpi_examples e = crowd_examples(&c);
        dp2dpi_output_plan plan;
        assert_ok(dp2dpi_output_train(&e, &options, NULL, s.weights[i], NULL));
        if (i == 1) {
            options.epsilon = epsilon;
            options.insecure_seed = seed;
            assert_ok(dp2dpi_output_open(&e, &options, s.ledger, &plan, &s.release, NULL));
        }
    }
    s.claim = recharge(&s.release, 0, s.scratch, noise, 1);
    return s;
}

static inline void setting_free(setting *s) {
    dp2dpi_release_free(&s->release);
    dp2dp_ledger_free(s->ledger);
    dp2dp_ledger_free(s->scratch);
}

/* The log likelihood ratio, second crowd to first, computed with the claimed noise. */
static inline double ratio_of(setting *s, int which) {
    double out[CELLS], ratio = 0;
    for (int c = 0; c < CELLS; c++) {
        s->release.sum[c] = (int64_t)ldexp(s->weights[which][c], s->release.grid_bits);
    }
    assert_ok(dp2dpi_release_draw(&s->release, 0, CELLS, s->release.sum, out, NULL));
    for (int c = 0; c < CELLS; c++) {
        double first = s->weights[0][c], second = s->weights[1][c];
        ratio += (second - first) * (out[c] - (first + second) / 2);
    }
    return ratio / (s->claim.sigma * s->claim.sigma);
}

#endif
