#include "pool/group_signal.h"

#include <math.h>

enum {
    FEW = 100,     /* with fewer records than this, the weights are not judged */
    GROUPS = 64,   /* with more groups than this, the weights are not judged */
    MOST = 100000, /* largest number of records that are used, approximately */
    CHANCE = 2,    /* below this many standard errors, `own` (see below) may be due to chance */
    CLEAR = 10,    /* if `expected` (see below) is at least this many standard errors, good weights
                      would hardly look random */
    WORSE = -5     /* the weights are wrong if `own` is below this many standard errors */
};

static const double much = 0.1; /* the mean weight of a group should be its share; a difference
                                   above this number is worth a warning */

typedef struct sums {
    size_t groups, step;
    double records, of_group[GROUPS], mean[GROUPS];
    double own;      /* sum over the records: the weight of the record's group minus the mean weight
                        of that group */
    double variance; /* about the number of records times the variance that `own` has if the weights
                        are in random order */
    double expected; /* average of `own` if the weights are true probabilities */
} sums;

/* Writes the weights of the groups for record i of a bin, scaled so that these weights sum to 1. */
static void read_weights(const dp2dp_pool *pool, size_t bin, size_t i, size_t groups, double *out) {
    size_t size = pool->begin[bin + 1] - pool->begin[bin], each = pool->parts / groups;
    const float *weights = pool->weights + pool->begin[bin] * pool->parts + i;
    double sum = 0;
    for (size_t g = 0; g < groups; g++) {
        out[g] = 0;
        for (size_t y = 0; y < each; y++) {
            out[g] += (double)weights[(g * each + y) * size];
        }
        sum += out[g];
    }
    for (size_t g = 0; g < groups; g++) {
        out[g] /= fmax(sum, 1e-12);
    }
}

static void add_to_means(sums *s, size_t group, const double *weights) {
    s->records++;
    s->of_group[group]++;
    for (size_t g = 0; g < s->groups; g++) {
        s->mean[g] += weights[g];
    }
}

/* Adds one record to `own`, `variance` and `expected`. Must run after s->mean holds the mean weight
 * of each group. */
static void add_to_signal(sums *s, size_t group, const double *weights) {
    double middle = 0;
    for (size_t g = 0; g < s->groups; g++) {
        middle += s->of_group[g] / s->records * (weights[g] - s->mean[g]);
    }
    for (size_t g = 0; g < s->groups; g++) {
        double centred = weights[g] - s->mean[g];
        s->variance += s->of_group[g] * (centred - middle) * (centred - middle);
        s->expected += centred * centred;
    }
    s->own += weights[group] - s->mean[group];
}

static void add_all(const dp2dp_pool *pool, void (*add)(sums *, size_t, const double *), sums *s) {
    double weights[GROUPS];
    for (size_t bin = 0; bin < pool->bins; bin++) {
        for (size_t i = 0; i < pool->begin[bin + 1] - pool->begin[bin]; i += s->step) {
            read_weights(pool, bin, i, s->groups, weights);
            add(s, bin / pool->labels, weights);
        }
    }
}

/* Computes the size and the mean weight of each group, and returns 1. Returns 0 if the weights of
 * this pool are not judged. */
static int find_means(const dp2dp_pool *pool, sums *s) {
    *s = (sums) {.groups = pool->strata / pool->labels, .step = 1 + pool->kept / MOST};
    if (pool->rule != DP2DP_RULE_WEIGHTED || pool->counted != DP2DP_COUNTED_LABELS ||
        pool->multiplicity || pool->kept < FEW || s->groups > GROUPS) {
        return 0;
    }
    add_all(pool, add_to_means, s);
    for (size_t g = 0; g < s->groups; g++) {
        s->mean[g] /= s->records;
    }
    return 1;
}

/* If the weights were assigned to the records in random order, `own` would be 0 on average, with a
 * standard error that follows from `variance`. If the weights are the true probabilities of the
 * groups, `own` is `expected` on average.
 *
 * The weights are wrong in two cases. First, `own` is more than 5 standard errors below 0. Second,
 * `own` is below CHANCE standard errors although `expected` is at least CLEAR standard errors. With
 * true probabilities, the second case happens in fewer than 1 of 10^15 pools. */
int dp2dpi_pool_has_wrong_weights(const dp2dp_pool *pool) {
    sums s;
    if (!find_means(pool, &s)) {
        return 0;
    }
    add_all(pool, add_to_signal, &s);
    double error = sqrt(s.variance / (s.records - 1));
    if (error < 1e-6) {
        return 0;
    }
    return s.own < WORSE * error || (s.own < CHANCE * error && s.expected >= CLEAR * error);
}

/* If the weights are the true probabilities of the groups, the mean weight of a group differs from
 * the share of the group only by sampling error. For n records, the standard deviation of this
 * error is at most 0.5/√n. */
int dp2dpi_pool_has_uncalibrated_weights(const dp2dp_pool *pool) {
    sums s;
    if (!find_means(pool, &s)) {
        return 0;
    }
    double least = fmax(much, 5 * 0.5 / sqrt(s.records));
    for (size_t g = 0; g < s.groups; g++) {
        if (fabs(s.mean[g] - s.of_group[g] / s.records) > least) {
            return 1;
        }
    }
    return 0;
}
