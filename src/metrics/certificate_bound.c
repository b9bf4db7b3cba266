#include "metrics/certificate_bound.h"

#include <math.h>

#include "metrics/clopper_pearson.h"
#include "num/normal.h"

enum {
    ROUNDS = 20,
    SETTLED = 10 /* after this many rounds, an iteration either has converged or never will */
};

static double clip01(double x) {
    return x < 0.0 ? 0.0 : x > 1.0 ? 1.0 : x;
}

static double max_of(double a, double b) {
    return a > b ? a : b;
}

int dp2dpi_bound_too_small(const dp2dpi_noisy_rates *t) {
    for (size_t s = 0; s < t->count; s++) {
        double people_min = 4.0 * sqrt((double)t->classes * (double)t->sizes[s]) * t->sigma;
        for (size_t g = 0; g < t->groups; g++) {
            if (!(t->people[g * t->count + s] > people_min)) {
                return 1;
            }
        }
    }
    return 0;
}

/* What the normal bound needs to know about one rate (statistic) in one group. The rate is the
 * share of people who get a class, among the people whose label is in the set of the statistic. K
 * is the number of classes. */
typedef struct side {
    double total;    /* noisy number of rows of the group whose label is in the statistic's set */
    double rate;     /* noisy number of these rows that get the class, divided by `total` */
    double variance; /* variance of the noise on the number of rows that get the class: σ² for each
                        label in the set */
    double others;   /* K − 1, the number of other classes */
    double rows;     /* the largest number of rows of one person */
} side;

/* Returns the variance of the noisy rate, from sampling and noise, if the true rate is r. Assumes
 * the worst case, in which all rows of a person are equal. The sampling variance is then `rows`
 * times the variance for independent rows. */
static double variance_at(const side *s, double r) {
    return (s->rows * s->total * r * (1.0 - r) +
            s->variance * ((1.0 - r) * (1.0 - r) + s->others * r * r)) /
           (s->total * s->total);
}

/* Returns an upper bound on variance_at for all rates r from 0 to 1. Uses that r(1 − r) ≤ 1/4, and
 * that the noise term is convex in r, so that its maximum is at r = 0 or r = 1. */
static double variance_max(const side *s) {
    return (0.25 * s->rows * s->total + s->variance * max_of(1.0, s->others)) /
           (s->total * s->total);
}

/* Let a and b be the true rates of groups g and h. Returns the largest difference a − b that is
 * still plausible: at most z standard deviations above the observed difference. Finds a and b by
 * iteration, because the standard deviation depends on a and b. Near 0 and 1 the variance falls so
 * fast that the iteration may alternate between two values for ever. So the result uses the largest
 * standard deviation of the last rounds. */
static double difference_upper(const side *g, const side *h, double z) {
    double a = clip01(g->rate), b = clip01(h->rate), widest = 0.0;
    for (int i = 0; i < ROUNDS; i++) {
        double va = variance_at(g, a), vb = variance_at(h, b), spread = sqrt(va + vb);
        widest = i < SETTLED ? spread : max_of(widest, spread);
        a = clip01(g->rate + z * va / spread);
        b = clip01(h->rate - z * vb / spread);
    }
    return g->rate - h->rate + z * widest + g->rows / g->total + h->rows / h->total;
}

static side side_of(const dp2dpi_noisy_rates *t, size_t g, size_t s) {
    double total = t->people[g * t->count + s];
    return (side) {.total = total,
                   .rate = t->given[g * t->count + s] / total,
                   .variance = t->sigma * t->sigma * (double)t->sizes[s],
                   .others = (double)t->classes - 1.0,
                   .rows = t->rows};
}

