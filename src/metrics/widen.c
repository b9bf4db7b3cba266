#include "metrics/widen.h"

#include <math.h>

#include "metrics/rates.h"

enum {
    FEW = 20 /* a rate of fewer people than this varies too little between resamples */
};

static int is_few(const dp2dp_proportion *p) {
    return p->whole > 0 && p->whole < FEW;
}

/* Returns 1 if the rate is exactly 0 or 1, and therefore the same in all resamples. */
static int is_constant(const dp2dp_proportion *p) {
    return p->whole > 0 && (p->part == 0 || p->part == p->whole);
}

/* Returns 1 if a bootstrap does not show how uncertain the difference of two rates is. If only one
 * of two large groups has a constant rate, the resamples of the other group vary enough. */
static int is_unseen(const dp2dp_proportion *a, const dp2dp_proportion *b) {
    return is_few(a) || is_few(b) || (is_constant(a) && is_constant(b));
}

/* Over the groups visited so far: the smallest and the largest lower limit of a rate, and the
 * smallest and the largest upper limit. The limits are Clopper–Pearson limits. */
typedef struct extremes {
    double low_min, low_max, high_min, high_max;
} extremes;

static const extremes none = {
    .low_min = INFINITY, .low_max = -INFINITY, .high_min = INFINITY, .high_max = -INFINITY};

static void include(extremes *e, dp2dp_interval limits) {
    e->low_min = fmin(e->low_min, limits.low);
    e->low_max = fmax(e->low_max, limits.low);
    e->high_min = fmin(e->high_min, limits.high);
    e->high_max = fmax(e->high_max, limits.high);
}

/* Raises exact->high to the largest difference in statistic s that the exact limits allow, over the
 * pairs of groups for which is_unseen is 1. Raises exact->low to the largest difference that must
 * exist between two groups according to the exact limits, over all pairs. */
static void raise_limits(const dp2dp_unfairness *u, size_t s, size_t groups, double tail,
                         dp2dp_interval *exact) {
    extremes all = none, few = none,
             narrow = none; /* narrow: the groups with few people or a constant rate */
    for (size_t g = 0; g < groups; g++) {
        const dp2dp_proportion *p = &u->rates[g * u->statistic_count + s];
        if (p->whole == 0) {
            continue;
        }
        dp2dp_interval own = dp2dpi_interval((double)p->part, (double)(p->whole - p->part), tail);
        const extremes *others = is_few(p) ? &all : is_constant(p) ? &narrow : &few;
        exact->high =
            fmax(exact->high, fmax(own.high - others->low_min, others->high_max - own.low));
        exact->low = fmax(exact->low, fmax(own.low - all.high_min, all.low_max - own.high));
        include(&all, own);
        if (is_few(p)) {
            include(&few, own);
        }
        if (is_few(p) || is_constant(p)) {
            include(&narrow, own);
        }
    }
}

dp2dp_interval dp2dpi_widen(const dp2dp_unfairness *u, size_t groups, double confidence) {
    /* Which two groups differ most in the population does not depend on the sample. So an end of
     * the interval is wrong only if the limit of one of these two groups is wrong. Each end may be
     * wrong with probability (1 − confidence) / 2, and each limit gets half of this probability. */
    double tail = 0.25 * (1.0 - confidence);
    dp2dp_interval found = u->interval, exact = {0.0, 0.0};
    if (isnan(found.high)) {
        return found;
    }
    const dp2dp_proportion *high = &u->rates[u->group_high * u->statistic_count + u->statistic];
    const dp2dp_proportion *low = &u->rates[u->group_low * u->statistic_count + u->statistic];
    for (size_t s = 0; s < u->statistic_count; s++) {
        raise_limits(u, s, groups, tail, &exact);
    }
    found.high = fmax(found.high, exact.high);
    found.low = is_unseen(high, low) ? fmin(found.low, exact.low) : found.low;
    return found;
}
