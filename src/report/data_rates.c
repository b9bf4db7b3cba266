/* The page's data: rates, unfairness, errors, changes and ties of the test people. Without test
 * people, the data have only rates, which come from the certificate's table. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "metrics/rates.h"
#include "report/report.h"

static int is_large(const dp2dpi_report *r) {
    return r->info->groups * r->info->classes > DP2DPI_REPORT_CELLS_MAX;
}

static json_t *proportion_json(const dp2dpi_report *r, const dp2dp_proportion *p) {
    int known = p->whole > 0;
    double low = p->interval.low, high = p->interval.high;
    if (is_large(r)) { /* fewer decimals keep the page small; the interval is rounded outwards */
        low = floor(low * 1e6) / 1e6;
        high = fmin(1, ceil(high * 1e6) / 1e6);
    }
    return DP2DPI_JSON_OBJECT(
        {"part", json_integer((json_int_t)p->part)}, {"whole", json_integer((json_int_t)p->whole)},
        {"rate", dp2dpi_finite_json(p->rate)}, {"low", dp2dpi_finite_json(known ? low : NAN)},
        {"high", dp2dpi_finite_json(known ? high : NAN)});
}

/* Returns the JSON of a rate from noisy counts. The interval of such a rate is not known. */
static json_t *noisy_json(double part, double whole) {
    double rate = whole > 0 ? fmin(1, fmax(0, part / whole)) : NAN;
    return DP2DPI_JSON_OBJECT(
        {"part", dp2dpi_finite_json(part)}, {"whole", dp2dpi_finite_json(whole)},
        {"rate", dp2dpi_finite_json(rate)}, {"low", json_null()}, {"high", json_null()});
}

/* Returns the JSON of cell i in the row of group g, for a table with one row per group. */
typedef json_t *(*cell_maker)(const dp2dpi_report *r, const dp2dp_evaluation *e, size_t g,
                              size_t i);

static json_t *table_json(const dp2dpi_report *r, const dp2dp_evaluation *e, size_t columns,
                          cell_maker make) {
    json_t *table = json_array();
    int failed = 0;
    for (size_t g = 0; g < r->info->groups && !failed; g++) {
        json_t *row = json_array();
        for (size_t i = 0; i < columns && !failed; i++) {
            failed = json_array_append_new(row, make(r, e, g, i));
        }
        failed |= json_array_append_new(table, row);
    }
    return dp2dpi_json_finish(table, failed);
}

static json_t *selection_cell(const dp2dpi_report *r, const dp2dp_evaluation *e, size_t g,
                              size_t k) {
    return proportion_json(r, &e->class_rates[g * r->info->classes + k].selection);
}

static json_t *class_cell(const dp2dpi_report *r, const dp2dp_evaluation *e, size_t g, size_t k) {
    const dp2dp_class_rates *rates = &e->class_rates[g * r->info->classes + k];
    return DP2DPI_JSON_OBJECT({"true_positive", proportion_json(r, &rates->true_positive)},
                              {"false_positive", proportion_json(r, &rates->false_positive)},
                              {"precision", proportion_json(r, &rates->precision)});
}

static json_t *statistic_cell(const dp2dpi_report *r, const dp2dp_evaluation *e, size_t g,
                              size_t s) {
    const dp2dp_unfairness *u = &e->criteria[r->info->criterion];
    return proportion_json(r, &u->rates[g * u->statistic_count + s]);
}

/* The certificate's table has a row for each pair of group and label. Group g with label y is row g
 * Y + y, where Y is the number of labels. */
static json_t *certified_cell(const dp2dpi_report *r, const dp2dp_evaluation *e, size_t g,
                              size_t k) {
    const dp2dp_certificate *c = r->certificate->certificate;
    double part = 0, whole = 0;
    (void)e;
    for (size_t y = 0; y < c->labels; y++) {
        const double *row = &c->table[(g * c->labels + y) * c->classes];
        part += row[k];
        for (size_t i = 0; i < c->classes; i++) {
            whole += row[i];
        }
    }
    return noisy_json(part, whole);
}

static json_t *certified_statistic(const dp2dpi_report *r, const dp2dp_evaluation *e, size_t g,
                                   size_t s) {
    const dp2dp_certificate *c = r->certificate->certificate;
    double whole = 0;
    (void)e;
    for (size_t y = 0; y < c->labels; y++) {
        for (size_t k = 0; k < c->classes && dp2dpi_statistic_has(&r->statistics, s, y); k++) {
            whole += c->table[(g * c->labels + y) * c->classes + k];
        }
    }
    return noisy_json(dp2dpi_statistic_given(&r->statistics, s, g, c->classes, c->table), whole);
}

