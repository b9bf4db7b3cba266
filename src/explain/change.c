#include "explain/explain.h"

#include <math.h>
#include <stdio.h>

#include "decide/model.h"

enum {
    CHANGES_MAX = 60 /* most pairs of stratum and class for which the changes are listed */
};

/* Each line of the explanation is for a group, or for a pair of group and label. It describes an
 * example person, who is in this group with probability likely_group and has this label with
 * probability likely_label. */
static const double likely_label = 0.6, likely_group = 0.8;

/* Changes smaller than this round to 0 in four decimals and count as no change. */
static const double no_change = 0.00005;

static double weight_of(size_t i, size_t chosen, size_t count, double likely) {
    return count < 2 ? 1 : i == chosen ? likely : (1 - likely) / (double)(count - 1);
}

/* Returns what the rule adds to the score of class k, for the example person of stratum e. A
 * stratum is a group, or a pair of group and label. Never returns -0. */
static double added(const dp2dp_model_info *info, size_t e, size_t k) {
    size_t labels = info->labels, group = e / labels, label = e % labels;
    int sees_group = info->rule != DP2DP_RULE_WEIGHTED;
    double sum = 0;
    for (size_t i = 0; i < info->strata; i++) {
        double of_group = sees_group ? (double)(i / labels == group)
                                     : weight_of(i / labels, group, info->groups, likely_group);
        double of_label = weight_of(i % labels, label, labels, likely_label);
        sum += of_group * of_label * info->offsets[i * info->classes + k];
    }
    return 0.0 - sum;
}

/* Sets *up to the class whose score the rule raises most in stratum e, and *down to the class whose
 * score it raises least. A rule that sees the group and has no labels never takes class *up away
 * from anybody, and never gives class *down to anybody who did not have it. Returns the difference
 * between the changes of the two scores. */
static double find_direction(const dp2dp_model_info *info, size_t e, const char **up,
                             const char **down) {
    size_t most = 0, least = 0;
    for (size_t k = 1; k < info->classes; k++) {
        most = added(info, e, k) > added(info, e, most) ? k : most;
        least = added(info, e, k) < added(info, e, least) ? k : least;
    }
    *up = info->names.classes[most];
    *down = info->names.classes[least];
    return added(info, e, most) - added(info, e, least);
}

static void plain_direction(const dp2dp_model_info *info, size_t g, dp2dpi_text *t) {
    const char *up, *down;
    if (find_direction(info, g, &up, &down) < no_change) {
        dp2dpi_layout_row(t, "group", "%.200s: nothing changes", info->names.groups[g]);
    } else {
        dp2dpi_layout_row(t, "group",
                          "%.200s: class %.200s is given more easily, class %.200s less easily",
                          info->names.groups[g], up, down);
    }
}

static double clip(double x) {
    return fmin(1, fmax(0, x));
}

static void thresholds_title(const dp2dp_model_info *info, dp2dpi_text *t) {
    dp2dpi_layout_prose(t, "Class %.200s is given if its score is above the group's threshold%s",
                        info->names.classes[1],
                        info->dither.width > 0
                            ? "; between \"from\" and \"to\", the public random number decides"
                            : "");
}

/* Appends, for two classes, the threshold that the score of class 1 must exceed in each group. The
 * two scores sum to 1. So if the rule adds a to the score of class 1 minus the score of class 0,
 * the threshold moves from 1/2 to (1 - a) / 2. */
static void plain_thresholds(const dp2dp_model_info *info, dp2dpi_text *t) {
    static const char *const names[] = {"before", "after", "from", "to"};
    double values[2 * CHANGES_MAX], width = info->dither.width;
    size_t columns = width > 0 ? 4 : 2;
    for (size_t g = 0; g < info->strata; g++) {
        double a = added(info, g, 1) - added(info, g, 0), *row = values + columns * g;
        row[0] = 0.5;
        row[1] = clip((1 - a) / 2);
        if (width > 0) {
            row[2] = clip((1 - a - width) / 2);
            row[3] = clip((1 - a + width) / 2);
        }
    }
    thresholds_title(info, t);
    dp2dpi_layout_numbers(
        t, &(dp2dpi_layout_table) {info->strata, columns, info->names.groups, names, values});
}

