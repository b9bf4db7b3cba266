/* The part of the page for the auditor: promise, ledger, certificate, what is not promised,
 * checksums, and how to check each number again. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <dp2dp/fit.h>
#include <dp2dp/version.h>

#include "report/report.h"
#include "report/section.h"

enum {
    PATH = DP2DPI_REPORT_PATH
};

static void term(dp2dpi_html *h, const char *name) {
    dp2dpi_html_put(h, "<dt>");
    dp2dpi_html_put(h, name);
    dp2dpi_html_put(h, "</dt><dd>");
}

static void number_term(dp2dpi_html *h, const char *name, dp2dpi_form form, const char *path) {
    term(h, name);
    dp2dpi_html_number(h, form, "%s", path);
    dp2dpi_html_put(h, "</dd>\n");
}

static void put_unit(const dp2dpi_report *r, dp2dpi_html *h) {
    const dp2dp_word *adjacency =
        dp2dp_word_find(DP2DP_WORDS_ADJACENCY, (int)dp2dp_ledger_adjacency(r->info->ledger));
    term(h, "Adjacency");
    dp2dpi_html_text(h, adjacency->word);
    dp2dpi_html_put(h, ": ");
    dp2dpi_html_text(h, adjacency->help);
    dp2dpi_html_put(h, "</dd>\n");
    term(h, "Unit of privacy");
    if (r->info->options->rows_per_person > 1) {
        dp2dpi_html_put(h, "one person, with all rows of this person (at most ");
        dp2dpi_html_number(h, DP2DPI_FORM_COUNT, "/model/rows_per_person");
        dp2dpi_html_put(h, ")</dd>\n");
    } else {
        dp2dpi_html_put(h, "one person, who has one row</dd>\n");
    }
}

/* Returns why people are not covered, in words. `word` is the reason's name in the page's data. */
static const char *reason_of(const char *word) {
    size_t count;
    const dp2dp_word *reasons = dp2dp_words(DP2DP_WORDS_NOT_PRIVATE, &count);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(reasons[i].word, word) == 0) {
            return reasons[i].help;
        }
    }
    return "the sweep on this page shows exact numbers about them";
}

static void put_people(dp2dpi_html *h, const char *kind, const char *title) {
    size_t count = json_array_size(dp2dpi_data_at(h->data, "/%s", kind));
    for (size_t i = 0; i < count; i++) {
        char path[PATH];
        snprintf(path, sizeof path, "/%s/%zu", kind, i);
        term(h, title);
        dp2dpi_report_people(h, path);
        if (strcmp(kind, "covers") == 0) {
            dp2dpi_html_put(h, ": epsilon ");
            dp2dpi_html_number(h, DP2DPI_FORM_UP, "%s/epsilon", path);
            dp2dpi_html_put(h, ", delta ");
            dp2dpi_html_number(h, DP2DPI_FORM_UP, "%s/delta", path);
        } else {
            const json_t *because = dp2dpi_data_at(h->data, "%s/because", path);
            for (size_t w = 0; w < json_array_size(because); w++) {
                dp2dpi_html_put(h, w > 0 ? "; " : ": ");
                dp2dpi_html_text(h, reason_of(json_string_value(json_array_get(because, w))));
            }
        }
        dp2dpi_html_put(h, "</dd>\n");
    }
}

/* Appends the people of the certificate, whom the model's epsilon does not cover. */
static void put_certified(const dp2dpi_report *r, dp2dpi_html *h) {
    if (r->certificate == NULL) {
        return;
    }
    int covered = r->certificate->certificate->is_private;
    term(h, covered ? "Covered, by the certificate" : "<strong>Not</strong> covered");
    dp2dpi_html_put(h, "the ");
    dp2dpi_html_number(h, DP2DPI_FORM_COUNT, "/certificate/records");
    dp2dpi_html_put(h, r->certificate->certificate->rows_per_person > 1
                           ? " rows of the people of the certificate"
                           : " people of the certificate");
    if (r->certificate->people) {
        dp2dpi_html_put(h, ", called ");
        dp2dpi_html_name(h, r->certificate->people);
    }
    if (covered) {
        dp2dpi_html_put(h, ": epsilon ");
        dp2dpi_html_number(h, DP2DPI_FORM_UP, "/certificate/epsilon");
        dp2dpi_html_put(h, ", delta ");
        dp2dpi_html_number(h, DP2DPI_FORM_UP, "/certificate/delta");
    } else {
        dp2dpi_html_put(h,
                        ": no epsilon, because the noise came from the insecure seeded generator");
    }
    dp2dpi_html_put(h, "</dd>\n");
}

