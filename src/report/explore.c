/* The part for the data scientist: every number that was measured, as tables. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <dp2dp/fit.h>
#include <dp2dp/train.h>

#include "base/alloc.h"
#include "report/report.h"

enum {
    MOVES_MAX = 200 /* lines in the table of changed decisions */
};

void dp2dpi_report_table(dp2dpi_html *h, const char *id, const char *caption) {
    dp2dpi_html_put(h, "<div class=\"table-box\" role=\"region\" aria-labelledby=\"caption-");
    dp2dpi_html_put(h, id);
    dp2dpi_html_put(h, "\" tabindex=\"0\"><table><caption id=\"caption-");
    dp2dpi_html_put(h, id);
    dp2dpi_html_put(h, "\">");
    dp2dpi_html_put(h, caption);
    dp2dpi_html_put(h, "</caption>\n");
}

static void end_table(dp2dpi_html *h) {
    dp2dpi_html_put(h, "</tbody></table></div>\n");
}

/* The columns of a table, each a <th>; the list ends with NULL. */
static void put_columns(dp2dpi_html *h, const char *const *columns) {
    dp2dpi_html_put(h, "<thead><tr>");
    for (; *columns; columns++) {
        dp2dpi_html_put(h, "<th scope=\"col\">");
        dp2dpi_html_put(h, *columns);
        dp2dpi_html_put(h, "</th>");
    }
    dp2dpi_html_put(h, "</tr></thead>\n<tbody>\n");
}
#define COLUMNS(h, ...) put_columns(h, (const char *const[]) {__VA_ARGS__, NULL})

static void row_name(dp2dpi_html *h, const char *name) {
    dp2dpi_html_put(h, "<th scope=\"row\">");
    dp2dpi_html_name(h, name);
    dp2dpi_html_put(h, "</th>");
}

static void group_head(dp2dpi_html *h, const char *name, size_t rows) {
    char span[48];
    snprintf(span, sizeof span, "<tr><th scope=\"rowgroup\" rowspan=\"%zu\">", rows);
    dp2dpi_html_put(h, span);
    dp2dpi_html_name(h, name);
    dp2dpi_html_put(h, "</th>");
}

static void open_section(dp2dpi_html *h, const char *id, const char *title, const char *how) {
    dp2dpi_html_put(h, "<section id=\"");
    dp2dpi_html_put(h, id);
    dp2dpi_html_put(h, "\">\n<h3>");
    dp2dpi_html_put(h, title);
    dp2dpi_html_put(h, "</h3>\n<p>");
    dp2dpi_html_put(h, how);
    dp2dpi_html_put(h, "</p>\n");
}

static void put_chart(dp2dpi_html *h, const char *chart, const char *caption) {
    dp2dpi_html_put(h, "<figure class=\"chart\" data-chart=\"");
    dp2dpi_html_put(h, chart);
    dp2dpi_html_put(h, "\"><figcaption>");
    dp2dpi_html_put(h, caption);
    dp2dpi_html_put(h, "</figcaption></figure>\n");
}

/* Ends a section that has nothing to show. */
static void absent_section(dp2dpi_html *h, const char *how) {
    dp2dpi_html_put(h, "<p><strong>");
    dp2dpi_html_absent(h);
    dp2dpi_html_put(h, "</strong>: ");
    dp2dpi_html_put(h, how);
    dp2dpi_html_put(h, "</p>\n</section>\n");
}

static const char needs_test[] = "a report with labelled test people (<code>--test</code>) shows "
                                 "it.";

