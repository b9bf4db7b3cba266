/* Tries to falsify the guarantee of fits with labels, and of fits that count weights in place of
 * groups and labels (docs/proofs/criteria.md).
 *
 * In pool 0 a person is of the first group, has the first label, and gets class 0 at any offsets;
 * in pool 1 the same person has another group, another label and gets class 1. So in every release
 * one cell goes down by one and another up by one, which is √2, the most that one record can do.
 * If bad rows are ignored, the person of pool 1 has a label that is not on the list, and moves to
 * the cell of those who are left out.
 * The attacker (attack.h) computes the log likelihood ratio of everything released. The false-alarm
 * rate is 1e-6 for each sound fit, over the choice of the seeds, which are fixed. */
#include "phase2/counts_release.h"

#include "privacy/attack.h"
#include "unit/phase2/criteria.h"

enum {
    RUNS = 100000,
    STEPS = 4,
    RECORDS = 16,
    STRATA = 4, /* two groups with two labels each */
    CELLS = 2 * STRATA,
    MORE = CELLS + 1 /* and those who are left out */
};

/* The planted fault. */
typedef enum fault {
    NONE,
    NOISE_HALVED,
    LABEL_TWICE,   /* the person is counted under both labels of the group */
    STRATA_TWICE,  /* the person is counted in both groups */
    WEIGHTS_TWICE, /* the person's weights sum to 2 */
    OFF_LIST_SHOWS /* the number of people with an off-list label is released as it is */
} fault;

static labelled people_of[2];
static const way ways[] = {{.labels = 1},
                           {.labels = 1, .weighted = 1, .counted = DP2DP_COUNTED_SCORES},
                           {.labels = 1, .ignores = 1},
                           {.labels = 1, .weighted = 1, .ignores = 1}};

/* A source that counts a pool and then makes the fault. */
typedef struct faulty {
    dp2dp_source real;
    int which;
    fault wrong;
} faulty;

struct setting {
    dp2dp_ledger *ledger, *scratch;
    dp2dp_pool *pools[2];
    faulty faulty[2];
    dp2dp_source sources[2];
    dp2dpi_counts_releases counts;
    dp2dp_event claim[2]; /* sizes of the strata; then tables */
};

static void setting_free(setting *s) {
    dp2dpi_counts_releases_free(&s->counts);
    dp2dp_ledger_free(s->ledger);
    dp2dp_ledger_free(s->scratch);
    dp2dp_pool_free(s->pools[0]);
    dp2dp_pool_free(s->pools[1]);
}

static dp2dp_status count_wrongly(void *context, const float *offsets, int64_t *table,
                                  dp2dp_error *error) {
    const faulty *f = context;
    dp2dp_status status = f->real.count(f->real.context, offsets, table, error);
    size_t own = f->which ? STRATA - 1 : 0; /* the person's stratum; the class is `which` */
    size_t also = f->wrong == LABEL_TWICE ? own ^ 1 : f->wrong == STRATA_TWICE ? own ^ 2 : own;
    if (f->wrong == LABEL_TWICE || f->wrong == STRATA_TWICE || f->wrong == WEIGHTS_TWICE) {
        table[2 * also + (size_t)f->which] += (int64_t)1 << f->real.unit_bits;
    }
    return status;
}

/* The last of the records is the person. */
static void make_people(int off_list) {
    for (int which = 0; which < 2; which++) {
        labelled *p = &people_of[which];
        labelled_new(p, RECORDS, 2, 2, 17);
        size_t i = RECORDS - 1;
        p->group[i] = p->label[i] = which;
        p->stratum[i] = which ? STRATA - 1 : 0;
        for (size_t k = 0; k < 2; k++) {
            p->scores[2 * i + k] = k == (size_t)which;
        }
        for (size_t e = 0; e < STRATA; e++) {
            p->weights[STRATA * i + e] = e == (size_t)p->stratum[i];
        }
        if (off_list && which) {
            p->stratum[i] = STRATA;
        }
    }
}

static setting open_counts(const way *w, uint64_t seed, fault wrong) {
    setting s = {.ledger = new_ledger(), .scratch = new_ledger()};
    dp2dp_fit_options options = seeded(1, seed);
    options.criterion = DP2DP_EQUALIZED_ODDS;
    options.steps = STEPS;
    options.share_budget = 0.05;
    make_people(w->ignores);
    for (int which = 0; which < 2; which++) {
        s.pools[which] = labelled_pool(&people_of[which], w);
        s.faulty[which] = (faulty) {dp2dp_pool_source(s.pools[which]), which, wrong};
    }
    assert_ok(dp2dpi_counts_prepare(&s.faulty[0].real, &options, s.ledger, &s.counts, NULL));
    assert_ok(dp2dpi_counts_charge(&s.counts, NULL));
    s.claim[0] = recharge(&s.counts.release, 0, s.scratch, wrong == NOISE_HALVED ? 0.5 : 1, 1);
    s.claim[1] = recharge(&s.counts.release, 1, s.scratch, wrong == NOISE_HALVED ? 0.5 : 1, 1);
    return s;
}

/* Points the sources at the faults, which have their final address only now. A source that counts a
 * person twice also states one record more, or its table would be refused. */
