#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/column.h"
#include "report/report.h"

enum {
    BLOCK_ROWS = 4096
};

/* Two adjusted scores (what the rule compares) count as tied if they differ by less than `tie`,
 * because rounding then decides between them. */
static const float tie = 1e-6F;

/* The group code of a person without a group. The rule applies no offsets to such a person. */
static const int32_t no_group = -1;

static double score_at(const dp2dp_matrix *m, size_t i, size_t k) {
    const char *at =
        (const char *)m->data + (ptrdiff_t)i * m->row_stride + (ptrdiff_t)k * m->column_stride;
    float single;
    double number;
    if (m->type == DP2DP_FLOAT32) {
        memcpy(&single, at, sizeof single);
        return single;
    }
    memcpy(&number, at, sizeof number);
    return number;
}

/* Writes the class with the largest score for each row; on a tie, the lowest class. */
static void decide_plainly(const dp2dp_matrix *scores, int32_t *out) {
    for (size_t i = 0; i < scores->rows; i++) {
        size_t best = 0;
        for (size_t k = 1; k < scores->columns; k++) {
            best = (float)score_at(scores, i, k) > (float)score_at(scores, i, best) ? k : best;
        }
        out[i] = (int32_t)best;
    }
}

/* Computes the decisions without the rule. For a rule of kind offset, sets the offsets to 0 but
 * keeps the dither (a public random number). For the other kinds of rule, leaves out the dither
 * too. */
static dp2dp_status decide_before(const dp2dpi_report *r, const dp2dp_predict_options *predict,
                                  int32_t *out, dp2dp_error *error) {
    const dp2dp_matrix *scores = r->options.scores;
    const dp2dp_column none = {&no_group, DP2DP_INT32, scores->rows, 0};
    dp2dp_predict_options plain = *predict;
    plain.unknown = DP2DP_UNKNOWN_BASE;
    if (r->info->rule == DP2DP_RULE_OFFSET) {
        return dp2dp_model_predict(r->model, scores, &none, &plain, out, error);
    }
    decide_plainly(scores, out);
    return DP2DP_STATUS_OK;
}

static dp2dp_status evaluate(const dp2dpi_report *r, const int32_t *decisions,
                             dp2dp_evaluation **out, dp2dp_error *error) {
    dp2dp_evaluate_options options = DP2DP_EVALUATE_OPTIONS_INIT;
    const dp2dp_column column = {decisions, DP2DP_INT32, r->options.scores->rows,
                                 sizeof *decisions};
    options.strata = r->info->groups;
    options.classes = r->info->classes;
    options.confidence = r->options.confidence;
    options.positive = r->info->positive;
    options.statistics = r->info->statistics;
    options.statistic_count = r->info->statistic_count;
    return dp2dp_evaluate(&column, r->options.groups, r->options.labels, &options, out, error);
}

/* Counts the people whose decision changes. Labels and groups are in range, because dp2dp_evaluate
 * has checked them. */
static void count_changes(const dp2dpi_report *r, const int32_t *before, const int32_t *after,
                          dp2dpi_measured *m) {
    size_t classes = r->info->classes;
    for (size_t i = 0; i < r->options.scores->rows; i++) {
        size_t g = (size_t)dp2dpi_column_read(r->options.groups, i);
        int32_t label = dp2dpi_column_read(r->options.labels, i);
        m->people[g]++;
        m->changed += before[i] != after[i];
        m->worse += before[i] == label && after[i] != label;
        m->better += before[i] != label && after[i] == label;
        if (m->changes) {
            size_t at = (g * classes + (size_t)before[i]) * classes + (size_t)after[i];
            m->changes[at]++;
            m->worse_by[at] += before[i] == label;
            m->better_by[at] += after[i] == label;
        }
    }
}

static dp2dp_status new_changes(size_t groups, size_t classes, dp2dpi_measured *out,
                                dp2dp_error *error) {
    size_t cells = groups * classes * classes;
    if (groups * classes > DP2DPI_REPORT_CHANGES_MAX / classes) {
        return DP2DP_STATUS_OK;
    }
    DP2DPI_TRY(DP2DPI_ALLOC(out->moves, cells, "a report", error));
    DP2DPI_TRY(DP2DPI_ALLOC(out->changes, 3 * cells, "a report", error));
    out->worse_by = out->changes + cells;
    out->better_by = out->worse_by + cells;
    return DP2DP_STATUS_OK;
}

/* Compares two changes for qsort. The more frequent change comes first. Equally frequent changes
 * are sorted by group and class. */
static int compare_moves(const void *a, const void *b) {
    const dp2dpi_move *x = a, *y = b;
    return x->people != y->people   ? (x->people < y->people) - (x->people > y->people)
           : x->group != y->group   ? (x->group > y->group) - (x->group < y->group)
           : x->before != y->before ? (x->before > y->before) - (x->before < y->before)
                                    : (x->after > y->after) - (x->after < y->after);
}

static void find_moves(const dp2dpi_report *r, dp2dpi_measured *m) {
    size_t classes = r->info->classes;
    for (size_t i = 0; m->changes && i < r->info->groups * classes * classes; i++) {
        size_t before = i / classes % classes, after = i % classes;
        if (before != after && m->changes[i] > 0) {
            m->moves[m->move_count++] =
                (dp2dpi_move) {i / classes / classes, before,         after,
                               m->changes[i],         m->worse_by[i], m->better_by[i]};
        }
    }
    if (m->move_count > 0) {
        qsort(m->moves, m->move_count, sizeof *m->moves, compare_moves);
    }
}

