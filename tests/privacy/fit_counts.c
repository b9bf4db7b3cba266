/* Tries to falsify the guarantee of a fit by solver counts, on the pair of pools that is worst for
 * it.
 *
 * One person of the first group who is given class 0 is replaced by one of the second group who is
 * given class 1, whatever the offsets: the group counts and every table move by √2, all that a
 * record can do. The attacker knows both pools and everything that is released: he adds up the
 * moves seen, each weighted by 1/σ², which is the likelihood ratio. His two error rates over
 * RUNS fits per pool are bounded from above by Clopper-Pearson at confidence 1 − 5e-7 each, which
 * gives μ ≥ Φ⁻¹(1 − FPR) − Φ⁻¹(FNR), and from it ε(δ). A sound fit exceeds its claim with
 * probability at most 1e-6 over the choice of the seeds, which are fixed.
 *
 * Passing proves nothing; the planted faults show that the test can fail, and the sound fit's bound
 * is above 0.8 of the claim. */
#include "phase2/release.h"

#include "privacy/noise_stats.h"
#include "unit/phase2_data.h"

enum {
    RUNS = 100000,
    STEPS = 4,
    CELLS = 4
};
static const double confidence_miss = 5e-7;
static const double delta = 1e-5;

static dp2dp_pool *pools[2];
static dp2dp_source sources[2];

/* Person 0 is (first group, class 0) or (second group, class 1); nobody else matters. */
static int begin(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        people p = people_random(20, 2, 2, 1U << 20, 71);
        p.group[0] = i;
        p.scores[0] = i ? 0 : 1;
        p.scores[1] = i ? 1 : 0;
        pools[i] = pool_of(&p);
        sources[i] = dp2dp_pool_source(pools[i]);
        people_free(&p);
    }
    return 0;
}

static int end(void **state) {
    (void)state;
    dp2dp_pool_free(pools[0]);
    dp2dp_pool_free(pools[1]);
    return 0;
}

/* One fit's worth of releases, again and again on the same generator: `ledger` keeps the charges of
 * the first fit, which is the claim, `scratch` those of the others. */
typedef struct setting {
    dp2dp_ledger *ledger, *scratch;
    dp2dpi_releases releases;
    dp2dp_event totals, tables;
} setting;

static setting open_fit(uint64_t seed) {
    setting s = {0};
    dp2dp_fit_options options = seeded(1, seed);
    options.steps = STEPS;
    options.share_budget = 0.02;
    assert_int_equal(dp2dp_ledger_new(DP2DP_REPLACE_ONE, &s.ledger, NULL), OK);
    assert_int_equal(dp2dp_ledger_new(DP2DP_REPLACE_ONE, &s.scratch, NULL), OK);
    assert_int_equal(dp2dpi_releases_new(&sources[0], &options, s.ledger, &s.releases, NULL), OK);
    s.totals = *dp2dpi_charge_event(s.releases.totals);
    s.tables = *dp2dpi_charge_event(s.releases.tables);
    s.totals.label = s.tables.label = s.totals.set = s.tables.set = NULL;
    return s;
}

static void close_fit(setting *s) {
    dp2dpi_releases_free(&s->releases);
    dp2dp_ledger_free(s->ledger);
    dp2dp_ledger_free(s->scratch);
}

static void charge_again(setting *s, double noise) {
    dp2dpi_releases *r = &s->releases;
    dp2dp_event totals = s->totals, tables = s->tables;
    totals.sigma *= noise;
    tables.sigma *= noise;
    if (dp2dp_ledger_size(s->scratch) >= 1000) {
        dp2dpi_charge_free(r->totals);
        dp2dpi_charge_free(r->tables);
        r->totals = r->tables = NULL;
        dp2dp_ledger_free(s->scratch);
        assert_int_equal(dp2dp_ledger_new(DP2DP_REPLACE_ONE, &s->scratch, NULL), OK);
    }
    dp2dpi_charge_free(r->totals);
    dp2dpi_charge_free(r->tables);
    assert_int_equal(dp2dpi_charge_new(s->scratch, r->rng, &totals, r->grid_bits, &r->totals, NULL),
                     OK);
    assert_int_equal(dp2dpi_charge_new(s->scratch, r->rng, &tables, r->grid_bits, &r->tables, NULL),
                     OK);
}

