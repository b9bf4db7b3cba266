#include "pool/group_signal.h"

#include <math.h>

#include "pool/signal.h"

static const double worse = -5; /* the weights are wrong if `own` is below this many standard
                                   errors */
static const double much = 0.1; /* the mean weight of a group should be its share; a difference
                                   above this number is worth a warning */
static const double clearly =
    8; /* from this many standard errors on, the other order of pairs is better */
static const double sure = 1e-6; /* a weight this close to 0 or 1 counts as 0 or 1 */

static size_t groups_of(const dp2dp_pool *pool) {
    return pool->strata / pool->labels;
}

/* Returns the weight in column `column` of record i of a bin. */
static double weight_of(const dp2dp_pool *pool, size_t bin, size_t i, size_t column) {
    size_t size = pool->begin[bin + 1] - pool->begin[bin];
    return (double)pool->weights[pool->begin[bin] * pool->parts + column * size + i];
}

static void scale(double *out, size_t columns) {
    double sum = 0;
    for (size_t j = 0; j < columns; j++) {
        sum += out[j];
    }
    for (size_t j = 0; j < columns; j++) {
        out[j] /= fmax(sum, 1e-12);
    }
}

/* Writes the weights of the groups for record i of a bin, scaled so that these weights sum to 1. */
static void read_groups(const dp2dpi_signal_view *view, size_t bin, size_t i, double *out) {
    const dp2dp_pool *pool = view->pool;
    size_t groups = groups_of(pool), each = pool->parts / groups;
    for (size_t g = 0; g < groups; g++) {
        out[g] = 0;
        for (size_t y = 0; y < each; y++) {
            out[g] += weight_of(pool, bin, i, g * each + y);
        }
    }
    scale(out, groups);
}

static size_t group_of(const dp2dpi_signal_view *view, size_t bin) {
    return view->pool->counted == DP2DP_COUNTED_LABELS ? bin / view->pool->labels : bin;
}

/* Fills *view with the weights of the groups, and returns 1. Returns 0 if the weights of this pool
 * are not judged. */
static int view_groups(const dp2dp_pool *pool, dp2dpi_signal_view *view) {
    *view = (dp2dpi_signal_view) {
        .pool = pool, .columns = groups_of(pool), .read = read_groups, .code = group_of};
    return pool->rule == DP2DP_RULE_WEIGHTED && pool->counted == DP2DP_COUNTED_LABELS &&
           !pool->multiplicity && pool->kept >= DP2DPI_SIGNAL_FEW &&
           view->columns <= DP2DPI_SIGNAL_COLUMNS;
}

int dp2dpi_pool_has_wrong_weights(const dp2dp_pool *pool) {
    dp2dpi_signal_view view;
    dp2dpi_signal s;
    if (!view_groups(pool, &view)) {
        return 0;
    }
    dp2dpi_signal_measure(&view, &s);
    return (s.error > 0 && s.own < worse * s.error) || dp2dpi_signal_is_chance(&s);
}

/* If the weights are the true probabilities of the groups, the mean weight of a group differs from
 * the share of the group only by sampling error. For n records, the standard deviation of this
 * error is at most 0.5/√n. */
int dp2dpi_pool_has_uncalibrated_weights(const dp2dp_pool *pool) {
    dp2dpi_signal_view view;
    dp2dpi_signal s;
    if (!view_groups(pool, &view)) {
        return 0;
    }
    dp2dpi_signal_means(&view, &s);
    double least = fmax(much, 5 * 0.5 / sqrt(s.records));
    for (size_t g = 0; g < view.columns; g++) {
        if (fabs(s.mean[g] - s.of_code[g] / s.records) > least) {
            return 1;
        }
    }
    return 0;
}

/* Writes the weights of the pairs of group and label. */
static void read_pairs(const dp2dpi_signal_view *view, size_t bin, size_t i, double *out) {
    for (size_t e = 0; e < view->columns; e++) {
        out[e] = weight_of(view->pool, bin, i, e);
    }
    scale(out, view->columns);
}

