/* Shows that Algorithm 1 as published costs more than its own accounting claims, and no more than
 * our bound, on a pair of pools built for this.
 *
 * Of 1,000 people 25 are in the small group. One of these has score 1 for class 0 in the first pool
 * and for class 1 in the second; everybody else has score 1 for class 2. The published claim
 * assumes that a person is in a batch of 32 with probability 32/1000, at most once. In fact each of
 * the 32 draws picks this person with probability 1/50. Only this record moves cells 0 and 1 of the
 * two blocks of a gradient. The attacker adds up the differences of these cells over all steps and
 * guesses "second pool" if the sum is 3.1 standard deviations above its mean on the first.
 * (ε, δ)-privacy says 1 − FNR ≤ e^ε FPR + δ, so the bounds of attack.h rule out every ε below
 * log((1 − δ − FNR)/FPR), for any mechanism, with confidence 1 − 1e-6 over the choice of the seeds,
 * which are fixed. */
#include "phase2/published_release.h"
#include "phase2/sgd_release.h"

#include "privacy/attack.h"
#include "unit/phase2/data.h"

enum {
    RUNS = 100000,
    STEPS = 4,
    RECORDS = 1000,
    SMALL = 25,
    CLASSES = 3
};

static dp2dp_pool *pools[2];

FIXTURE(begin) {
    for (int i = 0; i < 2; i++) {
        OWNED(people) p = people_new(RECORDS, CLASSES, 2);
        for (size_t row = 0; row < p.n; row++) {
            p.group[row] = row < SMALL;
            p.scores[CLASSES * row + (row ? 2 : (size_t)i)] = 1;
        }
        pools[i] = pool_of(&p);
    }
    return 0;
}

FIXTURE(end) {
    dp2dp_pool_free(pools[0]);
    dp2dp_pool_free(pools[1]);
    return 0;
}

/* One fit claims the published ε and charges `ledger` by our bound. All runs draw their noise from
 * equal charges to `scratch`. */
struct setting {
    dp2dpi_published_releases releases;
    dp2dp_ledger *ledger, *scratch;
};

static setting open_fit(double epsilon, uint64_t batch) {
    setting s = {.ledger = new_ledger(), .scratch = new_ledger()};
    dp2dp_fit_options options = seeded(epsilon, 1);
    options.solver = DP2DP_SOLVER_SGD_AS_PUBLISHED;
    options.steps = STEPS;
    options.batch = batch;
    options.group_least = SMALL;
    options.share_budget = 0.05;
    dp2dpi_published_releases *r = &s.releases;
    assert_ok(dp2dpi_published_releases_new(pools[0], &options, s.ledger, r, NULL));
    (void)recharge(&r->release, DP2DPI_SGD_SUMS, s.scratch, 1, 1);
    return s;
}

static void setting_free(setting *s) {
    dp2dpi_published_releases_free(&s->releases);
    dp2dp_ledger_free(s->ledger);
    dp2dp_ledger_free(s->scratch);
}

/* The sum of the differences over all steps: but for noise, negative for the first pool and
 * positive for the second. The person's group has the sign +1, so each draw of this person adds −2
 * to the first block and +2 to the second, in cell 0 or in cell 1. */
static double moved(setting *s, int which) {
    static const double shares[2] = {0.975, 0.025};
    double u[2 * CLASSES], nu[2 * CLASSES] = {0}, sum = 0;
    s->releases.pool = pools[which];
    for (int t = 0; t < STEPS; t++) {
        assert_ok(dp2dpi_published_gradient(&s->releases, shares, nu, u, NULL));
        sum += (u[0] - u[1]) + (u[CLASSES + 1] - u[CLASSES]);
        for (int k = 0; k < CLASSES; k++) { /* any function of the release, with small values */
            nu[k] = 0.005 * sin(u[k]);
            nu[CLASSES + k] = -nu[k];
        }
    }
    return sum;
}

/* b is the batch size. In each step the person is drawn Bin(b, 1/(2 SMALL)) times, each draw moves
 * the sum by 4/b, and four cells add their noise. */
static double threshold_of(const setting *s, double b) {
    double sigma = dp2dpi_release_event(&s->releases.release, DP2DPI_SGD_SUMS)->sigma,
           p = 0.5 / SMALL;
    double mean = STEPS * 4 * p;
    double variance = STEPS * (4 * sigma * sigma + 16 * b * p * (1 - p)) / (b * b);
    return 3.1 * sqrt(variance) - mean;
}

static double epsilon_sound(const setting *s) {
    dp2dp_accountant *accountant = NULL;
    assert_ok(dp2dp_ledger_account(s->ledger, &accountant, NULL));
    return epsilon_of(accountant);
}

TEST(the_published_claim_is_exceeded_and_the_sound_bound_is_not) {
    static const double claims[2] = {0.5, 1};
    for (int i = 0; i < 2; i++) {
        OWNED(setting) s = open_fit(claims[i], 32);
        double claim = s.releases.epsilon_claimed, sound = epsilon_sound(&s);
        errors e = measure(&s, moved, threshold_of(&s, 32), RUNS);
        double lower = log((1 - attack_delta - e.false_negative) / e.false_positive);
        print_message("epsilon: claimed %.4f, measured at least %.4f, sound bound %.4f\n", claim,
                      lower, sound);
        assert_true(claim <= claims[i] && claim > 0.99 * claims[i]);
        assert_true(s.releases.price.bounded);
        assert_true(lower > 2 * claim);
        assert_true(lower <= sound);
    }
}

GROUP(begin, end)
