/* The banner, and the part for the person who decides: what changes, what it costs, what is
 * promised. */
#include <math.h>
#include <string.h>

#include <dp2dp/fit.h>

#include "report/report.h"

enum {
    PATH = 96
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
        dp2dpi_html_put(h, " on this page are counted without noise. No guarantee covers the "
                           "people they are about.</p>\n");
    }
    if (!is_private) {
        dp2dpi_html_put(h, "<p><strong>NOT PRIVATE.</strong> What this page describes may reveal "
                           "anything about people whose data were used:</p>\n");
        banner_reasons(r, h);
    } else if (exact) {
        dp2dpi_html_put(h, r->info->warnings & DP2DP_WARNING_SCORES_ORIGIN_NOT_STATED
                               ? "<p>The model itself may be published: its rule is private. "
                                 "Whether the scores are, nobody stated.</p>\n"
                               : "<p>The model itself is private and may be published.</p>\n");
    } else {
        dp2dpi_html_put(h, "<p>This page may be published: it shows only what the model");
        dp2dpi_html_put(h, r->certificate ? " and the certificate" : "");
        dp2dpi_html_put(h, r->certificate ? " reveal, and both are private.</p>\n"
                                          : " reveals, and the model is private.</p>\n");
    }
    dp2dpi_html_put(h, "<nav aria-label=\"Parts of this page\"><a href=\"#decide\">For the person "
                       "who decides</a> <a href=\"#explore\">For the data scientist</a> <a "
                       "href=\"#audit\">For the auditor</a></nav>\n</header>\n");
}

/* What the model decides, and what "fair" means here. */
static void put_purpose(const dp2dpi_report *r, dp2dpi_html *h) {
    const dp2dp_model_info *info = r->info;
    dp2dpi_html_put(h, "<p class=\"purpose\">The model decides for each person: ");
    dp2dpi_report_list(h, info->names.classes, info->classes, " or ");
    dp2dpi_html_put(h, ". Its fair rule treats the groups ");
    dp2dpi_report_list(h, info->names.groups, info->groups, " and ");
    dp2dpi_html_put(h, info->rule == DP2DP_RULE_WEIGHTED
                           ? " without seeing which group a person is in. "
                           : " differently, on purpose. ");
    dp2dpi_html_put(h, "“Fair” here means: ");
    dp2dpi_html_text(h, dp2dp_word_find(DP2DP_WORDS_CRITERION, (int)info->criterion)->help);
    if (info->options->rho > 0) {
        dp2dpi_html_put(h, ", within ");
        dp2dpi_html_number(h, DP2DPI_FORM_POINTS, "/model/rho");
        dp2dpi_html_put(h, " percentage points");
    }
    dp2dpi_html_put(h, ".</p>\n");
}

/* Under demographic parity the statistics are the classes. */
static void rate_path(const dp2dpi_report *r, const char *when, size_t g, size_t s,
                      char path[PATH]) {
    snprintf(path, PATH, "/%s/%s/%zu/%zu",
             r->info->criterion == DP2DP_DEMOGRAPHIC_PARITY ? "rates" : "statistic_rates", when, g,
             s);
}

/* "Female: 8.6 % got >50K, now 15.2 %." */
static void put_group_change(const dp2dpi_report *r, dp2dpi_html *h, size_t g, size_t s) {
    char before[PATH], after[PATH];
    size_t k = r->statistics.classes[s];
    rate_path(r, "before", g, s, before);
    rate_path(r, "after", g, s, after);
    dp2dpi_html_put(h, "<li>");
    dp2dpi_html_name(h, r->info->names.groups[g]);
    dp2dpi_html_put(h, ": ");
    if (r->measured.before) {
        dp2dpi_html_put(h, "<strong>");
        dp2dpi_html_number(h, DP2DPI_FORM_PERCENT, "%s/rate", before);
        dp2dpi_html_put(h, "</strong> got ");
        dp2dpi_html_name(h, r->info->names.classes[k]);
        dp2dpi_html_put(h, ", now <strong>");
        dp2dpi_html_number(h, DP2DPI_FORM_PERCENT, "%s/rate", after);
        dp2dpi_html_put(h, "</strong>.</li>\n");
    } else {
        dp2dpi_html_put(h, "<strong>");
        dp2dpi_html_number(h, DP2DPI_FORM_PERCENT, "%s/rate", after);
        dp2dpi_html_put(h, "</strong> now get ");
        dp2dpi_html_name(h, r->info->names.classes[k]);
        dp2dpi_html_put(h, ".</li>\n");
    }
}