static void plain_shifts(const dp2dp_model_info *info, dp2dpi_text *t) {
    double values[CHANGES_MAX];
    for (size_t g = 0; g < info->strata; g++) {
        for (size_t k = 0; k < info->classes; k++) {
            values[g * info->classes + k] = added(info, g, k);
        }
    }
    dp2dpi_layout_prose(t, "The rule adds these numbers to the scores, and then chooses the class "
                           "with the largest sum");
    dp2dpi_layout_numbers(t,
                          &(dp2dpi_layout_table) {info->strata, info->classes, info->names.groups,
                                                  info->names.classes, values});
}

static const char *same_words(const dp2dp_model_info *info) {
    static const char *const words[] = {
        [DP2DP_DITHER_KEY_ROW] =
            "The random number is a fixed function of the row's position, so decisions change if "
            "a table is sorted, or if people are decided in several tables or one at a time.",
        [DP2DP_DITHER_KEY_SCORES] = "The random number is a fixed function of the scores, so the "
                                    "same scores always get the same decision.",
        [DP2DP_DITHER_KEY_ID] = "The random number is a fixed function of the id, so the same id "
                                "with the same scores always gets the same decision."};
    return info->dither.width > 0 ? words[info->dither_key]
                                  : "The same person always gets the same decision.";
}

/* Explains a demographic-parity rule that sees the group. */
static void explain_plain(const dp2dp_model_info *info, dp2dpi_text *t) {
    for (size_t g = 0; g < info->strata; g++) {
        plain_direction(info, g, t);
    }
    (info->classes == 2 ? plain_thresholds : plain_shifts)(info, t);
    dp2dpi_layout_prose(t, "%s", same_words(info));
}

static void direction(const dp2dp_model_info *info, size_t e, dp2dpi_text *t) {
    const char *up, *down;
    size_t labels = info->labels;
    double gap = find_direction(info, e, &up, &down);
    const char *group = info->names.groups[e / labels];
    const char *label = labels > 1 ? info->names.classes[e % labels] : "";
    const char *likely = labels > 1 ? ", probably " : "";
    if (gap < no_change) {
        dp2dpi_layout_row(t, "group", "%.100s%s%.100s: nothing changes", group, likely, label);
    } else {
        dp2dpi_layout_row(
            t, "group",
            "%.100s%s%.100s: class %.100s becomes easier to get and class %.100s harder; the "
            "difference between their scores changes by %.3f",
            group, likely, label, up, down, gap);
    }
}

/* With two classes and a known group, the difference of the two adjusted scores is slope · p +
 * start, where p is the score of class 1. So the rule is a threshold on p. */
static void thresholds(const dp2dp_model_info *info, dp2dpi_text *t) {
    double width = info->dither.width;
    thresholds_title(info, t);
    dp2dpi_text_format(t, "  %-20s %8s %8s%s\n", "", "before", "after",
                       width > 0 ? "     from       to" : "");
    for (size_t g = 0; g < info->groups; g++) {
        const double *first = &info->offsets[4 * g], *second = first + 2;
        double d0 = first[1] - first[0], d1 = second[1] - second[0];
        double slope = 2 - (d1 - d0), start = -1 - d0;
        dp2dpi_text_put(t, "  ");
        dp2dpi_layout_padded(t, info->names.groups[g], 20);
        if (slope < 0.01) {
            dp2dpi_text_put(t, " no threshold: the score hardly matters\n");
            continue;
        }
        dp2dpi_text_format(t, " %8.4f %8.4f", 0.5, clip(-start / slope));
        if (width > 0) {
            dp2dpi_text_format(t, " %8.4f %8.4f", clip((-start - width) / slope),
                               clip((-start + width) / slope));
        }
        dp2dpi_text_put(t, "\n");
    }
}

