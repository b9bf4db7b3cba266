/* The banner of the page, and the part for the person who decides: what the rule changes, what it
 * costs, and what is promised. */
#include <math.h>
#include <string.h>

#include <dp2dp/fit.h>

#include "report/report.h"

enum {
    PATH = DP2DPI_REPORT_PATH
};

static void banner_reasons(const dp2dpi_report *r, dp2dpi_html *h) {
    dp2dpi_html_put(h, "<ul>\n");
    dp2dpi_report_words(h, DP2DP_WORDS_NOT_PRIVATE, r->info->not_private_because);
    if (dp2dpi_report_exposes(r)) {
        dp2dpi_html_put(h, "<li>The sweep on this page shows exact numbers about the people the "
                           "model was made from.</li>\n");
    }
    if (r->certificate && !r->certificate->certificate->is_private) {
        dp2dpi_html_put(h, "<li>The noise of the certificate came from the insecure seeded "
                           "generator.</li>\n");
    }
    dp2dpi_html_put(h, "</ul>\n");
}

/* Appends what may be published: this page or, if the page has exact counts, only the files that it
 * is about. */
static void put_publishable(const dp2dpi_report *r, dp2dpi_html *h, int exact) {
    int stated = !(r->info->warnings & DP2DP_WARNING_SCORES_ORIGIN_NOT_STATED);
    if (exact) {
        dp2dpi_html_put(h, r->certificate ? "<p>The model file and the certificate may be published"
                                          : "<p>The model file may be published");
        dp2dpi_html_put(h, " if <a href=\"#assumes\">what this page assumes</a> is true");
    } else {
        dp2dpi_html_put(h, "<p>This page may be published if <a href=\"#assumes\">what it "
                           "assumes</a> is true: this page shows only what the model");
        dp2dpi_html_put(h, r->certificate ? " and the certificate reveal" : " reveals");
    }
    dp2dpi_html_put(h, ". Noise protects the people ");
    dp2dpi_html_put(h, stated ? "the model was made from" : "the rule was learned from");
    dp2dpi_html_put(h, r->certificate ? ", and the people of the certificate." : ".");
    dp2dpi_html_put(h, stated ? "</p>\n"
                              : " Nobody stated whether anything protects the people whom the "
                                "classifier behind the scores was trained on.</p>\n");
}

void dp2dpi_report_banner(const dp2dpi_report *r, dp2dpi_html *h) {
    int is_private = dp2dpi_report_is_private(r), exact = dp2dpi_report_is_exact(r);
    dp2dpi_html_put(h, !is_private ? "<header class=\"banner not-private\">\n"
                       : exact     ? "<header class=\"banner private\">\n"
                                   : "<header class=\"banner publishable\">\n");
    if (exact) {
        dp2dpi_html_put(h, "<p><strong>Exact counts about real people: do not publish.</strong> "
                           "The ");
        dp2dpi_html_put(h, r->measured.after && r->sweep.points ? "test results and the sweep"
                           : r->measured.after                  ? "test results"
                                                                : "sweep");
        dp2dpi_html_put(h, r->measured.after
                               ? " on this page are counted without noise. No guarantee covers the "
                                 "people they are about.</p>\n"
                               : " on this page is counted without noise. No guarantee covers the "
                                 "people it is about.</p>\n");
    }
    if (!is_private) {
        dp2dpi_html_put(h, "<p><strong>NOT PRIVATE.</strong> What this page describes may reveal "
                           "anything about people whose data were used:</p>\n");
        banner_reasons(r, h);
    } else {
        put_publishable(r, h, exact);
    }
    dp2dpi_html_put(h, "<nav aria-label=\"Parts of this page\"><a href=\"#decide\">For the person "
                       "who decides</a> <a href=\"#explore\">For the data scientist</a> <a "
                       "href=\"#audit\">For the auditor</a></nav>\n</header>\n");
}

static void put_threshold(const dp2dpi_report *r, dp2dpi_html *h, size_t g) {
    dp2dpi_html_put(h, "to ");
    dp2dpi_html_name(h, r->info->names.groups[g]);
    dp2dpi_html_put(h, " above a score of ");
    dp2dpi_html_number(h, DP2DPI_FORM_PERCENT, "/rule/strata/%zu/threshold_after", g);
}

/* Appends a sentence such as "It gives >50K to Female above a score of 18.3 % and to Male above a
 * score of 65.0 % (without the rule: 50.0 % for all)." Only a rule with two classes and without a
 * dither has thresholds. */