static void put_gap(const dp2dpi_report *r, dp2dpi_html *h) {
    double before = dp2dpi_data_number(h->data, "/unfairness/before/value");
    double after = dp2dpi_data_number(h->data, "/unfairness/after/value");
    if (isnan(before) || isnan(after)) {
        dp2dpi_html_put(h, "<p>The largest difference between two groups: ");
        dp2dpi_html_absent(h);
        dp2dpi_html_put(h, ".</p>\n");
        return;
    }
    dp2dpi_html_put(h, "<p>The largest difference between two groups ");
    if (after == before) {
        dp2dpi_html_put(h, "stays at <strong>");
    } else {
        dp2dpi_html_put(h, after < before ? "falls from " : "grows from ");
        dp2dpi_html_number(h, DP2DPI_FORM_POINTS, "/unfairness/before/value");
        dp2dpi_html_put(h, " to <strong>");
    }
    dp2dpi_html_number(h, DP2DPI_FORM_POINTS, "/unfairness/after/value");
    dp2dpi_html_put(h, "</strong> percentage points");
    if (!isnan(dp2dpi_data_number(h->data, "/unfairness/after/low"))) {
        dp2dpi_html_put(h, " (");
        dp2dpi_html_number(h, DP2DPI_FORM_POINTS, "/unfairness/after/low");
        dp2dpi_html_put(h, " to ");
        dp2dpi_html_number(h, DP2DPI_FORM_POINTS, "/unfairness/after/high");
        dp2dpi_html_put(h, ")");
    }
    dp2dpi_html_put(h, ". ");
    if (r->info->options->rho > 0) {
        dp2dpi_html_put(h, "The aim was at most ");
        dp2dpi_html_number(h, DP2DPI_FORM_POINTS, "/model/rho");
        dp2dpi_html_put(h, ".");
    }
    dp2dpi_html_put(h, "</p>\n");
    if (after > before) {
        dp2dpi_html_put(h, "<p class=\"caution\"><strong>Caution:</strong> the rule makes these "
                           "people less equal. It may have been learned from too few people, or "
                           "from people unlike these.</p>\n");
    }
}

/* The two groups that the page speaks about first: those that were furthest apart before. */
static void extreme_groups(const dp2dpi_report *r, const dp2dpi_html *h, size_t s, size_t *low,
                           size_t *high) {
    const char *when = r->measured.before ? "before" : "after";
    double least = INFINITY, most = -INFINITY;
    *low = 0;
    *high = r->info->groups - 1;
    for (size_t g = 0; g < r->info->groups; g++) {
        char path[PATH];
        rate_path(r, when, g, s, path);
        double rate = dp2dpi_data_number(h->data, "%s/rate", path);
        if (rate < least) {
            least = rate;
            *low = g;
        }
        if (rate > most) {
            most = rate;
            *high = g;
        }
    }
}

static void put_rates_of_extremes(const dp2dpi_report *r, dp2dpi_html *h) {
    size_t s = dp2dpi_report_first(r), low, high;
    const dp2dpi_statistics *all = &r->statistics;
    if (dp2dpi_report_is_crowded(r)) {
        dp2dpi_html_put(h,
                        "<p>The notion of fair compares too many rates to list them here.</p>\n");
        return;
    }
    extreme_groups(r, h, s, &low, &high);
    if (all->sizes[s] < all->labels) {
        dp2dpi_html_put(h, "<p>How often each group ");
        dp2dpi_report_statistic(r, h, s, DP2DPI_AS_HTML);
        dp2dpi_html_put(h, ":</p>\n");
    }
    dp2dpi_html_put(h, "<ul>\n");
    put_group_change(r, h, low, s);
    if (high != low) {
        put_group_change(r, h, high, s);
    }
    dp2dpi_html_put(h, "</ul>\n");
    if (r->info->groups > 2) {
        dp2dpi_html_put(h, "<p>These two groups were furthest apart; <a href=\"#rates\">all "
                           "groups</a>.</p>\n");
    }
}