static void aim(setting *s) {
    for (int which = 0; which < 2; which++) {
        fault wrong = s->faulty[which].wrong;
        int twice = wrong == LABEL_TWICE || wrong == STRATA_TWICE || wrong == WEIGHTS_TWICE;
        s->sources[which] = s->faulty[which].real;
        s->sources[which].context = &s->faulty[which];
        s->sources[which].count = count_wrongly;
        s->sources[which].records += (uint64_t)twice;
    }
}

/* The log likelihood ratio of n released numbers whose means are sums[0] or sums[1]. */
static double ratio_of(const setting *s, size_t event, size_t n, const double *released,
                       const double sums[2][MORE]) {
    double ratio = 0, sigma = s->claim[event].sigma;
    for (size_t i = 0; i < n; i++) {
        ratio += (released[i] - 0.5 * (sums[0][i] + sums[1][i])) * (sums[1][i] - sums[0][i]);
    }
    return ratio / (sigma * sigma);
}

/* One fit of pool `which`. The offsets of a step depend on the releases before it, as in a real
 * fit. */
static double fit_ratio(setting *s, int which) {
    double totals[STRATA + 1], table[MORE], theta[CELLS] = {0}, sums[2][MORE], sizes[2][MORE];
    float offsets[CELLS] = {0};
    int64_t counted[MORE];
    size_t left = s->faulty[0].real.leaves_out ? 1 : 0;
    double unit = ldexp(1, -(int)s->faulty[0].real.unit_bits), ratio = 0;
    s->counts.source = &s->sources[which];
    assert_ok(dp2dpi_counts_ask_first(&s->counts, NULL));
    assert_ok(dp2dpi_counts_totals(&s->counts, totals, NULL));
    if (s->faulty[which].wrong == OFF_LIST_SHOWS) { /* enough to tell the pools apart */
        assert_ok(s->sources[which].count(s->sources[which].context, offsets, counted, NULL));
        return unit * (double)counted[CELLS] - 0.5;
    }
    for (int t = 0; t < STEPS; t++) {
        for (int c = 0; c < CELLS; c++) {
            offsets[c] = (float)theta[c];
        }
        for (int version = 0; version < 2; version++) {
            assert_int_equal(
                s->sources[version].count(s->sources[version].context, offsets, counted, NULL), OK);
            for (size_t c = 0; c < CELLS + left; c++) {
                sums[version][c] = unit * (double)counted[c];
            }
            for (int e = 0; e < STRATA; e++) {
                sizes[version][e] = sums[version][2 * e] + sums[version][2 * e + 1];
            }
            sizes[version][STRATA] = left ? sums[version][CELLS] : 0;
        }
        if (t == 0) {
            ratio += ratio_of(s, 0, STRATA + left, totals, (const double(*)[MORE])sizes);
        }
        assert_ok(dp2dpi_counts_table(&s->counts, theta, table, NULL));
        ratio += ratio_of(s, 1, CELLS + left, table, (const double(*)[MORE])sums);
        for (int c = 0; c < CELLS; c++) { /* any function of the release with values below ½ */
            theta[c] = 0.4 * sin(table[c]);
        }
    }
    return ratio;
}

TEST(a_fit_with_labels_is_sound_and_tight) {
    OWNED(setting) s = open_counts(&ways[0], 1, NONE);
    aim(&s);
    assert_int_equal(s.claim[0].coordinates, STRATA);
    assert_int_equal(s.claim[1].coordinates, CELLS);
    (void)expect_sound_at_one(s.claim, 2, measure(&s, fit_ratio, 0, RUNS));
}

TEST(a_fit_that_sees_no_group_is_sound_and_tight) {
    OWNED(setting) s = open_counts(&ways[1], 2, NONE);
    aim(&s);
    (void)expect_sound_at_one(s.claim, 2, measure(&s, fit_ratio, 0, RUNS));
}

TEST(a_fit_that_ignores_an_off_list_label_is_sound_and_tight) {
    for (size_t i = 2; i < 4; i++) {
        OWNED(setting) s = open_counts(&ways[i], 20 + i, NONE);
        aim(&s);
        assert_int_equal(s.claim[0].coordinates, STRATA + 1);
        assert_int_equal(s.claim[1].coordinates, CELLS + 1);
        (void)expect_sound_at_one(s.claim, 2, measure(&s, fit_ratio, 0, RUNS));
    }
}

TEST(faults_are_caught) {
    static const struct {
        size_t way;
        fault wrong;
    } planted[] = {{0, NOISE_HALVED},  {1, NOISE_HALVED}, {0, LABEL_TWICE},    {0, STRATA_TWICE},
                   {1, WEIGHTS_TWICE}, {1, LABEL_TWICE},  {2, OFF_LIST_SHOWS}, {3, OFF_LIST_SHOWS}};
    for (size_t i = 0; i < sizeof planted / sizeof *planted; i++) {
        OWNED(setting) s = open_counts(&ways[planted[i].way], 3 + i, planted[i].wrong);
        aim(&s);
        expect_caught(s.claim, 2, measure(&s, fit_ratio, 0, RUNS / 4));
    }
}
