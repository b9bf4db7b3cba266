#include "explain/explain.h"

#include "base/alloc.h"

void dp2dpi_explain_target(const dp2dp_model_info *info, dp2dpi_text *t) {
    const dp2dp_classifier *c = info->classifier;
    if (c && c->target == DP2DP_TARGET_GROUP) {
        dp2dpi_layout_row(
            t, "predicts",
            "which of %zu groups a person is in, only to give weights to a rule that does "
            "not see the group; this model makes no decisions",
            c->outputs);
    } else if (c && c->target == DP2DP_TARGET_GROUP_LABEL) {
        dp2dpi_layout_row(
            t, "predicts",
            "which of %zu pairs of group and class a person belongs to; a rule that does not "
            "see the group takes its weights from these predictions",
            c->outputs);
    }
    if (info->group_classifier) {
        dp2dpi_layout_row(t, "groups",
                          "a second classifier predicts the group, for the weights of the rule. "
                          "For people that both classifiers were trained on, both costs count");
    }
}

void dp2dpi_explain_criterion(const dp2dp_model_info *info, dp2dpi_text *t) {
    /* With two classes, parity of true or false positive rates compares only the rates of the
     * second class, unless the user chose a positive class. */
    int second = info->positive < 0 && info->classes == 2 &&
                 (info->criterion == DP2DP_TRUE_POSITIVE_RATE_PARITY ||
                  info->criterion == DP2DP_FALSE_POSITIVE_RATE_PARITY);
    if (!dp2dpi_explain_is_plain(info)) {
        dp2dpi_layout_row(t, "criterion", "%s: %s%s%s%s", dp2dp_criterion_name(info->criterion),
                          dp2dpi_explain_equal(info),
                          second || info->positive >= 0 ? "; the positive class is " : "",
                          second                ? info->names.classes[1]
                          : info->positive >= 0 ? info->names.classes[info->positive]
                                                : "",
                          second ? ", the second of the two classes, because you did not choose "
                                   "one"
                                 : "");
        dp2dpi_layout_row(
            t, "rule", "%s",
            info->rule == DP2DP_RULE_WEIGHTED
                ? "does not see the group; it multiplies its offsets by the group scores"
                : "sees the group");
    }
    if (info->counted == DP2DP_COUNTED_SCORES) {
        dp2dpi_layout_row(t, "counted", "%s",
                          dp2dp_statement_text(DP2DP_STATEMENT_COUNTED_BY_SCORES));
    }
    if (info->grid_bits > 0) {
        dp2dpi_layout_row(t, "grid",
                          "each score is rounded to a multiple of 1/%u before it is used",
                          1U << info->grid_bits);
    }
    if (info->dither.width > 0) {
        dp2dpi_layout_row(
            t, "dither",
            "a public random number below %s is added to each score. The number depends on %s",
            dp2dpi_number_exact(info->dither.width).text,
            dp2dp_word_find(DP2DP_WORDS_DITHER_KEY, (int)info->dither_key)->help);
    }
}

static void explain_columns(const dp2dp_schema_info *schema, dp2dpi_text *t) {
    char text[400];
    const char **names = NULL;
    size_t count = 0;
    if (t->status != DP2DP_STATUS_OK) {
        return;
    }
    t->status = DP2DPI_ALLOC(names, schema->column_count, "an explanation", t->error);
    for (size_t i = 0; names && i < schema->column_count; i++) {
        if (schema->columns[i].role == DP2DP_ROLE_FEATURE) {
            names[count++] = schema->columns[i].name;
        }
    }
    if (count > 0) {
        dp2dpi_layout_row(t, dp2dpi_layout_noun(count, "column", "columns"), "%s",
                          dp2dpi_layout_list(names, count, " and ", text, sizeof text));
    }
    dp2dpi_free(names);
}

/* Appends where the scores come from. */
static void explain_source(const dp2dp_model_info *info, const dp2dp_schema_info *schema,
                           dp2dpi_text *t) {
    const dp2dp_classifier *c = info->classifier;
    char text[400];
    if (c == NULL) {
        dp2dpi_layout_row(t, "from", "the scores of a classifier that is not in this file%s%s",
                          info->names.scores ? "; they are in the columns " : "",
                          info->names.scores ? dp2dpi_layout_list(info->names.scores, info->classes,
                                                                  " and ", text, sizeof text)
                                             : "");
        return;
    }
    dp2dpi_layout_row(
        t, "from", "%zu %s, through its own classifier (logistic regression, method %s)%s%s",
        c->features, dp2dpi_layout_noun(c->features, "feature", "features"),
        dp2dp_train_method_name(c->method), *schema->name ? "; schema " : "", schema->name);
    explain_columns(schema, t);
}

/* Appends how to learn a fair rule for a classifier. If the schema has no sensitive column, the
 * groups must be given separately. Only dp2dp.fit in Python accepts such groups; dp2dp fit --model
 * does not. */
static void explain_no_rule(const dp2dp_model_info *info, const dp2dp_schema_info *schema,
                            dp2dpi_text *t) {
    if (info->classes == 0) {
        return;
    }
    dp2dpi_layout_row(
        t, "groups", "%s",
        schema == NULL || schema->group_count > 0
            ? "not used, because there is no fair rule yet. To learn one, use dp2dp fit --model "
              "or, in Python, dp2dp.fit(..., base=model)"
            : "not used, because there is no fair rule yet. dp2dp fit --model cannot learn one, "
              "because the schema has no sensitive column. Train again with a schema that names "
              "this column, or fit on the scores that dp2dp predict MODEL TABLE --adjusted --keep "
              "COLUMN writes. In Python, give the groups to dp2dp.fit(scores, groups, base=model)");
}

void dp2dpi_explain_purpose(const dp2dp_model_info *info, const dp2dp_schema_info *schema,
                            dp2dpi_text *t) {
    char text[400];
    dp2dpi_layout_section(t, "What it does");
    if (info->classes > 0) {
        dp2dpi_layout_row(
            t, "decides", "%s, for each person",
            dp2dpi_layout_list(info->names.classes, info->classes, " or ", text, sizeof text));
    }
    dp2dpi_explain_target(info, t);
    explain_source(info, schema, t);
    if (info->strata == 0) {
        explain_no_rule(info, schema, t);
        return;
    }
    const char *groups =
        dp2dpi_layout_list(info->names.groups, info->groups, " or ", text, sizeof text);
    if (info->rule == DP2DP_RULE_WEIGHTED) {
        dp2dpi_layout_row(t, "not group", "the rule does not see the group, which is %s", groups);
        dp2dpi_layout_row(t, "uses", "the probability of each group%s%s%s",
                          info->weight_columns > info->groups ? " and label" : "",
                          info->weights ? ", in the columns " : "",
                          info->weights ? dp2dpi_layout_list(info->weights, info->weight_columns,
                                                             " and ", text, sizeof text)
                                        : "");
    } else {
        dp2dpi_layout_row(t, "and group", "%s%s%s", groups,
                          info->names.group_column ? ", in the column " : "",
                          info->names.group_column ? info->names.group_column : "");
    }
    dp2dpi_explain_criterion(info, t);
    dp2dpi_layout_row(t, "aims at", "%s%s%s (rho %s, solver %s)",
                      info->labels > 1 ? "equal rates in all groups, as the criterion says"
                                       : "equal rates of each class in all groups",
                      info->options->rho > 0 ? ", within " : "",
                      info->options->rho > 0 ? dp2dpi_number_exact(info->options->rho).text : "",
                      dp2dpi_number_exact(info->options->rho).text,
                      dp2dp_solver_name(info->solver));
}