static void put_thresholds(const dp2dpi_report *r, dp2dpi_html *h) {
    size_t groups = r->info->groups, low = 0, high = 0;
    if (r->info->dither.width > 0 ||
        isnan(dp2dpi_data_number(h->data, "/rule/strata/0/threshold_after"))) {
        return;
    }
    for (size_t g = 1; g < groups; g++) {
        double x = dp2dpi_data_number(h->data, "/rule/strata/%zu/threshold_after", g);
        low = x < dp2dpi_data_number(h->data, "/rule/strata/%zu/threshold_after", low) ? g : low;
        high = x > dp2dpi_data_number(h->data, "/rule/strata/%zu/threshold_after", high) ? g : high;
    }
    dp2dpi_html_put(h, "It gives ");
    dp2dpi_html_name(h, r->info->names.classes[1]);
    dp2dpi_html_put(h, " ");
    if (groups <= DP2DPI_REPORT_GROUPS_FEW) {
        for (size_t g = 0; g < groups; g++) {
            dp2dpi_html_put(h, g == 0 ? "" : g + 1 == groups ? " and " : ", ");
            put_threshold(r, h, g);
        }
    } else {
        put_threshold(r, h, low);
        dp2dpi_html_put(h, ", which is the lowest, and ");
        put_threshold(r, h, high);
        dp2dpi_html_put(h, ", which is the highest");
    }
    dp2dpi_html_put(h, " (without the rule: ");
    dp2dpi_html_number(h, DP2DPI_FORM_PERCENT, "/rule/strata/0/threshold_before");
    dp2dpi_html_put(h, " for all). ");
}

/* Appends what the model decides, and what "fair" means here. */
static void put_purpose(const dp2dpi_report *r, dp2dpi_html *h) {
    const dp2dp_model_info *info = r->info;
    dp2dpi_html_put(h, "<p class=\"purpose\">The model decides for each person: ");
    dp2dpi_report_list(h, info->names.classes, info->classes, " or ");
    dp2dpi_html_put(h, info->rule == DP2DP_RULE_WEIGHTED ? ". Its fair rule is for the groups "
                                                         : ". Its fair rule treats the groups ");
    dp2dpi_report_list(h, info->names.groups, info->groups, " and ");
    dp2dpi_html_put(h, info->rule == DP2DP_RULE_WEIGHTED
                           ? ", but does not see which group a person is in: it uses the "
                             "probability of each group instead. "
                           : " differently, on purpose: to decide, it must know each person's "
                             "group. ");
    put_thresholds(r, h);
    dp2dpi_html_put(h, "This page does not say whether the rule is lawful. ");
    dp2dpi_html_put(h, "“Fair” here means: ");
    dp2dpi_html_text(h, dp2dp_word_find(DP2DP_WORDS_CRITERION, (int)info->criterion)->help);
    if (info->options->rho > 0) {
        dp2dpi_html_put(h, ", within ");
        dp2dpi_html_number(h, DP2DPI_FORM_POINTS, "/model/rho");
        dp2dpi_html_put(h, " percentage points");
    }
    dp2dpi_html_put(h, ".");
    if (r->measured.after || info->labels > 1) {
        dp2dpi_html_put(h, " A person's label is the class recorded in the data; a decision is "
                           "called wrong if it is not the label.");
    }
    dp2dpi_html_put(h, "</p>\n");
}

static void put_cover(dp2dpi_html *h, size_t i) {
    char path[PATH];
    snprintf(path, sizeof path, "/covers/%zu", i);
    dp2dpi_html_put(h, "<li><strong>Privacy</strong>, to ");
    dp2dpi_report_people(h, path);
    dp2dpi_html_put(h, ": epsilon <strong>");
    dp2dpi_html_number(h, DP2DPI_FORM_UP, "%s/epsilon", path);
    dp2dpi_html_put(h, "</strong>.</li>\n");
}

/* Appends what is promised to the people of the certificate, because the certificate has a privacy
 * cost for them. */