static json_t *rates_json(const dp2dpi_report *r) {
    const dp2dpi_measured *m = &r->measured;
    size_t classes = r->info->classes;
    if (m->after == NULL && r->certificate == NULL) {
        return json_null();
    }
    return DP2DPI_JSON_OBJECT(
        {"source", json_string(m->after ? "test" : "certificate")},
        {"confidence", dp2dpi_finite_json(m->after ? r->options.confidence : NAN)},
        {"before", m->before ? table_json(r, m->before, classes, selection_cell) : json_null()},
        {"after", m->after ? table_json(r, m->after, classes, selection_cell)
                           : table_json(r, NULL, classes, certified_cell)});
}

static int is_measured(const dp2dpi_report *r) {
    return r->measured.after && r->measured.after->criteria[r->info->criterion].measured;
}

/* Returns the JSON of the rates of all statistics of the criterion in each group. Returns null
 * under demographic parity, whose statistics are the rates of the classes: the member `rates`
 * already has these. Also returns null if the rates are not known or are too many for the page. */
static json_t *statistic_rates_json(const dp2dpi_report *r) {
    const dp2dpi_measured *m = &r->measured;
    size_t count = r->statistics.count;
    if (r->info->criterion == DP2DP_DEMOGRAPHIC_PARITY || dp2dpi_report_is_crowded(r) ||
        (!is_measured(r) && (m->after || r->certificate == NULL))) {
        return json_null();
    }
    return m->after
               ? DP2DPI_JSON_OBJECT({"before", table_json(r, m->before, count, statistic_cell)},
                                    {"after", table_json(r, m->after, count, statistic_cell)})
               : DP2DPI_JSON_OBJECT({"before", json_null()},
                                    {"after", table_json(r, NULL, count, certified_statistic)});
}

static json_t *class_rates_json(const dp2dpi_report *r) {
    const dp2dpi_measured *m = &r->measured;
    size_t classes = r->info->classes;
    if (m->after == NULL || is_large(r)) {
        return json_null();
    }
    return DP2DPI_JSON_OBJECT({"before", table_json(r, m->before, classes, class_cell)},
                              {"after", table_json(r, m->after, classes, class_cell)});
}

static json_t *unfairness_of(const dp2dp_evaluation *e, size_t criterion) {
    const dp2dp_unfairness *u = e ? &e->criteria[criterion] : NULL;
    return u && u->measured && !isnan(u->unfairness)
               ? dp2dpi_interval_json(u->unfairness, u->interval.low, u->interval.high)
               : json_null();
}

/* Returns the JSON of the rate of a group before and after the rule. */
static json_t *end_json(const dp2dpi_report *r, size_t criterion, size_t g, size_t s) {
    const dp2dp_unfairness *before = &r->measured.before->criteria[criterion];
    const dp2dp_unfairness *after = &r->measured.after->criteria[criterion];
    size_t at = g * after->statistic_count + s;
    return DP2DPI_JSON_OBJECT({"group", json_integer((json_int_t)g)},
                              {"before", dp2dpi_finite_json(before->rates[at].rate)},
                              {"after", dp2dpi_finite_json(after->rates[at].rate)});
}

static int has_worst(const dp2dpi_report *r, size_t criterion) {
    const dp2dp_evaluation *e = r->measured.after;
    return e && e->criteria[criterion].measured && !isnan(e->criteria[criterion].unfairness) &&
           r->measured.before->criteria[criterion].measured;
}

/* Returns the JSON of the rate that differs most between two groups after the rule, and of these
 * two groups. With two classes, replaces a rate of class 0 by the rate of class 1 among the same
 * people, if the notion compares the rate of class 1 too. Both rates differ equally between the
 * groups. */
static json_t *worst_json(const dp2dpi_report *r, size_t criterion) {
    const dp2dp_unfairness *u = &r->measured.after->criteria[criterion];
    size_t s = u->statistic, high = u->group_high, low = u->group_low, classes = r->info->classes;
    const dp2dp_statistic *all = u->statistics;
    if (classes == 2 && all[s].class_index == 0 && s + 1 < u->statistic_count &&
        all[s + 1].class_index == 1 &&
        (all[s].labels == all[s + 1].labels ||
         (all[s].labels && all[s + 1].labels &&
          memcmp(all[s].labels, all[s + 1].labels, classes) == 0))) {
        s++;
        high = u->group_low;
        low = u->group_high;
    }
    json_t *labels = json_array();
    int failed = 0;
    for (size_t y = 0; y < classes && all[s].labels && !failed; y++) {
        failed = all[s].labels[y] && json_array_append_new(labels, json_integer((json_int_t)y));
    }
    return DP2DPI_JSON_OBJECT({"class", json_integer((json_int_t)all[s].class_index)},
                              {"labels", dp2dpi_json_finish(labels, failed)},
                              {"high", end_json(r, criterion, high, s)},
                              {"low", end_json(r, criterion, low, s)});
}

