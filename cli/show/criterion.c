#include "show/show.h"

#include <math.h>
#include <stdlib.h>

#include "common/number.h"

int cli_criterion_is_plain(const dp2dp_model_info *info) {
    return info->criterion == DP2DP_DEMOGRAPHIC_PARITY && info->rule == DP2DP_RULE_OFFSET;
}

cli_positive cli_positive_of(dp2dp_criterion criterion, int32_t positive, const char *const *names,
                             size_t classes) {
    int is_rate = criterion == DP2DP_TRUE_POSITIVE_RATE_PARITY ||
                  criterion == DP2DP_FALSE_POSITIVE_RATE_PARITY;
    return positive >= 0             ? (cli_positive) {names[positive], 1}
           : is_rate && classes == 2 ? (cli_positive) {names[1], 0}
                                     : (cli_positive) {NULL, 0};
}

void cli_positive_json(const cli_positive *positive, cli_json *json) {
    cli_json_text(json, "positive", positive->is_chosen ? positive->name : NULL);
    if (positive->name && !positive->is_chosen) {
        cli_json_text(json, "positive_by_default", positive->name);
    }
}

void cli_positive_text(const cli_positive *positive, cli_out *out) {
    if (positive->name) {
        cli_out_row(out, "positive", "the positive class is %s%s", positive->name,
                    positive->is_chosen
                        ? ""
                        : ", the second of the two classes, because you did not choose "
                          "one");
    }
}

static void statistics_json(const dp2dp_model_info *info, cli_json *json) {
    cli_json_open_array(json, "statistics");
    for (size_t s = 0; s < info->statistic_count; s++) {
        const dp2dp_statistic *one = &info->statistics[s];
        cli_json_open_object(json, NULL);
        cli_json_text(json, "class", info->names.classes[one->class_index]);
        cli_json_open_array(json, "labels");
        for (size_t y = 0; y < info->classes; y++) {
            if (one->labels == NULL || one->labels[y]) {
                cli_json_text(json, NULL, info->names.classes[y]);
            }
        }
        cli_json_close_array(json);
        cli_json_close_object(json);
    }
    cli_json_close_array(json);
}

void cli_criterion_json(const dp2dp_model_info *info, cli_json *json) {
    cli_json_text(json, "criterion", dp2dp_criterion_name(info->criterion));
    if (info->grid_bits > 0) {
        cli_json_count(json, "grid_bits", info->grid_bits);
    }
    if (cli_criterion_is_plain(info)) {
        return;
    }
    cli_json_text(json, "rule_kind", dp2dp_rule_name(info->rule));
    cli_json_truth(json, "sees_group", info->rule != DP2DP_RULE_WEIGHTED);
    cli_json_count(json, "labels", info->labels);
    const cli_positive positive =
        cli_positive_of(info->criterion, info->positive, info->names.classes, info->classes);
    cli_positive_json(&positive, json);
    if (info->statistics) {
        statistics_json(info, json);
    }
    cli_json_text(json, "counted", dp2dp_counted_name(info->counted));
    cli_json_real(json, "tolerance", info->tolerance);
    if (info->rule == DP2DP_RULE_WEIGHTED && info->weights) {
        cli_json_texts(json, "group_scores", info->weights, info->weight_columns);
    }
    cli_json_open_object(json, "dither");
    cli_json_real(json, "width", info->dither.width);
    cli_json_count(json, "seed", info->dither.seed);
    cli_json_text(json, "key",
                  info->dither.width > 0 ? dp2dp_dither_key_name(info->dither_key) : NULL);
    cli_json_close_object(json);
}

void cli_strata_table(const dp2dp_model_info *info, const char *const *columns, size_t count,
                      const double *values, int decimals, cli_out *out) {
    enum {
        SIZE = 64
    };
    size_t labels = info->labels > 0 ? info->labels : 1;
    char(*texts)[SIZE] = calloc(info->strata, sizeof *texts);
    const char **names = calloc(info->strata, sizeof *names);
    for (size_t e = 0; texts && names && e < info->strata; e++) {
        const char *group = info->names.groups[e / labels];
        snprintf(texts[e], SIZE, "%.28s, %.28s", group, info->names.classes[e % labels]);
        names[e] = labels > 1 ? texts[e] : group;
    }
    if (texts && names) {
        fputs(labels > 1 ? "  (rows: group, label)\n" : "", out->stream);
        cli_out_table(out, &(cli_table) {info->strata, count, names, columns, values, decimals});
    }
    free(names);
    free(texts);
}
