#include "pool/score_signal.h"

#include <math.h>

#include <dp2dp/metrics.h>

#include "pool/signal.h"

enum {
    MANY = 20,   /* labels can look like decisions only if two labels have this many people each:
                    smaller classes may be separated by chance */
    INSIDE = 10, /* a label is judged only if this many people have it and this many do not */
    PAIR = 50    /* two labels are compared only if each of them has this many people */
};

static const double against = 5; /* means clearly differ above this many standard errors */

static size_t size_of(const dp2dp_pool *pool, size_t bin) {
    return pool->begin[bin + 1] - pool->begin[bin];
}

/* Returns whether the pool has the scores without dither. The rule `linear` keeps them as weights.
 */
static int has_scores(const dp2dp_pool *pool) {
    return pool->dither.width == 0.0 || pool->rule == DP2DP_RULE_LINEAR;
}

/* Returns the scores of a bin for class k, one for each record, without dither. */
static const float *scores_of(const dp2dp_pool *pool, size_t bin, size_t k) {
    const float *scores = pool->rule == DP2DP_RULE_LINEAR
                              ? dp2dpi_pool_weights(pool, bin)
                              : pool->values + pool->begin[bin] * pool->classes;
    return scores + k * size_of(pool, bin);
}

static size_t count_label(const dp2dp_pool *pool, size_t label) {
    size_t people = 0;
    for (size_t bin = label; bin < pool->bins; bin += pool->labels) {
        people += size_of(pool, bin);
    }
    return people;
}

/* Returns whether the label of every record is the class with the largest score. */
static int are_likeliest(const dp2dp_pool *pool) {
    for (size_t bin = 0; bin < pool->bins; bin++) {
        size_t label = bin % pool->labels;
        const float *own = scores_of(pool, bin, label);
        for (size_t k = 0; k < pool->classes; k++) {
            const float *other = scores_of(pool, bin, k);
            for (size_t i = 0; i < size_of(pool, bin); i++) {
                if (other[i] > own[i] || (k < label && other[i] == own[i])) {
                    return 0;
                }
            }
        }
    }
    return 1;
}

/* Returns whether every person with the label k has a higher score for class k than every other
 * person. */
static int is_cut(const dp2dp_pool *pool, size_t k) {
    float least = INFINITY, most = -INFINITY;
    for (size_t bin = 0; bin < pool->bins; bin++) {
        const float *scores = scores_of(pool, bin, k);
        for (size_t i = 0; i < size_of(pool, bin); i++) {
            if (bin % pool->labels == k) {
                least = scores[i] < least ? scores[i] : least;
            } else {
                most = scores[i] > most ? scores[i] : most;
            }
        }
        if (least <= most) {
            return 0;
        }
    }
    return 1;
}

/* Returns whether the labels follow from the scores, as they do if they are old decisions. With two
 * classes, one separated class is enough, since the other score may be rounded. Labels follow from
 * the scores by chance with a probability below 2 / binomial(40, 20), about 1e-11. */
static int are_decisions(const dp2dp_pool *pool) {
    size_t large = 0, occurring = 0, cut = 0;
    for (size_t k = 0; k < pool->classes; k++) {
        size_t people = count_label(pool, k);
        large += people >= MANY;
        occurring += people > 0;
    }
    if (large < 2) {
        return 0;
    }
    for (size_t k = 0; k < pool->classes; k++) {
        cut += count_label(pool, k) > 0 && is_cut(pool, k);
    }
    return cut == occurring || (cut > 0 && pool->classes == 2) || are_likeliest(pool);
}

/* Sums of a value over two sets of people: index 0 is for the people inside, index 1 for those
 * outside. `squares` is the sum of the squared values of both sets. */
typedef struct sums {
    double people[2], sum[2], squares;
} sums;

static void add(sums *s, int outside, double value) {
    s->people[outside]++;
    s->sum[outside] += value;
    s->squares += value * value;
}

/* `s` has the scores of the people who have a label (index 0) and of those who do not (index 1).
 * Returns whether the first mean is below the second by more than five standard errors. These use
 * the variance of all people, because a small class may have equal scores by chance. Returns 0 if
 * one of the sets has fewer than `least` people. */
static int is_below(const sums *s, double least) {
    if (fmin(s->people[0], s->people[1]) < fmax(least, 1)) {
        return 0;
    }
    double records = s->people[0] + s->people[1], mean = (s->sum[0] + s->sum[1]) / records;
    double variance = fmax(s->squares / records - mean * mean, 0);
    double error = sqrt(variance * (1 / s->people[0] + 1 / s->people[1]));
    return s->sum[0] / s->people[0] - s->sum[1] / s->people[1] < -fmax(against * error, 1e-6);
}

