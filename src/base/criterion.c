#include "base/criterion.h"

#include <string.h>

#include "base/alloc.h"

enum {
    FLAGS_MAX = 1 << 26 /* largest size of the array `sets`, which has one byte for each statistic
                           and label */
};

int dp2dpi_criterion_is_labelled(const dp2dpi_criterion *c, size_t classes) {
    if (c->criterion != DP2DP_CUSTOM) {
        return c->criterion != DP2DP_DEMOGRAPHIC_PARITY;
    }
    for (size_t s = 0; s < c->custom_count; s++) {
        if (c->custom[s].labels && memchr(c->custom[s].labels, 0, classes)) {
            return 1;
        }
    }
    return 0;
}

static size_t count_of(const dp2dpi_criterion *c, size_t classes) {
    int one = c->positive != DP2DP_POSITIVE_DEFAULT || classes == 2;
    switch (c->criterion) {
    case DP2DP_CUSTOM:
        return c->custom_count;
    case DP2DP_EQUALIZED_ODDS:
        return classes * classes;
    case DP2DP_TRUE_POSITIVE_RATE_PARITY:
    case DP2DP_FALSE_POSITIVE_RATE_PARITY:
        return one ? 1 : classes;
    case DP2DP_DEMOGRAPHIC_PARITY:
    default:
        return classes;
    }
}

/* Returns the class of statistic s of a built-in criterion. */
static size_t class_of(const dp2dpi_criterion *c, size_t classes, size_t s) {
    switch (c->criterion) {
    case DP2DP_EQUALIZED_ODDS:
        return s % classes;
    case DP2DP_TRUE_POSITIVE_RATE_PARITY:
    case DP2DP_FALSE_POSITIVE_RATE_PARITY:
        if (c->positive != DP2DP_POSITIVE_DEFAULT) {
            return (size_t)c->positive;
        }
        return classes == 2 ? 1 : s;
    case DP2DP_DEMOGRAPHIC_PARITY:
    case DP2DP_CUSTOM:
    default:
        return s;
    }
}

/* Returns 1 if the label is in the set of statistic s of a built-in criterion. */
static int has_label(const dp2dpi_criterion *c, size_t classes, size_t s, size_t label) {
    switch (c->criterion) {
    case DP2DP_EQUALIZED_ODDS:
        return s / classes == label;
    case DP2DP_TRUE_POSITIVE_RATE_PARITY:
        return class_of(c, classes, s) == label;
    case DP2DP_FALSE_POSITIVE_RATE_PARITY:
        return class_of(c, classes, s) != label;
    case DP2DP_DEMOGRAPHIC_PARITY:
    case DP2DP_CUSTOM:
    default:
        return 1;
    }
}

static dp2dp_status check(const dp2dpi_criterion *c, size_t labels, size_t classes,
                          dp2dp_error *error) {
    if (dp2dp_criterion_name(c->criterion) == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "criterion = %d: not a known criterion",
                           (int)c->criterion);
    }
    if (c->positive < DP2DP_POSITIVE_DEFAULT ||
        (c->positive >= 0 && (size_t)c->positive >= classes)) {
        return dp2dpi_fail(
            error, DP2DP_STATUS_ARGUMENT,
            "positive = %d: it must be the code of a class, counted from 0; there are %zu classes",
            (int)c->positive, classes);
    }
    if ((c->criterion == DP2DP_CUSTOM) != (c->custom != NULL && c->custom_count > 0)) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "the criterion 'custom' needs at least one statistic; with any other "
                           "criterion, give no statistics");
    }
    if (labels == 1 && dp2dpi_criterion_is_labelled(c, classes)) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "the criterion %s compares people with the same label; give a pool "
                           "with labels",
                           dp2dp_criterion_name(c->criterion));
    }
    if (count_of(c, classes) > FLAGS_MAX / labels) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "the criterion %s has too many rates with %zu classes",
                           dp2dp_criterion_name(c->criterion), classes);
    }
    return DP2DP_STATUS_OK;
}

/* Fills in statistic s. Fails with ARGUMENT if the statistic's class is not below `classes`, or if
 * the statistic's set of labels is empty. */
static dp2dp_status fill(const dp2dpi_criterion *c, size_t classes, size_t s,
                         dp2dpi_statistics *out, dp2dp_error *error) {
    const dp2dp_statistic *custom = c->criterion == DP2DP_CUSTOM ? &c->custom[s] : NULL;
    out->classes[s] = custom ? custom->class_index : class_of(c, classes, s);
    for (size_t y = 0; y < out->labels; y++) {
        int in =
            custom ? custom->labels == NULL || custom->labels[y] != 0 : has_label(c, classes, s, y);
        out->sets[s * out->labels + y] = (unsigned char)in;
        out->sizes[s] += (size_t)in;
    }
    if (out->classes[s] >= classes || out->sizes[s] == 0) {
        return dp2dpi_fail(
            error, DP2DP_STATUS_ARGUMENT,
            "statistic %zu: class_index must be the code of a class, and labels must include at "
            "least one label",
            s + 1);
    }
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dpi_statistics_new(const dp2dpi_criterion *c, size_t labels, size_t classes,
                                   dp2dpi_statistics *out, dp2dp_error *error) {
    static const char what[] = "the statistics of a criterion";
    *out = (dp2dpi_statistics) {.labels = labels};
    DP2DPI_TRY(check(c, labels, classes, error));
    out->count = count_of(c, classes);
    DP2DPI_TRY(DP2DPI_ALLOC(out->classes, 2 * out->count, what, error));
    out->sizes = out->classes + out->count;
    DP2DPI_TRY(DP2DPI_ALLOC(out->sets, out->count * labels, what, error));
    for (size_t s = 0; s < out->count; s++) {
        DP2DPI_TRY(fill(c, classes, s, out, error));
    }
    return DP2DP_STATUS_OK;
}

void dp2dpi_statistics_free(dp2dpi_statistics *s) {
    dp2dpi_free(s->classes);
    dp2dpi_free(s->sets);
    *s = (dp2dpi_statistics) {0};
}

double dp2dpi_statistic_people(const dp2dpi_statistics *s, size_t statistic, size_t group,
                               const double *totals) {
    double sum = 0.0;
    for (size_t y = 0; y < s->labels; y++) {
        sum += dp2dpi_statistic_has(s, statistic, y) ? totals[group * s->labels + y] : 0.0;
    }
    return sum;
}

double dp2dpi_statistic_given(const dp2dpi_statistics *s, size_t statistic, size_t group,
                              size_t classes, const double *table) {
    double sum = 0.0;
    for (size_t y = 0; y < s->labels; y++) {
        sum += dp2dpi_statistic_has(s, statistic, y)
                   ? table[(group * s->labels + y) * classes + s->classes[statistic]]
                   : 0.0;
    }
    return sum;
}

/* Returns 1 if the statistics a and b have the same set of labels, and so count the same people. */
static int is_same_set(const dp2dpi_statistics *s, size_t a, size_t b) {
    return memcmp(s->sets + a * s->labels, s->sets + b * s->labels, s->labels) == 0;
}

size_t dp2dpi_statistics_free_rates(const dp2dpi_statistics *s, size_t classes) {
    size_t rates = 0;
    for (size_t a = 0; a < s->count && rates < classes; a++) {
        size_t before = 0;
        for (size_t b = 0; b < a; b++) {
            before += (size_t)is_same_set(s, a, b);
        }
        rates += before + 1 < classes;
    }
    return rates;
}