static json_t *criterion_json(const dp2dpi_report *r, size_t i) {
    const dp2dp_word *word = dp2dp_word_find(DP2DP_WORDS_CRITERION, (int)i);
    return DP2DPI_JSON_OBJECT({"name", json_string(word->word)}, {"text", json_string(word->help)},
                              {"promised", json_boolean((size_t)r->info->criterion == i)},
                              {"before", unfairness_of(r->measured.before, i)},
                              {"after", unfairness_of(r->measured.after, i)},
                              {"worst", has_worst(r, i) ? worst_json(r, i) : json_null()});
}

static json_t *unfairness_json(const dp2dpi_report *r) {
    size_t own = (size_t)r->info->criterion;
    json_t *criteria = json_array();
    int failed = 0;
    for (size_t i = 0; i <= DP2DP_CUSTOM && !failed; i++) {
        if (i != DP2DP_CUSTOM || own == DP2DP_CUSTOM) {
            failed = json_array_append_new(criteria, criterion_json(r, i));
        }
    }
    return DP2DPI_JSON_OBJECT({"before", unfairness_of(r->measured.before, own)},
                              {"after", unfairness_of(r->measured.after, own)},
                              {"criteria", dp2dpi_json_finish(criteria, failed)});
}

static json_t *error_of(const dp2dp_evaluation *e) {
    return dp2dpi_interval_json(e->error, 1 - e->accuracy_interval.high,
                                1 - e->accuracy_interval.low);
}

static json_t *group_errors(const dp2dpi_report *r, const dp2dp_evaluation *e) {
    json_t *array = json_array();
    int failed = 0;
    for (size_t g = 0; g < r->info->groups && !failed; g++) {
        failed = json_array_append_new(array, proportion_json(r, &e->errors[g]));
    }
    return dp2dpi_json_finish(array, failed);
}

/* Returns the JSON of the change of error. `worse` counts the people for whom only the decision
 * before the rule is right, `better` those for whom only the decision after it is right. The change
 * of error is the share of the people in `worse` minus the share of the people in `better`. Each
 * share gets a Clopper–Pearson interval that is wrong with at most half the allowed probability. By
 * the Bonferroni inequality, the interval of the difference then has the requested confidence. */
static json_t *error_change(const dp2dpi_report *r) {
    const dp2dpi_measured *m = &r->measured;
    int64_t people = (int64_t)m->after->records;
    double tail = (1 - r->options.confidence) / 4;
    dp2dp_proportion worse = dp2dpi_proportion(m->worse, people, tail);
    dp2dp_proportion better = dp2dpi_proportion(m->better, people, tail);
    json_t *change = dp2dpi_interval_json((double)(m->worse - m->better) / (double)people,
                                          worse.interval.low - better.interval.high,
                                          worse.interval.high - better.interval.low);
    int failed = json_object_set_new(change, "worse", json_integer((json_int_t)m->worse)) ||
                 json_object_set_new(change, "better", json_integer((json_int_t)m->better));
    return dp2dpi_json_finish(change, failed);
}

static json_t *group_changes(const dp2dpi_report *r) {
    json_t *array = json_array();
    int failed = 0;
    for (size_t g = 0; g < r->info->groups && !failed; g++) {
        double change = r->measured.after->errors[g].rate - r->measured.before->errors[g].rate;
        failed = json_array_append_new(array, dp2dpi_finite_json(change));
    }
    return dp2dpi_json_finish(array, failed);
}

static json_t *error_json(const dp2dpi_report *r) {
    const dp2dpi_measured *m = &r->measured;
    if (m->after == NULL) {
        return json_null();
    }
    return DP2DPI_JSON_OBJECT({"before", error_of(m->before)}, {"after", error_of(m->after)},
                              {"change", error_change(r)},
                              {"groups", DP2DPI_JSON_OBJECT({"before", group_errors(r, m->before)},
                                                            {"after", group_errors(r, m->after)},
                                                            {"change", group_changes(r)})});
}

static json_t *changes_json(const dp2dpi_report *r) {
    size_t classes = r->info->classes;
    const int64_t *next = r->measured.changes;
    if (next == NULL) {
        return json_null();
    }
    json_t *groups = json_array();
    int failed = 0;
    for (size_t g = 0; g < r->info->groups && !failed; g++) {
        json_t *rows = json_array();
        for (size_t before = 0; before < classes && !failed; before++) {
            json_t *row = json_array();
            for (size_t after = 0; after < classes && !failed; after++) {
                failed = json_array_append_new(row, json_integer((json_int_t)*next++));
            }
            failed |= json_array_append_new(rows, row);
        }
        failed |= json_array_append_new(groups, rows);
    }
    return dp2dpi_json_finish(groups, failed);
}

