/* The privacy bound for drawing a group, then a member (docs/proofs/fixed-size.md, last section),
 * against exact distributions: small pools, all placements of the other people, and the two
 * directions in which gradients differ most. Nothing is random: a bound that holds cannot raise an
 * alarm. */
#include "support.h"

#include <dp2dp/accountant.h>

enum {
    DRAWS_MAX = 4,
    SUMS = 2 * DRAWS_MAX + 1,
    POINTS = 4000
};

typedef struct pool {
    size_t size[2], high[2]; /* members of each group, and how many of them have the high value */
} pool;

/* A person's gradient is ±2 (p, −p), with the sign of the group and the person's scores p. Its
 * component along a direction is low or high, times `unit`, in group + and the negative in group −.
 * Along (e₁, −e₁)/√2 these are 0 and 2√2, so two groups are up to 4√2 apart. Along
 * (e₁ − e₂, e₂ − e₁)/2 they are −2 and 2. */
typedef struct direction {
    int low, high;
    double unit;
} direction;

static const direction directions[] = {{0, 1, 2.8284271247461901}, {-1, 1, 2.0}};

/* Probabilities of the sums −DRAWS_MAX to DRAWS_MAX of this number of draws from the pool. */
static void law_of(const pool *d, direction along, int draws, double *law) {
    double one[3] = {0};
    memset(law, 0, SUMS * sizeof *law);
    law[DRAWS_MAX] = 1;
    for (int g = 0; g < 2; g++) {
        double high = (double)d->high[g] / (double)d->size[g];
        int sign = g ? -1 : 1;
        one[1 + sign * along.high] += 0.5 * high;
        one[1 + sign * along.low] += 0.5 * (1 - high);
    }
    for (int t = 0; t < draws; t++) {
        double next[SUMS] = {0};
        for (int s = 1; s + 1 < SUMS; s++) {
            for (int v = -1; v <= 1; v++) {
                next[s + v] += law[s] * one[1 + v];
            }
        }
        memcpy(law, next, sizeof next);
    }
}

/* ∫ max(0, P − e^ε Q), where P and Q are the densities of the two sums plus Gaussian noise. The
 * trapezoidal rule is exact but for the kink, which may cost 1e-4 of the result. */
static double hockey_stick(const double *p, const double *q, double unit, double sigma,
                           double epsilon) {
    double low = -DRAWS_MAX * unit - 10 * sigma, h = -2 * low / POINTS, sum = 0;
    for (int i = 0; i <= POINTS; i++) {
        double x = low + h * i, excess = 0;
        for (int s = 0; s < SUMS; s++) {
            double z = (x - (s - DRAWS_MAX) * unit) / sigma;
            excess += (p[s] - exp(epsilon) * q[s]) * exp(-0.5 * z * z);
        }
        sum += excess > 0 ? excess : 0;
    }
    return sum * h / (sigma * 2.5066282746310002);
}

/* The δ at ε of the event that sgd_as_published_price.c charges for one step. */
static double charged(double population, double sensitivity, int draws, double sigma,
                      double epsilon) {
    HANDLE(dp2dp_accountant) *accountant = NULL;
    dp2dp_event event = DP2DP_EVENT_INIT;
    double delta = 1;
    event.mechanism = DP2DP_WITH_REPLACEMENT;
    event.sensitivity = sensitivity;
    event.sigma = sigma;
    event.population = floor(population);
    event.draws = (uint64_t)draws;
    assert_ok(dp2dp_accountant_new(DP2DP_REPLACE_ONE, &accountant, NULL));
    assert_ok(dp2dp_accountant_add(accountant, &event, NULL));
    assert_ok(dp2dp_accountant_delta(accountant, epsilon, DP2DP_BACKEND_AUTO, &delta, NULL, NULL));
    return delta;
}

/* The record moves from group `from` to group `to`, and its value from `before` to `after` (1:
 * high, 0: low). */
typedef struct move {
    int from, before, to, after;
} move;

static move move_of(int code) {
    return (move) {code & 1, code >> 1 & 1, code >> 2 & 1, code >> 3 & 1};
}

/* The largest δ over all moves of the record and placements of n other people. The record's group
 * has at least `least` members, including the record, before and after. */
static double worst_delta(size_t n, size_t least, direction along, int draws, double sigma,
                          double epsilon) {
    double worst = 0, p[SUMS], q[SUMS];
    for (size_t code = 0; code < 16 * (n + 1) * 4; code++) {
        move m = move_of((int)(code % 16));
        size_t in_first = code / 16 % (n + 1),
               all_high[2] = {code / 16 / (n + 1) % 2, code / 16 / (n + 1) / 2 % 2};
        pool d[2];
        for (int side = 0; side < 2; side++) {
            int group = side ? m.to : m.from;
            d[side] = (pool) {.size = {in_first, n - in_first}};
            for (int g = 0; g < 2; g++) {
                d[side].high[g] = all_high[g] ? d[side].size[g] : 0;
            }
            d[side].size[group]++;
            d[side].high[group] += (size_t)(side ? m.after : m.before);
        }
        int empty = d[0].size[0] * d[0].size[1] * d[1].size[0] * d[1].size[1] == 0;
        if (!empty && d[0].size[m.from] >= least && d[1].size[m.to] >= least) {
            law_of(&d[0], along, draws, p);
            law_of(&d[1], along, draws, q);
            worst = fmax(worst, hockey_stick(p, q, along.unit, sigma, epsilon));
        }
    }
    return worst;
}

/* The largest ratio of a pair's exact δ to the charged δ, for both ways to charge: `mixed` charges
 * sensitivity 4√2 and `matched` charges 4. The population of the proof is multiplied by `factor`.
 */
static void largest_parts(double factor, double *mixed, double *matched) {
    static const double sigmas[] = {1.5, 6}, epsilons[] = {0, 0.3, 1.5};
    *mixed = *matched = 0;
    for (int i = 0; i < 24; i++) {
        size_t n = i % 2 ? 11 : 6, least = i % 4 < 2 ? 2 : 3;
        int draws = i % 8 < 4 ? 2 : DRAWS_MAX;
        double sigma = sigmas[i / 12], epsilon = epsilons[i / 4 % 3];
        double n_min = (double)least, people = (double)(n + 1);
        double population = 2 / (1 / n_min + 1 / (people - n_min + 1));
        double delta = 0;
        for (int k = 0; k < 2; k++) {
            delta = fmax(delta, worst_delta(n, least, directions[k], draws, sigma, epsilon));
        }
        *mixed = fmax(*mixed, delta / charged(factor * population, 4 * sqrt(2) * (1 + 1e-15), draws,
                                              sigma, epsilon));
        *matched = fmax(*matched, delta / charged(factor * n_min, 4, draws, sigma, epsilon));
    }
}

TEST(no_pair_shows_more_than_either_way_to_charge) {
    double mixed, matched;
    largest_parts(1, &mixed, &matched);
    print_message("%.4f of what is charged at 4 sqrt 2, %.4f at 4\n", mixed, matched);
    assert_true(mixed <= 1 && matched <= 1);
}

/* With four times the population the claim would be that each person is drawn at rate 1/N, but a
 * person in a small group is drawn far more often. */
TEST(a_rate_of_draws_over_people_would_be_caught) {
    double mixed, matched;
    largest_parts(4, &mixed, &matched);
    print_message("with four times the population %.3f and %.3f\n", mixed, matched);
    assert_true(mixed > 1.2 && matched > 1.2);
}