/* Appends the assumptions behind the promise, which no file can prove. */
static void put_assumptions(const dp2dpi_report *r, dp2dpi_html *h) {
    int apart = r->info->cover_count > 1, declared = 0;
    for (size_t i = 0; i < dp2dp_ledger_size(r->info->ledger); i++) {
        const char *word = json_string_value(dp2dpi_data_at(h->data, "/ledger/%zu/mechanism", i));
        declared |= word && strcmp(word, "declared") == 0;
    }
    dp2dpi_html_put(h, "<dt id=\"assumes\">Assumes</dt><dd><ul>\n<li>The names of groups and "
                       "classes, the number of people and all "
                       "options are public.</li>\n");
    if (apart) {
        dp2dpi_html_put(h,
                        "<li>Sets of people with different names in the ledger have nobody in "
                        "common, so their costs are not added. This was stated when the model was "
                        "made, and no file can prove it.</li>\n");
    }
    if (declared) {
        dp2dpi_html_put(h, "<li>The declared privacy costs are true.</li>\n");
    }
    dp2dpi_html_put(h, "</ul></dd>\n");
}

static void section_promise(const dp2dpi_report *r, dp2dpi_html *h) {
    dp2dpi_html_put(h, "<section id=\"promise\">\n<h3>The privacy promise</h3>\n<p>How to read it: "
                       "smaller values of epsilon and delta promise more.</p>\n");
    if (!dp2dpi_report_is_private(r)) {
        dp2dpi_html_put(h,
                        "<p><strong>NOT PRIVATE</strong>: the numbers below promise nothing to "
                        "the people who are not covered. The numbers hold only for the people who "
                        "are covered.</p>\n");
    }
    dp2dpi_html_put(h, "<dl>\n");
    if (isnan(r->info->epsilon) || dp2dpi_report_exposes(r)) {
        term(h, "Epsilon");
        dp2dpi_html_put(h, "none: what is revealed has no finite epsilon</dd>\n");
    } else {
        number_term(h, "Epsilon", DP2DPI_FORM_UP, "/model/epsilon");
        number_term(h, "Delta", DP2DPI_FORM_UP, "/model/delta");
        term(h, "In other words");
        dp2dpi_report_inequality(h, "/model/epsilon", "/model/delta");
        dp2dpi_html_put(h, "</dd>\n");
    }
    if (!isnan(r->info->epsilon_claimed)) {
        number_term(h, "Epsilon that the paper claims (not sound)", DP2DPI_FORM_UP,
                    "/model/epsilon_claimed");
    }
    put_unit(r, h);
    put_people(h, "covers", "Covered");
    put_certified(r, h);
    put_people(h, "not_covered", "<strong>Not</strong> covered");
    put_assumptions(r, h);
    dp2dpi_html_put(h, "</dl>\n</section>\n");
}

static void ledger_row(dp2dpi_html *h, size_t i) {
    const char *set = json_string_value(dp2dpi_data_at(h->data, "/ledger/%zu/set", i));
    const char *label = json_string_value(dp2dpi_data_at(h->data, "/ledger/%zu/label", i));
    const char *text = json_string_value(dp2dpi_data_at(h->data, "/ledger/%zu/text", i));
    const char *rng = json_string_value(dp2dpi_data_at(h->data, "/ledger/%zu/rng", i));
    const char *id = json_string_value(dp2dpi_data_at(h->data, "/ledger/%zu/release_id", i));
    static const struct {
        const char *name;
        dp2dpi_form form;
    } numbers[] = {{"count", DP2DPI_FORM_COUNT},       {"sigma", DP2DPI_FORM_EXACT},
                   {"sensitivity", DP2DPI_FORM_EXACT}, {"rate", DP2DPI_FORM_EXACT},
                   {"coordinates", DP2DPI_FORM_COUNT}, {"rows_per_person", DP2DPI_FORM_COUNT},
                   {"epsilon", DP2DPI_FORM_EXACT},     {"delta", DP2DPI_FORM_EXACT}};
    dp2dpi_html_put(h, "<tr><th scope=\"row\">");
    dp2dpi_html_name(h, label ? label : "(no label)");
    dp2dpi_html_put(h, "</th><td>");
    dp2dpi_html_name(h, set ? set : "everybody");
    dp2dpi_html_put(h, "</td><td>");
    dp2dpi_html_text(h, text ? text : "");
    dp2dpi_html_put(h, "</td>");
    for (size_t n = 0; n < sizeof numbers / sizeof numbers[0]; n++) {
        dp2dpi_html_put(h, "<td>");
        if (isnan(dp2dpi_data_number(h->data, "/ledger/%zu/%s", i, numbers[n].name))) {
            dp2dpi_html_put(h, "–");
        } else {
            dp2dpi_html_number(h, numbers[n].form, "/ledger/%zu/%s", i, numbers[n].name);
        }
        dp2dpi_html_put(h, "</td>");
    }
    dp2dpi_html_put(h, "<td>");
    dp2dpi_html_text(h, rng ? rng : "");
    dp2dpi_html_put(h, "</td><td><code>");
    dp2dpi_html_text(h, id ? id : "–");
    dp2dpi_html_put(h, "</code></td></tr>\n");
}

