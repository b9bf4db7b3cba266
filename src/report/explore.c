/* The part of the page for the data scientist: every number that was measured, as tables. */
#include <stdio.h>
#include <string.h>

#include <dp2dp/fit.h>

#include "report/report.h"
#include "report/section.h"

/* Appends the cells of a rate, before and after the rule. If the rate before the rule is not known,
 * appends only the rate after the rule. */
static void rate_cells(const dp2dpi_report *r, dp2dpi_html *h, const char *table, size_t g,
                       size_t i) {
    if (r->measured.before) {
        dp2dpi_html_put(h, "<td>");
        dp2dpi_html_proportion(h, "/%s/before/%zu/%zu", table, g, i);
        dp2dpi_html_put(h, "</td>");
    }
    dp2dpi_html_put(h, "<td>");
    dp2dpi_html_proportion(h, "/%s/after/%zu/%zu", table, g, i);
    dp2dpi_html_put(h, "</td></tr>\n");
}

static void rate_columns(const dp2dpi_report *r, dp2dpi_html *h, const char *first,
                         const char *second) {
    if (r->measured.before) {
        DP2DPI_COLUMNS(h, first, second, "Before", "After");
    } else {
        DP2DPI_COLUMNS(h, first, second, "With the rule");
    }
}

static void statistic_table(const dp2dpi_report *r, dp2dpi_html *h) {
    size_t count = r->statistics.count;
    if (json_is_null(dp2dpi_data_at(h->data, "/statistic_rates"))) {
        return;
    }
    dp2dpi_section_table(h, "statistics", "The rates that the model's criterion compares");
    rate_columns(r, h, "How often a group …", "Group");
    for (size_t s = 0; s < count; s++) {
        char span[48];
        snprintf(span, sizeof span, "<tr><th scope=\"rowgroup\" rowspan=\"%zu\">", r->info->groups);
        dp2dpi_html_put(h, span);
        dp2dpi_report_statistic(r, h, s, DP2DPI_AS_HTML);
        dp2dpi_html_put(h, "</th>");
        for (size_t g = 0; g < r->info->groups; g++) {
            dp2dpi_html_put(h, g > 0 ? "<tr>" : "");
            dp2dpi_section_row(h, r->info->names.groups[g]);
            rate_cells(r, h, "statistic_rates", g, s);
        }
    }
    dp2dpi_section_table_end(h);
}

static void rates_table(const dp2dpi_report *r, dp2dpi_html *h) {
    const dp2dp_model_info *info = r->info;
    dp2dpi_section_table(h, "rates", "Rates in percent by group and class");
    rate_columns(r, h, "Group", "Class");
    for (size_t g = 0; g < info->groups; g++) {
        dp2dpi_section_row_group(h, info->names.groups[g], info->classes);
        for (size_t k = 0; k < info->classes; k++) {
            dp2dpi_html_put(h, k > 0 ? "<tr>" : "");
            dp2dpi_section_row(h, info->names.classes[k]);
            rate_cells(r, h, "rates", g, k);
        }
    }
    dp2dpi_section_table_end(h);
}

/* Appends how to read rates that come from the certificate. */
static void put_noisy(dp2dpi_html *h) {
    dp2dpi_html_put(h, "<p>These rates come from the certificate's table. Each rate is followed "
                       "by the noisy counts that it is computed from. The noise of each count has "
                       "standard deviation ");
    dp2dpi_html_number(h, DP2DPI_FORM_UP, "/certificate/sigma");
    dp2dpi_html_put(h, ", so the counts do not add up to ");
    dp2dpi_html_number(h, DP2DPI_FORM_COUNT, "/certificate/records");
    dp2dpi_html_put(h, ", and the intervals of the rates are not known. A report with test people "
                       "counts other people and adds no noise, so its numbers differ.</p>\n");
}

static void section_rates(const dp2dpi_report *r, dp2dpi_html *h) {
    dp2dpi_section_open(
        h, "rates", "How often each group gets each class",
        r->info->criterion == DP2DP_DEMOGRAPHIC_PARITY
            ? "How to read it: within a class, the closer the rates of the groups are to each "
              "other, the fairer."
            : "How to read it: these rates count all people of a group. A difference between "
              "groups is no failure here: the model tries to make equal only the rates that its "
              "notion of fairness compares.");
    if (r->measured.after) {
        dp2dpi_html_put(h, "<p>Each rate is followed by its interval and by the counts that it "
                           "comes from.</p>\n");
    } else {
        put_noisy(h);
    }
    dp2dpi_section_chart(h, "rates",
                         r->measured.after ? "Rates of each class by group, before and after the "
                                             "rule."
                                           : "Rates of each class by group, with the rule.");
    rates_table(r, h);
    statistic_table(r, h);
    dp2dpi_html_put(h, "</section>\n");
}