/* Says if the rule makes groups less equal under another notion of fair. */
static void put_other_notion(dp2dpi_html *h) {
    const json_t *criteria = dp2dpi_data_at(h->data, "/unfairness/criteria");
    size_t worst = 0;
    double growth = 0.01; /* less is not worth a sentence */
    for (size_t i = 0; i < json_array_size(criteria); i++) {
        double grown = dp2dpi_data_number(h->data, "/unfairness/criteria/%zu/after/value", i) -
                       dp2dpi_data_number(h->data, "/unfairness/criteria/%zu/before/value", i);
        int promised =
            json_is_true(dp2dpi_data_at(h->data, "/unfairness/criteria/%zu/promised", i));
        if (!promised && grown > growth) {
            growth = grown;
            worst = i + 1;
        }
    }
    if (worst > 0) {
        const json_t *one = dp2dpi_data_at(h->data, "/unfairness/criteria/%zu/text", worst - 1);
        dp2dpi_html_put(h, "<p>By another notion of fair (");
        dp2dpi_html_text(h, json_string_value(one));
        dp2dpi_html_put(h, ") the difference <strong>grows</strong>, from ");
        dp2dpi_html_number(h, DP2DPI_FORM_POINTS, "/unfairness/criteria/%zu/before/value",
                           worst - 1);
        dp2dpi_html_put(h, " to ");
        dp2dpi_html_number(h, DP2DPI_FORM_POINTS, "/unfairness/criteria/%zu/after/value",
                           worst - 1);
        dp2dpi_html_put(h, ": <a href=\"#criteria\">each notion</a>.</p>\n");
    }
}

static void card_change(const dp2dpi_report *r, dp2dpi_html *h) {
    dp2dpi_html_put(h,
                    "<div class=\"card\" id=\"card-change\">\n<h2>What changes, for whom</h2>\n");
    if (r->measured.after) {
        put_rates_of_extremes(r, h);
        put_gap(r, h);
        put_other_notion(h);
        dp2dpi_html_put(h, "<p>Of ");
        dp2dpi_html_number(h, DP2DPI_FORM_COUNT, "/test/people");
        dp2dpi_html_put(h, " test people, <strong>");
        dp2dpi_html_number(h, DP2DPI_FORM_COUNT, "/test/changed");
        dp2dpi_html_put(h, "</strong> get another decision than without the rule.</p>\n");
    } else if (r->certificate) {
        put_rates_of_extremes(r, h);
        dp2dpi_html_put(h, "<p>Counted with noise among ");
        dp2dpi_html_number(h, DP2DPI_FORM_COUNT, "/certificate/records");
        dp2dpi_html_put(h, " people of the certificate. What they got before the rule: ");
        dp2dpi_html_absent(h);
        dp2dpi_html_put(h, ".</p>\n");
    } else {
        dp2dpi_html_put(h, "<p>How often each group gets each class, before and after: "
                           "<strong>");
        dp2dpi_html_absent(h);
        dp2dpi_html_put(h, "</strong>. The model alone says only how its rule shifts the scores "
                           "(<a href=\"#rule\">the rule</a>). A report with test people "
                           "(<code>--test</code>) or with a certificate "
                           "(<code>--certificate</code>) measures it.</p>\n");
    }
    dp2dpi_html_put(h, "</div>\n");
}

/* "19 more": a number may turn its sign between the ends of its interval. */
static void put_more(dp2dpi_html *h, const char *path) {
    dp2dpi_html_number(h, DP2DPI_FORM_IN_1000, "%s", path);
    dp2dpi_html_put(h, dp2dpi_data_number(h->data, "%s", path) < 0 ? " fewer" : " more");
}

static void put_more_errors(dp2dpi_html *h) {
    dp2dpi_html_put(h, "<strong>");
    put_more(h, "/error/change/value");
    dp2dpi_html_put(h, " wrong decisions in 1,000 people</strong> (between ");
    put_more(h, "/error/change/low");
    dp2dpi_html_put(h, " and ");
    put_more(h, "/error/change/high");
    dp2dpi_html_put(h, ", with ");
    dp2dpi_html_number(h, DP2DPI_FORM_LEVEL, "/rates/confidence");
    dp2dpi_html_put(h, " confidence)");
}