/* Like read_pairs, as if the columns were listed label by label. */
static void read_transposed(const dp2dpi_signal_view *view, size_t bin, size_t i, double *out) {
    size_t labels = view->pool->labels, groups = view->columns / labels;
    for (size_t e = 0; e < view->columns; e++) {
        out[e] = weight_of(view->pool, bin, i, e % labels * groups + e / labels);
    }
    scale(out, view->columns);
}

/* Returns the pair of a bin. In a pool that is counted by labels, bin e holds pair e. */
static size_t pair_of(const dp2dpi_signal_view *view, size_t bin) {
    (void)view;
    return bin;
}

/* Returns by how many standard errors the mean weight of the record's own pair rises if the columns
 * are taken to be listed label by label, not group by group. For true probabilities listed group by
 * group, this is at most 0, by the inequality of Cauchy and Schwarz. */
static double gain_of_other_order(const dp2dp_pool *pool) {
    const dp2dpi_signal_view view = {.pool = pool, .columns = pool->strata};
    double row[DP2DPI_SIGNAL_COLUMNS], other[DP2DPI_SIGNAL_COLUMNS];
    double records = 0, sum = 0, squares = 0;
    for (size_t bin = 0; bin < pool->bins; bin++) {
        size_t size = pool->begin[bin + 1] - pool->begin[bin];
        for (size_t i = 0; i < size; i += dp2dpi_signal_step(pool)) {
            read_pairs(&view, bin, i, row);
            read_transposed(&view, bin, i, other);
            double gain = other[bin] - row[bin];
            records++;
            sum += gain;
            squares += gain * gain;
        }
    }
    double variance = squares / records - sum / records * (sum / records);
    return variance > 1e-12 ? sum / sqrt(records * variance) : 0;
}

/* The columns are in the wrong order if the other order passes two tests: the weights of the
 * records' own pairs are clearly larger in it, and the weights minus their column means predict the
 * pairs better. If the order is right, but the classifier was trained on other shares of the pairs,
 * the other order hardly ever passes both tests. */
int dp2dpi_pool_has_transposed_pairs(const dp2dp_pool *pool) {
    dp2dpi_signal_view view = {
        .pool = pool, .columns = pool->strata, .read = read_pairs, .code = pair_of};
    dp2dpi_signal given, other;
    if (pool->rule != DP2DP_RULE_WEIGHTED || pool->counted != DP2DP_COUNTED_LABELS ||
        pool->labels < 2 || pool->weight_columns != pool->strata || pool->multiplicity ||
        pool->kept < DP2DPI_SIGNAL_FEW || view.columns > DP2DPI_SIGNAL_COLUMNS ||
        gain_of_other_order(pool) < clearly) {
        return 0;
    }
    dp2dpi_signal_measure(&view, &given);
    view.read = read_transposed;
    dp2dpi_signal_measure(&view, &other);
    return other.own * given.error > given.own * other.error;
}

int dp2dpi_pool_has_groups_as_weights(const dp2dp_pool *pool) {
    dp2dpi_signal_view view = {
        .pool = pool, .columns = groups_of(pool), .read = read_groups, .code = group_of};
    double row[DP2DPI_SIGNAL_COLUMNS];
    if (pool->rule != DP2DP_RULE_WEIGHTED || pool->weights == NULL ||
        view.columns > DP2DPI_SIGNAL_COLUMNS || pool->begin[pool->bins] < DP2DPI_ODD_ROWS) {
        return 0;
    }
    for (size_t bin = 0; bin < pool->bins; bin++) {
        for (size_t i = 0; i < pool->begin[bin + 1] - pool->begin[bin]; i++) {
            read_groups(&view, bin, i, row);
            for (size_t g = 0; g < view.columns; g++) {
                if (row[g] > sure && row[g] < 1 - sure) {
                    return 0;
                }
            }
        }
    }
    return 1;
}
