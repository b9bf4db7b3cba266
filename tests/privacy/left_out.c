/* Tries to falsify the guarantee of fits in which a record is left out (docs/proofs/left-out.md).
 *
 * In pool 0 a person is of the first group and gets class 0 at any offsets; in pool 1 the same
 * person is left out. So in every release of solver counts one cell goes down by one and the cell
 * of those left out goes up by one, which is √2, the most that one record can do. In solver sgd the
 * person's gradient is there or not, which is half of the most. The attacker (attack.h) computes
 * the log likelihood ratio of everything released. The false-alarm rate is 1e-6 for each sound fit,
 * over the choice of the seeds, which are fixed. */
#include "phase2/counts_release.h"
#include "phase2/sgd_release.h"

#include "privacy/attack.h"
#include "unit/phase2/data.h"

enum {
    RUNS = 100000,
    STEPS = 4,
    RECORDS = 20,
    BATCH = 8,
    CELLS = 4,
    LEFT_OUT = CELLS, /* the cell after the table */
    GROUPS = 2
};

static dp2dp_pool *pools[2];
static dp2dp_source sources[2];

/* The planted fault. */
typedef enum fault {
    NONE,
    NOISE_HALVED,
    CELL_WITHOUT_NOISE /* the number of records left out is released as it is */
} fault;

/* The claim is what one fit charges to `ledger`. All runs draw their noise from charges to
 * `scratch` that are equal, or differ by the fault. */
struct setting {
    dp2dp_ledger *ledger, *scratch;
    dp2dpi_counts_releases counts;
    dp2dpi_sgd_releases sgd;
    dp2dp_event claim[2]; /* group counts; then tables or sums */
    fault wrong;
};

static void setting_free(setting *s) {
    dp2dpi_counts_releases_free(&s->counts);
    dp2dpi_sgd_releases_free(&s->sgd);
    dp2dp_ledger_free(s->ledger);
    dp2dp_ledger_free(s->scratch);
}

FIXTURE(begin) {
    for (int i = 0; i < 2; i++) {
        OWNED(people) p = people_random(RECORDS, 2, GROUPS, 1U << 20, 71);
        dp2dp_pool_options options = DP2DP_POOL_OPTIONS_INIT;
        options.leaves_out = 1;
        p.group[0] = i ? -1 : 0;
        p.scores[0] = i ? NAN : 1; /* the scores of a record that is left out are not read */
        p.scores[1] = i ? NAN : 0;
        pools[i] = pool_with(&p, options);
        sources[i] = dp2dp_pool_source(pools[i]);
    }
    return 0;
}

FIXTURE(end) {
    dp2dp_pool_free(pools[0]);
    dp2dp_pool_free(pools[1]);
    return 0;
}

static dp2dp_fit_options options_of(dp2dp_solver solver, uint64_t seed) {
    dp2dp_fit_options options = seeded(1, seed);
    options.solver = solver;
    options.steps = STEPS;
    options.batch = BATCH;
    options.share_budget = 0.05;
    return options;
}

static setting open_counts(uint64_t seed, fault wrong) {
    setting s = {.ledger = new_ledger(), .scratch = new_ledger(), .wrong = wrong};
    dp2dp_fit_options options = options_of(DP2DP_SOLVER_COUNTS, seed);
    double noise = wrong == NOISE_HALVED ? 0.5 : 1;
    assert_ok(dp2dpi_counts_prepare(&sources[0], &options, s.ledger, &s.counts, NULL));
    assert_ok(dp2dpi_counts_charge(&s.counts, NULL));
    s.claim[0] = recharge(&s.counts.release, 0, s.scratch, noise, 1);
    s.claim[1] = recharge(&s.counts.release, 1, s.scratch, noise, 1);
    return s;
}

/* The log likelihood ratio of one fit of pool `which` by solver counts, up to a constant, which is
 * half-way between the two pools. The offsets of a step depend on the releases before it, as in a
 * real fit. */
static double counts_ratio(setting *s, int which) {
    double totals[GROUPS + 1], table[CELLS + 1], theta[CELLS] = {0}, ratio = 0;
    float offsets[CELLS];
    int64_t base[CELLS + 1];
    s->counts.source = &sources[which];
    assert_ok(dp2dpi_counts_ask_first(&s->counts, NULL));
    assert_ok(dp2dpi_counts_totals(&s->counts, totals, NULL));
    if (s->wrong == CELL_WITHOUT_NOISE) { /* nothing else is needed to tell the pools apart */
        totals[GROUPS] = (double)(pools[which]->records - dp2dpi_pool_kept(pools[which]));
        return totals[GROUPS] - 0.5;
    }
    double first = (double)pools[0]->begin[1];
    ratio += (totals[GROUPS] - totals[0] + first - 1) / (s->claim[0].sigma * s->claim[0].sigma);
    for (int t = 0; t < STEPS; t++) {
        for (int c = 0; c < CELLS; c++) {
            offsets[c] = (float)theta[c];
        }
        assert_ok(dp2dpi_counts_table(&s->counts, theta, table, NULL));
        assert_int_equal(sources[0].count(sources[0].context, offsets, base, NULL), OK);
        double up = table[LEFT_OUT] - (double)base[LEFT_OUT], down = table[0] - (double)base[0];
        ratio += (up - down - 1) / (s->claim[1].sigma * s->claim[1].sigma);
        for (int c = 0; c < CELLS; c++) { /* any function of the release with values below ½ */
            theta[c] = 0.4 * sin(table[c] - (double)base[c]);
        }
    }
    return ratio;
}