static json_t *moves_json(const dp2dpi_report *r) {
    const dp2dpi_measured *m = &r->measured;
    if (m->changes == NULL) {
        return json_null();
    }
    json_t *array = json_array();
    int failed = 0;
    for (size_t i = 0; i < m->move_count && i < DP2DPI_REPORT_MOVES_MAX && !failed; i++) {
        const dp2dpi_move *move = &m->moves[i];
        failed = json_array_append_new(
            array, DP2DPI_JSON_OBJECT({"group", json_integer((json_int_t)move->group)},
                                      {"before", json_integer((json_int_t)move->before)},
                                      {"after", json_integer((json_int_t)move->after)},
                                      {"people", json_integer((json_int_t)move->people)},
                                      {"worse", json_integer((json_int_t)move->worse)},
                                      {"better", json_integer((json_int_t)move->better)}));
    }
    return dp2dpi_json_finish(array, failed);
}

static json_t *ties_json(const dp2dpi_report *r) {
    const dp2dpi_measured *m = &r->measured;
    if (m->after == NULL) {
        return json_null();
    }
    json_t *array = json_array();
    int failed = 0;
    for (size_t g = 0; g < r->info->groups && !failed; g++) {
        double people = m->people[g] > 0 ? (double)m->people[g] : NAN;
        double lot = r->info->dither.width > 0 ? (double)m->by_lot[g] / people : NAN;
        failed = json_array_append_new(
            array, DP2DPI_JSON_OBJECT({"group", json_integer((json_int_t)g)},
                                      {"share", dp2dpi_finite_json((double)m->ties[g] / people)},
                                      {"by_lot", dp2dpi_finite_json(lot)}));
    }
    return dp2dpi_json_finish(array, failed);
}

static json_t *left_out_json(const dp2dpi_report *r) {
    const dp2dpi_measured *m = &r->measured;
    json_t *array = json_array();
    int failed = 0;
    for (size_t g = 0; g < r->info->groups && !failed; g++) {
        uint64_t people = r->options.test_left_out[g], all = people + (uint64_t)m->people[g];
        double share = all > 0 ? (double)people / (double)all : NAN;
        failed = json_array_append_new(
            array, DP2DPI_JSON_OBJECT({"group", json_integer((json_int_t)g)},
                                      {"people", json_integer((json_int_t)people)},
                                      {"of", json_integer((json_int_t)all)},
                                      {"share", dp2dpi_finite_json(share)}));
    }
    return dp2dpi_json_finish(array, failed);
}

static json_t *test_json(const dp2dpi_report *r) {
    const dp2dpi_measured *m = &r->measured;
    if (m->after == NULL) {
        return json_null();
    }
    json_t *test = DP2DPI_JSON_OBJECT(
        {"people", json_integer((json_int_t)m->after->records)},
        {"changed", json_integer((json_int_t)m->changed)},
        {"warnings", dp2dpi_words_json(DP2DP_WORDS_WARNING, m->warnings, NULL)},
        {"balanced_accuracy_before", dp2dpi_finite_json(m->before->balanced_accuracy)},
        {"balanced_accuracy_after", dp2dpi_finite_json(m->after->balanced_accuracy)},
        {"disparate_impact_before", dp2dpi_finite_json(m->before->disparate_impact)},
        {"disparate_impact_after", dp2dpi_finite_json(m->after->disparate_impact)});
    int failed = test && dp2dpi_report_left_out(r) > 0 &&
                 json_object_set_new(test, "left_out", left_out_json(r)) != 0;
    return dp2dpi_json_finish(test, failed);
}

int dp2dpi_report_add_rates(const dp2dpi_report *r, json_t *data) {
    return json_object_set_new(data, "test", test_json(r)) ||
           json_object_set_new(data, "rates", rates_json(r)) ||
           json_object_set_new(data, "statistic_rates", statistic_rates_json(r)) ||
           json_object_set_new(data, "class_rates", class_rates_json(r)) ||
           json_object_set_new(data, "unfairness", unfairness_json(r)) ||
           json_object_set_new(data, "error", error_json(r)) ||
           json_object_set_new(data, "changes", changes_json(r)) ||
           json_object_set_new(data, "moves", moves_json(r)) ||
           json_object_set_new(data, "ties", ties_json(r));
}
