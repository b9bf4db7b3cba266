/* Tries to falsify the guarantee of a fit by solver sgd, on the worst pair of pools for it.
 *
 * One person with score 1 for class 0 is in the first group or in the second; everybody else has
 * score 1 for class 2. So only this person enters cell 0 of a released sum, with −C or +C (the clip
 * bound) if sampled, and both group counts move by one. The attacker (attack.h) computes the
 * likelihood ratio of everything released. The false-alarm rate is 1e-6 for each sound fit, over
 * the choice of the seeds, which are fixed. */
#include "phase2/sgd_release.h"

#include "privacy/attack.h"
#include "unit/phase2/data.h"

enum {
    RUNS = 100000,
    STEPS = 4,
    RECORDS = 20,
    BATCH = 8,
    CLASSES = 3
};
static const double shares[2] = {0.5, 0.5};

static dp2dp_pool *pools[2];

/* The planted fault: factors on the noise, the sampling rate and the person's gradient. */
typedef struct fault {
    double noise, rate, norm;
} fault;
static const fault none = {1, 1, 1};

/* The claim is what one fit charges to `ledger`. All runs draw their noise from charges to
 * `scratch` that are equal, or differ by the planted fault. */
struct setting {
    dp2dpi_sgd_releases releases;
    dp2dp_ledger *ledger, *scratch;
    dp2dp_event claim[2];
    double norm;
};

static setting open_fit(uint64_t seed, double share_budget, fault wrong) {
    setting s = {.ledger = new_ledger(), .scratch = new_ledger(), .norm = wrong.norm};
    dp2dp_fit_options options = seeded(1, seed);
    options.solver = DP2DP_SOLVER_SGD;
    options.steps = STEPS;
    options.batch = BATCH;
    options.share_budget = share_budget;
    dp2dpi_sgd_releases *r = &s.releases;
    assert_ok(dp2dpi_sgd_releases_new(pools[0], &options, s.ledger, r, NULL));
    s.claim[0] = recharge(&r->release, DP2DPI_SGD_TOTALS, s.scratch, wrong.noise, wrong.rate);
    s.claim[1] = recharge(&r->release, DP2DPI_SGD_SUMS, s.scratch, wrong.noise, wrong.rate);
    return s;
}

static void setting_free(setting *s) {
    dp2dpi_sgd_releases_free(&s->releases);
    dp2dp_ledger_free(s->ledger);
    dp2dp_ledger_free(s->scratch);
}

/* Cell 0 of one release in units of C, with the person's gradient multiplied by s->norm. */
static double seen(setting *s, const double *nu, double *out) {
    dp2dpi_sgd_releases *r = &s->releases;
    dp2dpi_release *release = &r->release;
    if (s->norm == 1) {
        assert_ok(dp2dpi_sgd_gradient(r, shares, nu, out, NULL));
        double batch = dp2dpi_release_event(release, DP2DPI_SGD_SUMS)->rate * RECORDS;
        return out[0] * shares[0] * batch;
    }
    dp2dpi_sgd_point point = {shares, nu, r->beta};
    assert_ok(dp2dpi_release_mask(release, DP2DPI_SGD_SUMS, RECORDS, r->mask, NULL));
    dp2dpi_sgd_sum(r->pool, r->mask, &point, release->grid_bits, release->sum);
    release->sum[0] = (int64_t)((double)release->sum[0] * s->norm);
    assert_ok(dp2dpi_release_draw(release, DP2DPI_SGD_SUMS, CLASSES, release->sum, out, NULL));
    return out[0];
}

/* The log likelihood ratio, second pool to first, of one fit of pool `which`, computed with the
 * claimed noise and rate. */
static double ratio_of(setting *s, int which) {
    double totals[2], out[CLASSES], nu[2 * CLASSES] = {0};
    double q = s->claim[1].rate, z = s->claim[1].sigma, sigma = s->claim[0].sigma;
    s->releases.pool = pools[which];
    assert_ok(dp2dpi_sgd_totals(s->releases.pool, &s->releases.release, totals, NULL));
    double first = (double)pools[0]->begin[1], second = RECORDS - first;
    double ratio = ((totals[1] - second - 0.5) - (totals[0] - first + 0.5)) / (sigma * sigma);
    for (int t = 0; t < STEPS; t++) {
        double x = seen(s, nu, out);
        ratio +=
            log((1 - q + q * exp((x - 0.5) / (z * z))) / (1 - q + q * exp((-x - 0.5) / (z * z))));
        for (int k = 0; k < CLASSES; k++) { /* any function of the release with values below ½ */
            nu[k] = 0.1 * sin(out[k]);
            nu[CLASSES + k] = -nu[k];
        }
    }
    return ratio;
}

static setting sound;
static errors sound_errors;

FIXTURE(begin) {
    for (int i = 0; i < 2; i++) {
        OWNED(people) p = people_new(RECORDS, CLASSES, 2);
        for (size_t row = 0; row < p.n; row++) {
            p.group[row] = row ? (int32_t)(row % 2) : i;
            p.scores[CLASSES * row + (row ? 2 : 0)] = 1;
        }
        pools[i] = pool_of(&p);
    }
    sound = open_fit(1, 0.05, none);
    sound_errors = measure(&sound, ratio_of, 0, RUNS);
    return 0;
}

FIXTURE(end) {
    setting_free(&sound);
    dp2dp_pool_free(pools[0]);
    dp2dp_pool_free(pools[1]);
    return 0;
}

TEST(a_fit_is_sound_and_tight) {
    (void)expect_sound_at_one(sound.claim, 2, sound_errors);
}

/* Add/remove adjacency compares a record with no record, which costs about half as much as
 * replacing it by its opposite. */
TEST(accounting_for_a_record_removed_is_exceeded) {
    assert_true(epsilon_lower(sound.claim, 2, sound_errors) > epsilon_if_removed(sound.claim, 2));
}

static void expect_caught_with(fault wrong) {
    OWNED(setting) s = open_fit(2, 0.05, wrong);
    expect_caught(s.claim, 2, measure(&s, ratio_of, 0, RUNS));
}

TEST(halved_noise_is_caught) {
    expect_caught_with((fault) {0.5, 1, 1});
}

TEST(a_doubled_rate_is_caught) {
    expect_caught_with((fault) {1, 2, 1});
}

TEST(a_norm_beyond_its_bound_is_caught) {
    expect_caught_with((fault) {1, 1, 2});
}

/* Half of the budget (of μ²) goes to the group counts, so a claim without them is far too small. */
TEST(counts_that_are_not_charged_are_caught) {
    OWNED(setting) s = open_fit(3, 0.5, none);
    double whole = epsilon_of(account(s.claim, 2, 1)),
           claim = epsilon_of(account(s.claim + 1, 1, 1));
    double lower = epsilon_lower(s.claim, 2, measure(&s, ratio_of, 0, RUNS));
    print_message("epsilon: accounted %.4f, without the counts %.4f, measured at least %.4f\n",
                  whole, claim, lower);
    assert_true(lower > claim && lower <= whole);
}

GROUP(begin, end)
