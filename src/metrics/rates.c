#include "metrics/rates.h"

#include <math.h>

#include "metrics/clopper_pearson.h"

dp2dp_interval dp2dpi_interval(double successes, double failures, double tail) {
    return (dp2dp_interval) {dp2dpi_interval_low(successes, failures, tail),
                             dp2dpi_interval_high(successes, failures, tail)};
}

dp2dp_proportion dp2dpi_proportion(int64_t part, int64_t whole, double tail) {
    return (dp2dp_proportion) {.part = part,
                               .whole = whole,
                               .rate = whole > 0 ? (double)part / (double)whole : NAN,
                               .interval =
                                   dp2dpi_interval((double)part, (double)(whole - part), tail)};
}

void dp2dpi_class_rates(const dp2dpi_tables *t, double tail, dp2dp_class_rates *out,
                        dp2dp_proportion *errors) {
    for (size_t g = 0; g < t->groups; g++) {
        int64_t people = 0, correct = 0; /* `people` is 0 if the records have no labels */
        for (size_t k = 0; k < t->classes; k++) {
            people += t->labelled[g * t->classes + k];
            correct += t->correct[g * t->classes + k];
        }
        errors[g] = dp2dpi_proportion(people - correct, people, tail);
        for (size_t k = 0; k < t->classes; k++) {
            size_t at = g * t->classes + k;
            int64_t given = t->counts[at], right = t->correct[at], labelled = t->labelled[at];
            int64_t judged = people > 0 ? given : 0;
            out[at] = (dp2dp_class_rates) {
                .selection = dp2dpi_proportion(given, t->totals[g], tail),
                .true_positive = dp2dpi_proportion(right, labelled, tail),
                .false_positive = dp2dpi_proportion(judged - right, people - labelled, tail),
                .precision = dp2dpi_proportion(right, judged, tail)};
        }
    }
}

static double impact_of(const dp2dpi_tables *t, const dp2dp_class_rates *rates, size_t k) {
    double low = INFINITY, high = 0.0;
    size_t groups = 0;
    for (size_t g = 0; g < t->groups; g++) {
        double rate = rates[g * t->classes + k].selection.rate;
        if (t->totals[g] > 0) {
            low = rate < low ? rate : low;
            high = rate > high ? rate : high;
            groups++;
        }
    }
    return groups >= 2 && high > 0.0 ? low / high : NAN;
}

double dp2dpi_disparate_impacts(const dp2dpi_tables *t, const dp2dp_class_rates *rates,
                                int32_t positive, double *out) {
    double smallest = NAN;
    for (size_t k = 0; k < t->classes; k++) {
        out[k] = impact_of(t, rates, k);
        smallest = fmin(smallest, out[k]);
    }
    if (positive >= 0) {
        return out[positive];
    }
    return t->classes == 2 ? out[1] : smallest;
}
