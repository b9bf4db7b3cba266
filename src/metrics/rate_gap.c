/* Notices that groups get a class at clearly different rates, although the rule makes these rates
 * equal. The people, the groups or the scores are then probably not what the rule was fitted for.
 */
#include <dp2dp/metrics.h>

#include <math.h>

#include <dp2dp/fit.h>

#include "metrics/gap_test.h"

/* A gap is the difference of a class's rate between two groups. The aim is the gap that the rule
 * allows. */
enum {
    SURE = 4,   /* if only one gap is tested, it is reported if it exceeds the aim by this many
                   standard errors */
    FEWEST = 20 /* smallest number of people in a small group that is tested; such a group is tested
                   exactly, and only if the counts have no noise */
};

static const double much = 0.05; /* a gap that exceeds the aim by less than this is not reported */
static const double alarms = 0.0009; /* probability that the tests of small groups give a false
                                        alarm; for the tests of large groups, SURE keeps the
                                        probability below 0.0001 */

/* The noisy counts of a group, and the numbers from which the variance of its rates is computed. */
typedef struct group_counts {
    double people, learned, sigma, each; /* people: the sum of the counts; learned: people of the
                                            group in the fit; sigma: noise of each count; each:
                                            largest number of rows of one person */
    size_t classes;
    const double *counts; /* noisy number of people who get each class */
} group_counts;

/* Returns 1 if the rates may differ without a mistake of the caller. There are two reasons: a
 * solver that descends by gradients often stops before the rates are equal, and a model may already
 * have a warning about its rates. */
static int may_differ(const dp2dp_model_info *info) {
    const unsigned told =
        (unsigned)DP2DP_WARNING_CONSTANT_RULE | (unsigned)DP2DP_WARNING_GROUP_TOO_SMALL |
        (unsigned)DP2DP_WARNING_OUT_OF_REACH | (unsigned)DP2DP_WARNING_RATES_NOISY;
    int descends = info->solver != DP2DP_SOLVER_COUNTS && info->solver != DP2DP_SOLVER_EXACT;
    return descends || (info->warnings & told) != 0;
}

static group_counts group_of(const dp2dp_model_info *info, const double *table, double sigma,
                             size_t g) {
    uint64_t records = info->kept > 0 ? info->kept : info->records;
    group_counts out = {.learned = info->shares[g] * (double)records,
                        .sigma = sigma,
                        .each = (double)info->options->rows_per_person,
                        .classes = info->classes,
                        .counts = table + g * info->classes};
    for (size_t k = 0; k < info->classes; k++) {
        out.people += out.counts[k];
    }
    return out;
}

static int is_large(const group_counts *g) {
    double noise = SURE * g->sigma * sqrt((double)g->classes);
    return g->people >= DP2DP_PEOPLE_FEW + noise && g->learned >= DP2DP_PEOPLE_FEW;
}

/* Returns 1 if a group is large, or if its rates can be tested exactly. */
static int is_comparable(const group_counts *g) {
    int is_exact = g->sigma <= 0 && g->each <= 1;
    return is_large(g) || (is_exact && g->people >= FEWEST && g->learned >= DP2DP_PEOPLE_FEW);
}

static double rate_of(const group_counts *g, size_t k) {
    return fmin(1, fmax(0, g->counts[k] / g->people));
}

/* Returns the variance of the rate of class k. Its sources are the sampling of the counted people,
 * the sampling of the people of the fit, and the noise on the counts. */
static double variance_of(const group_counts *g, size_t k) {
    double rate = rate_of(g, k);
    double sampled = rate * (1 - rate) * (1 / g->people + 1 / g->learned) * g->each;
    double noise = g->sigma / g->people, others = (double)(g->classes - 1);
    return sampled + noise * noise * ((1 - rate) * (1 - rate) + others * rate * rate);
}

/* Returns how many pairs of a class and two comparable groups there are. */
static double count_pairs(const dp2dp_model_info *info, const double *table, double sigma) {
    double known = 0;
    for (size_t g = 0; g < info->groups; g++) {
        const group_counts one = group_of(info, table, sigma, g);
        known += is_comparable(&one);
    }
    return known * (known - 1) / 2 * (double)info->classes;
}

static double aim_of(const dp2dp_model_info *info) {
    return fmax(info->options->rho, isnan(info->tolerance) ? 0 : info->tolerance);
}