/* The likelihood ratio of one fit of pool `which`, with the noise multiplied by `noise`; the
 * offsets of a later step depend on what was released, as in a fit. */
static double attack(setting *s, int which, double noise) {
    double totals[2], table[CELLS], theta[CELLS] = {0}, ratio = 0;
    charge_again(s, noise);
    s->releases.source = &sources[which];
    assert_int_equal(dp2dpi_releases_totals(&s->releases, totals, NULL), OK);
    ratio += (totals[1] - totals[0]) / (s->totals.sigma * s->totals.sigma);
    for (int t = 0; t < STEPS; t++) {
        assert_int_equal(dp2dpi_releases_table(&s->releases, theta, table, NULL), OK);
        int64_t base[CELLS];
        float offsets[CELLS];
        for (int c = 0; c < CELLS; c++) {
            offsets[c] = (float)theta[c];
        }
        assert_int_equal(sources[0].count(sources[0].context, offsets, base, NULL), OK);
        double move = (table[3] - (double)base[3]) - (table[0] - (double)base[0]);
        ratio += move / (s->tables.sigma * s->tables.sigma);
        for (int c = 0; c < CELLS; c++) {
            theta[c] = 0.4 * sin(table[c]); /* any function of what was released, below ½ */
        }
    }
    return ratio;
}

/* ln P(Bin(n, p) ≤ k) for k below n p. */
static double log_lower_tail(double n, double k, double p) {
    double term = 1, sum = 0;
    for (double i = k; i >= 0 && term > 1e-18 * sum; i--) {
        sum += term;
        term *= i / (n - i + 1) * (1 - p) / p;
    }
    return log(sum) + lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(p) +
           (n - k) * log1p(-p);
}

static double rate_upper(double k, double n) {
    double low = k / n, high = 1;
    for (int i = 0; i < 60 && k < n; i++) {
        double p = 0.5 * (low + high);
        *(log_lower_tail(n, k, p) > log(confidence_miss) ? &low : &high) = p;
    }
    return high;
}

static double normal_quantile(double p) {
    double low = -40, high = 40;
    for (int i = 0; i < 100; i++) {
        double x = 0.5 * (low + high);
        *(normal_cdf(x) < p ? &low : &high) = x;
    }
    return low;
}

/* ε(δ) of the Gaussian of the largest μ that the error counts rule out; 0 if they rule out none. */
static double epsilon_lower(double false_positives, double false_negatives, double runs) {
    double mu = normal_quantile(1 - rate_upper(false_positives, runs)) -
                normal_quantile(rate_upper(false_negatives, runs));
    dp2dp_accountant *accountant = NULL;
    dp2dp_event event = DP2DP_EVENT_INIT;
    double epsilon = 0;
    if (mu <= 0) {
        return 0;
    }
    event.mechanism = DP2DP_GAUSSIAN;
    event.sensitivity = 1;
    event.sigma = 1 / mu;
    assert_int_equal(dp2dp_accountant_new(DP2DP_REPLACE_ONE, &accountant, NULL), OK);
    assert_int_equal(dp2dp_accountant_add(accountant, &event, NULL), OK);
    assert_int_equal(
        dp2dp_accountant_epsilon(accountant, delta, DP2DP_BACKEND_ANALYTIC, &epsilon, NULL, NULL),
        OK);
    dp2dp_accountant_free(accountant);
    return epsilon;
}

static double accounted(const setting *s) {
    dp2dp_accountant *accountant = NULL;
    double epsilon = 0;
    assert_int_equal(dp2dp_ledger_account(s->ledger, &accountant, NULL), OK);
    assert_int_equal(
        dp2dp_accountant_epsilon(accountant, delta, DP2DP_BACKEND_AUTO, &epsilon, NULL, NULL), OK);
    dp2dp_accountant_free(accountant);
    return epsilon;
}