static int is_against(const dp2dp_pool *pool, size_t k) {
    size_t step = dp2dpi_signal_step(pool);
    sums s = {.squares = 0};
    for (size_t bin = 0; bin < pool->bins; bin++) {
        const float *scores = scores_of(pool, bin, k);
        for (size_t i = 0; i < size_of(pool, bin); i += step) {
            add(&s, bin % pool->labels != k, (double)scores[i]);
        }
    }
    return is_below(&s, INSIDE);
}

/* Returns whether the people with label j and those with label k seem to have each other's scores:
 * the score of class j, divided by the sum of the scores of j and k, is lower for the people with
 * label j. How frequent the classes are makes no difference. */
static int are_exchanged(const dp2dp_pool *pool, size_t j, size_t k) {
    size_t step = dp2dpi_signal_step(pool);
    sums s = {.squares = 0};
    for (size_t bin = 0; bin < pool->bins; bin++) {
        size_t label = bin % pool->labels;
        const float *one = scores_of(pool, bin, j), *other = scores_of(pool, bin, k);
        for (size_t i = 0; i < size_of(pool, bin) && (label == j || label == k); i += step) {
            double both = (double)one[i] + (double)other[i];
            add(&s, label != j, both > 0 ? (double)one[i] / both : 0.5);
        }
    }
    return is_below(&s, PAIR);
}

static int is_worse(const dp2dp_pool *pool) {
    for (size_t k = 0; k < pool->classes; k++) {
        if (is_against(pool, k)) {
            return 1;
        }
        for (size_t j = 0; j < k && pool->classes > 2; j++) {
            if (are_exchanged(pool, j, k)) {
                return 1;
            }
        }
    }
    return 0;
}

static void read_scores(const dp2dpi_signal_view *view, size_t bin, size_t i, double *out) {
    for (size_t k = 0; k < view->columns; k++) {
        out[k] = (double)scores_of(view->pool, bin, k)[i];
    }
}

static size_t label_of(const dp2dpi_signal_view *view, size_t bin) {
    return bin % view->pool->labels;
}

static int is_guess(const dp2dp_pool *pool) {
    const dp2dpi_signal_view view = {
        .pool = pool, .columns = pool->classes, .read = read_scores, .code = label_of};
    dp2dpi_signal signal;
    dp2dpi_signal_measure(&view, &signal);
    return dp2dpi_signal_is_chance(&signal);
}

unsigned dp2dpi_pool_warn_of_labels(const dp2dp_pool *pool) {
    if (!has_scores(pool) || pool->labels < 2 || pool->counted != DP2DP_COUNTED_LABELS ||
        pool->multiplicity || pool->kept < DP2DPI_SIGNAL_FEW ||
        pool->classes > DP2DPI_SIGNAL_COLUMNS) {
        return 0;
    }
    return are_decisions(pool) ? (unsigned)DP2DP_WARNING_LABELS_ARE_DECISIONS
           : is_worse(pool)    ? (unsigned)DP2DP_WARNING_WORSE_THAN_GUESSING
           : is_guess(pool)    ? (unsigned)DP2DP_WARNING_NO_BETTER_THAN_GUESSING
                               : 0U;
}

static int are_sure(const dp2dp_pool *pool) {
    for (size_t bin = 0; bin < pool->bins; bin++) {
        const float *scores = scores_of(pool, bin, 0);
        for (size_t i = 0; i < size_of(pool, bin) * pool->classes; i++) {
            if (scores[i] != 0.0F && scores[i] != 1.0F) {
                return 0;
            }
        }
    }
    return 1;
}

static int are_equal(const dp2dp_pool *pool) {
    for (size_t k = 0; k < pool->classes; k++) {
        const float *first = NULL;
        for (size_t bin = 0; bin < pool->bins; bin++) {
            const float *scores = scores_of(pool, bin, k);
            for (size_t i = 0; i < size_of(pool, bin); i++) {
                first = first ? first : scores;
                if (scores[i] != *first) {
                    return 0;
                }
            }
        }
    }
    return 1;
}

unsigned dp2dpi_pool_odd_scores(const dp2dp_pool *pool) {
    if (pool->begin[pool->bins] < DP2DPI_ODD_ROWS || !has_scores(pool)) {
        return 0;
    }
    return are_equal(pool)  ? (unsigned)DP2DP_ODDITY_SCORES_ARE_EQUAL
           : are_sure(pool) ? (unsigned)DP2DP_ODDITY_SCORES_ARE_DECISIONS
                            : 0U;
}
