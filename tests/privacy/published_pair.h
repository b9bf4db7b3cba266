/* Pairs of pools that are bad for Algorithm 1 as published, and their attacker.
 *
 * Everybody but one person has score 1 for the last class. This person is of one of two kinds:
 *
 *     WITHIN   in the second group, with score 1 for class 0 in the first pool and for class 1 in
 *              the second: each draw of this person moves the sum by 4 from pool to pool
 *     ACROSS   with score 1 for class 0, in the first group in the first pool and in the second
 *              group in the second: each draw moves the sum by 4√2, and the group counts move too
 *
 * The published claim assumes that a person is in a batch with probability (batch size)/(number of
 * records), at most once. In fact each draw picks this person with probability 1/(2 × group size).
 * Only this person moves the cells of the other classes in the two blocks of a gradient. The
 * attacker (attack.h) sees all releases that the accounting covers and computes their likelihood
 * ratio. The steps are those of the algorithm, with a step length, a C_λ and a floor of the shares
 * that keep the person's class where the scores put it; the claim does not depend on these
 * parameters. */
#ifndef DP2DP_TESTS_PRIVACY_PUBLISHED_PAIR_H
#define DP2DP_TESTS_PRIVACY_PUBLISHED_PAIR_H

#include "phase2/sgd.h"
#include "phase2/sgd_as_published_release.h"
#include "phase2/sgd_release.h"

#include "privacy/attack.h"
#include "unit/phase2/data.h"

enum {
    CLASSES_MOST = 3,
    DRAWN_MOST = 24 /* the attacker neglects that a step may draw the person more often */
};

typedef enum kind {
    WITHIN,
    ACROSS
} kind;

typedef struct plan {
    kind pair;
    size_t records, group; /* group: people of the second group, in the second pool */
    uint64_t batch, steps;
    uint64_t group_least; /* the public promise on which the sound bound rests */
} plan;

/* One fit claims the published ε and charges `ledger` by our bound. All runs draw their noise from
 * equal charges to `scratch`. */
struct setting {
    plan plan;
    dp2dp_fit_options options;
    dp2dp_pool *pools[2];
    dp2dpi_published_releases releases;
    dp2dp_ledger *ledger, *scratch;
    double sigma_totals, sigma_sums;
    double drawn[2][DRAWN_MOST + 1]; /* by pool: the law of how often a step draws the person */
};

static inline size_t classes_of(plan p) {
    return p.pair == WITHIN ? 3 : 2;
}

static inline dp2dp_pool *pool_for(plan p, int which) {
    size_t classes = classes_of(p), own = p.pair == WITHIN ? (size_t)which : 0;
    OWNED(people) all = people_new(p.records, classes, 2);
    for (size_t row = 0; row < p.records; row++) {
        all.group[row] = row < p.group && (row > 0 || p.pair == WITHIN || which);
        all.scores[classes * row + (row ? classes - 1 : own)] = 1;
    }
    return pool_of(&all);
}

/* Bin(batch, 1/(2 × size of the person's group)). */
static inline void law_of_draws(plan p, int which, double *law) {
    size_t group = p.pair == WITHIN || which ? p.group : p.records - p.group + 1;
    double rate = 0.5 / (double)group, b = (double)p.batch;
    law[0] = pow(1 - rate, b);
    for (int k = 1; k <= DRAWN_MOST; k++) {
        law[k] = law[k - 1] * fmax(b - k + 1, 0) / k * rate / (1 - rate);
    }
}

static inline setting open_fit(plan p, double epsilon, uint64_t seed) {
    setting s = {.plan = p,
                 .options = seeded(epsilon, seed),
                 .pools = {pool_for(p, 0), pool_for(p, 1)},
                 .ledger = new_ledger(),
                 .scratch = new_ledger()};
    dp2dpi_published_releases *r = &s.releases;
    s.options.solver = DP2DP_SOLVER_SGD_AS_PUBLISHED;
    s.options.steps = p.steps;
    s.options.batch = p.batch;
    s.options.group_least = p.group_least;
    s.options.share_budget = 0.05;
    s.options.share_floor = 0.01;
    s.options.step_size = 1e-6;
    s.options.lambda_max = 1e-3;
    assert_ok(dp2dpi_published_releases_new(s.pools[0], &s.options, s.ledger, r, NULL));
    s.sigma_totals = recharge(&r->release, DP2DPI_SGD_TOTALS, s.scratch, 1, 1).sigma;
    s.sigma_sums = recharge(&r->release, DP2DPI_SGD_SUMS, s.scratch, 1, 1).sigma;
    law_of_draws(p, 0, s.drawn[0]);
    law_of_draws(p, 1, s.drawn[1]);
    return s;
}