static void section_ledger(const dp2dpi_report *r, dp2dpi_html *h) {
    size_t size = dp2dp_ledger_size(r->info->ledger);
    dp2dpi_html_put(h, "<section id=\"ledger\">\n<h3>The ledger of the model</h3>\n<p>How to read "
                       "it: each line says what was released about people, and which noise "
                       "protects them. The epsilon of the model's people is "
                       "computed from these lines.</p>\n");
    if (size == 0) {
        dp2dpi_html_put(h, "<p>The ledger is empty: nothing was charged.</p>\n</section>\n");
        return;
    }
    dp2dpi_section_table(h, "ledger", "Every line of the ledger inside the model");
    dp2dpi_html_put(h, "<thead><tr><th scope=\"col\">Release</th><th scope=\"col\">People</th>"
                       "<th scope=\"col\">Mechanism</th><th scope=\"col\">Times</th>"
                       "<th scope=\"col\">Noise (sigma)</th><th scope=\"col\">Sensitivity</th>"
                       "<th scope=\"col\">Sampling rate</th><th scope=\"col\">Numbers</th>"
                       "<th scope=\"col\">Rows per person</th><th scope=\"col\">Declared "
                       "epsilon</th><th scope=\"col\">Declared delta</th><th scope=\"col\">"
                       "Generator</th><th scope=\"col\">Release id</th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < size; i++) {
        ledger_row(h, i);
    }
    dp2dpi_html_put(h, "</tbody></table></div>\n</section>\n");
}

static void put_bound(dp2dpi_html *h, const char *name, size_t i) {
    dp2dpi_html_number(h, DP2DPI_FORM_POINTS_UP, "/certificate/criteria/%zu/%s", i, name);
    dp2dpi_html_put(h, " <small>(");
    dp2dpi_html_number(h, DP2DPI_FORM_UP, "/certificate/criteria/%zu/%s", i, name);
    dp2dpi_html_put(h, ")</small>");
}

static void put_bounds(const dp2dpi_report *r, dp2dpi_html *h) {
    size_t count = json_array_size(dp2dpi_data_at(h->data, "/certificate/criteria"));
    dp2dpi_section_table(
        h, "certificate",
        "Upper bounds on unfairness in percentage points, rounded up. The number in brackets is "
        "the same bound on a scale from 0 to 1. The confidence holds for each bound by itself, not "
        "for all bounds together");
    dp2dpi_html_put(h, "<thead><tr><th scope=\"col\">Criterion</th><th scope=\"col\">Strict bound, "
                       "to quote</th><th scope=\"col\">Bound by a normal approximation</th></tr>"
                       "</thead>\n<tbody>\n");
    for (size_t i = 0; i < count; i++) {
        const char *name =
            json_string_value(dp2dpi_data_at(h->data, "/certificate/criteria/%zu/name", i));
        dp2dpi_html_put(h, "<tr><th scope=\"row\">");
        dp2dpi_html_text(h, name);
        dp2dpi_html_put(h, strcmp(name, dp2dp_criterion_name(r->info->criterion)) == 0
                               ? " <strong>(the model's aim)</strong></th><td><strong>"
                               : "</th><td><strong>");
        put_bound(h, "unfairness_upper_strict", i);
        dp2dpi_html_put(h, "</strong></td><td>");
        put_bound(h, "unfairness_upper", i);
        dp2dpi_html_put(h, "</td></tr>\n");
    }
    dp2dpi_html_put(h, "</tbody></table></div>\n");
}

