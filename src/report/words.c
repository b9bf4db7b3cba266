#include <ctype.h>
#include <math.h>
#include <string.h>

#include <dp2dp/fit.h>

#include "report/report.h"

int dp2dpi_report_exposes(const dp2dpi_report *r) {
    return r->sweep.points != NULL && r->options.sweep_people == DP2DP_SWEEP_EXPOSED;
}

int dp2dpi_report_is_private(const dp2dpi_report *r) {
    return r->info->not_private_because == 0 && !dp2dpi_report_exposes(r) &&
           (r->certificate == NULL || r->certificate->certificate->is_private);
}

int dp2dpi_report_is_exact(const dp2dpi_report *r) {
    return r->measured.after != NULL || r->sweep.points != NULL;
}

const char *dp2dpi_report_file(const char *path, const char *fallback) {
    const char *slash = path ? strrchr(path, '/') : NULL;
    const char *name = slash ? slash + 1 : path;
    return name && *name ? name : fallback;
}

void dp2dpi_report_title(const dp2dpi_report *r, dp2dpi_html *h) {
    dp2dpi_html_put(h, "Fairness and privacy of ");
    dp2dpi_html_put(h, dp2dpi_report_file(r->options.model_name, "model.json"));
}

/* Returns 1 if a shell takes every character of the text literally. */
static int is_plain(const char *text) {
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (!(isalnum(c) || c >= 0x80 || strchr("._-+/:,@%", c))) {
            return 0;
        }
    }
    return 1;
}

void dp2dpi_report_argument(dp2dpi_html *h, const char *path, const char *fallback) {
    const char *name = dp2dpi_report_file(path, fallback);
    if (is_plain(name)) {
        dp2dpi_html_name(h, name);
        return;
    }
    dp2dpi_html_put(h, "<bdi>&#39;");
    for (const char *at = name; *at; at++) {
        char c[2] = {*at, '\0'};
        /* Inside single quotes, a quote is written as '\''. */
        if (*at == '\'') {
            dp2dpi_html_text(h, "'\\''");
        } else {
            dp2dpi_html_text(h, c);
        }
    }
    dp2dpi_html_put(h, "&#39;</bdi>");
}

static void put_name(dp2dpi_html *h, const char *name, dp2dpi_as as) {
    (as == DP2DPI_AS_HTML ? dp2dpi_html_name : dp2dpi_html_put)(h, name);
}

void dp2dpi_report_labels(const dp2dpi_report *r, dp2dpi_html *h, size_t s, dp2dpi_as as) {
    size_t labels = r->statistics.labels, size = r->statistics.sizes[s], seen = 0;
    int but = labels > 2 && size == labels - 1;
    dp2dpi_html_put(h, but ? "anything but " : "");
    for (size_t y = 0; y < labels; y++) {
        if (dp2dpi_statistic_has(&r->statistics, s, y) != but) {
            dp2dpi_html_put(h, seen++ > 0 ? " or " : "");
            put_name(h, r->info->names.classes[y], as);
        }
    }
}

void dp2dpi_report_statistic(const dp2dpi_report *r, dp2dpi_html *h, size_t s, dp2dpi_as as) {
    dp2dpi_html_put(h, "gets ");
    put_name(h, r->info->names.classes[r->statistics.classes[s]], as);
    if (r->statistics.sizes[s] < r->statistics.labels) {
        dp2dpi_html_put(h, " among people labelled ");
        dp2dpi_report_labels(r, h, s, as);
    }
}

void dp2dpi_report_people(dp2dpi_html *h, const char *path) {
    const char *role = json_string_value(dp2dpi_data_at(h->data, "%s/role", path));
    const char *people = json_string_value(dp2dpi_data_at(h->data, "%s/people", path));
    double rows = dp2dpi_data_number(h->data, "%s/rows_per_person", path);
    dp2dpi_html_put(h, "the ");
    if (!isnan(dp2dpi_data_number(h->data, "%s/records", path))) {
        dp2dpi_html_number(h, DP2DPI_FORM_COUNT, "%s/records", path);
        dp2dpi_html_put(h, rows > 1 ? " rows of " : " ");
    }
    int trained = role && strcmp(role, "train") == 0;
    dp2dpi_html_text(
        h, dp2dp_statement_text(trained ? DP2DP_STATEMENT_TRAINED : DP2DP_STATEMENT_POOLED));
    if (people) {
        dp2dpi_html_put(h, ", called ");
        dp2dpi_html_name(h, people);
    }
}

