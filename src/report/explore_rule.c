/* Two sections for the data scientist: the rule, and the trade-off between fairness and error. */
#include <math.h>
#include <stdio.h>

#include <dp2dp/fit.h>
#include <dp2dp/train.h>

#include "report/report.h"
#include "report/section.h"

enum {
    SIZE_OF_STEPS = 16 /* bytes for the digits of a number below 2^21 */
};

static void thresholds_table(const dp2dpi_report *r, dp2dpi_html *h) {
    dp2dpi_html_put(h, "<p>Class ");
    dp2dpi_html_name(h, r->info->names.classes[1]);
    dp2dpi_html_put(h, " is given if its score is above the threshold.</p>\n");
    dp2dpi_section_table(h, "thresholds", "Thresholds by group");
    DP2DPI_COLUMNS(h, "Group", "Before", "After");
    for (size_t e = 0; e < r->info->strata; e++) {
        dp2dpi_html_put(h, "<tr>");
        dp2dpi_section_row(h, r->info->names.groups[e]);
        dp2dpi_html_put(h, "<td>");
        dp2dpi_html_number(h, DP2DPI_FORM_DECIMAL, "/rule/strata/%zu/threshold_before", e);
        dp2dpi_html_put(h, "</td><td>");
        dp2dpi_html_number(h, DP2DPI_FORM_DECIMAL, "/rule/strata/%zu/threshold_after", e);
        dp2dpi_html_put(h, "</td></tr>\n");
    }
    dp2dpi_section_table_end(h);
}

static void offsets_table(const dp2dpi_report *r, dp2dpi_html *h) {
    const dp2dp_model_info *info = r->info;
    dp2dpi_section_table(h, "offsets", "Offsets, which are subtracted from the scores");
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
        dp2dpi_section_row(h, info->names.groups[e / info->labels]);
        if (info->labels > 1) {
            dp2dpi_section_row(h, info->names.classes[e % info->labels]);
        }
        for (size_t k = 0; k < info->classes; k++) {
            dp2dpi_html_put(h, "<td>");
            dp2dpi_html_number(h, DP2DPI_FORM_SIGNED, "/rule/strata/%zu/offsets/%zu", e, k);
            dp2dpi_html_put(h, "</td>");
        }
        dp2dpi_html_put(h, "</tr>\n");
    }
    dp2dpi_section_table_end(h);
}

static const char *rule_words(dp2dp_rule rule) {
    return rule == DP2DP_RULE_OFFSET
               ? "How to read it: each line of the table is a group, with one offset for each "
                 "class. The rule subtracts the offsets of the person's group from the person's "
                 "scores, class by class, and gives the class with the largest result."
           : rule == DP2DP_RULE_LINEAR
               ? "How to read it: each line of the table is for a group and a label. The rule "
                 "takes the lines of the person's group. For each class, the rule multiplies the "
                 "offset in each of these lines by the person's score for the label of the line. "
                 "The rule subtracts the sum of these products from the score of the class, and "
                 "then gives the class with the largest result."
               : "How to read it: the rule does not see the group. Each line of the table is for a "
                 "group, or for a group and a label. For each class, the rule multiplies the "
                 "offset in each line by the probability that the person has the group (and label) "
                 "of the line. It subtracts the sum of these products from the score of the class, "
                 "and then gives the class with the largest result.";
}