static void statistic_table(const dp2dpi_report *r, dp2dpi_html *h) {
    size_t count = r->statistics.count;
    if (json_is_null(dp2dpi_data_at(h->data, "/statistic_rates"))) {
        return;
    }
    dp2dpi_report_table(h, "statistics", "The rates that the model's criterion compares");
    COLUMNS(h, "How often a group …", "Group", "Before", "After");
    for (size_t s = 0; s < count; s++) {
        char span[48];
        snprintf(span, sizeof span, "<tr><th scope=\"rowgroup\" rowspan=\"%zu\">", r->info->groups);
        dp2dpi_html_put(h, span);
        dp2dpi_report_statistic(r, h, s, DP2DPI_AS_HTML);
        dp2dpi_html_put(h, "</th>");
        for (size_t g = 0; g < r->info->groups; g++) {
            dp2dpi_html_put(h, g > 0 ? "<tr>" : "");
            row_name(h, r->info->names.groups[g]);
            dp2dpi_html_put(h, "<td>");
            dp2dpi_html_proportion(h, "/statistic_rates/before/%zu/%zu", g, s);
            dp2dpi_html_put(h, "</td><td>");
            dp2dpi_html_proportion(h, "/statistic_rates/after/%zu/%zu", g, s);
            dp2dpi_html_put(h, "</td></tr>\n");
        }
    }
    end_table(h);
}

static void section_rates(const dp2dpi_report *r, dp2dpi_html *h) {
    const dp2dp_model_info *info = r->info;
    open_section(h, "rates", "How often each group gets each class",
                 "How to read it: within a class, the closer the rates of the groups are to each "
                 "other, the fairer. After each rate stand its interval and the people it is "
                 "counted from.");
    if (json_is_null(dp2dpi_data_at(h->data, "/rates"))) {
        absent_section(h, "a report with test people (<code>--test</code>) or a certificate "
                          "(<code>--certificate</code>) shows it.");
        return;
    }
    if (r->measured.after == NULL) {
        dp2dpi_html_put(h, "<p>These rates come from the certificate's table, which has noise; "
                           "their intervals are not known.</p>\n");
    }
    put_chart(h, "rates", "Rates of each class by group, before and after the rule.");
    dp2dpi_report_table(h, "rates", "Rates in percent by group and class");
    COLUMNS(h, "Group", "Class", "Before", "After");
    for (size_t g = 0; g < info->groups; g++) {
        group_head(h, info->names.groups[g], info->classes);
        for (size_t k = 0; k < info->classes; k++) {
            dp2dpi_html_put(h, k > 0 ? "<tr>" : "");
            row_name(h, info->names.classes[k]);
            dp2dpi_html_put(h, "<td>");
            dp2dpi_html_proportion(h, "/rates/before/%zu/%zu", g, k);
            dp2dpi_html_put(h, "</td><td>");
            dp2dpi_html_proportion(h, "/rates/after/%zu/%zu", g, k);
            dp2dpi_html_put(h, "</td></tr>\n");
        }
    }
    end_table(h);
    statistic_table(r, h);
    dp2dpi_html_put(h, "</section>\n");
}

/* People of one group whose decision changes in one way. */
typedef struct move {
    int64_t people;
    size_t at; /* of the counts: (g K + before) K + after */
} move;

/* The largest first, then in the order of the table. */
static int compare_moves(const void *a, const void *b) {
    const move *x = a, *y = b;
    return x->people != y->people ? (x->people < y->people) - (x->people > y->people)
                                  : (x->at > y->at) - (x->at < y->at);
}

static size_t find_moves(const dp2dpi_report *r, move *moves) {
    size_t classes = r->info->classes, found = 0;
    for (size_t i = 0; i < r->info->groups * classes * classes; i++) {
        if (i / classes % classes != i % classes && r->measured.changes[i] > 0) {
            moves[found++] = (move) {r->measured.changes[i], i};
        }
    }
    qsort(moves, found, sizeof *moves, compare_moves);
    return found;
}

