#include "input/scores.h"

#include <string.h>

static dp2dp_status raw_columns_of_model(const cli_args *args, const dp2dp_model *model,
                                         const char *path, unsigned parts, cli_columns *out,
                                         dp2dp_error *error) {
    const dp2dp_model_info *info = dp2dp_model_view(model);
    int sees_group = info->strata > 0 && info->rule != DP2DP_RULE_WEIGHTED;
    parts |= sees_group ? DP2DP_PART_GROUP : 0;
    CLI_TRY(cli_raw_columns(args, model, path, parts, out, error));
    out->weight_count = info->strata > 0 ? info->weight_columns : 0;
    int alike = info->strata == 0 || info->groups == out->groups;
    for (size_t g = 0; g < info->groups && alike; g++) {
        alike = strcmp(info->names.groups[g], out->group_names[g]) == 0;
    }
    if (!alike) {
        return cli_fail(error, DP2DP_STATUS_DATA,
                        "the model's rule and its schema have different groups");
    }
    return DP2DP_STATUS_OK;
}

/* If the option is given, replaces the column names of the model by those in the option. `names`,
 * unless NULL, has the names of the classes or groups. Refuses columns in another order than
 * `names`. */
static dp2dp_status take_columns(const cli_args *args, const char *option, const char *what,
                                 const char *const *names, size_t count, cli_list *own,
                                 const char *const **columns, dp2dp_error *error) {
    if (!cli_given(args, option)) {
        return DP2DP_STATUS_OK;
    }
    CLI_TRY(cli_list_read(args, option, own, error));
    if (own->count != count) {
        return cli_refuse(error, "--%s has %zu columns but the model needs %zu", option, own->count,
                          count);
    }
    const char *const *given = (const char *const *)own->items;
    CLI_TRY(dp2dp_check_order(what, given, *columns, names, count, error));
    *columns = given;
    return DP2DP_STATUS_OK;
}

static dp2dp_status find_weights(const cli_args *args, const dp2dp_model_info *info,
                                 cli_columns *out, dp2dp_error *error) {
    if (info->rule != DP2DP_RULE_WEIGHTED) {
        return cli_given(args, "group-scores")
                   ? cli_refuse(error, "--group-scores is only for rules that do not see the "
                                       "group; this rule needs the group itself")
                   : DP2DP_STATUS_OK;
    }
    const char *const *groups = info->weight_columns == info->groups ? info->names.groups : NULL;
    out->weights = info->weights;
    out->weight_count = info->weight_columns;
    CLI_TRY(take_columns(args, "group-scores", "group", groups, out->weight_count,
                         &out->own_weights, &out->weights, error));
    return out->weights ? DP2DP_STATUS_OK
                        : cli_refuse(error, "the model does not say which columns hold the group "
                                            "scores: name them with --group-scores");
}

/* Finds the columns of the scores and of the group. The options name them; without these options,
 * takes the columns that the model stores. */
static dp2dp_status find_scores(const cli_args *args, const dp2dp_model_info *info, unsigned parts,
                                cli_columns *out, dp2dp_error *error) {
    int needs_group = info->rule != DP2DP_RULE_WEIGHTED || (parts & DP2DP_PART_GROUP) != 0;
    CLI_TRY(take_columns(args, "scores", "class", info->names.classes, info->classes,
                         &out->own_scores, &out->scores, error));
    if (cli_given(args, "sensitive") && !needs_group) {
        return cli_refuse(error, "--sensitive is only for rules that see the group; leave it out "
                                 "for this rule");
    }
    out->group = !needs_group                   ? NULL
                 : cli_given(args, "sensitive") ? cli_word(args, "sensitive")
                                                : info->names.group_column;
    if (out->scores && (out->group || !needs_group)) {
        return DP2DP_STATUS_OK;
    }
    if (out->scores && info->rule == DP2DP_RULE_WEIGHTED) {
        return cli_fail(
            error, DP2DP_STATUS_DATA,
            "the model was fitted without a group column. It needs no group to decide; to measure "
            "its decisions by group, name the group column with --sensitive");
    }
    return cli_fail(error, DP2DP_STATUS_DATA,
                    "the model does not say which columns it was fitted on%s: name the columns of "
                    "this table with %s%s%s",
                    out->scores ? "" : ", since it was not made from a table",
                    out->scores ? "" : "--scores p0,p1,...",
                    out->scores == NULL && needs_group && out->group == NULL ? " and " : "",
                    needs_group && out->group == NULL ? "--sensitive COLUMN" : "");
}