/* Appends how the model was made. */
static void put_origin(const dp2dpi_report *r, dp2dpi_html *h) {
    const dp2dp_model_info *info = r->info;
    dp2dpi_html_put(h, info->solver == DP2DP_SOLVER_COUNTS && info->not_private_because == 0
                           ? "<p>The rule was learned from noisy counts of "
                           : "<p>The rule was learned from ");
    dp2dpi_html_number(h, DP2DPI_FORM_COUNT, "/model/records");
    dp2dpi_html_put(h, info->options->rows_per_person > 1 ? " rows" : " people");
    dp2dpi_html_put(h, " (solver ");
    dp2dpi_html_text(h, dp2dp_solver_name(info->solver));
    dp2dpi_html_put(h, "); rho, the difference allowed between groups, was ");
    dp2dpi_html_number(h, DP2DPI_FORM_EXACT, "/model/rho");
    dp2dpi_html_put(h, ".");
    if (info->tolerance > info->options->rho) {
        dp2dpi_html_put(h, " Differences up to ");
        dp2dpi_html_number(h, DP2DPI_FORM_POINTS_UP, "/model/effective_tolerance");
        dp2dpi_html_put(h,
                        " percentage points were not corrected, because they may be only noise.");
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

void dp2dpi_report_rule(const dp2dpi_report *r, dp2dpi_html *h) {
    const dp2dp_model_info *info = r->info;
    dp2dpi_section_open(h, "rule", "The rule", rule_words(info->rule));
    put_origin(r, h);
    dp2dpi_section_chart(h, "rule", "How the rule shifts the scores, by group.");
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
    if (info->grid_bits > 0) {
        char steps[SIZE_OF_STEPS];
        (void)snprintf(steps, sizeof steps, "%u", 1U << info->grid_bits);
        dp2dpi_html_put(h, "<p>Each score is first rounded to a multiple of 1/");
        dp2dpi_html_text(h, steps);
        dp2dpi_html_put(h, " (the grid), both when the rule is fitted and when it decides.</p>\n");
    }
    if (info->dither.width > 0) {
        dp2dpi_html_put(h, "<p>A public pseudo-random number below ");
        dp2dpi_html_number(h, DP2DPI_FORM_EXACT, "/model/dither");
        dp2dpi_html_put(h, " is added to each score (dither). It is computed from ");
        dp2dpi_html_text(h, dp2dp_word_find(DP2DP_WORDS_DITHER_KEY, (int)info->dither_key)->help);
        dp2dpi_html_put(h, ".</p>\n");
    }
    dp2dpi_html_put(h, "</section>\n");
}

static void average_cell(dp2dpi_html *h, size_t i, const char *measure, dp2dpi_form form) {
    dp2dpi_html_put(h, "<td>");
    dp2dpi_html_number(h, form, "/tradeoff/points/%zu/%s/mean", i, measure);
    if (!isnan(dp2dpi_data_number(h->data, "/tradeoff/points/%zu/%s/sd", i, measure))) {
        dp2dpi_html_put(h, " <small>± ");
        dp2dpi_html_number(h, DP2DPI_FORM_POINTS, "/tradeoff/points/%zu/%s/sd", i, measure);
        dp2dpi_html_put(h, "</small>");
    }
    dp2dpi_html_put(h, "</td>");
}

/* Appends the epsilon that a model with the settings of a point would promise, and the epsilon that
 * the paper claims for such a model. */
static void holds_cell(const dp2dpi_point *p, dp2dpi_html *h, size_t i) {
    if (isnan(p->holds)) {
        dp2dpi_html_put(h, "none");
    } else {
        dp2dpi_html_number(h, DP2DPI_FORM_UP, "/tradeoff/points/%zu/epsilon_holds", i);
    }
    if (!isnan(p->claimed)) {
        dp2dpi_html_put(h, "; the paper claims ");
        dp2dpi_html_number(h, DP2DPI_FORM_UP, "/tradeoff/points/%zu/epsilon_claimed", i);
    }
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
    holds_cell(p, h, i);
    dp2dpi_html_put(h, "</td><td>");
    dp2dpi_html_text(h, p->method);
    dp2dpi_html_put(h, ", ");
    dp2dpi_html_text(h, p->solver);
    dp2dpi_html_put(h, "</td><td>");
    dp2dpi_html_number(h, DP2DPI_FORM_COUNT, "/tradeoff/points/%zu/runs", i);
    dp2dpi_html_put(h, "</td>");
    average_cell(h, i, "unfairness", DP2DPI_FORM_POINTS);
    average_cell(h, i, "error", DP2DPI_FORM_PERCENT);
    average_cell(h, i, "unfairness_before", DP2DPI_FORM_POINTS);
    average_cell(h, i, "error_before", DP2DPI_FORM_PERCENT);
    dp2dpi_html_put(h, "</tr>\n");
}

void dp2dpi_report_tradeoff(const dp2dpi_report *r, dp2dpi_html *h) {
    dp2dpi_section_open(
        h, "tradeoff", "Fairness against error: other settings",
        "How to read it: each line is one setting, tried on the people of the sweep. A "
        "smaller rho asks for more equal groups and costs more errors.");
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
    dp2dpi_html_put(h, ", as the maker of this page states. ");
    dp2dpi_html_put(h, r->options.sweep_people == DP2DP_SWEEP_PUBLIC
                           ? "Do not publish this page. The numbers of the sweep alone may be "
                             "published if you are sure that its rows are public.</p>\n"
                           : "Do not publish this page or the numbers of the sweep, which are "
                             "exact.</p>\n");
    dp2dpi_report_sweep_cautions(r, h);
    dp2dpi_html_put(h, "<p>\"Epsilon that would hold\" is the epsilon that a model promises to "
                       "each of its people, if the model is made once, with these settings and "
                       "secure noise. This epsilon is not a promise to the people of the sweep.");
    dp2dpi_html_put(h, r->sweep.protects_rows
                           ? " Somebody in the table of the sweep has more rows than this epsilon "
                             "allows for, so this epsilon protects rows, not whole persons.</p>\n"
                           : "</p>\n");
    dp2dpi_section_chart(h, "tradeoff",
                         "Error and unfairness of every setting, and of this model.");
    dp2dpi_section_table(h, "tradeoff", "Means over the runs, ± standard deviation");
    DP2DPI_COLUMNS(h, "Rho", "Epsilon asked for", "Epsilon that would hold", "Method, solver",
                   "Runs", "Unfairness (points)", "Error", "Unfairness before (points)",
                   "Error before");
    for (size_t i = 0; i < r->sweep.count; i++) {
        point_row(r, h, i);
    }
    dp2dpi_section_table_end(h);
    dp2dpi_html_put(h, "</section>\n");
}
