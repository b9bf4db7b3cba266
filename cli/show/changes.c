#include "show/changes.h"

#include <math.h>

#include "common/number.h"
#include "privacy/privacy.h"
#include "show/show.h"

/* The scores of an example person for the label and for the group. */
static const double likely_label = 0.6, likely_group = 0.8;

/* Smaller changes are not reported. */
static const double no_change = 0.00005;

static double weight_of(size_t i, size_t chosen, size_t count, double likely) {
    return count < 2 ? 1 : i == chosen ? likely : (1 - likely) / (double)(count - 1);
}

/* Returns what the rule adds to the score of class k, for a person who is probably of stratum e. */
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

static void direction_text(const dp2dp_model_info *info, size_t e, cli_out *out) {
    size_t up = 0, down = 0, labels = info->labels;
    for (size_t k = 1; k < info->classes; k++) {
        up = added(info, e, k) > added(info, e, up) ? k : up;
        down = added(info, e, k) < added(info, e, down) ? k : down;
    }
    double gap = added(info, e, up) - added(info, e, down);
    const char *group = info->names.groups[e / labels];
    const char *label = labels > 1 ? info->names.classes[e % labels] : "";
    const char *likely = labels > 1 ? ", probably " : "";
    if (gap < no_change) {
        cli_out_row(out, "group", "%.100s%s%.100s: nothing changes", group, likely, label);
    } else {
        cli_out_row(out, "group",
                    "%.100s%s%.100s: class %.100s becomes easier to get, %.100s harder, by %.3f",
                    group, likely, label, info->names.classes[up], info->names.classes[down], gap);
    }
}

/* With two classes and a known group, the difference of the two adjusted scores is slope t + start,
 * where t is the score of class 1. The rule is therefore a threshold on t. */
static void thresholds_text(const dp2dp_model_info *info, cli_out *out) {
    double width = info->dither.width;
    cli_out_prose(
        out, "Class %.200s is given if its score is above%s", info->names.classes[1],
        width > 0
            ? "; between the numbers in the last two columns, the public random number decides"
            : "");
    fprintf(out->stream, "  %-20s %8s %8s%s\n", "", "before", "after",
            width > 0 ? "     from       to" : "");
    for (size_t g = 0; g < info->groups; g++) {
        const double *first = &info->offsets[4 * g], *second = first + 2;
        double d0 = first[1] - first[0], d1 = second[1] - second[0];
        double slope = 2 - (d1 - d0), start = -1 - d0;
        char name[64];
        snprintf(name, sizeof name, "%.20s", info->names.groups[g]);
        cli_make_safe(name);
        if (slope < 0.01) {
            fprintf(out->stream, "  %-20s no threshold: the score hardly matters\n", name);
            continue;
        }
        fprintf(out->stream, "  %-20s %8.4f %8.4f", name, 0.5, fmin(1, fmax(0, -start / slope)));
        if (width > 0) {
            fprintf(out->stream, " %8.4f %8.4f", fmin(1, fmax(0, (-start - width) / slope)),
                    fmin(1, fmax(0, (-start + width) / slope)));
        }
        fputc('\n', out->stream);
    }
}

static const char *same_words(const dp2dp_model_info *info) {
    return info->dither.width <= 0                       ? "The same person always gets the same "
                                                           "decision."
           : info->dither_key == DP2DP_DITHER_KEY_SCORES ? "The random number is computed from "
                                                           "the scores: the same scores always "
                                                           "get the same decision."
           : info->dither_key == DP2DP_DITHER_KEY_ID     ? "The random number is computed from "
                                                           "the id: the same id with the same "
                                                           "scores always gets the same decision."
                                                         : "The random number is computed from "
                                                           "the row's position: sorting a table "
                                                           "changes decisions.";
}

void cli_changes_text(const dp2dp_model_info *info, cli_out *out) {
    for (size_t e = 0; e < info->strata; e++) {
        direction_text(info, e, out);
    }
    if (info->rule == DP2DP_RULE_WEIGHTED) {
        cli_out_prose(out,
                      "The numbers are for a person whose group scores say %.0f %% for the "
                      "group%s. The rule itself does not see the group.",
                      100 * likely_group,
                      info->labels > 1 ? ", and whose score for the label is 0.6" : "");
    } else {
        cli_out_prose(out, "The numbers are for a person whose score for the label is %.1f.",
                      likely_label);
    }
    if (info->classes == 2 && info->rule == DP2DP_RULE_LINEAR) {
        thresholds_text(info, out);
    }
    cli_out_prose(out, "%s", same_words(info));
}

double cli_rate_noise(const dp2dp_model_info *info, size_t stratum) {
    dp2dp_event event;
    double people = info->shares[stratum] * (double)info->records;
    if (info->solver != DP2DP_SOLVER_COUNTS || isinf(info->options->epsilon) ||
        !cli_last_event(info->ledger, &event) || !(people > 0)) {
        return NAN;
    }
    double mu = sqrt((double)event.count) * event.sensitivity / event.sigma;
    return sqrt(2 * (1 - 1 / (double)info->classes)) / (mu * people);
}

void cli_noise_text(const dp2dp_model_info *info, cli_out *out) {
    double worst = 0;
    size_t labels = info->labels;
    if (isnan(cli_rate_noise(info, 0))) {
        return;
    }
    cli_out_section(out, "How well it could be learned");
    fprintf(out->stream, "  %-27s %9s  %s\n", labels > 1 ? "group, label" : "group", "people",
            "noise of a rate (standard deviation)");
    for (size_t e = 0; e < info->strata; e++) {
        double noise = cli_rate_noise(info, e);
        char name[64];
        snprintf(name, sizeof name, labels > 1 ? "%.12s, %.12s" : "%.27s",
                 info->names.groups[e / labels], info->names.classes[e % labels]);
        cli_make_safe(name);
        fprintf(out->stream, "  %-27s %9.0f  %.4f\n", name, info->shares[e] * (double)info->records,
                noise);
        worst = fmax(worst, noise);
    }
    cli_out_prose(out, "People are counted with noise. Sampling adds to the noise of a rate. From "
                       "fewer than about 100 people little can be learned.");
    if (info->options->rho < 2 * worst) {
        cli_out_prose(out,
                      "Advice: a --rho of at least %s, twice the largest noise, avoids "
                      "correcting gaps that are only noise.",
                      cli_number_up(2 * worst, 2).text);
    }
}