static void put_certified_people(const dp2dpi_report *r, dp2dpi_html *h) {
    if (r->certificate == NULL) {
        return;
    }
    int covered = r->certificate->certificate->is_private;
    dp2dpi_html_put(h, covered ? "<li><strong>Privacy</strong>, to the "
                               : "<li><strong>Nothing</strong> to the ");
    dp2dpi_html_number(h, DP2DPI_FORM_COUNT, "/certificate/records");
    dp2dpi_html_put(h, r->certificate->certificate->rows_per_person > 1 ? " rows of the people"
                                                                        : " people");
    dp2dpi_html_put(h, " of the certificate");
    if (r->certificate->people) {
        dp2dpi_html_put(h, ", called ");
        dp2dpi_html_name(h, r->certificate->people);
    }
    dp2dpi_html_put(h, covered ? ": epsilon <strong>"
                               : ": they are <strong>NOT</strong> protected.</li>\n");
    if (covered) {
        dp2dpi_html_number(h, DP2DPI_FORM_UP, "/certificate/epsilon");
        dp2dpi_html_put(h, "</strong>.</li>\n");
    }
}

/* Appends the people to whom no privacy is ever promised. */
static void put_nothing(const dp2dpi_report *r, dp2dpi_html *h) {
    int test = r->measured.after != NULL, sweep = r->sweep.points != NULL;
    dp2dpi_html_put(h, "<li><strong>No privacy</strong> is promised to ");
    dp2dpi_html_put(h, test && sweep ? "the test people, to the people of the sweep, or to "
                       : test        ? "the test people, or to "
                       : sweep       ? "the people of the sweep, or to "
                                     : "");
    dp2dpi_html_put(h, "anybody the model decides about (a decision reveals something about "
                       "them).</li>\n");
}

/* Says that the promise is about what the files reveal, and not about this page, whose exact counts
 * have no noise. */
static void put_page_is_no_promise(const dp2dpi_report *r, dp2dpi_html *h) {
    int certified = r->certificate && r->certificate->certificate->is_private;
    if (!dp2dpi_report_is_exact(r) ||
        (json_array_size(dp2dpi_data_at(h->data, "/covers")) == 0 && !certified)) {
        return;
    }
    dp2dpi_html_put(h, "<p>These promises are about the model");
    dp2dpi_html_put(h, certified ? " and the certificate" : "");
    dp2dpi_html_put(h, ". If one of the people above is also among the ");
    dp2dpi_html_put(h, r->measured.after && r->sweep.points
                           ? "test people or the people of the sweep"
                       : r->measured.after ? "test people"
                                           : "people of the sweep");
    dp2dpi_html_put(h, ", this page shows exact counts about this person, and no promise covers "
                       "the page.</p>\n");
}

/* Explains the largest epsilon on the page to a reader who has never heard of epsilon. */
static void put_meaning(dp2dpi_html *h) {
    const json_t *covers = dp2dpi_data_at(h->data, "/covers");
    size_t most = 0;
    for (size_t i = 1; i < json_array_size(covers); i++) {
        most = dp2dpi_data_number(h->data, "/covers/%zu/epsilon", i) >
                       dp2dpi_data_number(h->data, "/covers/%zu/epsilon", most)
                   ? i
                   : most;
    }
    dp2dpi_html_put(h, "<p>Epsilon ");
    dp2dpi_html_number(h, DP2DPI_FORM_UP, "/covers/%zu/epsilon", most);
    dp2dpi_html_put(h, " means: somebody who knows all other records, and has to guess which of "
                       "two equally likely records one of these people has, is right at most "
                       "<strong>");
    dp2dpi_html_number(h, DP2DPI_FORM_GUESS, "/covers/%zu/guess", most);
    dp2dpi_html_put(h, "</strong> times in 100. 50 would be chance.</p>\n");
}

void dp2dpi_report_uncovered(const dp2dpi_report *r, dp2dpi_html *h) {
    size_t count = json_array_size(dp2dpi_data_at(h->data, "/not_covered"));
    for (size_t i = 0; i < count; i++) {
        char path[PATH];
        snprintf(path, sizeof path, "/not_covered/%zu", i);
        dp2dpi_html_put(h, "<li><strong>Nothing</strong> to ");
        dp2dpi_report_people(h, path);
        dp2dpi_html_put(h, ": they are <strong>NOT</strong> protected.</li>\n");
    }
    if (r->info->warnings & DP2DP_WARNING_SCORES_ORIGIN_NOT_STATED) {
        dp2dpi_html_put(
            h, "<li><strong>Nothing</strong> to the people whom the classifier behind the scores "
               "was trained on: nobody stated the privacy cost to these people.</li>\n");
    }
}

