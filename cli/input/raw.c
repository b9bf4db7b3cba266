#include "input/scores.h"

#include <string.h>

#include "common/out.h"
#include "input/encoded.h"
#include "input/labels.h"

/* Prints a note on stderr for each text in --missing that the model's schema does not list as a
 * marker of missing values. */
static dp2dp_status tell_markers(const cli_args *args, const dp2dp_schema *schema,
                                 dp2dp_error *error) {
    cli_list missing = {0};
    dp2dp_status status = DP2DP_STATUS_OK;
    if (!cli_given(args, "missing")) {
        return DP2DP_STATUS_OK;
    }
    CLI_TRY_OR_DONE(cli_list_read_texts(args, "missing", &missing, error));
    for (size_t i = 0; i < missing.count; i++) {
        if (!cli_is_marker(schema, missing.items[i])) {
            fprintf(stderr, "dp2dp %s: note: --missing lists \"", args->verb->name);
            cli_print_safely(stderr, missing.items[i]);
            fputs("\", but the model's schema does not: this text counts as a missing value in "
                  "this table only\n",
                  stderr);
        }
    }
done:
    cli_list_free(&missing);
    return status;
}

static dp2dp_status fail_sensitive(const cli_args *args, dp2dp_error *error) {
    int fits = strcmp(args->verb->name, "fit") == 0;
    return cli_refuse(error,
                      "the model's schema has no sensitive column, so there are no groups: train "
                      "again with a schema that has a sensitive column%s",
                      fits ? ", or write the scores and the group column with dp2dp predict MODEL "
                             "TABLE --adjusted --keep COLUMN, and fit on these columns"
                           : "");
}

dp2dp_status cli_raw_columns(const cli_args *args, const dp2dp_model *model, const char *path,
                             unsigned parts, cli_columns *out, dp2dp_error *error) {
    const dp2dp_model_info *info = dp2dp_model_view(model);
    *out = (cli_columns) {.args = args,
                          .path = path,
                          .classes = info->classes,
                          .class_names = info->names.classes,
                          .fitted = 1,
                          .classifier = model,
                          .parts = parts | DP2DP_PART_FEATURES};
    if (info->classifier == NULL) {
        return cli_refuse(error,
                          "the model has no classifier: it was fitted on scores. Give --model a "
                          "model from dp2dp train, or leave --model out and name the columns of "
                          "scores with --scores");
    }
    if (info->classes == 0) {
        return cli_refuse(error,
                          "the model predicts only the group, so it makes no decisions (use it as "
                          "--group-model of dp2dp fit); predicted groups are never written out");
    }
    CLI_TRY(dp2dp_schema_load(info->classifier->schema, &out->schema, error));
    CLI_TRY(tell_markers(args, out->schema, error));
    const dp2dp_schema_info *schema = dp2dp_schema_view(out->schema);
    out->group_names = schema->groups;
    out->groups = schema->group_count;
    out->leaves_out =
        (parts & DP2DP_PART_IGNORE_BAD) != 0 ||
        ((parts & DP2DP_PART_LEFT_OUT) != 0 && (schema->leaves_out & out->parts) != 0);
    return (parts & DP2DP_PART_GROUP) && schema->group_count == 0 ? fail_sensitive(args, error)
                                                                  : DP2DP_STATUS_OK;
}

static void explain_group(const cli_columns *columns, dp2dp_error *error) {
    const dp2dp_schema_info *schema = dp2dp_schema_view(columns->schema);
    for (size_t i = 0; i < schema->column_count; i++) {
        if (schema->columns[i].role == DP2DP_ROLE_SENSITIVE) {
            cli_explain_group(schema->columns[i].name, error);
        }
    }
}

/* Adds the rows of a batch to the cli_rows `context`. A batch begins with the positions and the
 * scores. The other columns follow in this order, each only if it is read: label, group, left-out
 * flag, weights (probabilities) of the groups, weights of the pairs of group and label. */
dp2dp_status cli_raw_take(void *context, const struct ArrowArray *batch, dp2dp_error *error) {
    cli_rows *rows = context;
    unsigned parts = rows->columns->parts;
    size_t more = (size_t)batch->length, child = 2;
    int labelled = (parts & DP2DP_PART_LABEL) != 0;
    CLI_TRY(cli_rows_make_room(rows, more, labelled, error));
    memcpy((float *)rows->scores + rows->count * rows->classes,
           batch->children[1]->children[0]->buffers[1], more * rows->classes * sizeof(float));
    if (labelled) {
        memcpy(rows->labels + rows->count, batch->children[child++]->buffers[1],
               more * sizeof *rows->labels);
    }
    if (parts & DP2DP_PART_GROUP) {
        memcpy(rows->groups + rows->count, batch->children[child++]->buffers[1],
               more * sizeof *rows->groups);
    } else {
        memset(rows->groups + rows->count, 0, more * sizeof *rows->groups);
    }
    const int8_t *left_out = rows->columns->leaves_out ? batch->children[child]->buffers[1] : NULL;
    for (size_t i = 0; left_out && i < more; i++) {
        if (left_out[i]) {
            rows->groups[rows->count + i] = -1;
        }
    }
    child += rows->columns->leaves_out != 0;
    if (rows->weight_count > 0) {
        /* If the rule needs the weights of pairs, skip the weights of groups. */
        child += rows->weight_count != rows->columns->groups;
        memcpy((float *)rows->weights + rows->count * rows->weight_count,
               batch->children[child]->children[0]->buffers[1],
               more * rows->weight_count * sizeof(float));
    }
    rows->positions = batch->children[0]->buffers[1];
    cli_labels_note(rows, more);
    return cli_rows_add(rows, more, error);
}

dp2dp_status cli_raw_open(const cli_columns *columns, cli_rows *rows, struct ArrowArrayStream *out,
                          dp2dp_error *error) {
    struct ArrowArrayStream encoded;
    *rows = (cli_rows) {.columns = columns,
                        .classes = columns->classes,
                        .weight_count = columns->weight_count,
                        .type = DP2DP_FLOAT32};
    dp2dp_status status = cli_encoded_open(columns->args, columns->schema, columns->parts,
                                           columns->path, columns->watch, &encoded, error);
    if (status != DP2DP_STATUS_OK && dp2dp_model_view(columns->classifier)->strata > 0 &&
        dp2dp_model_view(columns->classifier)->rule != DP2DP_RULE_WEIGHTED) {
        explain_group(columns, error);
    }
    CLI_TRY(status);
    return dp2dp_model_score_with_groups(columns->classifier, columns->group_classifier, &encoded,
                                         out, error);
}

dp2dp_status cli_raw_score(const cli_columns *columns, struct ArrowArrayStream *encoded,
                           cli_rows *rows, dp2dp_error *error) {
    struct ArrowArrayStream scored;
    *rows = (cli_rows) {.columns = columns,
                        .classes = columns->classes,
                        .weight_count = columns->weight_count,
                        .type = DP2DP_FLOAT32};
    CLI_TRY(dp2dp_model_score(columns->classifier, encoded, &scored, error));
    return cli_stream_each(&scored, cli_raw_take, rows, error);
}