static void put_certificate(const dp2dpi_report *r, dp2dpi_html *h) {
    const dp2dp_certificate *c = r->certificate->certificate;
    if (c->held_out) {
        dp2dpi_html_put(h, "<p>In the population that the certificate's people were drawn from, "
                           "the unfairness under the model's criterion is at most <strong>");
        dp2dpi_html_number(h, DP2DPI_FORM_POINTS_UP, "/certificate/unfairness_upper_strict");
        dp2dpi_html_put(h, "</strong> percentage points (");
        dp2dpi_html_number(h, DP2DPI_FORM_UP, "/certificate/unfairness_upper_strict");
        dp2dpi_html_put(h, ", rounded up; strict bound) with confidence ");
        dp2dpi_html_number(h, DP2DPI_FORM_EXACT, "/certificate/confidence");
        dp2dpi_html_put(h, ", <strong>");
        dp2dpi_html_text(h, dp2dp_statement_text(DP2DP_STATEMENT_QUOTE));
        dp2dpi_html_put(h, "</strong>. ");
        dp2dpi_html_text(h, dp2dp_statement_text(DP2DP_STATEMENT_HELD_OUT));
        dp2dpi_html_put(h, " A second condition is that the certificate's people are a random "
                           "sample of the population. No file can prove these two conditions."
                           "</p>\n");
        put_bounds(r, h);
    } else {
        dp2dpi_html_put(h,
                        "<p><strong>No bound</strong>: some of the certificate's people were used "
                        "to make the model, so nothing follows about the population.</p>\n");
    }
    if (!c->is_private) {
        dp2dpi_html_put(h, "<p><strong>NOT PRIVATE</strong>: the noise of the certificate came "
                           "from the insecure seeded generator.</p>\n");
    }
    dp2dpi_html_put(h, "<dl>\n");
    number_term(h, "People", DP2DPI_FORM_COUNT, "/certificate/records");
    if (r->certificate->people) {
        term(h, "Called");
        dp2dpi_html_name(h, r->certificate->people);
        dp2dpi_html_put(h, "</dd>\n");
    }
    number_term(h, "Cost to these people: epsilon", DP2DPI_FORM_UP, "/certificate/epsilon");
    number_term(h, "Cost to these people: delta", DP2DPI_FORM_UP, "/certificate/delta");
    number_term(h, "Noise on each count (sigma)", DP2DPI_FORM_EXACT, "/certificate/sigma");
    dp2dpi_html_put(h, "</dl>\n");
    if (c->warnings) {
        dp2dpi_html_put(h, "<ul class=\"caution\">\n");
        dp2dpi_report_words(h, DP2DP_WORDS_WARNING, c->warnings);
        dp2dpi_html_put(h, "</ul>\n");
    }
}

static void section_certificate(const dp2dpi_report *r, dp2dpi_html *h) {
    dp2dpi_html_put(h, "<section id=\"certificate\">\n<h3>The certificate of fairness</h3>\n");
    if (r->certificate) {
        put_certificate(r, h);
    } else {
        dp2dpi_html_put(h, "<p>Bounds on unfairness: <strong>");
        dp2dpi_html_absent(h);
        dp2dpi_html_put(h, "</strong>. No certificate was given, so there is no number to quote "
                           "to a regulator. <code>dp2dp certify</code> makes a certificate from "
                           "people whose data were not used to make the model.</p>\n");
    }
    dp2dpi_html_put(h, "</section>\n");
}

static void put_aim(const dp2dpi_report *r, dp2dpi_html *h) {
    if (r->certificate && r->certificate->certificate->held_out) {
        dp2dpi_html_put(h,
                        "The rule aims at equal rates in the groups, but does not make the rates "
                        "exactly equal. The certificate bounds the difference that remains: at "
                        "most ");
        dp2dpi_html_number(h, DP2DPI_FORM_POINTS_UP, "/certificate/unfairness_upper_strict");
        dp2dpi_html_put(h, " percentage points with ");
        dp2dpi_html_number(h, DP2DPI_FORM_LEVEL, "/certificate/confidence");
        dp2dpi_html_put(h, " confidence. This holds only for the population that the certificate's "
                           "people are a random sample of, and only if the model was not made from "
                           "these people.");
    } else {
        dp2dpi_html_text(h, dp2dp_statement_text(DP2DP_STATEMENT_AIM));
        dp2dpi_html_put(h, " Only a certificate bounds the difference that remains, and only for "
                           "the population that the certificate's people are a random sample of.");
    }
}

