/* The worst pair of pools for solver sgd, and its attacker.
 *
 * One person with score 1 for class 0 is in the first group or in the second; everybody else has
 * score 1 for class 2. So only this person enters cell 0 of a released sum, with −C or +C (the clip
 * bound) if sampled, and both group counts move by one. The attacker (attack.h) computes the
 * likelihood ratio of everything released. */
#ifndef DP2DP_TESTS_PRIVACY_SGD_PAIR_H
#define DP2DP_TESTS_PRIVACY_SGD_PAIR_H

#include "phase2/sgd_release.h"

#include "privacy/attack.h"
#include "unit/phase2/data.h"

enum {
    STEPS = 4,
    RECORDS = 20,
    BATCH = 8,
    CLASSES = 3
};
static const double shares[2] = {0.5, 0.5};

static dp2dp_pool *pools[2];

FIXTURE(begin_pools) {
    for (int i = 0; i < 2; i++) {
        OWNED(people) p = people_new(RECORDS, CLASSES, 2);
        for (size_t row = 0; row < p.n; row++) {
            p.group[row] = row ? (int32_t)(row % 2) : i;
            p.scores[CLASSES * row + (row ? 2 : 0)] = 1;
        }
        pools[i] = pool_of(&p);
    }
    return 0;
}

FIXTURE(end_pools) {
    dp2dp_pool_free(pools[0]);
    dp2dp_pool_free(pools[1]);
    return 0;
}

/* The planted fault: factors on the noise, the sampling rate and the person's gradient. */
typedef struct fault {
    double noise, rate, norm;
} fault;

/* The claim is what one fit charges to `ledger`. All runs draw their noise from charges to
 * `scratch` that are equal, or differ by the planted fault. */
struct setting {
    dp2dpi_sgd_releases releases;
    dp2dp_ledger *ledger, *scratch;
    dp2dp_event claim[2];
    double norm;
};

static inline setting open_fit(double epsilon, uint64_t seed, double share_budget, fault wrong) {
    setting s = {.ledger = new_ledger(), .scratch = new_ledger(), .norm = wrong.norm};
    dp2dp_fit_options options = seeded(epsilon, seed);
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

static inline void setting_free(setting *s) {
    dp2dpi_sgd_releases_free(&s->releases);
    dp2dp_ledger_free(s->ledger);
    dp2dp_ledger_free(s->scratch);
}

/* Cell 0 of one release in units of C, with the person's gradient multiplied by s->norm. */
static inline double seen(setting *s, const double *nu, double *out) {
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
static inline double ratio_of(setting *s, int which) {
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

#endif
