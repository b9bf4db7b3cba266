#include "metrics/criteria.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "metrics/multinomial.h"
#include "metrics/unfairness.h"
#include "metrics/widen.h"

static const char what[] = "the rates of a criterion";

/* A table of counts. Row g × labels + y belongs to group g and label y. Each column belongs to a
 * class. */
typedef struct view {
    size_t groups, labels, classes;
    const int64_t *table;  /* one row for each group and label */
    const int64_t *totals; /* row sums of the table */
} view;

static int64_t part_of(const view *v, const dp2dpi_label_lists *l, size_t g, size_t s) {
    int64_t sum = 0;
    for (size_t i = l->starts[s]; i < l->starts[s + 1]; i++) {
        size_t stratum = g * v->labels + l->labels[i];
        sum += v->table[stratum * v->classes + l->statistics.classes[s]];
    }
    return sum;
}

static int64_t whole_of(const view *v, const dp2dpi_label_lists *l, size_t g, size_t s) {
    int64_t sum = 0;
    for (size_t i = l->starts[s]; i < l->starts[s + 1]; i++) {
        sum += v->totals[g * v->labels + l->labels[i]];
    }
    return sum;
}

typedef struct gap {
    double size; /* difference of a rate between the groups `high` and `low`; NAN if fewer than two
                    groups have people who count for the rate */
    size_t statistic, high, low;
} gap;

/* Returns the difference between the largest and the smallest value of one rate among the groups.
 */
static gap gap_of(const view *v, const dp2dpi_label_lists *l, size_t s) {
    gap found = {.size = NAN, .statistic = s};
    double low = 0.0, high = 0.0;
    size_t groups = 0;
    for (size_t g = 0; g < v->groups; g++) {
        int64_t whole = whole_of(v, l, g, s);
        if (whole == 0) {
            continue;
        }
        double rate = (double)part_of(v, l, g, s) / (double)whole;
        if (groups == 0 || rate > high) {
            high = rate;
            found.high = g;
        }
        if (groups == 0 || rate < low) {
            low = rate;
            found.low = g;
        }
        groups++;
    }
    found.size = groups >= 2 ? high - low : NAN;
    return found;
}

static gap largest_gap(const view *v, const dp2dpi_label_lists *l) {
    gap largest = {.size = NAN};
    for (size_t s = 0; s < l->statistics.count; s++) {
        gap found = gap_of(v, l, s);
        if (!isnan(found.size) && !(found.size <= largest.size)) {
            largest = found;
        }
    }
    return largest;
}

static dp2dp_status list_labels(dp2dpi_label_lists *l, dp2dp_error *error) {
    const dp2dpi_statistics *statistics = &l->statistics;
    DP2DPI_TRY(DP2DPI_ALLOC(l->starts, statistics->count + 1, what, error));
    for (size_t s = 0; s < statistics->count; s++) {
        l->starts[s + 1] = l->starts[s] + statistics->sizes[s];
    }
    DP2DPI_TRY(DP2DPI_ALLOC(l->labels, l->starts[statistics->count], what, error));
    for (size_t s = 0; s < statistics->count; s++) {
        size_t at = l->starts[s];
        for (size_t y = 0; y < statistics->labels; y++) {
            if (dp2dpi_statistic_has(statistics, s, y)) {
                l->labels[at++] = y;
            }
        }
    }
    return DP2DP_STATUS_OK;
}

/* Measures the unfairness and the rates under one criterion. Sets the interval of the unfairness to
 * NAN; the caller computes it later. The label lists of the criterion must be set. */
static dp2dp_status measure(const view *v, double tail, dp2dpi_measured *m, dp2dp_unfairness *out,
                            dp2dp_error *error) {
    const dp2dpi_statistics *list = &m->lists.statistics;
    DP2DPI_TRY(DP2DPI_ALLOC(m->statistics, list->count, what, error));
    DP2DPI_TRY(DP2DPI_ALLOC(m->rates, v->groups * list->count, what, error));
    for (size_t s = 0; s < list->count; s++) {
        int all = list->sizes[s] == list->labels;
        m->statistics[s] =
            (dp2dp_statistic) {list->classes[s], all ? NULL : list->sets + s * list->labels};
        for (size_t g = 0; g < v->groups; g++) {
            m->rates[g * list->count + s] =
                dp2dpi_proportion(part_of(v, &m->lists, g, s), whole_of(v, &m->lists, g, s), tail);
        }
    }
    gap found = largest_gap(v, &m->lists);
    *out = (dp2dp_unfairness) {.measured = 1,
                               .unfairness = found.size,
                               .interval = {NAN, NAN},
                               .statistic = found.statistic,
                               .group_high = found.high,
                               .group_low = found.low,
                               .statistic_count = list->count,
                               .statistics = m->statistics,
                               .rates = m->rates};
    return DP2DP_STATUS_OK;
}

