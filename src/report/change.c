/* Two cards for the person who decides: what the rule changes for whom, and what the rule costs. */
#include <math.h>

#include <dp2dp/fit.h>

#include "report/report.h"

enum {
    PATH = DP2DPI_REPORT_PATH
};

/* Writes the path of a rate in the page's data. Under demographic parity, the statistics are the
 * rates of the classes, which are in /rates. Under other criteria, the statistics are in
 * /statistic_rates. */
void dp2dpi_report_rate_path(const dp2dpi_report *r, const char *when, size_t g, size_t s,
                             char path[DP2DPI_REPORT_PATH]) {
    snprintf(path, DP2DPI_REPORT_PATH, "/%s/%s/%zu/%zu",
             r->info->criterion == DP2DP_DEMOGRAPHIC_PARITY ? "rates" : "statistic_rates", when, g,
             s);
}

static int is_few(const dp2dpi_report *r) {
    return r->info->groups <= DP2DPI_REPORT_GROUPS_FEW;
}

/* Appends a line such as "Female: 8.6 % got >50K, now 15.2 %." */
static void put_group_change(const dp2dpi_report *r, dp2dpi_html *h, size_t g, size_t s) {
    char before[PATH], after[PATH];
    size_t k = r->statistics.classes[s];
    dp2dpi_report_rate_path(r, "before", g, s, before);
    dp2dpi_report_rate_path(r, "after", g, s, after);
    dp2dpi_html_put(h, "<li>");
    dp2dpi_html_name(h, r->info->names.groups[g]);
    dp2dpi_html_put(h, ": <strong>");
    if (r->measured.before) {
        dp2dpi_html_number(h, DP2DPI_FORM_PERCENT, "%s/rate", before);
        dp2dpi_html_put(h, "</strong> got ");
        dp2dpi_html_name(h, r->info->names.classes[k]);
        dp2dpi_html_put(h, ", now <strong>");
        dp2dpi_html_number(h, DP2DPI_FORM_PERCENT, "%s/rate", after);
        dp2dpi_html_put(h, "</strong>.</li>\n");
    } else {
        dp2dpi_html_number(h, DP2DPI_FORM_PERCENT, "%s/rate", after);
        dp2dpi_html_put(h, "</strong> now get ");
        dp2dpi_html_name(h, r->info->names.classes[k]);
        dp2dpi_html_put(h, ".</li>\n");
    }
}

/* Finds the two groups that the page speaks about first: those whose rates were furthest apart
 * before the rule. If the rates before the rule are not known, uses the rates after the rule. */