void dp2dpi_report_inequality(dp2dpi_html *h, const char *epsilon, const char *delta) {
    if (dp2dpi_data_number(h->data, "%s", epsilon) > 700) {
        dp2dpi_html_text(h, dp2dp_statement_text(DP2DP_STATEMENT_GUESS_UNBOUNDED));
        return;
    }
    dp2dpi_html_put(h, "For every set S of outcomes, P(S) is at most ");
    dp2dpi_html_number(h, DP2DPI_FORM_FACTOR, "%s", epsilon);
    dp2dpi_html_put(h, " P′(S) + ");
    dp2dpi_html_number(h, DP2DPI_FORM_UP, "%s", delta);
    dp2dpi_html_put(h,
                    ", where P and P′ are the probabilities under any two versions of one person's "
                    "record.");
}

void dp2dpi_report_words(dp2dpi_html *h, dp2dp_word_table table, unsigned bits) {
    size_t count;
    const dp2dp_word *words = dp2dp_words(table, &count);
    for (size_t i = 0; i < count; i++) {
        if (bits & (unsigned)words[i].value) {
            dp2dpi_html_put(h, "<li>");
            dp2dpi_report_sentence(h, words[i].help);
            dp2dpi_html_put(h, "</li>\n");
        }
    }
}

void dp2dpi_report_caution_list(dp2dpi_html *h, unsigned warnings) {
    if (warnings) {
        dp2dpi_html_put(
            h, "<p class=\"caution\"><strong>Caution</strong></p>\n<ul class=\"caution\">\n");
        dp2dpi_report_words(h, DP2DP_WORDS_WARNING, warnings);
        dp2dpi_html_put(h, "</ul>\n");
    }
}

void dp2dpi_report_cautions(const dp2dpi_report *r, dp2dpi_html *h) {
    dp2dpi_report_caution_list(h, r->info->warnings &
                                      ~(unsigned)DP2DP_WARNING_SCORES_ORIGIN_NOT_STATED);
}

/* Help texts in the tables of words begin with a small letter and have no full stop, so this
 * function changes both. */
void dp2dpi_report_sentence(dp2dpi_html *h, const char *words) {
    char first[2] = {(char)toupper((unsigned char)words[0]), '\0'};
    size_t length = strlen(words);
    dp2dpi_html_text(h, first);
    dp2dpi_html_text(h, words + 1);
    dp2dpi_html_put(h, length > 0 && strchr(".?", words[length - 1]) ? "" : ".");
}

int dp2dpi_report_is_crowded(const dp2dpi_report *r) {
    return r->info->criterion != DP2DP_DEMOGRAPHIC_PARITY &&
           r->statistics.count * r->info->groups > DP2DPI_REPORT_STATISTICS_MAX;
}

/* With two classes, chooses a rate of class 1: the rates of class 0 differ just as much. */
size_t dp2dpi_report_first(const dp2dpi_report *r) {
    const dp2dpi_statistics *all = &r->statistics;
    const dp2dp_evaluation *before = r->measured.before;
    size_t s = before && before->criteria[r->info->criterion].measured
                   ? before->criteria[r->info->criterion].statistic
                   : 0;
    return r->info->classes == 2 && all->classes[s] == 0 && s + 1 < all->count &&
                   all->classes[s + 1] == 1 &&
                   memcmp(all->sets + s * all->labels, all->sets + (s + 1) * all->labels,
                          all->labels) == 0
               ? s + 1
               : s;
}

void dp2dpi_report_list(dp2dpi_html *h, const char *const *names, size_t count, const char *last) {
    enum {
        SHOWN = 8
    };
    size_t shown = count > SHOWN ? SHOWN : count;
    for (size_t i = 0; i < shown; i++) {
        dp2dpi_html_put(h, i == 0 ? "" : i + 1 == count ? last : ", ");
        dp2dpi_html_name(h, names[i]);
    }
    if (shown < count) {
        dp2dpi_html_put(h, " and others");
    }
}