/* Explains a rule that multiplies offsets by probabilities. */
static void explain_other(const dp2dp_model_info *info, dp2dpi_text *t) {
    for (size_t e = 0; e < info->strata; e++) {
        direction(info, e, t);
    }
    if (info->rule == DP2DP_RULE_WEIGHTED) {
        dp2dpi_layout_prose(
            t,
            "The changes above are those for a person whose score for the group is %.1f%s. The "
            "rule itself does not see the group.",
            likely_group, info->labels > 1 ? " and whose score for the label is 0.6" : "");
    } else {
        dp2dpi_layout_prose(
            t, "The changes above are those for a person whose score for the label is %.1f.",
            likely_label);
    }
    if (info->classes == 2 && info->rule == DP2DP_RULE_LINEAR) {
        thresholds(info, t);
    }
    dp2dpi_layout_prose(t, "%s", same_words(info));
}

/* Appends how many people each stratum has, how noisy its rates are, and advice if rho is too small
 * for this noise. */
static void explain_noise(const dp2dp_model_info *info, dp2dpi_text *t) {
    double worst = 0;
    size_t labels = info->labels;
    if (isnan(info->rate_noise[0])) {
        return;
    }
    dp2dpi_layout_section(t, "How well the rule could be learned");
    dp2dpi_text_format(t, "  %-27s %9s  %s\n", labels > 1 ? "group, label" : "group", "people",
                       "noise of a rate (standard deviation)");
    for (size_t e = 0; e < info->strata; e++) {
        char name[64];
        (void)snprintf(name, sizeof name, labels > 1 ? "%.12s, %.12s" : "%.27s",
                       info->names.groups[e / labels], info->names.classes[e % labels]);
        dp2dpi_text_put(t, "  ");
        dp2dpi_layout_padded(t, name, 27);
        dp2dpi_text_format(t, " %9.0f  ", info->shares[e] * dp2dpi_model_kept(info));
        dp2dpi_text_format(t, info->rate_noise[e] < 1 ? "%.4f\n" : "1 or more\n",
                           info->rate_noise[e]);
        worst = fmax(worst, info->rate_noise[e]);
    }
    if (info->leaves_out && info->kept > 0) {
        dp2dpi_layout_prose(t, "Records with a bad or missing value are left out, and not in the "
                               "numbers of people above.");
    } else if (info->leaves_out) {
        dp2dpi_layout_prose(t, "Records with a bad or missing value are left out. The numbers of "
                               "people above include these records, divided among the groups: the "
                               "groups may be smaller than shown, and their noise larger.");
    }
    dp2dpi_layout_prose(t, "The numbers of people are noisy counts. The noise of a rate does not "
                           "include sampling: a rate also varies because these people are only a "
                           "sample. Little can be learned from fewer than about 100 people.");
    if (dp2dp_rho_is_large(2 * worst)) {
        dp2dpi_layout_prose(t, "Hardly anything can be told about the rates of the smallest "
                               "groups: the noise is about as large as the rates. If such a group "
                               "can be joined with another, fit again with the joint group.");
    } else if (info->options->rho < 2 * worst) {
        dp2dpi_layout_prose(t,
                            "Advice: a rho of at least %s, twice the largest noise, avoids "
                            "correcting gaps that are only noise.",
                            dp2dpi_number_up(2 * worst, 2).text);
    }
}

void dp2dpi_explain_change(const dp2dp_model_info *info, dp2dpi_text *t) {
    if (info->strata == 0) {
        return;
    }
    dp2dpi_layout_section(t, "What changes for which group");
    if (info->strata * info->classes > CHANGES_MAX) {
        dp2dpi_layout_prose(
            t,
            "With %zu groups and %zu classes%s there are too many offsets to list "
            "here. To see them, use dp2dp show --json or, in Python, model.offsets. "
            "The rule subtracts the offsets from the scores.",
            info->groups, info->classes,
            info->labels > 1 ? ", and offsets for each group and label," : "");
        return;
    }
    int32_t constant = dp2dp_model_constant(info);
    if (constant >= 0) {
        dp2dpi_layout_row(t, "everybody", "gets the class %.200s, in every group",
                          info->names.classes[constant]);
    } else {
        (dp2dpi_explain_is_plain(info) ? explain_plain : explain_other)(info, t);
    }
    explain_noise(info, t);
}