static void section_not_promised(const dp2dpi_report *r, dp2dpi_html *h) {
    const dp2dp_model_info *info = r->info;
    dp2dpi_html_put(h, "<section id=\"not-promised\">\n<h3>What is not promised</h3>\n<ul>\n<li>");
    dp2dpi_html_text(h, dp2dp_statement_text(DP2DP_STATEMENT_DECISIONS));
    dp2dpi_html_put(h, "</li>\n<li>");
    put_aim(r, h);
    dp2dpi_html_put(h, "</li>\n<li>“Fair” here means: ");
    dp2dpi_html_text(h, dp2dp_word_find(DP2DP_WORDS_CRITERION, (int)info->criterion)->help);
    dp2dpi_html_put(
        h, ". Other notions of fairness are not promised, and unfairness under them may grow");
    dp2dpi_html_put(
        h, r->measured.after || r->certificate ? " (<a href=\"#criteria\">each notion</a>)." : ".");
    dp2dpi_html_put(h, info->labels > 1 ? "" : " Error rates may differ between groups.");
    dp2dpi_html_put(h, "</li>\n");
    if (r->measured.after) {
        dp2dpi_html_put(
            h,
            "<li>The test people are a sample. The intervals on this page include the uncertainty "
            "of sampling only if the sample is random, and only if no data of the test people were "
            "used to make the model. The confidence holds for each interval by itself, not for all "
            "intervals together.</li>\n<li>Nothing on this page protects the test people.</li>\n");
    }
    if (r->sweep.points) {
        dp2dpi_html_put(h, "<li>Nothing on this page protects the people of the sweep.</li>\n");
    }
    if (info->rule == DP2DP_RULE_WEIGHTED) {
        dp2dpi_html_put(h, "<li>The rule does not see the group. How fair it is depends on how "
                           "accurate the probabilities of the groups are.</li>\n");
    }
    dp2dpi_report_uncovered(r, h);
    dp2dpi_html_put(h, "</ul>\n");
    dp2dpi_report_cautions(r, h);
    dp2dpi_html_put(h, "</section>\n");
}

static void checksum_row(dp2dpi_html *h, const char *what, const char *file, const char *text) {
    dp2dpi_html_put(h, "<tr><th scope=\"row\">");
    dp2dpi_html_put(h, what);
    dp2dpi_html_put(h, "</th><td>");
    dp2dpi_html_name(h, file);
    dp2dpi_html_put(h, "</td><td><code>");
    dp2dpi_html_text(h, text);
    dp2dpi_html_put(h, "</code></td></tr>\n");
}

static void section_checksums(const dp2dpi_report *r, dp2dpi_html *h) {
    dp2dpi_html_put(h, "<section id=\"checksums\">\n<h3>Checksums</h3>\n<p>How to read it: "
                       "each file states its checksum in its last member, <code>checksum</code>. "
                       "A file with another checksum is not the file that this page is about."
                       "</p>\n");
    dp2dpi_section_table(h, "checksums", "The files that this page is about");
    dp2dpi_html_put(h, "<thead><tr><th scope=\"col\">What</th><th scope=\"col\">File</th>"
                       "<th scope=\"col\">Checksum (SHA-256)</th></tr></thead>\n<tbody>\n");
    checksum_row(h, "Model", dp2dpi_report_file(r->options.model_name, "model.json"), r->checksum);
    if (r->certificate) {
        checksum_row(h, "Certificate", dp2dpi_report_file(r->options.certificate, ""),
                     r->certificate->checksum);
    }
    dp2dpi_html_put(h, "</tbody></table></div>\n<p>Tables of people have no checksum here: a "
                       "checksum of rows would reveal whether somebody's row is among them.</p>\n"
                       "<p>The model was made with dp2dp ");
    dp2dpi_html_text(h, r->info->library_version);
    dp2dpi_html_put(h, ", this page with dp2dp " DP2DP_VERSION ".</p>\n</section>\n");
}

static void command(const dp2dpi_report *r, dp2dpi_html *h, const char *what, const char *verb) {
    dp2dpi_html_put(h, "<dt>");
    dp2dpi_html_put(h, what);
    dp2dpi_html_put(h, "</dt><dd><code>dp2dp ");
    dp2dpi_html_put(h, verb);
    dp2dpi_html_put(h, " ");
    dp2dpi_report_argument(h, r->options.model_name, "model.json");
}