static void moves_table(const dp2dpi_report *r, dp2dpi_html *h) {
    size_t count = r->measured.move_count;
    size_t shown = count < DP2DPI_REPORT_MOVES_MAX ? count : DP2DPI_REPORT_MOVES_MAX;
    dp2dpi_section_table(h, "changes", "People of the test table who get another decision");
    DP2DPI_COLUMNS(h, "Group", "From", "To", "People", "Of them, now wrong", "Of them, now right");
    for (size_t i = 0; i < shown; i++) {
        const dp2dpi_move *move = &r->measured.moves[i];
        dp2dpi_html_put(h, "<tr>");
        dp2dpi_section_row(h, r->info->names.groups[move->group]);
        dp2dpi_html_put(h, "<td>");
        dp2dpi_html_name(h, r->info->names.classes[move->before]);
        dp2dpi_html_put(h, "</td><td>");
        dp2dpi_html_name(h, r->info->names.classes[move->after]);
        dp2dpi_html_put(h, "</td><td>");
        dp2dpi_html_number(h, DP2DPI_FORM_COUNT, "/changes/%zu/%zu/%zu", move->group, move->before,
                           move->after);
        dp2dpi_html_put(h, "</td><td>");
        dp2dpi_html_number(h, DP2DPI_FORM_COUNT, "/moves/%zu/worse", i);
        dp2dpi_html_put(h, "</td><td>");
        dp2dpi_html_number(h, DP2DPI_FORM_COUNT, "/moves/%zu/better", i);
        dp2dpi_html_put(h, "</td></tr>\n");
    }
    dp2dpi_section_table_end(h);
    if (shown < count) {
        dp2dpi_html_put(h, "<p>Only the most frequent changes are listed.</p>\n");
    }
}

static void section_changes(const dp2dpi_report *r, dp2dpi_html *h) {
    dp2dpi_section_open(h, "changes", "Who gets another decision",
                        "How to read it: each line counts the people of one group whom the rule "
                        "moves from one class to another. \"Now wrong\" means that the decision "
                        "equalled the person's label before, and does not now. \"Now right\" means "
                        "that it equals the label now, and did not before.");
    if (r->measured.changes == NULL) {
        dp2dpi_section_absent(h, "there are too many groups and classes to list.");
        return;
    }
    dp2dpi_section_chart(h, "changes", "Changed decisions by group.");
    if (r->measured.move_count > 0) {
        moves_table(r, h);
    } else {
        dp2dpi_html_put(h, "<p>Nobody's decision changes.</p>\n");
    }
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
    dp2dpi_section_table(h, "class-rates", "Rates by label");
    DP2DPI_COLUMNS(h, "Group", "Class", "True positive rate before", "after",
                   "False positive rate before", "after", "Precision before", "after");
    for (size_t g = 0; g < info->groups; g++) {
        dp2dpi_section_row_group(h, info->names.groups[g], info->classes);
        for (size_t k = 0; k < info->classes; k++) {
            dp2dpi_html_put(h, k > 0 ? "<tr>" : "");
            dp2dpi_section_row(h, info->names.classes[k]);
            for (size_t i = 0; i < 3; i++) {
                proportion_cell(h, "before", g, k, rates[i]);
                proportion_cell(h, "after", g, k, rates[i]);
            }
            dp2dpi_html_put(h, "</tr>\n");
        }
    }
    dp2dpi_section_table_end(h);
    dp2dpi_html_put(h,
                    "<p>True positive rate: of the people whose label is the class, the share "
                    "that gets the class. False positive rate: of the people with another label, "
                    "the share that gets the class. Precision: of the people who get the class, "
                    "the share whose label is the class.</p>\n");
}

