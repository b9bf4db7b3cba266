/* Tries to falsify the guarantee of a fit by solver counts, on the worst pair of pools for it.
 *
 * A person of the first group who gets class 0 at any offsets is replaced by one of the second
 * group who gets class 1. So the group counts and every table of decision counts move by √2, the
 * most that one record can do. The attacker (attack.h) adds up the moves he sees, each weighted by
 * 1/σ²: that is the log likelihood ratio. The false-alarm rate is 1e-6 for each sound fit, over the
 * choice of the seeds, which are fixed. */
#include "phase2/counts_release.h"

#include "privacy/attack.h"
#include "unit/phase2/data.h"

enum {
    RUNS = 100000,
    STEPS = 4,
    CELLS = 4
};

static dp2dp_pool *pools[2];
static dp2dp_source sources[2];

/* Person 0 is of the first group and class 0, or of the second group and class 1. All others are
 * the same in both pools. */
FIXTURE(begin) {
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

FIXTURE(end) {
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
};

static setting open_fit(uint64_t seed, double noise) {
    setting s = {.ledger = new_ledger(), .scratch = new_ledger()};
    dp2dpi_counts_releases *r = &s.releases;
    dp2dp_fit_options options = seeded(1, seed);
    options.steps = STEPS;
    options.share_budget = 0.02;
    assert_ok(dp2dpi_counts_releases_new(&sources[0], &options, s.ledger, r, NULL));
    s.claim[0] = recharge(&r->release, 0, s.scratch, noise, 1);
    s.claim[1] = recharge(&r->release, 1, s.scratch, noise, 1);
    return s;
}

static void setting_free(setting *s) {
    dp2dpi_counts_releases_free(&s->releases);
    dp2dp_ledger_free(s->ledger);
    dp2dp_ledger_free(s->scratch);
}

/* Releases the decision counts of pool `which` at the offsets theta, less the true counts of pool
 * 0. */
static void moved_table(setting *s, int which, const double *theta, double *moved) {
    int64_t base[CELLS];
    float offsets[CELLS];
    for (int c = 0; c < CELLS; c++) {
        offsets[c] = (float)theta[c];
    }
    s->releases.source = &sources[which];
    assert_ok(dp2dpi_counts_table(&s->releases, theta, moved, NULL));
    assert_int_equal(sources[0].count(sources[0].context, offsets, base, NULL), OK);
    for (int c = 0; c < CELLS; c++) {
        moved[c] -= (double)base[c];
    }
}

/* The log likelihood ratio of one fit of pool `which`, up to a constant. The offsets of a step
 * depend on the releases before it, as in a real fit. */
static double ratio_of(setting *s, int which) {
    double totals[2], moved[CELLS], theta[CELLS] = {0}, ratio = 0;
    s->releases.source = &sources[which];
    assert_ok(dp2dpi_counts_totals(&s->releases, totals, NULL));
    ratio += (totals[1] - totals[0]) / (s->claim[0].sigma * s->claim[0].sigma);
    for (int t = 0; t < STEPS; t++) {
        moved_table(s, which, theta, moved);
        ratio += (moved[3] - moved[0]) / (s->claim[1].sigma * s->claim[1].sigma);
        for (int c = 0; c < CELLS; c++) {
            theta[c] = 0.4 * sin(moved[c]); /* any function of the release with values below ½ */
        }
    }
    return ratio;
}

/* Half-way between the mean ratios of the two pools: pool 1 adds 2 to the difference of the group
 * counts and to the difference moved[3] − moved[0] of every step. */
static double threshold_of(const setting *s) {
    double seen[2];
    dp2dpi_counts_releases bare = s->releases;
    bare.source = &sources[0];
    bare.release.noisy = 0;
    assert_ok(dp2dpi_counts_totals(&bare, seen, NULL));
    return (seen[1] - seen[0] + 1) / (s->claim[0].sigma * s->claim[0].sigma) +
           STEPS / (s->claim[1].sigma * s->claim[1].sigma);
}

TEST(a_fit_is_sound_and_tight) {
    OWNED(setting) s = open_fit(1, 1);
    (void)expect_sound_at_one(s.claim, 2, measure(&s, ratio_of, threshold_of(&s), RUNS));
}

TEST(halved_noise_is_caught) {
    OWNED(setting) s = open_fit(2, 0.5);
    expect_caught(s.claim, 2, measure(&s, ratio_of, threshold_of(&s), RUNS));
}

/* The attacker subtracts two tables of one fit at different offsets. The person's decision changes
 * between the pools in the second table only, so the difference shows the change. If both tables
 * have the same noise (second_seed 0), the noise cancels. */
static errors errors_of_a_difference(uint64_t second_seed, dp2dp_event *claim) {
    enum {
        FITS = 500
    };
    static const double everybody_first[CELLS] = {-2, 0, -2, 0}, none[CELLS] = {0};
    double wrong[2] = {0, 0}, moved[2][CELLS];
    for (int i = 0; i < 2 * FITS; i++) {
        OWNED(setting) s = open_fit((uint64_t)i, 1), t = open_fit((uint64_t)i + second_seed, 1);
        moved_table(&s, i % 2, everybody_first, moved[0]);
        moved_table(&t, i % 2, none, moved[1]);
        wrong[i % 2] += (moved[1][3] - moved[0][3] > 0.5) != (i % 2);
        memcpy(claim, s.claim, sizeof s.claim);
    }
    return (errors) {rate_upper(wrong[0], FITS), rate_upper(wrong[1], FITS)};
}

TEST(noise_used_twice_is_caught) {
    dp2dp_event claim[2];
    errors e = errors_of_a_difference(0, claim);
    expect_caught(claim, 2, e);
}

TEST(fresh_noise_passes_the_attack_that_catches_the_other) {
    dp2dp_event claim[2];
    errors e = errors_of_a_difference(1000000, claim);
    assert_false(is_falsified(claim, 2, 1, e));
}

GROUP(begin, end)
