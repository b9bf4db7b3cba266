#include "attacked/attacked.h"

typedef struct sample {
    size_t n;
    double *ratio[2]; /* by data set: sorted */
} sample;

static int compare(const void *a, const void *b) {
    double x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

static sample sample_new(setting *s, attack run, size_t n) {
    sample pilot = {.n = n};
    for (int which = 0; which < 2; which++) {
        pilot.ratio[which] = malloc(n * sizeof(double));
        assert_non_null(pilot.ratio[which]);
        for (size_t i = 0; i < n; i++) {
            pilot.ratio[which][i] = run(s, which);
        }
        qsort(pilot.ratio[which], n, sizeof(double), compare);
    }
    return pilot;
}

static void sample_free(sample *pilot) {
    free(pilot->ratio[0]);
    free(pilot->ratio[1]);
}

/* How many of n sorted numbers are at most x. */
static size_t count_up_to(const double *sorted, size_t n, double x) {
    size_t low = 0;
    for (size_t high = n; low < high;) {
        size_t middle = low + (high - low) / 2;
        if (sorted[middle] <= x) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* A guess for any mechanism. reversed: the roles of the two data sets are exchanged, so that the
 * guess is "first" if the ratio is at most the threshold. */
typedef struct guess {
    double threshold;
    int reversed;
} guess;

static errors bounds_of(double false_positives, double false_negatives, double n, int reversed,
                        double miss) {
    double positive = rate_upper_at(false_positives, n, miss),
           negative = rate_upper_at(false_negatives, n, miss);
    return reversed ? (errors) {negative, positive} : (errors) {positive, negative};
}

/* The guess with the largest lower bound in the pilot, at a miss of 0.01: strict enough that a
 * threshold with few errors is not chosen for its luck. */
static guess choose(const sample *pilot) {
    guess best = {0, 0};
    double most = -INFINITY, n = (double)pilot->n;
    for (int reversed = 0; reversed < 2; reversed++) {
        for (double rank = 10; rank < 0.5 * n; rank *= 1.1) {
            double threshold = reversed ? pilot->ratio[1][(size_t)rank]
                                        : pilot->ratio[0][pilot->n - 1 - (size_t)rank];
            double positives = n - (double)count_up_to(pilot->ratio[0], pilot->n, threshold);
            double negatives = (double)count_up_to(pilot->ratio[1], pilot->n, threshold);
            double epsilon = epsilon_of_rates(bounds_of(positives, negatives, n, reversed, 0.01));
            if (epsilon > most) {
                most = epsilon;
                best = (guess) {threshold, reversed};
            }
        }
    }
    return best;
}

void attack_pair(const job *j, setting *s, attack run, const dp2dp_event *form, size_t n,
                 found *out) {
    OWNED(sample) pilot = sample_new(s, run, (size_t)j->runs / 8);
    guess any = choose(&pilot);
    double wrong[2] = {0, 0}, wrong_any[2] = {0, 0};
    for (int i = 0; i < j->runs; i++) {
        double first = run(s, 0), second = run(s, 1);
        wrong[0] += first > 0;
        wrong[1] += second <= 0;
        wrong_any[0] += first > any.threshold;
        wrong_any[1] += second <= any.threshold;
    }
    errors e = bounds_of(wrong[0], wrong[1], j->runs, 0, j->miss);
    out->attacked_form = n ? epsilon_lower(form, n, e) : NAN;
    out->attacked_any =
        epsilon_of_rates(bounds_of(wrong_any[0], wrong_any[1], j->runs, any.reversed, j->miss));
}