static dp2dp_matrix rows_of(const dp2dp_matrix *m, size_t first, size_t count) {
    dp2dp_matrix part = *m;
    part.data = (const char *)m->data + (ptrdiff_t)first * m->row_stride;
    part.rows = count;
    return part;
}

static void count_block(const dp2dpi_report *r, const float *values, size_t first, size_t count,
                        dp2dpi_measured *m) {
    size_t classes = r->info->classes;
    for (size_t i = 0; i < count; i++) {
        float best = -INFINITY, second = -INFINITY;
        size_t g = (size_t)dp2dpi_column_read(r->options.groups, first + i);
        for (size_t k = 0; k < classes; k++) {
            float value = values[i * classes + k];
            second = value > best ? best : value > second ? value : second;
            best = value > best ? value : best;
        }
        m->ties[g] += best - second < tie;
        m->by_lot[g] += (double)best - (double)second < r->info->dither.width;
    }
}

/* Counts the people whose two best adjusted scores are tied, and the people whose decision the
 * dither could change. */
static dp2dp_status count_ties(const dp2dpi_report *r, const dp2dp_predict_options *predict,
                               dp2dpi_measured *m, dp2dp_error *error) {
    const dp2dp_report_options *o = &r->options;
    dp2dp_predict_options options = *predict;
    float *values = NULL;
    dp2dp_status status = DP2DP_STATUS_OK;
    options.without_dither = 1;
    options.ids = NULL;
    DP2DPI_TRY(DP2DPI_ALLOC(values, BLOCK_ROWS * r->info->classes, "a report", error));
    for (size_t first = 0; first < o->scores->rows; first += BLOCK_ROWS) {
        size_t left = o->scores->rows - first, count = left < BLOCK_ROWS ? left : BLOCK_ROWS;
        dp2dp_matrix scores = rows_of(o->scores, first, count);
        dp2dp_column groups = *o->groups;
        groups.data = (const char *)groups.data + (ptrdiff_t)first * groups.stride;
        groups.rows = count;
        dp2dp_matrix weights = o->weights ? rows_of(o->weights, first, count) : scores;
        options.weights = o->weights ? &weights : NULL;
        DP2DPI_TRY_OR_DONE(dp2dp_model_adjust(r->model, &scores, &groups, &options, values, error));
        count_block(r, values, first, count, m);
    }
done:
    dp2dpi_free(values);
    return status;
}

dp2dp_status dp2dpi_report_measure(const dp2dpi_report *r, dp2dpi_measured *out,
                                   dp2dp_error *error) {
    const dp2dp_report_options *o = &r->options;
    size_t groups = r->info->groups;
    dp2dp_predict_options predict = DP2DP_PREDICT_OPTIONS_INIT;
    int32_t *before = NULL, *after = NULL;
    dp2dp_status status = DP2DP_STATUS_OK;
    predict.threads = o->threads;
    predict.weights = o->weights;
    predict.ids = o->ids;
    DP2DPI_TRY_OR_DONE(DP2DPI_ALLOC(before, o->scores->rows, "a report", error));
    DP2DPI_TRY_OR_DONE(DP2DPI_ALLOC(after, o->scores->rows, "a report", error));
    DP2DPI_TRY_OR_DONE(DP2DPI_ALLOC(out->people, 3 * groups, "a report", error));
    out->ties = out->people + groups;
    out->by_lot = out->ties + groups;
    DP2DPI_TRY_OR_DONE(new_changes(groups, r->info->classes, out, error));
    DP2DPI_TRY_OR_DONE(dp2dp_model_predict(r->model, o->scores, o->groups, &predict, after, error));
    DP2DPI_TRY_OR_DONE(decide_before(r, &predict, before, error));
    DP2DPI_TRY_OR_DONE(evaluate(r, after, &out->after, error));
    DP2DPI_TRY_OR_DONE(evaluate(r, before, &out->before, error));
    out->warnings = dp2dp_warn_of_decisions(out->before, out->after);
    count_changes(r, before, after, out);
    find_moves(r, out);
    DP2DPI_TRY_OR_DONE(count_ties(r, &predict, out, error));
    out->warnings |= o->test_left_out ? dp2dp_warn_of_left_out((const uint64_t *)out->people,
                                                               o->test_left_out, groups)
                                      : 0U;
done:
    dp2dpi_free(before);
    dp2dpi_free(after);
    return status;
}

uint64_t dp2dpi_report_left_out(const dp2dpi_report *r) {
    uint64_t people = 0;
    for (size_t g = 0; g < r->info->groups && r->options.test_left_out; g++) {
        people += r->options.test_left_out[g];
    }
    return people;
}

unsigned dp2dpi_report_said(const dp2dpi_report *r) {
    const dp2dpi_measured *m = &r->measured;
    const dp2dp_criterion own = r->info->criterion;
    unsigned found = 0;
    if (m->after == NULL) {
        return 0;
    }
    for (size_t g = 0; g < r->info->groups; g++) {
        found |= m->people[g] == 0 ? (unsigned)DP2DP_WARNING_EMPTY_GROUP : 0U;
    }
    int is_larger = m->after->criteria[own].measured &&
                    m->after->criteria[own].unfairness > m->before->criteria[own].unfairness;
    return found | (is_larger ? (unsigned)DP2DP_WARNING_UNFAIRNESS_LARGER : 0U);
}

void dp2dpi_measured_free(dp2dpi_measured *m) {
    dp2dp_evaluation_free(m->before);
    dp2dp_evaluation_free(m->after);
    dp2dpi_free(m->changes);
    dp2dpi_free(m->moves);
    dp2dpi_free(m->people);
    *m = (dp2dpi_measured) {0};
}