static void recheck_certificate(const dp2dpi_report *r, dp2dpi_html *h) {
    command(r, h, "The bound to quote", "verify");
    dp2dpi_html_put(h, " ");
    dp2dpi_report_argument(h, r->options.certificate, "certificate.json");
    dp2dpi_html_put(
        h,
        "</code>: this command computes the bounds again from the certificate's table, and refuses "
        "a certificate that states smaller bounds.</dd>\n<dt>Rates of the certificate</dt><dd>No "
        "command prints them. In the member <code>table</code> of <code>");
    dp2dpi_report_argument(h, r->options.certificate, "certificate.json");
    dp2dpi_html_put(h, "</code>, divide each number by the sum of its row. A row is a group");
    dp2dpi_html_put(h, r->certificate->certificate->labels > 1 ? " and a label" : "");
    dp2dpi_html_put(h, ", a column is a class.</dd>\n");
}

static void section_recheck(const dp2dpi_report *r, dp2dpi_html *h) {
    dp2dpi_html_put(h, "<section id=\"recheck\">\n<h3>How to check each number again</h3>\n<dl>\n");
    command(r, h, "Promise, people and rule", "show");
    dp2dpi_html_put(h, "</code></dd>\n");
    command(r, h, "Epsilon and delta, from the ledger", "account");
    dp2dpi_html_put(h, "</code></dd>\n");
    if (json_array_size(dp2dpi_data_at(h->data, "/covers")) > 0) {
        command(r, h, "How often a guess between two equally likely cases for one person is right",
                "show");
        dp2dpi_html_put(h, "</code>: the number is (exp(epsilon) + delta) / (1 + exp(epsilon)), "
                           "rounded up.</dd>\n");
    }
    command(r, h, "Checksums, and that the files agree", "verify");
    if (r->certificate) {
        dp2dpi_html_put(h, " ");
        dp2dpi_report_argument(h, r->options.certificate, "certificate.json");
    }
    dp2dpi_html_put(h, "</code></dd>\n");
    if (r->certificate) {
        recheck_certificate(r, h);
    }
    if (r->measured.after) {
        char confidence[DP2DPI_FORM_SIZE];
        command(r, h, "Rates, errors and unfairness of the test people", "evaluate");
        dp2dpi_html_put(h, " ");
        dp2dpi_report_argument(h, r->options.test_name, "test.csv");
        if (r->options.label_name) {
            dp2dpi_html_put(h, " --label ");
            dp2dpi_report_argument(h, r->options.label_name, "label");
        }
        dp2dpi_html_put(h, " --confidence ");
        dp2dpi_html_put(h, dp2dpi_form_write(DP2DPI_FORM_EXACT, r->options.confidence, confidence));
        dp2dpi_html_put(h, " --json</code></dd>\n");
        dp2dpi_html_put(h,
                        "<dt>Who gets another decision</dt><dd>No command compares decisions with "
                        "and without the rule. <code>dp2dp predict ");
        dp2dpi_report_argument(h, r->options.model_name, "model.json");
        dp2dpi_html_put(h, " ");
        dp2dpi_report_argument(h, r->options.test_name, "test.csv");
        dp2dpi_html_put(
            h, "</code> prints the decisions with the rule; without the rule, a decision is the "
               "class with the largest score.</dd>\n<dt>Ties, and decisions that a random "
               "number can change</dt><dd>No command prints them.</dd>\n");
    }
    if (r->sweep.points) {
        dp2dpi_html_put(h, "<dt>The trade-off</dt><dd>mean and standard deviation over the runs in "
                           "<code>");
        dp2dpi_report_argument(h, r->options.sweep, "sweep.csv");
        dp2dpi_html_put(h, "</code>; its columns hold the settings and the seed for <code>dp2dp "
                           "sweep</code></dd>\n");
    }
    dp2dpi_html_put(h, "</dl>\n</section>\n");
}

void dp2dpi_report_audit(const dp2dpi_report *r, dp2dpi_html *h) {
    dp2dpi_html_put(h, "<section id=\"audit\">\n<h2>For the auditor</h2>\n");
    section_promise(r, h);
    section_ledger(r, h);
    section_certificate(r, h);
    section_not_promised(r, h);
    section_checksums(r, h);
    section_recheck(r, h);
    dp2dpi_html_put(h, "</section>\n");
}