static void moves_table(const dp2dpi_report *r, dp2dpi_html *h, const move *moves, size_t count) {
    size_t classes = r->info->classes, shown = count < MOVES_MAX ? count : MOVES_MAX;
    dp2dpi_report_table(h, "changes", "People of the test table who get another decision");
    COLUMNS(h, "Group", "From", "To", "People");
    for (size_t i = 0; i < shown; i++) {
        size_t after = moves[i].at % classes, before = moves[i].at / classes % classes,
               g = moves[i].at / classes / classes;
        dp2dpi_html_put(h, "<tr>");
        row_name(h, r->info->names.groups[g]);
        dp2dpi_html_put(h, "<td>");
        dp2dpi_html_name(h, r->info->names.classes[before]);
        dp2dpi_html_put(h, "</td><td>");
        dp2dpi_html_name(h, r->info->names.classes[after]);
        dp2dpi_html_put(h, "</td><td>");
        dp2dpi_html_number(h, DP2DPI_FORM_COUNT, "/changes/%zu/%zu/%zu", g, before, after);
        dp2dpi_html_put(h, "</td></tr>\n");
    }
    end_table(h);
    if (shown < count) {
        dp2dpi_html_put(h, "<p>Only the most frequent changes are listed.</p>\n");
    }
}

static void section_changes(const dp2dpi_report *r, dp2dpi_html *h) {
    size_t cells = r->info->groups * r->info->classes * r->info->classes;
    move *moves = NULL;
    open_section(h, "changes", "Who gets another decision",
                 "How to read it: each line counts the people of one group whom the rule moves "
                 "from one class to another.");
    if (r->measured.changes == NULL) {
        absent_section(h, r->measured.after ? "there are too many groups and classes to list."
                                            : needs_test);
        return;
    }
    put_chart(h, "changes", "Changed decisions by group.");
    if (h->status == DP2DP_STATUS_OK) {
        h->status = DP2DPI_ALLOC(moves, cells, "a report", h->error);
    }
    if (moves) {
        size_t count = find_moves(r, moves);
        if (count > 0) {
            moves_table(r, h, moves, count);
        } else {
            dp2dpi_html_put(h, "<p>Nobody's decision changes.</p>\n");
        }
        dp2dpi_free(moves);
    }
    dp2dpi_html_put(h, "</section>\n");
}

static void thresholds_table(const dp2dpi_report *r, dp2dpi_html *h) {
    dp2dpi_html_put(h, "<p>Class ");
    dp2dpi_html_name(h, r->info->names.classes[1]);
    dp2dpi_html_put(h, " is given if its score is above the threshold.</p>\n");
    dp2dpi_report_table(h, "thresholds", "Thresholds by group");
    COLUMNS(h, "Group", "Before", "After");
    for (size_t e = 0; e < r->info->strata; e++) {
        dp2dpi_html_put(h, "<tr>");
        row_name(h, r->info->names.groups[e]);
        dp2dpi_html_put(h, "<td>");
        dp2dpi_html_number(h, DP2DPI_FORM_DECIMAL, "/rule/strata/%zu/threshold_before", e);
        dp2dpi_html_put(h, "</td><td>");
        dp2dpi_html_number(h, DP2DPI_FORM_DECIMAL, "/rule/strata/%zu/threshold_after", e);
        dp2dpi_html_put(h, "</td></tr>\n");
    }
    end_table(h);
}

static void offsets_table(const dp2dpi_report *r, dp2dpi_html *h) {
    const dp2dp_model_info *info = r->info;
    dp2dpi_report_table(h, "offsets", "Offsets, which are subtracted from the scores");
    dp2dpi_html_put(h, "<thead><tr><th scope=\"col\">Group</th>");
    dp2dpi_html_put(h, info->labels > 1 ? "<th scope=\"col\">Label</th>" : "");
    for (size_t k = 0; k < info->classes; k++) {
        dp2dpi_html_put(h, "<th scope=\"col\">");
        dp2dpi_html_name(h, info->names.classes[k]);
        dp2dpi_html_put(h, "</th>");
    }
    dp2dpi_html_put(h, "</tr></thead>\n<tbody>\n");
    for (size_t e = 0; e < info->strata; e++) {
        dp2dpi_html_put(h, "<tr>");
        row_name(h, info->names.groups[e / info->labels]);
        if (info->labels > 1) {
            row_name(h, info->names.classes[e % info->labels]);
        }
        for (size_t k = 0; k < info->classes; k++) {
            dp2dpi_html_put(h, "<td>");
            dp2dpi_html_number(h, DP2DPI_FORM_SIGNED, "/rule/strata/%zu/offsets/%zu", e, k);
            dp2dpi_html_put(h, "</td>");
        }
        dp2dpi_html_put(h, "</tr>\n");
    }
    end_table(h);
}

