#include "metrics/warn.h"

#include <math.h>

/* Returns the number of people whose label is class k, and sets *right to how many of them get
 * class k. */
static int64_t count_label(const dp2dp_evaluation *e, size_t k, int64_t *right) {
    int64_t people = 0;
    *right = 0;
    for (size_t g = 0; g < e->strata; g++) {
        const dp2dp_proportion *recall = &e->class_rates[g * e->classes + k].true_positive;
        people += recall->whole;
        *right += recall->part;
    }
    return people;
}

static unsigned warn_of_empty_class(const dp2dp_evaluation *e) {
    int64_t right;
    for (size_t k = 0; k < e->classes; k++) {
        if (count_label(e, k, &right) == 0) {
            return DP2DP_WARNING_EMPTY_CLASS;
        }
    }
    return 0;
}

/* Returns 1 if neither the mean recall nor the accuracy of the decisions is better than a guess by
 * more than two standard errors. The mean recall is taken over the classes that occur as labels.
 * For accuracy, the guess gives everybody the most frequent label. Accuracy is needed because a
 * classifier that rarely gives a rare class has a low mean recall, even if it gives the class to
 * the right people. */
static int is_guess(const dp2dp_evaluation *e) {
    int64_t right, most = 0;
    double occurring = 0, variance = 0;
    for (size_t k = 0; k < e->classes; k++) {
        int64_t people = count_label(e, k, &right);
        if (people > 0) {
            double recall = (double)right / (double)people;
            variance += recall * (1 - recall) / (double)people;
            occurring++;
        }
        most = people > most ? people : most;
    }
    double records = (double)e->records, right_error = sqrt(records * e->accuracy * e->error);
    return occurring > 1 && e->accuracy * records <= (double)most + 2 * right_error &&
           e->balanced_accuracy <= (1 + 2 * sqrt(variance)) / occurring;
}

/* Returns the number of people with label `label` who get class `k`. */
static double count_pairs(const dp2dp_evaluation *e, size_t label, size_t k) {
    int64_t people = 0;
    for (size_t g = 0; g < e->strata; g++) {
        people += e->label_counts[(g * e->classes + label) * e->classes + k];
    }
    return (double)people;
}

/* Returns 1 if the decisions seem to exchange the classes i and j. Counts only people whose label
 * is i or j and who get i or j. The result is 1 if two conditions both hold by more than five
 * standard errors: more of these decisions are wrong than right, and label and class are negatively
 * correlated. The first condition alone is not enough: a classifier trained with weights for a rare
 * class may be wrong more often than right. With calibrated probabilities, a pair of classes gives
 * a false alarm with probability below 3e-7. */
static int is_pair_swapped(const dp2dp_evaluation *e, size_t i, size_t j) {
    const double five_squared = 25;
    double ii = count_pairs(e, i, i), ij = count_pairs(e, i, j);
    double ji = count_pairs(e, j, i), jj = count_pairs(e, j, j);
    double people = ii + ij + ji + jj, more = ij + ji - ii - jj, against = ij * ji - ii * jj;
    double margins = (ii + ij) * (ji + jj) * (ii + ji) * (ij + jj);
    return more > 0 && more * more > five_squared * people && against > 0 &&
           against * against * people > five_squared * margins;
}

static int is_swapped(const dp2dp_evaluation *e) {
    for (size_t i = 0; e->label_counts && i < e->classes; i++) {
        for (size_t j = 0; j < i; j++) {
            if (is_pair_swapped(e, i, j)) {
                return 1;
            }
        }
    }
    return 0;
}

static unsigned warn_of_one_class(const dp2dp_evaluation *e) {
    int64_t most = 0;
    for (size_t k = 0; k < e->classes; k++) {
        int64_t people = 0;
        for (size_t g = 0; g < e->strata; g++) {
            people += e->counts[g * e->classes + k];
        }
        most = people > most ? people : most;
    }
    return dp2dp_warn_of_classes(e->records, (uint64_t)most);
}

unsigned dp2dpi_warn_of_evaluation(const dp2dp_evaluation *e) {
    unsigned found = warn_of_one_class(e);
    if (!e->has_labels) {
        return found;
    }
    uint64_t right = (uint64_t)llround(e->accuracy * (double)e->records);
    found |= warn_of_empty_class(e);
    found |= dp2dp_warn_of_labels(e->records, right, e->classes);
    if (found & (DP2DP_WARNING_ONE_CLASS | DP2DP_WARNING_WORSE_THAN_GUESSING)) {
        return found;
    }
    return found | (is_swapped(e) ? (unsigned)DP2DP_WARNING_WORSE_THAN_GUESSING
                    : e->records >= DP2DP_PEOPLE_FEW && is_guess(e)
                        ? (unsigned)DP2DP_WARNING_NO_BETTER_THAN_GUESSING
                        : 0U);
}