/* The threshold is half-way between the means of the two: pool 1 adds 2 to the difference of the
 * group counts and to every difference of cells. */
static double measured(setting *s, double noise) {
    double wrong[2] = {0, 0}, seen[2];
    dp2dpi_releases bare = {.source = &sources[0],
                            .offsets = s->releases.offsets,
                            .counts = s->releases.counts,
                            .noisy = s->releases.noisy};
    assert_int_equal(dp2dpi_releases_totals(&bare, seen, NULL), OK);
    double threshold = (seen[1] - seen[0] + 1) / (s->totals.sigma * s->totals.sigma) +
                       STEPS / (s->tables.sigma * s->tables.sigma);
    for (int i = 0; i < RUNS; i++) {
        wrong[0] += attack(s, 0, noise) > threshold;
        wrong[1] += attack(s, 1, noise) <= threshold;
    }
    return epsilon_lower(wrong[0], wrong[1], RUNS);
}

static void a_fit_is_sound_and_tight(void **state) {
    (void)state;
    setting s = open_fit(1);
    double claim = accounted(&s), lower = measured(&s, 1);
    print_message("epsilon: accounted %.4f, measured at least %.4f\n", claim, lower);
    assert_true(claim <= 1 && claim >= 0.999);
    if (!(lower <= claim) || !(lower >= 0.8 * claim)) {
        fail_msg("measured %g, accounted %g", lower, claim);
    }
    close_fit(&s);
}

static void halved_noise_is_caught(void **state) {
    (void)state;
    setting s = open_fit(2);
    double claim = accounted(&s), lower = measured(&s, 0.5);
    print_message("epsilon: accounted %.4f, measured at least %.4f\n", claim, lower);
    assert_true(lower > claim);
    close_fit(&s);
}

/* Two tables of one fit at different offsets, the person moving in the second only. Their
 * difference shows the move; with the same noise in both it shows nothing else. */
static double errors_of_a_difference(uint64_t second_seed, double *claim) {
    enum {
        FITS = 500
    };
    static const double everybody_first[CELLS] = {-2, 0, -2, 0}, none[CELLS] = {0};
    double wrong[2] = {0, 0}, table[2][CELLS];
    for (int i = 0; i < 2 * FITS; i++) {
        setting s = open_fit((uint64_t)i), t = open_fit((uint64_t)i + second_seed);
        s.releases.source = t.releases.source = &sources[i % 2];
        assert_int_equal(dp2dpi_releases_table(&s.releases, everybody_first, table[0], NULL), OK);
        assert_int_equal(dp2dpi_releases_table(&t.releases, none, table[1], NULL), OK);
        int64_t base[2][CELLS];
        float offsets[2][CELLS] = {{-2, 0, -2, 0}, {0}};
        for (int j = 0; j < 2; j++) {
            assert_int_equal(sources[0].count(sources[0].context, offsets[j], base[j], NULL), OK);
        }
        double move = (table[1][3] - table[0][3]) - (double)(base[1][3] - base[0][3]);
        wrong[i % 2] += (move > 0.5) != (i % 2);
        *claim = accounted(&s);
        close_fit(&s);
        close_fit(&t);
    }
    return epsilon_lower(wrong[0], wrong[1], FITS);
}

static void noise_used_twice_is_caught(void **state) {
    (void)state;
    double claim = 0, lower = errors_of_a_difference(0, &claim);
    print_message("epsilon: accounted %.4f, measured at least %.4f\n", claim, lower);
    assert_true(lower > claim);
}

static void fresh_noise_passes_the_attack_that_catches_the_other(void **state) {
    (void)state;
    double claim = 0, lower = errors_of_a_difference(1000000, &claim);
    assert_true(lower <= claim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fit_is_sound_and_tight),
        cmocka_unit_test(halved_noise_is_caught),
        cmocka_unit_test(noise_used_twice_is_caught),
        cmocka_unit_test(fresh_noise_passes_the_attack_that_catches_the_other),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