static const char *rule_words(dp2dp_rule rule) {
    return rule == DP2DP_RULE_OFFSET ? "How to read it: the rule subtracts the offset of a "
                                       "person's group from the score of each class, and gives "
                                       "the class with the largest result."
           : rule == DP2DP_RULE_LINEAR
               ? "How to read it: the rule multiplies the offsets of a person's group, one line "
                 "for each label, by the scores of the labels, subtracts the sum from the score of "
                 "each class, and gives the class with the largest result."
               : "How to read it: the rule does not see the group. It multiplies the offsets by "
                 "the probability of each line, subtracts the sum from the score of each class, "
                 "and gives the class with the largest result.";
}

/* How the model was made. */
static void put_origin(const dp2dpi_report *r, dp2dpi_html *h) {
    const dp2dp_model_info *info = r->info;
    dp2dpi_html_put(h, "<p>The rule was found by the solver ");
    dp2dpi_html_text(h, dp2dp_solver_name(info->solver));
    dp2dpi_html_put(h, " from ");
    dp2dpi_html_number(h, DP2DPI_FORM_COUNT, "/model/records");
    dp2dpi_html_put(h, info->options->rows_per_person > 1 ? " rows" : " people");
    dp2dpi_html_put(h, ", with rho ");
    dp2dpi_html_number(h, DP2DPI_FORM_EXACT, "/model/rho");
    dp2dpi_html_put(h, ".");
    if (info->tolerance > info->options->rho) {
        dp2dpi_html_put(h, " Gaps up to ");
        dp2dpi_html_number(h, DP2DPI_FORM_UP, "/model/effective_tolerance");
        dp2dpi_html_put(h, " are within noise and were left alone.");
    }
    if (info->classifier) {
        dp2dpi_html_put(h, " The scores come from the model's own classifier (method ");
        dp2dpi_html_text(h, dp2dp_train_method_name(info->classifier->method));
        dp2dpi_html_put(h, ", ");
        dp2dpi_html_number(h, DP2DPI_FORM_COUNT, "/model/classifier/features");
        dp2dpi_html_put(h, " features).");
    } else {
        dp2dpi_html_put(h, " The scores come from a classifier that is not in the model.");
    }
    dp2dpi_html_put(h, "</p>\n");
}

static void section_rule(const dp2dpi_report *r, dp2dpi_html *h) {
    const dp2dp_model_info *info = r->info;
    open_section(h, "rule", "The rule", rule_words(info->rule));
    put_origin(r, h);
    put_chart(h, "rule", "How the rule shifts the scores, by group.");
    if (info->classes == 2 && info->rule == DP2DP_RULE_OFFSET) {
        thresholds_table(r, h);
    }
    if (info->strata * info->classes <= DP2DPI_REPORT_OFFSETS_MAX) {
        offsets_table(r, h);
    } else {
        dp2dpi_html_put(h, "<p>There are too many offsets to list here; <code>dp2dp show --json"
                           "</code> prints them.</p>\n");
    }
    if (info->counted == DP2DP_COUNTED_SCORES) {
        dp2dpi_html_put(h, "<p class=\"caution\"><strong>Caution:</strong> people were counted ");
        dp2dpi_html_text(h, dp2dp_statement_text(DP2DP_STATEMENT_COUNTED_BY_SCORES));
        dp2dpi_html_put(h, ".</p>\n");
    }
    if (info->dither.width > 0) {
        dp2dpi_html_put(h, "<p>A public random number below ");
        dp2dpi_html_number(h, DP2DPI_FORM_EXACT, "/model/dither");
        dp2dpi_html_put(h, " is added to each score (dither). It depends on ");
        dp2dpi_html_text(h, dp2dp_word_find(DP2DP_WORDS_DITHER_KEY, (int)info->dither_key)->help);
        dp2dpi_html_put(h, ".</p>\n");
    }
    dp2dpi_html_put(h, "</section>\n");
}

