/* The worst pair of pools for solver counts, and its attacker.
 *
 * A person of the first group who gets class 0 at any offsets is replaced by one of the second
 * group who gets class 1. So the group counts and every table of decision counts move by √2, the
 * most that one record can do. The attacker (attack.h) adds up the moves he sees, each weighted by
 * 1/σ²: that is the log likelihood ratio. */
#ifndef DP2DP_TESTS_PRIVACY_COUNTS_PAIR_H
#define DP2DP_TESTS_PRIVACY_COUNTS_PAIR_H

#include "phase2/counts_release.h"

#include "privacy/attack.h"
#include "unit/phase2/data.h"

enum {
    STEPS = 4,
    CELLS = 4
};

static dp2dp_pool *pools[2];
static dp2dp_source sources[2];

/* Person 0 is of the first group and class 0, or of the second group and class 1. All others are
 * the same in both pools. */
FIXTURE(begin_pools) {
    for (int i = 0; i < 2; i++) {
        OWNED(people) p = people_random(20, 2, 2, 1U << 20, 71);
        p.group[0] = i;
        p.scores[0] = i ? 0 : 1;
        p.scores[1] = i ? 1 : 0;
        pools[i] = pool_of(&p);
        sources[i] = dp2dp_pool_source(pools[i]);
    }
    return 0;
}

FIXTURE(end_pools) {
    dp2dp_pool_free(pools[0]);
    dp2dp_pool_free(pools[1]);
    return 0;
}

/* The claim is what one fit charges to `ledger`. All runs draw their noise from charges to
 * `scratch` that are equal, or differ by the planted fault. */
struct setting {
    dp2dp_ledger *ledger, *scratch;
    dp2dpi_counts_releases releases;
    dp2dp_event claim[2]; /* group counts, tables */
    double middle;        /* half-way between the mean ratios of the two pools */
};

/* Pool 1 adds 2 to the difference of the group counts and to the difference moved[3] − moved[0] of
 * every step. */
static inline double middle_of(const setting *s) {
    double seen[2];
    dp2dpi_counts_releases bare = s->releases;
    bare.source = &sources[0];
    bare.release.noisy = 0;
    assert_ok(dp2dpi_counts_ask_first(&bare, NULL));
    assert_ok(dp2dpi_counts_totals(&bare, seen, NULL));
    return (seen[1] - seen[0] + 1) / (s->claim[0].sigma * s->claim[0].sigma) +
           STEPS / (s->claim[1].sigma * s->claim[1].sigma);
}

static inline setting open_fit(double epsilon, uint64_t seed, double noise) {
    setting s = {.ledger = new_ledger(), .scratch = new_ledger()};
    dp2dpi_counts_releases *r = &s.releases;
    dp2dp_fit_options options = seeded(epsilon, seed);
    options.steps = STEPS;
    options.share_budget = 0.02;
    assert_ok(dp2dpi_counts_prepare(&sources[0], &options, s.ledger, r, NULL));
    assert_ok(dp2dpi_counts_charge(r, NULL));
    s.claim[0] = recharge(&r->release, 0, s.scratch, noise, 1);
    s.claim[1] = recharge(&r->release, 1, s.scratch, noise, 1);
    s.middle = middle_of(&s);
    return s;
}

static inline void setting_free(setting *s) {
    dp2dpi_counts_releases_free(&s->releases);
    dp2dp_ledger_free(s->ledger);
    dp2dp_ledger_free(s->scratch);
}

/* Releases the decision counts of pool `which` at the offsets theta, less the true counts of pool
 * 0. */
static inline void moved_table(setting *s, int which, const double *theta, double *moved) {
    int64_t base[CELLS];
    float offsets[CELLS];
    for (int c = 0; c < CELLS; c++) {
        offsets[c] = (float)theta[c];
    }
    s->releases.source = &sources[which];
    assert_ok(dp2dpi_counts_ask_first(&s->releases, NULL));
    assert_ok(dp2dpi_counts_table(&s->releases, theta, moved, NULL));
    assert_int_equal(sources[0].count(sources[0].context, offsets, base, NULL), OK);
    for (int c = 0; c < CELLS; c++) {
        moved[c] -= (double)base[c];
    }
}

/* The log likelihood ratio, second pool to first, of one fit of pool `which`, up to a factor. The
 * offsets of a step depend on the releases before it, as in a real fit. */
static inline double ratio_of(setting *s, int which) {
    double totals[2], moved[CELLS], theta[CELLS] = {0}, ratio = 0;
    s->releases.source = &sources[which];
    assert_ok(dp2dpi_counts_ask_first(&s->releases, NULL));
    assert_ok(dp2dpi_counts_totals(&s->releases, totals, NULL));
    ratio += (totals[1] - totals[0]) / (s->claim[0].sigma * s->claim[0].sigma);
    for (int t = 0; t < STEPS; t++) {
        moved_table(s, which, theta, moved);
        ratio += (moved[3] - moved[0]) / (s->claim[1].sigma * s->claim[1].sigma);
        for (int c = 0; c < CELLS; c++) {
            theta[c] = 0.4 * sin(moved[c]); /* any function of the release with values below ½ */
        }
    }
    return ratio - s->middle;
}

#endif