/* A sample with replacement of the people of each group, as large as the group. Labels are drawn
 * together with decisions, because a rate that covers more than one label depends on how often each
 * of these labels occurs. */
typedef struct resample {
    double *weights; /* the table to draw from: each cell is drawn in proportion to its count */
    int64_t *table, *totals;
} resample;

static dp2dp_status resample_new(const view *v, resample *r, dp2dp_error *error) {
    size_t strata = v->groups * v->labels, cells = strata * v->classes;
    DP2DPI_TRY(DP2DPI_ALLOC(r->weights, cells, "a resampled table", error));
    DP2DPI_TRY(DP2DPI_ALLOC(r->table, cells + strata, "a resampled table", error));
    r->totals = r->table + cells;
    for (size_t i = 0; i < cells; i++) {
        r->weights[i] = (double)v->table[i];
    }
    return DP2DP_STATUS_OK;
}

static dp2dp_status resample_draw(const view *v, const int64_t *sizes, dp2dpi_rng *rng, resample *r,
                                  dp2dp_error *error) {
    size_t cells = v->labels * v->classes;
    for (size_t g = 0; g < v->groups; g++) {
        if (sizes[g] > 0) {
            DP2DPI_TRY(dp2dpi_resample_multinomial(rng, sizes[g], cells, r->weights + g * cells,
                                                   r->table + g * cells, error));
        }
    }
    for (size_t e = 0; e < v->groups * v->labels; e++) {
        r->totals[e] = 0;
        for (size_t k = 0; k < v->classes; k++) {
            r->totals[e] += r->table[e * v->classes + k];
        }
    }
    return DP2DP_STATUS_OK;
}

static int needs_interval(const dp2dpi_criteria *c, size_t i) {
    return i != DP2DP_DEMOGRAPHIC_PARITY && c->of[i].measured && !isnan(c->of[i].unfairness);
}

/* Computes the intervals of all criteria except demographic parity from the same resamples. A rate
 * can be compared only if at least two groups have people who count for it. If no rate of a
 * resample can be compared, the unfairness of the resample counts as 0. */
static dp2dp_status find_intervals(const view *v, const int64_t *sizes,
                                   const dp2dp_evaluate_options *options, dp2dpi_criteria *c,
                                   dp2dp_error *error) {
    size_t draws = (size_t)options->bootstrap_draws, needed = 0;
    resample r = {0};
    double *values = NULL;
    dp2dpi_rng *rng = NULL;
    dp2dp_status status = DP2DP_STATUS_OK;
    for (size_t i = 0; i < c->count; i++) {
        needed += (size_t)needs_interval(c, i);
    }
    if (draws == 0 || needed == 0) {
        return DP2DP_STATUS_OK;
    }
    DP2DPI_TRY_OR_DONE(dp2dpi_rng_new_insecure(options->insecure_seed, &rng, error));
    DP2DPI_TRY_OR_DONE(resample_new(v, &r, error));
    DP2DPI_TRY_OR_DONE(DP2DPI_ALLOC(values, needed * draws, "bootstrap draws", error));
    const view drawn = {v->groups, v->labels, v->classes, r.table, r.totals};
    for (size_t d = 0; d < draws; d++) {
        double *value = values + d;
        DP2DPI_TRY_OR_DONE(resample_draw(v, sizes, rng, &r, error));
        for (size_t i = 0; i < c->count; i++) {
            if (needs_interval(c, i)) {
                double size = largest_gap(&drawn, &c->memory[i].lists).size;
                *value = isnan(size) ? 0.0 : size;
                value += draws;
            }
        }
    }
    for (size_t i = 0, at = 0; i < c->count; i++) {
        if (needs_interval(c, i)) {
            c->of[i].interval = dp2dpi_bootstrap_interval(values + at++ * draws, draws,
                                                          options->confidence, c->of[i].unfairness);
        }
    }
done:
    dp2dpi_free(values);
    dp2dpi_free(r.table);
    dp2dpi_free(r.weights);
    dp2dpi_rng_free(rng);
    return status;
}