static void average_cell(dp2dpi_html *h, size_t i, const char *measure) {
    dp2dpi_html_put(h, "<td>");
    dp2dpi_html_number(h, DP2DPI_FORM_PERCENT, "/tradeoff/points/%zu/%s/mean", i, measure);
    if (!isnan(dp2dpi_data_number(h->data, "/tradeoff/points/%zu/%s/sd", i, measure))) {
        dp2dpi_html_put(h, " <small>± ");
        dp2dpi_html_number(h, DP2DPI_FORM_POINTS, "/tradeoff/points/%zu/%s/sd", i, measure);
        dp2dpi_html_put(h, "</small>");
    }
    dp2dpi_html_put(h, "</td>");
}

static void point_row(const dp2dpi_report *r, dp2dpi_html *h, size_t i) {
    const dp2dpi_point *p = &r->sweep.points[i];
    dp2dpi_html_put(h, "<tr><th scope=\"row\">");
    dp2dpi_html_number(h, DP2DPI_FORM_EXACT, "/tradeoff/points/%zu/rho", i);
    dp2dpi_html_put(h, "</th><td>");
    if (isfinite(p->epsilon)) {
        dp2dpi_html_number(h, DP2DPI_FORM_EXACT, "/tradeoff/points/%zu/epsilon", i);
    } else {
        dp2dpi_html_put(h, isnan(p->epsilon) ? "no noise" : "infinite: no noise");
    }
    dp2dpi_html_put(h, "</td><td>");
    dp2dpi_html_text(h, p->method);
    dp2dpi_html_put(h, ", ");
    dp2dpi_html_text(h, p->solver);
    dp2dpi_html_put(h, "</td><td>");
    dp2dpi_html_number(h, DP2DPI_FORM_COUNT, "/tradeoff/points/%zu/runs", i);
    dp2dpi_html_put(h, "</td>");
    average_cell(h, i, "unfairness");
    average_cell(h, i, "error");
    average_cell(h, i, "unfairness_before");
    average_cell(h, i, "error_before");
    dp2dpi_html_put(h, "</tr>\n");
}

static void section_tradeoff(const dp2dpi_report *r, dp2dpi_html *h) {
    open_section(h, "tradeoff", "Fairness against error: other settings",
                 "How to read it: each line is one setting, tried on the people of the sweep. A "
                 "smaller rho asks for more equal groups and costs more errors.");
    if (r->sweep.points == NULL) {
        absent_section(h, "a report with a sweep (<code>--sweep</code>, from <code>dp2dp "
                          "sweep</code>) shows it.");
        return;
    }
    dp2dpi_html_put(h, "<p>The sweep is about ");
    dp2dpi_html_number(h, DP2DPI_FORM_COUNT, "/tradeoff/records");
    dp2dpi_html_put(h, " rows");
    if (*r->sweep.data) {
        dp2dpi_html_put(h, " of ");
        dp2dpi_html_name(h, r->sweep.data);
    }
    dp2dpi_html_put(h, ": ");
    dp2dpi_html_text(h,
                     dp2dp_word_find(DP2DP_WORDS_SWEEP_PEOPLE, (int)r->options.sweep_people)->help);
    dp2dpi_html_put(h, ", as the maker of this page states. Its numbers are exact: do not "
                       "publish.</p>\n");
    dp2dpi_report_sweep_cautions(r, h);
    put_chart(h, "tradeoff", "Error and unfairness of every setting, and of this model.");
    dp2dpi_report_table(h, "tradeoff", "Means over the runs, ± standard deviation");
    COLUMNS(h, "Rho", "Epsilon", "Method, solver", "Runs", "Unfairness", "Error",
            "Unfairness before", "Error before");
    for (size_t i = 0; i < r->sweep.count; i++) {
        point_row(r, h, i);
    }
    end_table(h);
    dp2dpi_html_put(h, "</section>\n");
}