static double pair_upper(const dp2dpi_noisy_rates *t, size_t g, size_t h, double z, double found) {
    for (size_t s = 0; s < t->count; s++) {
        side a = side_of(t, g, s), b = side_of(t, h, s);
        double margin_max =
            z * sqrt(variance_max(&a) + variance_max(&b)) + t->rows / a.total + t->rows / b.total;
        /* a.rate - b.rate + margin_max is an upper bound on difference_upper that takes less time
         * to compute. If it is at most `found`, difference_upper cannot raise `found`. */
        if (a.rate - b.rate + margin_max > found) {
            found = max_of(found, difference_upper(&a, &b, z));
        }
    }
    return found;
}

double dp2dpi_bound_normal(const dp2dpi_noisy_rates *t, double miss) {
    double z = dp2dpi_normal_upper_quantile(miss), found = 0.0;
    if (dp2dpi_bound_too_small(t)) {
        return 1.0;
    }
    for (size_t g = 0; g < t->groups; g++) {
        for (size_t h = 0; h < t->groups && found < 1.0; h++) {
            if (g != h) {
                found = pair_upper(t, g, h, z, found);
            }
        }
    }
    return found < 1.0 ? found : 1.0;
}

/* The bound for one statistic and two groups is wrong only if one of six events happens. Each group
 * has three of these events: a Clopper–Pearson limit is wrong, the noise of the class's cells
 * exceeds cell_noise_max, or the noise of the other cells together exceeds others_noise_max. Each
 * limit gets 0.4 of the allowed probability `miss`, and each noise 0.05: 2 · 0.4 + 4 · 0.05 = 1. */
static const double share_of_limit = 0.4, share_of_noise = 0.05;

typedef struct strict_split {
    double limit;            /* probability that one Clopper–Pearson limit is wrong */
    double cell_noise_max;   /* bound on the noise of the sum of the class's cells */
    double others_noise_max; /* bound on the noise of the sum of the other classes' cells */
} strict_split;

static strict_split split(const dp2dpi_noisy_rates *t, size_t s, double miss) {
    double z = dp2dpi_normal_upper_quantile(share_of_noise * miss);
    double cells = (double)t->sizes[s], others = ((double)t->classes - 1.0) * cells;
    return (strict_split) {
        .limit = share_of_limit * miss,
        .cell_noise_max = t->sigma * (z * sqrt(cells) + 4.0 * 0x1p-30 * cells),
        .others_noise_max = t->sigma * (z * sqrt(others) + 4.0 * 0x1p-30 * others),
    };
}

/* Returns a margin that is larger than the rounding errors of a sum of cells. count_min and
 * count_max use this margin to round to a whole number on the safe side. */
static double margin(double x) {
    return 1e-9 + 0x1p-40 * fabs(x);
}

static double count_min(double x) {
    return max_of(0.0, ceil(x - margin(x)));
}

static double count_max(double x) {
    return max_of(0.0, floor(x + margin(x)));
}

static double rate_upper(const strict_split *s, double cell, double others) {
    return dp2dpi_interval_high(count_max(cell + s->cell_noise_max),
                                count_min(others - s->others_noise_max), s->limit);
}

static double rate_lower(const strict_split *s, double cell, double others) {
    return dp2dpi_interval_low(count_min(cell - s->cell_noise_max),
                               count_max(others + s->others_noise_max), s->limit);
}

double dp2dpi_bound_strict(const dp2dpi_noisy_rates *t, double miss) {
    double found = t->rows > 1.0 ? 1.0 : 0.0;
    for (size_t s = 0; s < t->count && found < 1.0; s++) {
        strict_split parts = split(t, s, miss);
        double upper_max = -1.0, lower_min = 2.0; /* extremes over the groups so far */
        for (size_t g = 0; g < t->groups; g++) {
            double cell = t->given[g * t->count + s];
            double others = t->people[g * t->count + s] - cell;
            double upper = rate_upper(&parts, cell, others);
            double lower = rate_lower(&parts, cell, others);
            found = max_of(found, max_of(upper - lower_min, upper_max - lower));
            upper_max = max_of(upper_max, upper);
            lower_min = lower < lower_min ? lower : lower_min;
        }
    }
    found += 1e-9; /* more than the rounding errors of the limits */
    return found < 1.0 ? found : 1.0;
}
