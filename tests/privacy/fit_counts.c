/* Tries to falsify the guarantee of a fit by solver counts, on the pair of pools that is worst for
 * it.
 *
 * One person of the first group who is given class 0 is replaced by one of the second group who is
 * given class 1, whatever the offsets: the group counts and every table move by √2, all that a
 * record can do. The attacker (attack.h) adds up the moves seen, each weighted by 1/σ², which is
 * the likelihood ratio. False alarms: 1e-6 for each sound fit, over the choice of the seeds, which
 * are fixed. */
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

/* Person 0 is (first group, class 0) or (second group, class 1); nobody else matters. */
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

/* The charges of one fit are the claim; the noise of all runs comes from charges like them, but
 * multiplied. */
struct setting {
    dp2dp_ledger *ledger, *scratch;
    dp2dpi_counts_releases releases;
    dp2dp_event claim[2]; /* group counts, tables */
};

static setting open_fit(uint64_t seed, double noise) {
    setting s = {0};
    dp2dpi_counts_releases *r = &s.releases;
    dp2dp_fit_options options = seeded(1, seed);
    options.steps = STEPS;
    options.share_budget = 0.02;
    assert_ok(dp2dp_ledger_new(DP2DP_REPLACE_ONE, &s.ledger, NULL));
    assert_ok(dp2dp_ledger_new(DP2DP_REPLACE_ONE, &s.scratch, NULL));
    assert_ok(dp2dpi_counts_releases_new(&sources[0], &options, s.ledger, r, NULL));
    s.claim[0] = recharge(&r->release, 0, s.scratch, noise, 1);
    s.claim[1] = recharge(&r->release, 1, s.scratch, noise, 1);
    return s;
}

static void close_fit(setting *s) {
    dp2dpi_counts_releases_free(&s->releases);
    dp2dp_ledger_free(s->ledger);
    dp2dp_ledger_free(s->scratch);
}

/* The likelihood ratio of one fit of pool `which`; the offsets of a later step depend on what was
 * released, as in a fit. */
static double ratio_of(setting *s, int which) {
    double totals[2], table[CELLS], theta[CELLS] = {0}, ratio = 0;
    s->releases.source = &sources[which];
    assert_ok(dp2dpi_counts_totals(&s->releases, totals, NULL));
    ratio += (totals[1] - totals[0]) / (s->claim[0].sigma * s->claim[0].sigma);
    for (int t = 0; t < STEPS; t++) {
        assert_ok(dp2dpi_counts_table(&s->releases, theta, table, NULL));
        int64_t base[CELLS];
        float offsets[CELLS];
        for (int c = 0; c < CELLS; c++) {
            offsets[c] = (float)theta[c];
        }
        assert_int_equal(sources[0].count(sources[0].context, offsets, base, NULL), OK);
        double move = (table[3] - (double)base[3]) - (table[0] - (double)base[0]);
        ratio += move / (s->claim[1].sigma * s->claim[1].sigma);
        for (int c = 0; c < CELLS; c++) {
            theta[c] = 0.4 * sin(table[c]); /* any function of what was released, below ½ */
        }
    }
    return ratio;
}

/* The threshold is half-way between the means of the two: pool 1 adds 2 to the difference of the
 * group counts and to every difference of cells. */
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
    setting s = open_fit(1, 1);
    double claim = epsilon_of(account(s.claim, 2, 1));
    assert_true(claim <= 1 && claim >= 0.999);
    (void)expect_sound(s.claim, 2, measure(&s, ratio_of, threshold_of(&s), RUNS));
    close_fit(&s);
}

TEST(halved_noise_is_caught) {
    setting s = open_fit(2, 0.5);
    expect_caught(s.claim, 2, measure(&s, ratio_of, threshold_of(&s), RUNS));
    close_fit(&s);
}

/* Two tables of one fit at different offsets, the person moving in the second only. Their
 * difference shows the move; with the same noise in both it shows nothing else. */
static errors errors_of_a_difference(uint64_t second_seed, dp2dp_event *claim) {
    enum {
        FITS = 500
    };
    static const double everybody_first[CELLS] = {-2, 0, -2, 0}, none[CELLS] = {0};
    double wrong[2] = {0, 0}, table[2][CELLS];
    for (int i = 0; i < 2 * FITS; i++) {
        setting s = open_fit((uint64_t)i, 1), t = open_fit((uint64_t)i + second_seed, 1);
        s.releases.source = t.releases.source = &sources[i % 2];
        assert_ok(dp2dpi_counts_table(&s.releases, everybody_first, table[0], NULL));
        assert_ok(dp2dpi_counts_table(&t.releases, none, table[1], NULL));
        int64_t base[2][CELLS];
        float offsets[2][CELLS] = {{-2, 0, -2, 0}, {0}};
        for (int j = 0; j < 2; j++) {
            assert_int_equal(sources[0].count(sources[0].context, offsets[j], base[j], NULL), OK);
        }
        double move = (table[1][3] - table[0][3]) - (double)(base[1][3] - base[0][3]);
        wrong[i % 2] += (move > 0.5) != (i % 2);
        memcpy(claim, s.claim, sizeof s.claim);
        close_fit(&s);
        close_fit(&t);
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