TEST(a_fit_by_counts_is_sound_and_tight) {
    OWNED(setting) s = open_counts(1, NONE);
    assert_int_equal(s.claim[0].coordinates, GROUPS + 1);
    assert_int_equal(s.claim[1].coordinates, CELLS + 1);
    (void)expect_sound_at_one(s.claim, 2, measure(&s, counts_ratio, 0, RUNS));
}

TEST(halved_noise_is_caught) {
    OWNED(setting) s = open_counts(2, NOISE_HALVED);
    expect_caught(s.claim, 2, measure(&s, counts_ratio, 0, RUNS));
}

TEST(a_cell_without_noise_is_caught) {
    OWNED(setting) s = open_counts(3, CELL_WITHOUT_NOISE);
    expect_caught(s.claim, 2, measure(&s, counts_ratio, 0, RUNS / 10));
}

/* The fault: in pool 1 the person's row is skipped instead of counted. The attacker reads N in the
 * model. */
static double visible_size(setting *s, int which) {
    OWNED(people) p = people_random(RECORDS, 2, GROUPS, 1U << 20, 71);
    dp2dp_fit_options options = options_of(DP2DP_SOLVER_COUNTS, 4);
    people kept = p;
    (void)s;
    kept.n -= (size_t)which;
    kept.scores += 2 * which;
    kept.group += which;
    HANDLE(dp2dp_model) *model = fit_people(&kept, &options);
    return RECORDS - 0.5 - (double)dp2dp_model_view(model)->records;
}

TEST(a_number_of_records_that_depends_on_the_records_is_caught) {
    OWNED(setting) s = open_counts(4, NONE);
    expect_caught(s.claim, 2, measure(&s, visible_size, 0, 500));
}

/* The same attack on a fit that counts the person as left out. */
static double visible_size_counted(setting *s, int which) {
    dp2dp_fit_options options = options_of(DP2DP_SOLVER_COUNTS, 4);
    HANDLE(dp2dp_model) *model = fit_source(&sources[which], &options);
    (void)s;
    return RECORDS - 0.5 - (double)dp2dp_model_view(model)->records;
}

TEST(a_number_of_records_that_counts_all_passes_the_same_attack) {
    OWNED(setting) s = open_counts(4, NONE);
    assert_false(is_falsified(s.claim, 2, 1, measure(&s, visible_size_counted, 0, 500)));
}

/* The log likelihood ratio of one fit of pool `which` by solver sgd, for its counts and sums. The
 * person's gradient is −1 unit in cell 0 if sampled; the others are of class 1 at these offsets. */
static double sgd_ratio(setting *s, int which) {
    static const double shares[GROUPS] = {0.5, 0.5}, nu[CELLS] = {0.4, 0, 0.4, 0};
    double totals[GROUPS + 1], out[2], q = s->claim[1].rate, z = s->claim[1].sigma;
    s->sgd.pool = pools[which];
    assert_ok(dp2dpi_sgd_totals(s->sgd.pool, &s->sgd.release, totals, NULL));
    double first = (double)pools[0]->begin[1];
    double ratio =
        (totals[GROUPS] - totals[0] + first - 1) / (s->claim[0].sigma * s->claim[0].sigma);
    for (int t = 0; t < STEPS; t++) {
        assert_ok(dp2dpi_sgd_gradient(&s->sgd, shares, nu, out, NULL));
        double x = out[0] * shares[0] * q * RECORDS;
        ratio -= log(1 - q + q * exp((-x - 0.5) / (z * z)));
    }
    return ratio;
}

TEST(a_fit_by_sgd_is_sound) {
    OWNED(setting) s = {.ledger = new_ledger(), .scratch = new_ledger()};
    dp2dp_fit_options options = options_of(DP2DP_SOLVER_SGD, 5);
    assert_ok(dp2dpi_sgd_releases_new(pools[0], &options, s.ledger, &s.sgd, NULL));
    s.claim[0] = recharge(&s.sgd.release, DP2DPI_SGD_TOTALS, s.scratch, 1, 1);
    s.claim[1] = recharge(&s.sgd.release, DP2DPI_SGD_SUMS, s.scratch, 1, 1);
    assert_int_equal(s.claim[0].coordinates, GROUPS + 1);
    double accounted, measured;
    errors e = measure(&s, sgd_ratio, 0, RUNS);
    measured = measured_epsilon(s.claim, 2, e, &accounted);
    assert_false(is_falsified(s.claim, 2, 1, e));
    assert_true(measured <= accounted && accounted <= 1 && accounted >= 0.999);
}

GROUP(begin, end)