/* Sets up the statistics of a criterion. Sets *known to 1 if the criterion can be measured, else to
 * 0. Demographic parity can always be measured. The custom criterion needs statistics in the
 * options. The other criteria need labels, and must not have too many statistics. */
static dp2dp_status set_up(const dp2dp_evaluate_options *options, size_t criterion, const view *v,
                           dp2dpi_label_lists *l, int *known, dp2dp_error *error) {
    int custom = criterion == DP2DP_CUSTOM;
    dp2dp_error inner = {0};
    const dp2dpi_criterion asked = {.criterion = (dp2dp_criterion)criterion,
                                    .positive = options->positive,
                                    .custom = custom ? options->statistics : NULL,
                                    .custom_count = custom ? options->statistic_count : 0};
    *known = custom ? options->statistic_count > 0
                    : v->labels > 1 || criterion == DP2DP_DEMOGRAPHIC_PARITY;
    if (!*known) {
        return DP2DP_STATUS_OK;
    }
    dp2dp_status status =
        dp2dpi_statistics_new(&asked, v->labels, v->classes, &l->statistics, &inner);
    if (status == DP2DP_STATUS_ARGUMENT && !custom && criterion != DP2DP_DEMOGRAPHIC_PARITY) {
        *known = 0;
        return DP2DP_STATUS_OK;
    }
    if (status != DP2DP_STATUS_OK) {
        return dp2dpi_fail_again(error, &inner);
    }
    return list_labels(l, error);
}

static dp2dp_status check_custom(const dp2dpi_tables *t, const dp2dp_evaluate_options *options,
                                 dp2dp_error *error) {
    const dp2dpi_criterion asked = {.criterion = DP2DP_CUSTOM,
                                    .custom = options->statistics,
                                    .custom_count = options->statistic_count};
    if ((options->statistics == NULL) != (options->statistic_count == 0)) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "statistics and statistic_count must be given together");
    }
    return t->joint == NULL && dp2dpi_criterion_is_labelled(&asked, t->classes)
               ? dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                             "statistics: some of them need labels. Give the labels, and keep "
                             "groups x classes x classes at 2^20 or less")
               : DP2DP_STATUS_OK;
}

dp2dp_status dp2dpi_criteria_measure(const dp2dpi_tables *t, const dp2dp_evaluate_options *options,
                                     const dp2dp_evaluation *known, dp2dpi_criteria *out,
                                     dp2dp_error *error) {
    const view plain = {t->groups, 1, t->classes, t->counts, t->totals};
    const view joint = {t->groups, t->classes, t->classes, t->joint, t->labelled};
    const view *all = t->joint ? &joint : &plain;
    double tail = 0.5 * (1.0 - options->confidence);
    DP2DPI_TRY(check_custom(t, options, error));
    for (size_t i = 0; i < DP2DP_CRITERIA_MAX && dp2dp_word_name(DP2DP_WORDS_CRITERION, (int)i);
         i++) {
        const view *v = i == DP2DP_DEMOGRAPHIC_PARITY ? &plain : all;
        int measured = 0;
        out->count = i + 1;
        out->of[i] = (dp2dp_unfairness) {.unfairness = NAN, .interval = {NAN, NAN}};
        DP2DPI_TRY(set_up(options, i, v, &out->memory[i].lists, &measured, error));
        if (measured) {
            DP2DPI_TRY(measure(v, tail, &out->memory[i], &out->of[i], error));
        }
    }
    out->of[DP2DP_DEMOGRAPHIC_PARITY].unfairness = known->unfairness;
    out->of[DP2DP_DEMOGRAPHIC_PARITY].interval = known->unfairness_interval;
    DP2DPI_TRY(find_intervals(all, t->totals, options, out, error));
    for (size_t i = 0; i < out->count; i++) {
        out->of[i].interval = dp2dpi_widen(&out->of[i], t->groups, options->confidence);
    }
    return DP2DP_STATUS_OK;
}

void dp2dpi_criteria_free(dp2dpi_criteria *criteria) {
    for (size_t i = 0; i < DP2DP_CRITERIA_MAX; i++) {
        dp2dpi_measured *m = &criteria->memory[i];
        dp2dpi_statistics_free(&m->lists.statistics);
        dp2dpi_free(m->lists.starts);
        dp2dpi_free(m->lists.labels);
        dp2dpi_free(m->statistics);
        dp2dpi_free(m->rates);
    }
}