static void put_fairness_promise(const dp2dpi_report *r, dp2dpi_html *h) {
    if (r->certificate && r->certificate->certificate->held_out) {
        dp2dpi_html_put(h, "<li><strong>Fairness</strong>, among the people you decide about: ");
        dp2dpi_html_put(h, r->info->criterion == DP2DP_DEMOGRAPHIC_PARITY
                               ? "for every class, the rates at which any two groups get the class "
                                 "differ by at most <strong>"
                               : "for every rate that this definition of fairness compares, the "
                                 "difference between any two groups is at most <strong>");
        dp2dpi_html_number(h, DP2DPI_FORM_POINTS_UP, "/certificate/unfairness_upper_strict");
        dp2dpi_html_put(h, " percentage points</strong>. At most ");
        dp2dpi_html_number(h, DP2DPI_FORM_ONE_IN, "/certificate/wrong_at_most");
        dp2dpi_html_put(h, " such certificates is wrong (");
        dp2dpi_html_number(h, DP2DPI_FORM_LEVEL, "/certificate/confidence");
        dp2dpi_html_put(h, " confidence). This holds if the certificate's people are a random "
                           "sample of those you decide about, and the model was not made from the "
                           "certificate's people. No file can prove this. Quote the bound to a "
                           "regulator.</li>"
                           "\n");
    } else {
        dp2dpi_html_put(h, "<li><strong>Fairness</strong> is an aim, not a promise: no certificate "
                           "bounds the unfairness that remains. There is no number to quote to a "
                           "regulator yet; <code>dp2dp certify</code> makes one.</li>\n");
    }
}

static void card_promise(const dp2dpi_report *r, dp2dpi_html *h) {
    size_t count = json_array_size(dp2dpi_data_at(h->data, "/covers"));
    dp2dpi_html_put(h, "<div class=\"card\" id=\"card-promise\">\n<h2>What is promised, to "
                       "whom</h2>\n");
    if (!dp2dpi_report_is_private(r)) {
        dp2dpi_html_put(h, "<p><strong>NOT PRIVATE</strong>: see the top of the page.</p>\n");
    }
    dp2dpi_html_put(h, "<ul>\n");
    for (size_t i = 0; i < count; i++) {
        put_cover(h, i);
    }
    put_certified_people(r, h);
    dp2dpi_report_uncovered(r, h);
    put_fairness_promise(r, h);
    put_nothing(r, h);
    dp2dpi_html_put(h, "</ul>\n");
    if (count > 0) {
        put_meaning(h);
    }
    put_page_is_no_promise(r, h);
    dp2dpi_report_cautions(r, h);
    dp2dpi_html_put(h, "<p>Other notions of fairness are not promised, and may not hold. <a "
                       "href=\"#not-promised\">All that is not promised</a>.</p>\n</div>\n");
}

void dp2dpi_report_decide(const dp2dpi_report *r, dp2dpi_html *h) {
    dp2dpi_html_put(h, "<section id=\"decide\">\n<h1>Fairness and privacy of ");
    dp2dpi_html_name(h, dp2dpi_report_file(r->options.model_name, "model.json"));
    dp2dpi_html_put(h, "</h1>\n");
    put_purpose(r, h);
    dp2dpi_html_put(h, "<div class=\"cards\">\n");
    dp2dpi_report_card_change(r, h);
    dp2dpi_report_card_cost(r, h);
    card_promise(r, h);
    dp2dpi_html_put(h, "</div>\n");
    if (r->measured.after || r->certificate) {
        dp2dpi_html_put(h, "<figure class=\"chart\" data-chart=\"rates\" id=\"fig-decide\">"
                           "<figcaption>How often each group ");
        if (dp2dpi_report_is_crowded(r)) {
            dp2dpi_html_put(h, "gets each class");
        } else {
            dp2dpi_report_statistic(r, h, dp2dpi_report_first(r), DP2DPI_AS_HTML);
        }
        dp2dpi_html_put(h,
                        r->measured.after ? ", without the rule and with it" : ", with the rule");
        dp2dpi_html_put(h, json_is_null(dp2dpi_data_at(h->data, "/statistic_rates"))
                               ? ". The numbers are in <a href=\"#caption-rates\">the table of "
                                 "rates</a>.</figcaption></figure>\n"
                               : ". The numbers are in <a href=\"#caption-statistics\">the table "
                                 "of compared rates</a>.</figcaption></figure>\n");
    }
    dp2dpi_html_put(h, "<p><small>Differences are computed before rounding; promises are rounded "
                       "up.</small></p>\n");
    dp2dpi_html_put(h, "</section>\n");
}
