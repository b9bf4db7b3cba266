#include "pool/group_signal.h"

#include <math.h>

enum {
    FEW = 100,     /* with fewer records, nothing is judged */
    GROUPS = 64,   /* with more groups, nothing is judged */
    MOST = 100000, /* at most about this many records are used */
    CHANCE = 2, /* weights may exceed random order by fewer standard errors than this by chance */
    CLEAR = 10, /* weights that exceed it by this many standard errors clearly predict groups */
    WORSE = -5  /* below this many standard errors, weights predict worse than chance */
};

static const double much = 0.1; /* a difference of means and shares that is worth a warning */

typedef struct sums {
    size_t groups, step;
    double records, of_group[GROUPS], mean[GROUPS];
    double own;      /* sum over the records: the weight of the record's group minus the mean weight
                        of that group */
    double variance; /* about records × the variance of `own` if the weights are in random order */
    double expected; /* what `own` is on average if the weights are the true probabilities */
} sums;

/* Writes the weight of each group for record i of a bin, divided by their sum. */
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

/* Needs the means of all weights. */
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

/* Sets the number of records and the mean weight of each group. Returns 0 if the pool is not
 * judged.
 */
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

/* Compares `own` with what it would be if the weights were handed out to the records in random
 * order: 0 on average, with a standard error that follows from `variance`. There are two signs of
 * wrong weights. First, `own` is below 0 by more than 5 standard errors. Second, `own` is less than
 * CHANCE standard errors, although it would be CLEAR or more if the weights were the true
 * probabilities of the groups. True probabilities give the second sign by chance in fewer than 1 of
 * 10^15 pools. Weights that differ little between records never give it, however poor they are. */
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

/* The mean of n probabilities of a group and the share of the group differ by sampling error alone,
 * whose standard deviation is at most 0.5 / sqrt(n). */
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