static void card_cost(const dp2dpi_report *r, dp2dpi_html *h) {
    dp2dpi_html_put(h, "<div class=\"card\" id=\"card-cost\">\n<h2>What it costs</h2>\n");
    if (r->measured.after) {
        double change = dp2dpi_data_number(h->data, "/error/change/value");
        dp2dpi_html_put(h, "<p>Error ");
        dp2dpi_html_put(h, change > 0 ? "rises from " : change < 0 ? "falls from " : "stays: ");
        dp2dpi_html_number(h, DP2DPI_FORM_PERCENT, "/error/before/value");
        dp2dpi_html_put(h, " to <strong>");
        dp2dpi_html_number(h, DP2DPI_FORM_PERCENT, "/error/after/value");
        dp2dpi_html_put(h, "</strong>: ");
        put_more_errors(h);
        dp2dpi_html_put(h, dp2dpi_data_number(h->data, "/error/change/low") <= 0 &&
                                   dp2dpi_data_number(h->data, "/error/change/high") >= 0
                               ? ". A change this small may be chance.</p>\n<p>Of the test people, "
                               : ".</p>\n<p>Of the test people, ");
        dp2dpi_html_number(h, DP2DPI_FORM_COUNT, "/error/change/worse");
        dp2dpi_html_put(h, " were decided rightly only without the rule, and ");
        dp2dpi_html_number(h, DP2DPI_FORM_COUNT, "/error/change/better");
        dp2dpi_html_put(h, " only with it. <a href=\"#errors\">Errors by group</a>.</p>\n");
    } else {
        dp2dpi_html_put(h, "<p>How many more decisions are wrong: <strong>");
        dp2dpi_html_absent(h);
        dp2dpi_html_put(h, "</strong>. A report with labelled test people (<code>--test</code>) "
                           "counts it.</p>\n");
    }
    dp2dpi_html_put(h, "</div>\n");
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

/* The people of the certificate paid for it. */
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
    dp2dpi_html_put(
        h, covered ? " of the certificate: epsilon <strong>"
                   : " of the certificate: they are <strong>NOT</strong> protected.</li>\n");
    if (covered) {
        dp2dpi_html_number(h, DP2DPI_FORM_UP, "/certificate/epsilon");
        dp2dpi_html_put(h, "</strong>.</li>\n");
    }
}

/* What the largest epsilon of all means, for somebody who has never heard of it. */
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
    dp2dpi_html_put(h, " means: somebody who knows all other records, and has to guess between two "
                       "equally likely cases for one of these people, is right at most <strong>");
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
        dp2dpi_html_put(h, "<li><strong>Nothing</strong> to the people whom the classifier behind "
                           "the scores was trained on: nobody stated what it cost them.</li>\n");
    }
}

static void put_fairness_promise(const dp2dpi_report *r, dp2dpi_html *h) {
    if (r->certificate && r->certificate->certificate->held_out) {
        dp2dpi_html_put(h, "<li><strong>Fairness</strong>: two groups differ by at most <strong>");
        dp2dpi_html_number(h, DP2DPI_FORM_POINTS_UP, "/certificate/unfairness_upper_strict");
        dp2dpi_html_put(h, " percentage points</strong>, with ");
        dp2dpi_html_number(h, DP2DPI_FORM_LEVEL, "/certificate/confidence");
        dp2dpi_html_put(h, " confidence, in the population that the certificate's people were "
                           "drawn from. Quote this number to a regulator.</li>\n");
    } else {
        dp2dpi_html_put(h, "<li><strong>Fairness</strong> is an aim, not a promise: no certificate "
                           "bounds what remains. There is no number to quote to a regulator yet; "
                           "<code>dp2dp certify</code> makes one.</li>\n");
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
    dp2dpi_html_put(h, "</ul>\n");
    if (count > 0) {
        put_meaning(h);
    }
    dp2dpi_report_cautions(r, h);
    dp2dpi_html_put(h, "<p><strong>Not promised</strong>: a decision still reveals something about "
                       "the person it is made for, and other notions of fair may not hold. <a "
                       "href=\"#not-promised\">All that is not promised</a>.</p>\n</div>\n");
}

void dp2dpi_report_decide(const dp2dpi_report *r, dp2dpi_html *h) {
    dp2dpi_html_put(h, "<section id=\"decide\">\n<h1>Fairness and privacy of ");
    dp2dpi_html_name(h, dp2dpi_report_file(r->options.model_name, "model.json"));
    dp2dpi_html_put(h, "</h1>\n");
    put_purpose(r, h);
    dp2dpi_html_put(h, "<div class=\"cards\">\n");
    card_change(r, h);
    card_cost(r, h);
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
        dp2dpi_html_put(h, r->measured.after ? ", without the rule and with it. The numbers are "
                                               "in <a href=\"#rates\">the table of rates</a>."
                                             : ", with the rule. The numbers are in <a "
                                               "href=\"#rates\">the table of rates</a>.");
        dp2dpi_html_put(h, "</figcaption></figure>\n");
    }
    dp2dpi_html_put(h, "</section>\n");
}