static void extreme_groups(const dp2dpi_report *r, const dp2dpi_html *h, size_t s, size_t *low,
                           size_t *high) {
    const char *when = r->measured.before ? "before" : "after";
    double least = INFINITY, most = -INFINITY;
    *low = 0;
    *high = r->info->groups - 1;
    for (size_t g = 0; g < r->info->groups; g++) {
        char path[PATH];
        dp2dpi_report_rate_path(r, when, g, s, path);
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

/* Appends a sentence such as ">50K is given to 6.9 % of Female (was 2.2 %) and 7.8 % of Male
 * (was 10.3 %)." `table` is "rates" or "statistic_rates", and `column` a class or a statistic. */
static void put_given(const dp2dpi_report *r, dp2dpi_html *h, size_t k, const char *table,
                      size_t column) {
    size_t groups = r->info->groups;
    dp2dpi_html_name(h, r->info->names.classes[k]);
    dp2dpi_html_put(h, " is given to ");
    for (size_t g = 0; g < groups; g++) {
        dp2dpi_html_put(h, g == 0 ? "" : g + 1 == groups ? " and " : ", ");
        dp2dpi_html_number(h, DP2DPI_FORM_PERCENT, "/%s/after/%zu/%zu/rate", table, g, column);
        dp2dpi_html_put(h, " of ");
        dp2dpi_html_name(h, r->info->names.groups[g]);
        if (r->measured.before) {
            dp2dpi_html_put(h, " (was ");
            dp2dpi_html_number(h, DP2DPI_FORM_PERCENT, "/%s/before/%zu/%zu/rate", table, g, column);
            dp2dpi_html_put(h, ")");
        }
    }
    dp2dpi_html_put(h, ".");
}

/* Appends more rates of one class if the notion of fairness compares people with the same label.
 * The page has already shown how often the class of statistic `first` is given among people with
 * the labels of this statistic. Appends how often the same class is given among people with other
 * labels, and among all people. */
static void put_other_rates(const dp2dpi_report *r, dp2dpi_html *h, size_t first) {
    const dp2dpi_statistics *all = &r->statistics;
    if (r->info->criterion == DP2DP_DEMOGRAPHIC_PARITY || r->info->criterion == DP2DP_CUSTOM ||
        r->info->classes > 2 || !is_few(r)) {
        return;
    }
    for (size_t s = 0; s < all->count; s++) {
        if (s != first && all->classes[s] == all->classes[first]) {
            dp2dpi_html_put(h, "<p>Among people labelled ");
            dp2dpi_report_labels(r, h, s, DP2DPI_AS_HTML);
            dp2dpi_html_put(h, ", ");
            put_given(r, h, all->classes[s], "statistic_rates", s);
            dp2dpi_html_put(h, "</p>\n");
        }
    }
    dp2dpi_html_put(h, "<p>Over all people, ");
    put_given(r, h, all->classes[first], "rates", all->classes[first]);
    dp2dpi_html_put(h, " The rule does not aim at making these rates equal.</p>\n");
}

/* Appends "Among people labelled X or Y, ", or nothing if `labels` is empty, which stands for every
 * label. */
static void put_among(const dp2dpi_report *r, dp2dpi_html *h, const json_t *labels) {
    size_t count = json_array_size(labels), classes = r->info->classes, at = 0, seen = 0;
    int but = classes > 2 && count == classes - 1;
    if (count == 0) {
        return;
    }
    dp2dpi_html_put(h, but ? "Among people labelled anything but " : "Among people labelled ");
    for (size_t y = 0; y < classes; y++) { /* the array `labels` is in ascending order */
        int has = at < count && (size_t)json_integer_value(json_array_get(labels, at)) == y;
        at += (size_t)has;
        if (has != but) {
            dp2dpi_html_put(h, seen++ > 0 ? " or " : "");
            dp2dpi_html_name(h, r->info->names.classes[y]);
        }
    }
    dp2dpi_html_put(h, ", ");
}

/* Appends a sentence such as "Among people labelled >50K, Female now get >50K more often than
 * Male: 79.9 % against 48.2 % (before: 50.4 % against 62.6 %)." */
static void put_worst(const dp2dpi_report *r, dp2dpi_html *h, size_t i) {
    const json_t *labels = dp2dpi_data_at(h->data, "/unfairness/criteria/%zu/worst/labels", i);
    size_t k = (size_t)dp2dpi_data_number(h->data, "/unfairness/criteria/%zu/worst/class", i);
    size_t high =
        (size_t)dp2dpi_data_number(h->data, "/unfairness/criteria/%zu/worst/high/group", i);
    size_t low = (size_t)dp2dpi_data_number(h->data, "/unfairness/criteria/%zu/worst/low/group", i);
    put_among(r, h, labels);
    dp2dpi_html_name(h, r->info->names.groups[high]);
    dp2dpi_html_put(h, " now get ");
    dp2dpi_html_name(h, r->info->names.classes[k]);
    dp2dpi_html_put(h, " more often than ");
    dp2dpi_html_name(h, r->info->names.groups[low]);
    for (int after = 1; after >= 0; after--) {
        const char *when = after ? "after" : "before";
        dp2dpi_html_put(h, after ? ": " : " (before: ");
        dp2dpi_html_number(h, DP2DPI_FORM_PERCENT, "/unfairness/criteria/%zu/worst/high/%s", i,
                           when);
        dp2dpi_html_put(h, " against ");
        dp2dpi_html_number(h, DP2DPI_FORM_PERCENT, "/unfairness/criteria/%zu/worst/low/%s", i,
                           when);
    }
    dp2dpi_html_put(h, "). ");
}

/* Appends the two groups that are furthest apart after the rule, and their rates, unless the page
 * has shown their difference already. So far the page has shown only the two groups that were
 * furthest apart before the rule. */
static void put_worst_now(const dp2dpi_report *r, dp2dpi_html *h) {
    const json_t *criteria = dp2dpi_data_at(h->data, "/unfairness/criteria");
    size_t s = dp2dpi_report_first(r), low, high, own = 0;
    char one[PATH], other[PATH];
    while (own < json_array_size(criteria) &&
           !json_is_true(dp2dpi_data_at(h->data, "/unfairness/criteria/%zu/promised", own))) {
        own++;
    }
    extreme_groups(r, h, s, &low, &high);
    dp2dpi_report_rate_path(r, "after", low, s, one);
    dp2dpi_report_rate_path(r, "after", high, s, other);
    double shown = fabs(dp2dpi_data_number(h->data, "%s/rate", one) -
                        dp2dpi_data_number(h->data, "%s/rate", other));
    double largest = dp2dpi_data_number(h->data, "/unfairness/after/value");
    if (!(largest - shown <= 0.0005)) { /* up to 0.05 points may come from rounding */
        dp2dpi_html_put(
            h, dp2dpi_report_is_crowded(r)
                   ? " "
                   : " After the rule, the largest difference is not the one shown above. ");
        put_worst(r, h, own);
    }
}

/* Says that the test is only a measurement, and that the promise is the certificate's bound. */
static void put_measurement_only(const dp2dpi_report *r, dp2dpi_html *h) {
    dp2dpi_html_put(h, " This is a measurement, not a promise");
    if (r->certificate && r->certificate->certificate->held_out) {
        dp2dpi_html_put(h, ": the certificate promises at most <strong>");
        dp2dpi_html_number(h, DP2DPI_FORM_POINTS_UP, "/certificate/unfairness_upper_strict");
        dp2dpi_html_put(h, "</strong> percentage points");
    }
    dp2dpi_html_put(h, ".");
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
    dp2dpi_html_put(h, r->info->labels > 1
                           ? "<p>In the test, the largest difference between two groups, in any "
                             "rate that the notion of fairness compares, "
                           : "<p>In the test, the largest difference between two groups ");
    if (after == before) {
        dp2dpi_html_put(h, "stays at ");
    } else {
        dp2dpi_html_put(h, after < before ? "falls from " : "grows from ");
        dp2dpi_html_number(h, DP2DPI_FORM_POINTS, "/unfairness/before/value");
        dp2dpi_html_put(h, " to ");
    }
    dp2dpi_html_number(h, DP2DPI_FORM_POINTS, "/unfairness/after/value");
    dp2dpi_html_put(h, " percentage points");
    if (!isnan(dp2dpi_data_number(h->data, "/unfairness/after/low"))) {
        dp2dpi_html_put(h, " (");
        dp2dpi_html_number(h, DP2DPI_FORM_LEVEL, "/rates/confidence");
        dp2dpi_html_put(h, " interval ");
        dp2dpi_html_number(h, DP2DPI_FORM_POINTS, "/unfairness/after/low");
        dp2dpi_html_put(h, " to ");
        dp2dpi_html_number(h, DP2DPI_FORM_POINTS, "/unfairness/after/high");
        dp2dpi_html_put(h, ")");
    }
    dp2dpi_html_put(h, ".");
    if (r->info->options->rho > 0) {
        dp2dpi_html_put(h, " The aim was at most ");
        dp2dpi_html_number(h, DP2DPI_FORM_POINTS, "/model/rho");
        dp2dpi_html_put(h, " percentage points.");
    }
    put_measurement_only(r, h);
    put_worst_now(r, h);
    dp2dpi_html_put(h, "</p>\n");
    if (after > before) {
        dp2dpi_html_put(h, "<p class=\"caution\"><strong>Caution:</strong> the rule makes the "
                           "difference between the groups of the test people larger. The rule may "
                           "have been learned from too few people, "
                           "or from people unlike the test people.</p>\n");
    }
}

static void put_rates_of_extremes(const dp2dpi_report *r, dp2dpi_html *h) {
    size_t s = dp2dpi_report_first(r), low, high;
    const dp2dpi_statistics *all = &r->statistics;
    if (dp2dpi_report_is_crowded(r)) {
        dp2dpi_html_put(h, "<p>The notion of fairness compares too many rates to list them "
                           "here.</p>\n");
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
        dp2dpi_html_put(h, r->measured.before ? "<p>These two groups were furthest apart; see <a "
                                                "href=\"#rates\">all groups</a>.</p>\n"
                                              : "<p>These two groups are furthest apart; see <a "
                                                "href=\"#rates\">all groups</a>.</p>\n");
    }
    if (r->info->classes > 2 && all->count > 1) {
        dp2dpi_html_put(h, json_is_null(dp2dpi_data_at(h->data, "/statistic_rates"))
                               ? "<p>The notion of fairness compares other rates too; see <a "
                                 "href=\"#caption-rates\">all compared rates</a>.</p>\n"
                               : "<p>The notion of fairness compares other rates too; see <a "
                                 "href=\"#caption-statistics\">all compared rates</a>.</p>\n");
    }
    put_other_rates(r, h, s);
}

/* Says if the rule makes groups less equal under another notion of fairness. */
static void put_other_notion(const dp2dpi_report *r, dp2dpi_html *h) {
    const json_t *criteria = dp2dpi_data_at(h->data, "/unfairness/criteria");
    size_t worst = 0;
    double growth = 0.01; /* an increase of at most one percentage point is not mentioned */
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
        dp2dpi_html_put(h, "<p>");
        put_worst(r, h, worst - 1);
        dp2dpi_html_put(h, "This is the largest difference under another notion of fairness. It "
                           "<strong>grows</strong> from ");
        dp2dpi_html_number(h, DP2DPI_FORM_POINTS, "/unfairness/criteria/%zu/before/value",
                           worst - 1);
        dp2dpi_html_put(h, " to ");
        dp2dpi_html_number(h, DP2DPI_FORM_POINTS, "/unfairness/criteria/%zu/after/value",
                           worst - 1);
        dp2dpi_html_put(h, " percentage points; see <a href=\"#criteria\">each notion</a>.</p>\n");
    }
}

/* Returns which part of the model was learned from exactly as many people as the test has; NULL if
 * no part was. The test people may then be the people whom that part was learned from. The
 * certificate is not compared: its people may well be the test people. */
static const char *find_as_many(const dp2dpi_report *r) {
    uint64_t people = r->measured.after->records;
    return dp2dp_warn_of_people(r->info, people) == 0 ? NULL
           : people == r->info->records               ? "the rule"
                                                      : "the classifier or an earlier rule";
}

/* Appends the caller's cautions about the test table. */
static void put_test_cautions(const dp2dpi_report *r, dp2dpi_html *h) {
    for (size_t i = 0; i < r->options.test_caution_count; i++) {
        dp2dpi_html_put(h, "<p class=\"caution\"><strong>Caution:</strong> ");
        dp2dpi_html_name(h, r->options.test_cautions[i]);
        dp2dpi_html_put(h, "</p>\n");
    }
}

/* Finds the groups with the smallest and the largest number at a path such as "/ties/%zu/by_lot".
 * `before` and `after` are the parts of the path around the group's index. Returns 0 if no group
 * has a number. */
static int find_ends(const dp2dpi_report *r, const dp2dpi_html *h, const char *before,
                     const char *after, size_t *low, size_t *high) {
    double least = INFINITY, most = -INFINITY;
    for (size_t g = 0; g < r->info->groups; g++) {
        double x = dp2dpi_data_number(h->data, "%s%zu%s", before, g, after);
        if (x < least) {
            least = x;
            *low = g;
        }
        if (x > most) {
            most = x;
            *high = g;
        }
    }
    return most >= least;
}

/* Appends how many people of each group are left out. With many groups, appends only the groups
 * with the smallest and the largest share. */
static void put_left_out(const dp2dpi_report *r, dp2dpi_html *h) {
    size_t low = 0, high = 0;
    if (dp2dpi_report_left_out(r) == 0) {
        return;
    }
    int has_ends = !is_few(r) && find_ends(r, h, "/test/left_out/", "/share", &low, &high);
    dp2dpi_html_put(
        h, "<p>The test table also has people whose rows lack a value that the model needs. These "
           "people get no decision, and this page does not count them:</p>\n<ul>\n");
    for (size_t g = 0; g < r->info->groups; g++) {
        if (has_ends && g != low && g != high) {
            continue;
        }
        dp2dpi_html_put(h, "<li>");
        dp2dpi_html_name(h, r->info->names.groups[g]);
        dp2dpi_html_put(h, ": <strong>");
        dp2dpi_html_number(h, DP2DPI_FORM_COUNT, "/test/left_out/%zu/people", g);
        dp2dpi_html_put(h, "</strong> of ");
        dp2dpi_html_number(h, DP2DPI_FORM_COUNT, "/test/left_out/%zu/of", g);
        dp2dpi_html_put(h, "</li>\n");
    }
    dp2dpi_html_put(h, "</ul>\n");
}

static void put_tested_people(const dp2dpi_report *r, dp2dpi_html *h) {
    dp2dpi_html_put(h, "<p>Of the ");
    dp2dpi_html_number(h, DP2DPI_FORM_COUNT, "/test/people");
    dp2dpi_html_put(h, " test people, <strong>");
    dp2dpi_html_number(h, DP2DPI_FORM_COUNT, "/test/changed");
    dp2dpi_html_put(
        h, "</strong> get another decision than without the rule. This page assumes that no data "
           "of the test people were used to make the model; no file can prove this.</p>\n");
    put_left_out(r, h);
    dp2dpi_report_caution_list(h, r->measured.warnings);
    put_test_cautions(r, h);
    if (find_as_many(r)) {
        dp2dpi_html_put(
            h, "<p class=\"caution\"><strong>Caution:</strong> the test has exactly as many people "
               "as ");
        dp2dpi_html_put(h, find_as_many(r));
        dp2dpi_html_put(
            h, " was learned from. If they are the same people, the test makes the rule look "
               "better than it is, and this page shows exact counts about them.</p>\n");
    }
}

void dp2dpi_report_card_change(const dp2dpi_report *r, dp2dpi_html *h) {
    dp2dpi_html_put(h,
                    "<div class=\"card\" id=\"card-change\">\n<h2>What changes, for whom</h2>\n");
    if (r->measured.after) {
        put_rates_of_extremes(r, h);
        put_gap(r, h);
        put_other_notion(r, h);
        put_tested_people(r, h);
    } else if (r->certificate) {
        put_rates_of_extremes(r, h);
        dp2dpi_html_put(h, "<p>These rates were counted with noise among ");
        dp2dpi_html_number(h, DP2DPI_FORM_COUNT, "/certificate/records");
        dp2dpi_html_put(h, r->certificate->certificate->rows_per_person > 1 ? " rows of the people"
                                                                            : " people");
        dp2dpi_html_put(h, " of the certificate. A report with test people counts other people "
                           "and adds no noise, so its numbers differ. What the certificate's "
                           "people got before the rule: ");
        dp2dpi_html_absent(h);
        dp2dpi_html_put(h, ".</p>\n");
    } else {
        dp2dpi_html_put(h, "<p>How often each group gets each class, before and after: "
                           "<strong>");
        dp2dpi_html_absent(h);
        dp2dpi_html_put(h, "</strong>. The model alone says only how its rule shifts the scores "
                           "(<a href=\"#rule\">the rule</a>). A report with test people "
                           "(<code>--test</code>) or with a certificate "
                           "(<code>--certificate</code>) measures these rates.</p>\n");
    }
    dp2dpi_html_put(h, "</div>\n");
}

/* Appends the number at a path as "19 more", or as "19 fewer" if it is negative. Call this for each
 * end of an interval, because one end can be negative while the other is positive. */
static void put_more(dp2dpi_html *h, const char *path) {
    dp2dpi_html_number(h, DP2DPI_FORM_IN_1000, "%s", path);
    dp2dpi_html_put(h, dp2dpi_data_number(h->data, "%s", path) < 0 ? " fewer" : " more");
}

static void put_more_errors(dp2dpi_html *h, double change) {
    dp2dpi_html_put(h, "<strong>");
    if (change == 0) {
        dp2dpi_html_put(h, "as many wrong decisions as before</strong> (between ");
    } else {
        put_more(h, "/error/change/value");
        dp2dpi_html_put(h, " wrong decisions in 1,000 people</strong> (between ");
    }
    put_more(h, "/error/change/low");
    dp2dpi_html_put(h, " and ");
    put_more(h, "/error/change/high");
    dp2dpi_html_put(h, ", with ");
    dp2dpi_html_number(h, DP2DPI_FORM_LEVEL, "/rates/confidence");
    dp2dpi_html_put(h, " confidence).");
    if (dp2dpi_data_number(h->data, "/error/change/low") <= 0 &&
        dp2dpi_data_number(h->data, "/error/change/high") >= 0) {
        dp2dpi_html_put(h, " A change this small may be chance.");
    }
}

/* Appends a line such as "Female: 50 more wrong decisions in 1,000." */
static void put_group_cost(const dp2dpi_report *r, dp2dpi_html *h, size_t g) {
    char path[PATH];
    snprintf(path, sizeof path, "/error/groups/change/%zu", g);
    dp2dpi_html_put(h, "<li>");
    dp2dpi_html_name(h, r->info->names.groups[g]);
    dp2dpi_html_put(h, ": ");
    if (isnan(dp2dpi_data_number(h->data, "%s", path))) {
        dp2dpi_html_absent(h);
    } else {
        put_more(h, path);
        dp2dpi_html_put(h, " wrong decisions in 1,000");
    }
    dp2dpi_html_put(h, ".</li>\n");
}

static void put_group_costs(const dp2dpi_report *r, dp2dpi_html *h) {
    size_t low = 0, high = 0;
    if (!find_ends(r, h, "/error/groups/change/", "", &low, &high)) {
        return;
    }
    dp2dpi_html_put(h, "<ul>\n");
    for (size_t g = 0; g < r->info->groups && is_few(r); g++) {
        put_group_cost(r, h, g);
    }
    if (!is_few(r)) {
        put_group_cost(r, h, high);
        put_group_cost(r, h, low);
    }
    dp2dpi_html_put(h, "</ul>\n<p>");
    dp2dpi_html_put(
        h, is_few(r) ? "" : "These are the groups with the largest and the smallest change. ");
    dp2dpi_html_put(h, "<a href=\"#errors\">Errors by group</a>, with intervals.</p>\n");
}

static void put_lot(const dp2dpi_report *r, dp2dpi_html *h, size_t g) {
    dp2dpi_html_number(h, DP2DPI_FORM_PERCENT, "/ties/%zu/by_lot", g);
    dp2dpi_html_put(h, " of ");
    dp2dpi_html_name(h, r->info->names.groups[g]);
}

/* Appends a caution that says for how many people the dither can change the decision. */
static void put_lottery(const dp2dpi_report *r, dp2dpi_html *h) {
    size_t low = 0, high = 0, groups = r->info->groups;
    if (r->info->dither.width <= 0) {
        return;
    }
    dp2dpi_html_put(h, "<p class=\"caution\"><strong>Caution:</strong> a public random number can "
                       "change the decision of ");
    if (r->measured.after == NULL || !find_ends(r, h, "/ties/", "/by_lot", &low, &high)) {
        dp2dpi_html_put(h, "some people. The number of these people: ");
        dp2dpi_html_absent(h);
        dp2dpi_html_put(h, ".</p>\n");
        return;
    }
    for (size_t g = 0; g < groups && is_few(r); g++) {
        dp2dpi_html_put(h, g == 0 ? "" : g + 1 == groups ? " and " : ", ");
        put_lot(r, h, g);
    }
    if (!is_few(r)) {
        dp2dpi_html_put(h, "between ");
        put_lot(r, h, low);
        dp2dpi_html_put(h, " and ");
        put_lot(r, h, high);
    }
    dp2dpi_html_put(h, " people. For them the decision is in part <a href=\"#lottery\">a "
                       "lottery</a>.</p>\n");
}

/* Appends how many of the changed decisions became wrong, and how many became right. */
static void put_changed(const dp2dpi_report *r, dp2dpi_html *h) {
    const dp2dpi_measured *m = &r->measured;
    dp2dpi_html_put(h, "<p>Of the ");
    dp2dpi_html_number(h, DP2DPI_FORM_COUNT, "/test/changed");
    dp2dpi_html_put(h, " changed decisions, ");
    dp2dpi_html_number(h, DP2DPI_FORM_COUNT, "/error/change/worse");
    dp2dpi_html_put(h, " became wrong and ");
    dp2dpi_html_number(h, DP2DPI_FORM_COUNT, "/error/change/better");
    dp2dpi_html_put(h, " became right");
    dp2dpi_html_put(h, m->changed > m->worse + m->better ? "; the rest were wrong before and after"
                                                         : "");
    dp2dpi_html_put(h, ". <a href=\"#changes\">Changes by group</a>.</p>\n");
}

static void put_error(dp2dpi_html *h) {
    double change = dp2dpi_data_number(h->data, "/error/change/value");
    dp2dpi_html_put(h, "<p>Error ");
    if (change == 0) {
        dp2dpi_html_put(h, "stays at <strong>");
    } else {
        dp2dpi_html_put(h, change > 0 ? "rises from " : "falls from ");
        dp2dpi_html_number(h, DP2DPI_FORM_PERCENT, "/error/before/value");
        dp2dpi_html_put(h, " to <strong>");
    }
    dp2dpi_html_number(h, DP2DPI_FORM_PERCENT, "/error/after/value");
    dp2dpi_html_put(h, "</strong>: ");
    put_more_errors(h, change);
    dp2dpi_html_put(h, "</p>\n");
}

void dp2dpi_report_card_cost(const dp2dpi_report *r, dp2dpi_html *h) {
    dp2dpi_html_put(h, "<div class=\"card\" id=\"card-cost\">\n<h2>What it costs</h2>\n");
    if (r->measured.after) {
        put_error(h);
        put_group_costs(r, h);
        put_changed(r, h);
    } else {
        dp2dpi_html_put(h, "<p>How many more decisions are wrong: <strong>");
        dp2dpi_html_absent(h);
        dp2dpi_html_put(h, "</strong>. A report with labelled test people (<code>--test</code>) "
                           "counts them.</p>\n");
    }
    put_lottery(r, h);
    dp2dpi_html_put(h, "</div>\n");
}
