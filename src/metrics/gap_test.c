#include "metrics/gap_test.h"

#include <math.h>

#include "metrics/clopper_pearson.h"
#include "num/beta.h"

enum {
    TRIED = 24 /* number of true rates of the second group that are tried */
};

static const double slack = 1e-9; /* for rounding errors in counts computed from rates */

/* Returns the probability of `count` or more successes in n trials. */
static double at_least(double count, double n, double rate) {
    if (count <= 0) {
        return 1;
    }
    return count > n ? 0 : dp2dpi_beta_lower(count, n - count + 1, rate);
}

/* Returns the probability of exactly `count` successes. */
static double exactly(double count, double n, double rate) {
    return fmax(0, at_least(count, n, rate) - at_least(count + 1, n, rate));
}

/* Returns the probability that the first rate exceeds the second by as much as in the counts, if
 * the true rates are `high` and `low`. Sums over how many people of the smaller group get the
 * class. */
static double probability(const dp2dpi_gap_counts *c, double high, double low) {
    double gap = c->high / c->high_people - c->low / c->low_people, sum = 0;
    if (c->low_people <= c->high_people) {
        for (double k = 0; k <= c->low_people; k++) {
            double need = ceil(c->high_people * (k / c->low_people + gap) - slack);
            sum += exactly(k, c->low_people, low) * at_least(need, c->high_people, high);
        }
        return sum;
    }
    for (double k = 0; k <= c->high_people; k++) {
        double most = floor(c->low_people * (k / c->high_people - gap) + slack);
        double others = 1 - at_least(most + 1, c->low_people, low);
        sum += exactly(k, c->high_people, high) * fmax(0, others);
    }
    return sum;
}

double dp2dpi_gap_p_value(const dp2dpi_gap_counts *counts, double allowed, double tail) {
    double failures = counts->low_people - counts->low, largest = 0;
    double first = dp2dpi_interval_low(counts->low, failures, tail);
    double last = dp2dpi_interval_high(counts->low, failures, tail);
    for (int i = 0; i < TRIED; i++) {
        double rate = first + (last - first) * i / (TRIED - 1);
        largest = fmax(largest, probability(counts, fmin(1, rate + allowed), rate));
    }
    return fmin(1, largest + 2 * tail);
}
