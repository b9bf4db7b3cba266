/* The worst pair of crowds for dpgd and dpsgd and each of their three kinds of release (gradients,
 * sums of rows, and slopes of the common factor), and its attacker.
 *
 * One person has the only row that is not zero: x in the first crowd, −x in the second. It is
 * longer than the clip bound, so clipping matters. Only this person enters the first cell of a
 * released sum, with +clip or −clip up to 2e-4 of it (in dpsgd: if sampled). The attacker
 * (attack.h) computes the likelihood ratio of all releases. */
#ifndef DP2DP_TESTS_PRIVACY_DESCENT_PAIR_H
#define DP2DP_TESTS_PRIVACY_DESCENT_PAIR_H

#include "phase1/descent.h"

#include "privacy/attack.h"
#include "unit/phase1/data.h"

enum {
    STEPS = 4,
    RECORDS = 20,
    BATCH = 8,
    CELLS = 2,
    KINDS = 3,
    UNCUT = 1 << 14 /* factor on the clip bound that leaves every vector here unclipped */
};
static const dp2dp_term terms[KINDS] = {DP2DP_TERM_GRADIENT, DP2DP_TERM_ROW, DP2DP_TERM_SLOPE};
static const double norm = 30, length = 60;

static crowd crowds[2];
static dp2dpi_examples examples[2];

/* The planted fault. */
typedef enum fault {
    NONE,
    NOISE_HALVED,
    RATE_DOUBLED,
    NOT_CUT,      /* the person's vector is not clipped */
    COUNTED_TWICE /* the person's vector is added twice */
} fault;

/* The claim is what one run charges to `ledger`. All runs draw their noise from a charge to
 * `scratch` that is equal, or differs by the fault. */
struct setting {
    dp2dpi_descent descent;
    dp2dp_ledger *ledger, *scratch;
    dp2dp_event claim;
    dp2dp_term term;
    double clip;
    fault wrong;
};

/* Training clips rows of norm R and an intercept 1 at √(R² + 1); so does this. */
static inline setting open_run(dp2dp_train_method method, double epsilon, uint64_t seed, int kind,
                               fault wrong) {
    setting s = {.ledger = new_ledger(),
                 .scratch = new_ledger(),
                 .term = terms[kind],
                 .clip = terms[kind] == DP2DP_TERM_ROW ? sqrt(norm * norm + 1) : 0.05,
                 .wrong = wrong};
    dp2dp_train_options options = train_seeded(method, epsilon, seed);
    options.steps = STEPS;
    options.batch = BATCH;
    assert_ok(dp2dpi_descent_new(&examples[0], &options, s.ledger, &s.descent, NULL));
    s.claim = recharge(&s.descent.release, 0, s.scratch, wrong == NOISE_HALVED ? 0.5 : 1,
                       wrong == RATE_DOUBLED ? 2 : 1);
    return s;
}

static inline void setting_free(setting *s) {
    dp2dpi_descent_free(&s->descent);
    dp2dp_ledger_free(s->ledger);
    dp2dp_ledger_free(s->scratch);
}

/* dp2dpi_descent_release with the fault NOT_CUT or COUNTED_TWICE. */
static inline void release_wrongly(setting *s, const double *weights, double *out) {
    dp2dpi_descent *d = &s->descent;
    dp2dpi_look look = {s->term, weights, d->levels, s->clip, d->release.grid_bits};
    uint8_t person[RECORDS] = {1}, others[RECORDS];
    int64_t sum[CELLS], times = s->wrong == NOT_CUT ? UNCUT : 2;
    memset(others, 1, sizeof others);
    if (d->mask) {
        assert_ok(dp2dpi_release_mask(&d->release, 0, RECORDS, others, NULL));
        person[0] = others[0];
    }
    others[0] = 0;
    dp2dpi_gradient_sum(&d->gradient, others, &look);
    memcpy(sum, d->gradient.sum, sizeof sum);
    look.clip *= s->wrong == NOT_CUT ? UNCUT : 1;
    dp2dpi_gradient_sum(&d->gradient, person, &look);
    for (int c = 0; c < CELLS; c++) {
        sum[c] += times * d->gradient.sum[c];
    }
    assert_ok(dp2dpi_release_draw(&d->release, 0, CELLS, sum, out, NULL));
    for (int c = 0; c < CELLS; c++) {
        out[c] *= s->clip / d->batch;
    }
}

/* The log likelihood ratio, second crowd to first, of one run on crowd `which`, computed with the
 * claimed noise and rate. The weights of a step depend on the releases before it, as in training.
 * They keep the person's logit at about ±1.28, where slopes of both signs are far beyond the clip
 * bound. */
static inline double ratio_of(setting *s, int which) {
    double out[CELLS], weights[CELLS] = {1.28 / length, 0}, ratio = 0, z = s->claim.sigma;
    double q = s->claim.mechanism == DP2DP_POISSON ? s->claim.rate : 1;
    s->descent.gradient.examples = &examples[which];
    for (int t = 0; t < STEPS; t++) {
        if (s->wrong == NOT_CUT || s->wrong == COUNTED_TWICE) {
            release_wrongly(s, weights, out);
        } else {
            assert_ok(dp2dpi_descent_release(&s->descent, s->term, weights, s->clip, out, NULL));
        }
        double x = out[0] * s->descent.batch / s->clip;
        ratio +=
            log((1 - q + q * exp((-x - 0.5) / (z * z))) / (1 - q + q * exp((x - 0.5) / (z * z))));
        weights[0] = 1.28 / length * (1 + 0.2 * sin(x));
    }
    return ratio;
}

FIXTURE(begin_crowds) {
    for (int i = 0; i < 2; i++) {
        crowds[i] = crowd_new(RECORDS, 1, 0, 2);
        crowds[i].norm = norm;
        crowds[i].rows.x[0] = (float)(i ? -length : length);
        for (size_t row = 0; row < RECORDS; row++) {
            crowds[i].labels[row] = (int32_t)(row % 2);
        }
        examples[i] = crowd_examples(&crowds[i]);
    }
    return 0;
}

FIXTURE(end_crowds) {
    crowd_free(&crowds[0]);
    crowd_free(&crowds[1]);
    return 0;
}

#endif