static dp2dp_status find_id(const cli_args *args, const dp2dp_model_info *info, cli_columns *out,
                            dp2dp_error *error) {
    int needed = info->dither_key == DP2DP_DITHER_KEY_ID && info->dither.width > 0;
    out->id = cli_word(args, "id");
    if (needed != (out->id != NULL)) {
        return needed ? cli_refuse(error, "the model's dither depends on an id: use --id to name "
                                          "the column that holds the ids")
                      : cli_refuse(error, "--id is only for models whose dither depends on an id; "
                                          "leave it out for this model");
    }
    return DP2DP_STATUS_OK;
}

dp2dp_status cli_columns_of_model(const cli_args *args, const dp2dp_model *model, const char *path,
                                  unsigned parts, cli_columns *out, dp2dp_error *error) {
    const dp2dp_model_info *info = dp2dp_model_view(model);
    static const char *const of_scores[] = {"scores", "sensitive", "group-scores", "id"};
    for (size_t i = 0; info->classifier && i < sizeof of_scores / sizeof of_scores[0]; i++) {
        if (cli_given(args, of_scores[i])) {
            return cli_refuse(error,
                              "--%s is only for tables of scores; leave it out for this model, "
                              "which has its own classifier",
                              of_scores[i]);
        }
    }
    if (info->classifier) {
        return raw_columns_of_model(args, model, path, parts, out, error);
    }
    *out = (cli_columns) {.args = args,
                          .path = path,
                          .scores = info->names.scores,
                          .classes = info->classes,
                          .group = info->names.group_column,
                          .group_names = info->names.groups,
                          .groups = info->groups,
                          .class_names = info->names.classes,
                          .row_sums = info->row_sums,
                          .grid_bits = info->grid_bits,
                          .leaves_out = (parts & DP2DP_PART_IGNORE_BAD) != 0,
                          .fitted = 1};
    CLI_TRY(find_scores(args, info, parts, out, error));
    CLI_TRY(find_weights(args, info, out, error));
    return find_id(args, info, out, error);
}

dp2dp_status cli_columns_check_label(const cli_columns *columns, dp2dp_error *error) {
    if (columns->label == NULL) {
        return DP2DP_STATUS_OK;
    }
    if (columns->classifier) {
        return cli_refuse(error,
                          "--label is only for tables of scores: this model's schema names the "
                          "label column");
    }
    const char *what =
        columns->group && strcmp(columns->label, columns->group) == 0 ? "the person's group" : NULL;
    for (size_t k = 0; k < columns->classes; k++) {
        if (strcmp(columns->label, columns->scores[k]) == 0) {
            what = "a score";
        }
    }
    return what ? cli_refuse(
                      error,
                      "--label %.60s: the model uses that column as %s, not as the true class",
                      columns->label, what)
                : DP2DP_STATUS_OK;
}

dp2dp_status cli_columns_of_test(const cli_args *args, const dp2dp_model *model, const char *path,
                                 cli_columns *out, dp2dp_error *error) {
    CLI_TRY(
        cli_columns_of_model(args, model, path, DP2DP_PART_LABEL | DP2DP_PART_GROUP, out, error));
    out->label = cli_word(args, "label");
    return cli_columns_check_label(out, error);
}

void cli_scores_explain(const cli_columns *columns, dp2dp_error *error) {
    if (columns->classifier == NULL && error->reason == DP2DP_REASON_LOOKS_MISSING) {
        error->reason = DP2DP_REASON_VALUE_MISSING;
    }
}

dp2dp_status cli_scores_open(const cli_columns *columns, cli_rows *rows,
                             struct ArrowArrayStream *out, cli_batch_use *take,
                             dp2dp_error *error) {
    *take = columns->classifier ? cli_raw_take : cli_scored_take;
    return (columns->classifier ? cli_raw_open : cli_scored_open)(columns, rows, out, error);
}

dp2dp_status cli_scores_read(const cli_columns *columns, cli_rows *out, dp2dp_error *error) {
    cli_watch watch = {0};
    cli_columns watched = *columns;
    struct ArrowArrayStream stream;
    cli_batch_use take;
    watched.watch = columns->watch ? columns->watch : &watch;
    CLI_TRY(cli_scores_open(&watched, out, &stream, &take, error));
    dp2dp_status status = cli_stream_each_ahead(&stream, watched.watch, take, out, error);
    if (status == DP2DP_STATUS_DATA) {
        cli_scores_explain(columns, error);
    }
    return status;
}