static void section_errors(const dp2dpi_report *r, dp2dpi_html *h) {
    dp2dpi_section_open(
        h, "errors", "Errors by group",
        "How to read it: the share of people who get another class than their label. A "
        "fair rule may raise this share more in one group than in another.");
    dp2dpi_section_chart(h, "errors",
                         "Share of wrong decisions by group, before and after the rule.");
    dp2dpi_section_table(h, "errors", "Wrong decisions by group");
    DP2DPI_COLUMNS(h, "Group", "Before", "After");
    for (size_t g = 0; g < r->info->groups; g++) {
        dp2dpi_html_put(h, "<tr>");
        dp2dpi_section_row(h, r->info->names.groups[g]);
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
    dp2dpi_section_table_end(h);
    class_rates_table(r, h);
    dp2dpi_html_put(h, "</section>\n");
}

/* Appends one row for each group, with a share of the group's test people. Ends the table and the
 * section. */
static void put_shares(const dp2dpi_report *r, dp2dpi_html *h, const char *member) {
    for (size_t g = 0; g < r->info->groups; g++) {
        dp2dpi_html_put(h, "<tr>");
        dp2dpi_section_row(h, r->info->names.groups[g]);
        dp2dpi_html_put(h, "<td>");
        dp2dpi_html_number(h, DP2DPI_FORM_PERCENT, "/ties/%zu/%s", g, member);
        dp2dpi_html_put(h, "</td></tr>\n");
    }
    dp2dpi_section_table_end(h);
    dp2dpi_html_put(h, "</section>\n");
}

/* Appends the section about the dither, which is a lottery. The dither has its own section, so that
 * readers do not overlook the dither among the ties. */
static void section_lottery(const dp2dpi_report *r, dp2dpi_html *h) {
    if (r->info->dither.width <= 0) {
        return;
    }
    dp2dpi_section_open(h, "lottery", "Decisions that a public random number can change",
                        "How to read it: the rule adds a public random number to the scores. This "
                        "number can change the decision of everybody whose two best scores under "
                        "the rule differ by less than the largest random number.");
    dp2dpi_html_put(h, "<p class=\"caution\"><strong>Caution:</strong> for these people the "
                       "decision is in part a lottery: another random number can give another "
                       "decision.</p>\n");
    dp2dpi_section_table(h, "lottery", "Share of test people who are subject to the lottery");
    DP2DPI_COLUMNS(h, "Group", "The random number can change the decision");
    put_shares(r, h, "by_lot");
}

static void section_ties(const dp2dpi_report *r, dp2dpi_html *h) {
    dp2dpi_section_open(
        h, "ties", "Ties",
        "How to read it: a tie means that a person's two best scores under the rule are equal "
        "(within 0.000001). All people with a tie get the same decision, so a tiny change of the "
        "rule can change all these decisions at once.");
    dp2dpi_section_table(h, "ties", "Share of test people with a tie");
    DP2DPI_COLUMNS(h, "Group", "Ties");
    put_shares(r, h, "share");
}

/* Returns the position of a notion among the bounds of the certificate; the number of bounds if the
 * certificate has no bound for the notion. */
static size_t certified_at(const dp2dpi_html *h, const char *name) {
    const json_t *bounds = dp2dpi_data_at(h->data, "/certificate/criteria");
    size_t i = 0;
    while (i < json_array_size(bounds) &&
           strcmp(json_string_value(json_object_get(json_array_get(bounds, i), "name")), name) !=
               0) {
        i++;
    }
    return i;
}

static void criterion_row(const dp2dpi_report *r, dp2dpi_html *h, size_t i) {
    const json_t *one = dp2dpi_data_at(h->data, "/unfairness/criteria/%zu", i);
    const char *name = json_string_value(json_object_get(one, "name"));
    dp2dpi_html_put(h, "<tr><th scope=\"row\">");
    dp2dpi_html_text(h, name);
    dp2dpi_html_put(h, json_is_true(json_object_get(one, "promised"))
                           ? " <strong>(what the model aims at)</strong></th><td>"
                           : "</th><td>");
    dp2dpi_report_sentence(h, json_string_value(json_object_get(one, "text")));
    if (r->measured.after) {
        dp2dpi_html_put(h, "</td><td>");
        dp2dpi_html_interval(h, DP2DPI_FORM_POINTS, "/unfairness/criteria/%zu/before", i);
        dp2dpi_html_put(h, "</td><td>");
        dp2dpi_html_interval(h, DP2DPI_FORM_POINTS, "/unfairness/criteria/%zu/after", i);
    } else {
        dp2dpi_html_put(h, "</td><td>");
        dp2dpi_html_number(h, DP2DPI_FORM_POINTS_UP,
                           "/certificate/criteria/%zu/unfairness_upper_strict",
                           certified_at(h, name));
    }
    dp2dpi_html_put(h, "</td></tr>\n");
}

/* Appends the disparate impact, with the class that it is about, and the balanced accuracy. */
static void put_disparate_impact(const dp2dpi_report *r, dp2dpi_html *h) {
    const dp2dp_model_info *info = r->info;
    int one = info->positive >= 0 || info->classes == 2;
    dp2dpi_html_put(h, "<p>Disparate impact: how often ");
    if (one) {
        dp2dpi_html_name(h, info->names.classes[info->positive >= 0 ? info->positive : 1]);
    } else {
        dp2dpi_html_put(h, "a class");
    }
    dp2dpi_html_put(h,
                    " is given in the group that gets it least, divided by how often it is given "
                    "in the group that gets it most");
    dp2dpi_html_put(
        h, one ? ". Nearer to 1 is more equal: "
               : ", for the class where this ratio is smallest. Nearer to 1 is more equal: ");
    dp2dpi_html_number(h, DP2DPI_FORM_DECIMAL, "/test/disparate_impact_before");
    dp2dpi_html_put(h, " before, ");
    dp2dpi_html_number(h, DP2DPI_FORM_DECIMAL, "/test/disparate_impact_after");
    dp2dpi_html_put(h, " after. Balanced accuracy: ");
    dp2dpi_html_number(h, DP2DPI_FORM_PERCENT, "/test/balanced_accuracy_before");
    dp2dpi_html_put(h, " before, ");
    dp2dpi_html_number(h, DP2DPI_FORM_PERCENT, "/test/balanced_accuracy_after");
    dp2dpi_html_put(h, " after.</p>\n");
}

static void section_criteria(const dp2dpi_report *r, dp2dpi_html *h) {
    size_t count = json_array_size(dp2dpi_data_at(h->data, "/unfairness/criteria"));
    dp2dpi_section_open(
        h, "criteria", "Unfairness under each notion of fairness",
        "How to read it: unfairness is the largest difference between two groups in any "
        "rate that the notion compares; 0 is fair. What is fair under one notion need not be "
        "fair under another.");
    if (r->measured.after) {
        dp2dpi_section_chart(h, "criteria",
                             "Unfairness under each notion, before and after the rule.");
        dp2dpi_section_table(h, "criteria", "Unfairness in percentage points, with intervals");
        DP2DPI_COLUMNS(h, "Notion", "What it compares", "Before", "After");
    } else {
        dp2dpi_section_table(h, "criteria", "Unfairness in percentage points");
        DP2DPI_COLUMNS(h, "Notion", "What it compares",
                       "At most, by the <a href=\"#certificate\">certificate</a>");
    }
    for (size_t i = 0; i < count; i++) {
        criterion_row(r, h, i);
    }
    dp2dpi_section_table_end(h);
    if (r->measured.after) {
        put_disparate_impact(r, h);
    }
    dp2dpi_html_put(h, "</section>\n");
}

/* Appends one line about all sections that have nothing to show. */
static void put_absent_parts(const dp2dpi_report *r, dp2dpi_html *h) {
    int test = r->measured.after != NULL, sweep = r->sweep.points != NULL;
    if (test && sweep) {
        return;
    }
    dp2dpi_html_put(h, "<p>Not measured here: ");
    if (!test) {
        dp2dpi_html_put(h, r->certificate ? "" : "rates of the groups, unfairness, ");
        dp2dpi_html_put(h, "changed decisions, errors and ties (a report with <code>--test</code> "
                           "shows them)");
    }
    dp2dpi_html_put(h, test || sweep ? "" : "; ");
    dp2dpi_html_put(h, sweep ? ""
                             : "other settings (a report with <code>--sweep</code>, from "
                               "<code>dp2dp sweep</code>, shows them)");
    dp2dpi_html_put(h, ".</p>\n");
}

void dp2dpi_report_explore(const dp2dpi_report *r, dp2dpi_html *h) {
    dp2dpi_html_put(h, "<section id=\"explore\">\n<h2>For the data scientist</h2>\n");
    put_absent_parts(r, h);
    if (r->measured.after || r->certificate) {
        section_rates(r, h);
    }
    if (r->measured.after) {
        section_changes(r, h);
    }
    dp2dpi_report_rule(r, h);
    if (r->sweep.points) {
        dp2dpi_report_tradeoff(r, h);
    }
    if (r->measured.after) {
        section_errors(r, h);
        section_lottery(r, h);
        section_ties(r, h);
    }
    if (r->measured.after || r->certificate) {
        section_criteria(r, h);
    }
    dp2dpi_html_put(h, "</section>\n");
}