/* Computes by how much the gap of class k between two large groups exceeds the limit for gaps: the
 * aim, plus the larger of `much` and what chance may add. If the result is more than *excess, sets
 * *excess and returns 1. */
static int compare(const dp2dp_model_info *info, const group_counts *high, const group_counts *low,
                   double errors, size_t k, double *excess) {
    double chance = errors * sqrt(variance_of(high, k) + variance_of(low, k));
    double over = rate_of(high, k) - rate_of(low, k) - aim_of(info) - fmax(much, chance);
    if (over <= *excess) {
        return 0;
    }
    *excess = over;
    return 1;
}

/* Returns the number of people, rounded down, whose rate would have as much sampling variance as
 * the difference between the group's rate and its rate in the fit: the variances of both add up. */
static double people_of_both(const group_counts *g) {
    return floor(g->people * g->learned / (g->people + g->learned));
}

/* Tests the gap of class k if at least one of the groups is small. If the gap is larger than
 * *largest, and chance gives such a gap with a probability of at most `each`, sets *largest to the
 * gap and returns 1. */
static int is_no_chance(const dp2dp_model_info *info, const group_counts *high,
                        const group_counts *low, double each, size_t k, double *largest) {
    double gap = rate_of(high, k) - rate_of(low, k), over = gap - aim_of(info);
    double errors = sqrt(variance_of(high, k) + variance_of(low, k));
    if (gap <= *largest || over <= much || over < 2 * errors) { /* the last test only saves time */
        return 0;
    }
    double m = people_of_both(high), n = people_of_both(low);
    const dp2dpi_gap_counts counts = {floor(rate_of(high, k) * m), m, ceil(rate_of(low, k) * n), n};
    if (dp2dpi_gap_p_value(&counts, aim_of(info), each / 20) > each) {
        return 0;
    }
    *largest = gap;
    return 1;
}

/* Looks for a gap between two groups, class by class. If `small` is 1, compares only pairs with a
 * small group, by exact tests; `limit` is the probability of a false alarm of each test. If `small`
 * is 0, compares only pairs of large groups; `limit` is a number of standard errors. */
static unsigned find_gap(const dp2dp_model_info *info, const double *table, double sigma, int small,
                         double limit, dp2dp_rate_gap *gap) {
    double most = 0;
    unsigned found = 0;
    for (size_t g = 0; g < info->groups; g++) {
        const group_counts high = group_of(info, table, sigma, g);
        for (size_t h = 0; h < info->groups && is_comparable(&high); h++) {
            const group_counts low = group_of(info, table, sigma, h);
            int of_small = !is_large(&high) || !is_large(&low);
            for (size_t k = 0; k < info->classes && is_comparable(&low) && of_small == small; k++) {
                if (small ? is_no_chance(info, &high, &low, limit, k, &most)
                          : compare(info, &high, &low, limit, k, &most)) {
                    found = DP2DP_WARNING_RATES_DIFFER;
                    if (gap) {
                        *gap = (dp2dp_rate_gap) {k, g, h, rate_of(&high, k), rate_of(&low, k)};
                    }
                }
            }
        }
    }
    return found;
}

/* With more pairs than this, nothing is tested exactly: one test takes up to about 20 µs. */
static const double pairs_max = 1000;

/* With P pairs, a gap between large groups must exceed the aim by sqrt(16 + 2 ln P) standard
 * errors. A gap of a small group is tested exactly, in both directions. With two classes, the tests
 * of the second class repeat those of the first, because the two rates add up to 1. If the people
 * are drawn at random from the population of the fit, at most 1 table in 1000 gets the warning. */
unsigned dp2dp_warn_of_rates(const dp2dp_model_info *info, const double *table, double sigma,
                             dp2dp_rate_gap *gap) {
    double pairs;
    if (info->criterion != DP2DP_DEMOGRAPHIC_PARITY || info->labels != 1 || info->strata < 2 ||
        may_differ(info) || (pairs = count_pairs(info, table, sigma)) < 1) {
        return 0;
    }
    double errors = sqrt(SURE * SURE + 2 * log(pairs)), tests = info->classes == 2 ? 1 : 2;
    unsigned found = find_gap(info, table, sigma, 0, errors, gap);
    return found || pairs > pairs_max
               ? found
               : find_gap(info, table, sigma, 1, alarms / (pairs * tests), gap);
}