static void proportion_cell(dp2dpi_html *h, const char *when, size_t g, size_t k,
                            const char *rate) {
    dp2dpi_html_put(h, "<td>");
    dp2dpi_html_proportion(h, "/class_rates/%s/%zu/%zu/%s", when, g, k, rate);
    dp2dpi_html_put(h, "</td>");
}

static void class_rates_table(const dp2dpi_report *r, dp2dpi_html *h) {
    static const char *const rates[] = {"true_positive", "false_positive", "precision"};
    const dp2dp_model_info *info = r->info;
    if (json_is_null(dp2dpi_data_at(h->data, "/class_rates"))) {
        dp2dpi_html_put(h, "<p>There are too many groups and classes to list the rates by label "
                           "here; <code>dp2dp evaluate --json</code> prints them.</p>\n");
        return;
    }
    dp2dpi_report_table(h, "class-rates", "Rates by label");
    COLUMNS(h, "Group", "Class", "True positive rate before", "after", "False positive rate before",
            "after", "Precision before", "after");
    for (size_t g = 0; g < info->groups; g++) {
        group_head(h, info->names.groups[g], info->classes);
        for (size_t k = 0; k < info->classes; k++) {
            dp2dpi_html_put(h, k > 0 ? "<tr>" : "");
            row_name(h, info->names.classes[k]);
            for (size_t i = 0; i < 3; i++) {
                proportion_cell(h, "before", g, k, rates[i]);
                proportion_cell(h, "after", g, k, rates[i]);
            }
            dp2dpi_html_put(h, "</tr>\n");
        }
    }
    end_table(h);
    dp2dpi_html_put(h, "<p>True positive rate: of those whose label is the class, how many get it. "
                       "False positive rate: of the others, how many get it. Precision: of those "
                       "who get it, for how many it is the label.</p>\n");
}

static void section_errors(const dp2dpi_report *r, dp2dpi_html *h) {
    open_section(h, "errors", "Errors by group",
                 "How to read it: the share of people who get another class than their label. A "
                 "fair rule may raise it more in one group than in another.");
    if (r->measured.after == NULL) {
        absent_section(h, needs_test);
        return;
    }
    put_chart(h, "errors", "Share of wrong decisions by group, before and after the rule.");
    dp2dpi_report_table(h, "errors", "Wrong decisions by group");
    COLUMNS(h, "Group", "Before", "After");
    for (size_t g = 0; g < r->info->groups; g++) {
        dp2dpi_html_put(h, "<tr>");
        row_name(h, r->info->names.groups[g]);
        dp2dpi_html_put(h, "<td>");
        dp2dpi_html_proportion(h, "/error/groups/before/%zu", g);
        dp2dpi_html_put(h, "</td><td>");
        dp2dpi_html_proportion(h, "/error/groups/after/%zu", g);
        dp2dpi_html_put(h, "</td></tr>\n");
    }
    dp2dpi_html_put(h, "<tr><th scope=\"row\">All</th><td>");
    dp2dpi_html_interval(h, DP2DPI_FORM_PERCENT, "/error/before");
    dp2dpi_html_put(h, "</td><td>");
    dp2dpi_html_interval(h, DP2DPI_FORM_PERCENT, "/error/after");
    dp2dpi_html_put(h, "</td></tr>\n");
    end_table(h);
    class_rates_table(r, h);
    dp2dpi_html_put(h, "</section>\n");
}