static inline void setting_free(setting *s) {
    dp2dp_pool_free(s->pools[0]);
    dp2dp_pool_free(s->pools[1]);
    dp2dpi_published_releases_free(&s->releases);
    dp2dp_ledger_free(s->ledger);
    dp2dp_ledger_free(s->scratch);
}

/* log Σ_k drawn[k] N(y; k move, σ²)/N(y; 0, σ²), where one draw moves y by `move`. */
static inline double log_mixture(const double *drawn, double y, double move, double sigma) {
    double factor = exp((move * y - 0.5 * move * move) / (sigma * sigma)), sum = drawn[0];
    double shrink = exp(-move * move / (sigma * sigma)), term = 1;
    for (int k = 1; k <= DRAWN_MOST && drawn[k] > 1e-12; k++) {
        term *= factor; /* exp((k move y − k² move²/2)/σ²) */
        factor *= shrink;
        sum += drawn[k] * term;
    }
    return log(sum);
}

/* What cell k of both blocks says about the person, as one number of noise σ: each draw of a member
 * of the second group with this class adds 2√2, and of the first group −2√2. */
static inline double seen_in(const setting *s, const double *u, size_t k) {
    return (u[classes_of(s->plan) + k] - u[k]) * (double)s->plan.batch / sqrt(2);
}

static inline double step_ratio(const setting *s, const double *u) {
    double move = 2 * sqrt(2), sigma = s->sigma_sums, y = seen_in(s, u, 0);
    if (s->plan.pair == WITHIN) {
        return log_mixture(s->drawn[1], seen_in(s, u, 1), move, sigma) -
               log_mixture(s->drawn[0], y, move, sigma);
    }
    return log_mixture(s->drawn[1], y, move, sigma) - log_mixture(s->drawn[0], -y, move, sigma);
}

static inline double totals_ratio(const setting *s, const double *totals) {
    double group = (double)s->plan.group - 0.5, others = (double)s->plan.records - group;
    double moved = (totals[1] - group) - (totals[0] - others);
    return s->plan.pair == ACROSS ? moved / (s->sigma_totals * s->sigma_totals) : 0;
}

/* The log likelihood ratio, second pool to first, of one fit of pool `which`. The algorithm as
 * printed does not check the noisy counts, so this uses dp2dpi_sgd_totals. */
static inline double ratio_of(setting *s, int which) {
    const dp2dp_fit_options *options = &s->options;
    size_t classes = classes_of(s->plan);
    double totals[2], shares[2], u[2 * CLASSES_MOST], nu[2 * CLASSES_MOST] = {0},
                                                             lambda[2 * CLASSES_MOST] = {0};
    s->releases.pool = s->pools[which];
    assert_ok(dp2dpi_sgd_totals(s->releases.pool, &s->releases.release, totals, NULL));
    double ratio = totals_ratio(s, totals);
    for (int g = 0; g < 2; g++) {
        shares[g] = fmax(totals[g] / (double)s->plan.records, options->share_floor);
    }
    for (uint64_t t = 1; t <= s->plan.steps; t++) {
        assert_ok(dp2dpi_published_gradient(&s->releases, shares, nu, u, NULL));
        ratio += step_ratio(s, u);
        for (size_t k = 0; k < classes; k++) {
            u[k] = -u[k];
        }
        dp2dpi_sgd_step(lambda, u, u + classes, classes, options->step_size / sqrt((double)t),
                        options, nu);
    }
    return ratio;
}

static inline double epsilon_sound(const setting *s) {
    dp2dp_accountant *accountant = NULL;
    assert_ok(dp2dp_ledger_account(s->ledger, &accountant, NULL));
    return epsilon_of(accountant);
}

#endif
