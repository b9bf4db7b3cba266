#include <math.h>

#include "base/criterion.h"
#include "decide/model.h"
#include "explain/explain.h"

/* A label hardly occurs if less than this share of all people have it. */
static const double hardly = 0.02;
static const double surely = 4; /* a count is surely below a limit if its noisy value is lower than
                                   the limit by this many standard deviations */

/* Returns 1 if the criterion compares a rate among people with this label. */
static int is_compared(const dp2dp_model_info *info, size_t label) {
    const dp2dpi_criterion criterion = {.criterion = info->criterion,
                                        .positive = info->positive,
                                        .custom = info->statistics,
                                        .custom_count = info->statistic_count};
    dp2dpi_statistics s;
    int found = 0;
    if (dp2dpi_statistics_new(&criterion, info->labels, info->classes, &s, NULL) ==
        DP2DP_STATUS_OK) {
        for (size_t i = 0; i < s.count; i++) {
            found |= dp2dpi_statistic_has(&s, i, label);
        }
    }
    dp2dpi_statistics_free(&s);
    return found;
}

/* Returns 1 if, for sure, hardly anybody has the label. The size of a stratum is the sum of its K
 * counts, one for each class, so its noise is √K times the noise on one count. */
static int is_rare(const dp2dp_model_info *info, size_t label) {
    double people = 0, variance = 0;
    for (size_t g = 0; g < info->groups; g++) {
        size_t e = g * info->labels + label;
        double size = info->shares[e] * dp2dpi_model_kept(info);
        double noise = info->rate_noise[e] * size;
        people += size;
        variance += (double)info->classes * noise * noise;
    }
    return people + surely * sqrt(variance) < hardly * (double)info->records;
}

/* Returns 1 if the noise is so small that the stratum with the most people is surely larger than
 * the one with the fewest. */
static int has_sizes(const dp2dp_model_info *info) {
    double least = 1, most = 0;
    for (size_t e = 0; e < info->strata; e++) {
        least = fmin(least, info->shares[e]);
        most = fmax(most, info->shares[e]);
    }
    return (most - least) * dp2dpi_model_kept(info) > surely * sqrt(2) * info->size_noise;
}

/* Names the smallest group, unless noise hides which group this is. */
static void explain_smallest(const dp2dp_model_info *info, dp2dpi_text *t) {
    size_t labels = info->labels, smallest = dp2dp_model_smallest(info);
    unsigned long long rows = info->options->rows_per_person;
    if (smallest < info->strata) {
        dp2dpi_layout_prose(
            t,
            "The smallest group is %.100s%s%.100s. If this group should not be small, compare its "
            "name in the list of groups with the values in the table.",
            info->names.groups[smallest / labels], labels > 1 ? " with the label " : "",
            labels > 1 ? info->names.classes[smallest % labels] : "");
    } else if (has_sizes(info)) {
        dp2dpi_layout_prose(t, "The noise hides which group is the smallest. If no group should be "
                               "small, compare the list of groups with the values in the table.");
    } else {
        dp2dpi_layout_prose(t, "The noise hides which group is the smallest: a larger epsilon or "
                               "more people are needed.");
    }
    if (smallest == info->strata && rows > 1) {
        dp2dpi_layout_prose(t,
                            "With up to %llu rows per person, the noise is %llu times as large as "
                            "with one.",
                            rows, rows);
    }
}

static void explain_small(const dp2dp_model_info *info, dp2dpi_text *t) {
    size_t rare = 0, labels = info->labels;
    for (size_t y = 0; labels > 1 && info->counted == DP2DP_COUNTED_LABELS && y < labels; y++) {
        if (is_rare(info, y) && is_compared(info, y)) {
            const char *label = info->names.classes[y];
            dp2dpi_layout_prose(t,
                                "Hardly anybody has the label %.100s, in any group. Are these "
                                "labels missing, or spelt in another way? The rates among people "
                                "with the label %.100s cannot be made equal.",
                                label, label);
            rare++;
        }
    }
    if (rare == 0) {
        explain_smallest(info, t);
    }
}

/* Returns 1 if the schema of the model leaves out rows with a missing value. */
static int drops_missing(const dp2dp_model_info *info) {
    dp2dp_schema *schema = NULL;
    int drops = info->classifier &&
                dp2dp_schema_load(info->classifier->schema, &schema, NULL) == DP2DP_STATUS_OK &&
                dp2dp_schema_view(schema)->leaves_out != 0;
    dp2dp_schema_free(schema);
    return drops;
}

void dp2dpi_explain_cautions(const dp2dp_model_info *info, dp2dpi_text *t) {
    int32_t constant = dp2dp_model_constant(info);
    if (constant >= 0) {
        dp2dpi_layout_prose(t, "Everybody gets the class %.200s.", info->names.classes[constant]);
    }
    if (info->strata > 0 && (info->warnings & DP2DP_WARNING_GROUP_TOO_SMALL) &&
        !isnan(info->rate_noise[0])) {
        explain_small(info, t);
    }
    if (info->strata > 0 && dp2dp_rho_is_large(info->options->rho)) {
        const dp2dpi_number rho = dp2dpi_number_exact(info->options->rho);
        dp2dpi_layout_prose(t, "CAUTION: with rho %s, the rates of two groups may differ by %s. %s",
                            rho.text, rho.text, dp2dp_statement_text(DP2DP_STATEMENT_RHO));
    }
    if (info->kept > 0) {
        double left = (double)(info->records - info->kept);
        dp2dpi_layout_prose(
            t,
            "CAUTION: according to the released tables, about %.0f of %llu records (%.0f %%) were "
            "left out. Is every group in the list of groups, and every label in the list of "
            "classes?%s",
            left, (unsigned long long)info->records, 100 * left / (double)info->records,
            drops_missing(info) ? " Or do they lack a value in a column with the policy drop for "
                                  "missing values?"
                                : "");
    }
}
