/* Notices that groups get a class at clearly different rates, although the rule makes these rates
 * equal. The people, the groups or the scores are then probably not what the rule was fitted for.
 */
#include <dp2dp/metrics.h>

#include <math.h>

#include <dp2dp/fit.h>

/* A gap is the difference of a class's rate between two groups. The aim is the gap that the rule
 * allows. */
enum {
    SURE = 4 /* if one gap is tested, it is reported if it exceeds the aim by this many standard
                errors */
};

static const double much = 0.05; /* a gap that exceeds the aim by less than this is not reported */

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
    group_counts out = {.learned = info->shares[g] * (double)info->records,
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

/* Returns how many pairs of a class and two large groups are compared. */
static double count_pairs(const dp2dp_model_info *info, const double *table, double sigma) {
    double large = 0;
    for (size_t g = 0; g < info->groups; g++) {
        const group_counts one = group_of(info, table, sigma, g);
        large += is_large(&one);
    }
    return large * (large - 1) / 2 * (double)info->classes;
}

/* Computes by how much the gap of class k exceeds the limit for gaps: the aim, plus the larger of
 * `much` and what chance may add. If the result is more than *excess, sets *excess and returns 1.
 * */
static int compare(const dp2dp_model_info *info, const group_counts *high, const group_counts *low,
                   double errors, size_t k, double *excess) {
    double aimed = fmax(info->options->rho, isnan(info->tolerance) ? 0 : info->tolerance);
    double chance = errors * sqrt(variance_of(high, k) + variance_of(low, k));
    double over = rate_of(high, k) - rate_of(low, k) - aimed - fmax(much, chance);
    if (over <= *excess) {
        return 0;
    }
    *excess = over;
    return 1;
}

/* With P pairs, a gap must exceed the aim by sqrt(16 + 2 ln P) standard errors. If the people are
 * drawn at random from the population of the fit, at most 1 table in 1000 gets the warning. */
unsigned dp2dp_warn_of_rates(const dp2dp_model_info *info, const double *table, double sigma,
                             dp2dp_rate_gap *gap) {
    double excess = 0, pairs;
    unsigned found = 0;
    if (info->criterion != DP2DP_DEMOGRAPHIC_PARITY || info->labels != 1 || info->strata < 2 ||
        may_differ(info) || (pairs = count_pairs(info, table, sigma)) < 1) {
        return 0;
    }
    double errors = sqrt(SURE * SURE + 2 * log(pairs));
    for (size_t g = 0; g < info->groups; g++) {
        const group_counts high = group_of(info, table, sigma, g);
        for (size_t h = 0; h < info->groups && is_large(&high); h++) {
            const group_counts low = group_of(info, table, sigma, h);
            for (size_t k = 0; k < info->classes && is_large(&low); k++) {
                if (compare(info, &high, &low, errors, k, &excess)) {
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
