#include "input/scores.h"

#include <string.h>

static dp2dp_status raw_columns_of_model(const cli_args *args, const dp2dp_model *model,
                                         unsigned parts, cli_columns *out, dp2dp_error *error) {
    const dp2dp_model_info *info = dp2dp_model_view(model);
    parts |= info->strata > 0 ? DP2DP_PART_GROUP : 0;
    CLI_TRY(cli_raw_columns(args, model, args->operands[1], parts, out, error));
    int alike = info->strata == 0 || info->strata == out->groups;
    for (size_t g = 0; g < info->strata && alike; g++) {
        alike = strcmp(info->names.groups[g], out->group_names[g]) == 0;
    }
    if (!alike) {
        return cli_fail(error, DP2DP_STATUS_DATA,
                        "the model's rule and its schema have different groups");
    }
    return DP2DP_STATUS_OK;
}

dp2dp_status cli_columns_of_model(const cli_args *args, const dp2dp_model *model, unsigned parts,
                                  cli_columns *out, dp2dp_error *error) {
    const dp2dp_model_info *info = dp2dp_model_view(model);
    if (info->classifier) {
        return raw_columns_of_model(args, model, parts, out, error);
    }
    *out = (cli_columns) {.args = args,
                          .path = args->operands[1],
                          .scores = info->names.scores,
                          .classes = info->classes,
                          .group = info->names.group_column,
                          .group_names = info->names.groups,
                          .groups = info->strata,
                          .class_names = info->names.classes,
                          .row_sums = info->row_sums,
                          .leaves_out = (parts & DP2DP_PART_IGNORE_BAD) != 0,
                          .fitted = 1};
    if (out->scores == NULL || out->group == NULL) {
        return cli_fail(error, DP2DP_STATUS_DATA,
                        "the model does not say which columns it was fitted on: it was not made "
                        "from a table");
    }
    return DP2DP_STATUS_OK;
}

dp2dp_status cli_scores_read(const cli_columns *columns, cli_rows *out, dp2dp_error *error) {
    cli_watch watch = {0};
    cli_columns watched = *columns;
    watched.watch = columns->watch ? columns->watch : &watch;
    return (columns->classifier ? cli_raw_read : cli_scored_read)(&watched, out, error);
}

dp2dp_status cli_scores_pool(const cli_columns *columns, const dp2dp_pool_options *options,
                             dp2dp_pool **out, dp2dp_error *error) {
    cli_rows rows = {0};
    dp2dp_pool_options used = *options;
    dp2dp_status status = DP2DP_STATUS_OK;
    used.leaves_out = columns->leaves_out;
    /* A classifier gives probabilities; scores in a table may be anything. */
    if (columns->classifier == NULL && columns->leaves_out) {
        used.bad_rows = DP2DP_BAD_ROWS_IGNORE;
    }
    *out = NULL;
    CLI_TRY_OR_DONE(cli_scores_read(columns, &rows, error));
    if (rows.count < 2) {
        CLI_TRY_OR_DONE(cli_fail(error, DP2DP_STATUS_DATA,
                                 "%zu row%s, but at least 2 are needed: %.120s", rows.count,
                                 rows.count == 1 ? "" : "s", columns->path));
    }
    dp2dp_matrix scores = cli_rows_scores(&rows);
    dp2dp_column groups = cli_rows_groups(&rows);
    status = dp2dp_pool_new(&scores, &groups, &used, out, error);
    /* The library's message cannot name the file. */
    if (status == DP2DP_STATUS_DATA) {
        cli_error_add(error, ": %.120s", columns->path);
    }
done:
    cli_rows_free(&rows);
    return status;
}