static void section_ties(const dp2dpi_report *r, dp2dpi_html *h) {
    int dither = r->info->dither.width > 0;
    open_section(h, "ties", "Ties",
                 "How to read it: people whose two best scores under the rule are equal (within "
                 "0.000001) are all decided alike, so a tiny change of the rule moves them all "
                 "at once.");
    if (r->measured.after == NULL) {
        absent_section(h, needs_test);
        return;
    }
    dp2dpi_report_table(h, "ties", "Share of test people");
    if (dither) {
        COLUMNS(h, "Group", "Ties", "Decided by the public random number");
    } else {
        COLUMNS(h, "Group", "Ties");
    }
    for (size_t g = 0; g < r->info->groups; g++) {
        dp2dpi_html_put(h, "<tr>");
        row_name(h, r->info->names.groups[g]);
        dp2dpi_html_put(h, "<td>");
        dp2dpi_html_number(h, DP2DPI_FORM_PERCENT, "/ties/%zu/share", g);
        if (dither) {
            dp2dpi_html_put(h, "</td><td>");
            dp2dpi_html_number(h, DP2DPI_FORM_PERCENT, "/ties/%zu/by_lot", g);
        }
        dp2dpi_html_put(h, "</td></tr>\n");
    }
    end_table(h);
    dp2dpi_html_put(h, "</section>\n");
}

static void section_criteria(const dp2dpi_report *r, dp2dpi_html *h) {
    size_t count = json_array_size(dp2dpi_data_at(h->data, "/unfairness/criteria"));
    open_section(h, "criteria", "Unfairness under each notion of fair",
                 "How to read it: unfairness is the largest difference between two groups in any "
                 "rate that the notion compares; 0 is fair. Fair under one notion is not fair "
                 "under another.");
    put_chart(h, "criteria", "Unfairness under each notion, before and after the rule.");
    dp2dpi_report_table(h, "criteria", "Unfairness in percentage points, with intervals");
    COLUMNS(h, "Notion", "What it compares", "Before", "After");
    for (size_t i = 0; i < count; i++) {
        const json_t *one = dp2dpi_data_at(h->data, "/unfairness/criteria/%zu", i);
        dp2dpi_html_put(h, "<tr><th scope=\"row\">");
        dp2dpi_html_text(h, json_string_value(json_object_get(one, "name")));
        dp2dpi_html_put(h, json_is_true(json_object_get(one, "promised"))
                               ? " <strong>(what the model aims at)</strong></th><td>"
                               : "</th><td>");
        dp2dpi_report_sentence(h, json_string_value(json_object_get(one, "text")));
        dp2dpi_html_put(h, "</td><td>");
        dp2dpi_html_interval(h, DP2DPI_FORM_POINTS, "/unfairness/criteria/%zu/before", i);
        dp2dpi_html_put(h, "</td><td>");
        dp2dpi_html_interval(h, DP2DPI_FORM_POINTS, "/unfairness/criteria/%zu/after", i);
        dp2dpi_html_put(h, "</td></tr>\n");
    }
    end_table(h);
    if (r->measured.after) {
        dp2dpi_html_put(h, "<p>Disparate impact, the smallest selection rate divided by the "
                           "largest: ");
        dp2dpi_html_number(h, DP2DPI_FORM_DECIMAL, "/test/disparate_impact_before");
        dp2dpi_html_put(h, " before, ");
        dp2dpi_html_number(h, DP2DPI_FORM_DECIMAL, "/test/disparate_impact_after");
        dp2dpi_html_put(h, " after. Balanced accuracy: ");
        dp2dpi_html_number(h, DP2DPI_FORM_PERCENT, "/test/balanced_accuracy_before");
        dp2dpi_html_put(h, " before, ");
        dp2dpi_html_number(h, DP2DPI_FORM_PERCENT, "/test/balanced_accuracy_after");
        dp2dpi_html_put(h, " after.</p>\n");
    }
    dp2dpi_html_put(h, "</section>\n");
}

void dp2dpi_report_explore(const dp2dpi_report *r, dp2dpi_html *h) {
    dp2dpi_html_put(h, "<section id=\"explore\">\n<h2>For the data scientist</h2>\n");
    section_rates(r, h);
    section_changes(r, h);
    section_rule(r, h);
    section_tradeoff(r, h);
    section_errors(r, h);
    section_ties(r, h);
    section_criteria(r, h);
    dp2dpi_html_put(h, "</section>\n");
}
