/* The worst pair of pools for a certificate, and its attacker.
 *
 * A person of the first group who gets class 0 is replaced by one of the second group who gets
 * class 1. So the released table moves by √2, the most that one record can do. Each run is a whole
 * call of dp2dp_certify, and the attacker (attack.h) computes the likelihood ratio of its table;
 * everything else in a certificate follows from the table. */
#ifndef DP2DP_TESTS_PRIVACY_CERTIFICATE_PAIR_H
#define DP2DP_TESTS_PRIVACY_CERTIFICATE_PAIR_H

#include <dp2dp/metrics.h>

#include "privacy/attack.h"
#include "unit/phase2/data.h"

enum {
    CELLS = 4
};

struct setting {
    dp2dp_pool *pools[2];
    dp2dp_model *model;
    dp2dp_certify_options options;
    dp2dp_event claim;
    double counts[2][CELLS]; /* by pool: the true table */
    double noise;            /* the planted fault: a factor on the noise */
};

static inline dp2dp_pool *pool_for(int which) {
    OWNED(people) p = people_new(20, 2, 2);
    for (size_t row = 0; row < p.n; row++) {
        p.group[row] = row ? (int32_t)(row % 2) : which;
        p.scores[2 * row + (row ? row / 2 % 2 : (size_t)which)] = 1;
    }
    return pool_of(&p);
}

/* One certificate of pool `which`. Writes its table to `table` and what it charged to *charged,
 * which may be NULL. */
static inline void certify(setting *s, int which, double *table, dp2dp_event *charged) {
    dp2dp_source source = dp2dp_pool_source(s->pools[which]);
    dp2dp_certificate certificate = DP2DP_CERTIFICATE_INIT;
    dp2dp_rng_kind rng;
    HANDLE(dp2dp_ledger) *ledger = new_ledger();
    certificate.table = table;
    s->options.ledger = ledger;
    s->options.insecure_seed++;
    assert_ok(dp2dp_certify(&source, s->model, &s->options, &certificate, &test_error));
    if (charged) {
        assert_ok(dp2dp_ledger_entry(ledger, 0, charged, &rng, NULL));
        charged->label = charged->role = charged->set = charged->release_id = NULL;
    }
}

/* The decisions of the model are those of the scores: without noise all offsets are far below ½. */
static inline setting open_certificate(double epsilon, uint64_t seed, double noise) {
    setting s = {.pools = {pool_for(0), pool_for(1)},
                 .options = DP2DP_CERTIFY_OPTIONS_INIT,
                 .claim = DP2DP_EVENT_INIT,
                 .noise = noise};
    dp2dp_fit_options fit = noiseless(0.5);
    double table[CELLS];
    fit.steps = 1;
    s.options.epsilon = epsilon;
    s.options.delta = attack_delta;
    s.options.rng = DP2DP_RNG_INSECURE;
    s.options.insecure_seed = seed << 32;
    for (int i = 0; i < 2; i++) {
        dp2dp_source source = dp2dp_pool_source(s.pools[i]);
        int64_t counts[CELLS];
        float offsets[CELLS];
        s.model = s.model ? s.model : fit_source(&source, &fit);
        for (int c = 0; c < CELLS; c++) {
            offsets[c] = (float)dp2dp_model_view(s.model)->offsets[c];
        }
        assert_int_equal(source.count(source.context, offsets, counts, NULL), OK);
        for (int c = 0; c < CELLS; c++) {
            s.counts[i][c] = (double)counts[c];
        }
    }
    assert_true(s.counts[0][0] - s.counts[1][0] == 1 && s.counts[1][3] - s.counts[0][3] == 1);
    certify(&s, 0, table, &s.claim);
    return s;
}

static inline void setting_free(setting *s) {
    dp2dp_pool_free(s->pools[0]);
    dp2dp_pool_free(s->pools[1]);
    dp2dp_model_free(s->model);
}

/* The log likelihood ratio, second pool to first, computed with the claimed noise. */
static inline double ratio_of(setting *s, int which) {
    double table[CELLS], ratio = 0;
    certify(s, which, table, NULL);
    for (int c = 0; c < CELLS; c++) {
        double truth = s->counts[which][c], seen = truth + s->noise * (table[c] - truth);
        ratio +=
            (s->counts[1][c] - s->counts[0][c]) * (seen - (s->counts[0][c] + s->counts[1][c]) / 2);
    }
    return ratio / (s->claim.sigma * s->claim.sigma);
}

#endif
