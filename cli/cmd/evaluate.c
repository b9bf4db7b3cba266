#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "common/json.h"
#include "common/out.h"
#include "input/absent.h"
#include "input/kind.h"
#include "input/labels.h"
#include "input/odd_scores.h"
#include "input/outside.h"
#include "input/scores.h"
#include "privacy/privacy.h"
#include "show/criteria.h"
#include "show/show.h"

typedef struct comparison {
    dp2dp_evaluation *before; /* results if everybody gets the class with the largest score */
    dp2dp_evaluation *after;  /* results if everybody gets the model's decision */
    double *sizes;            /* people in each group */
    uint64_t left_out;        /* number of rows that the schema leaves out */
    unsigned cut;             /* result of cli_rows_are_cut: a dp2dp_warning bit, or 0 */
} comparison;

/* The code of an unknown group. For a row with this code, the model gives the class with the
 * largest score, without offsets. */
static const int32_t no_group = -1;

static dp2dp_status compare(const cli_args *args, const dp2dp_model *model, const cli_rows *rows,
                            size_t group_count, comparison *out, dp2dp_error *error) {
    dp2dp_predict_options predict = DP2DP_PREDICT_OPTIONS_INIT;
    dp2dp_evaluate_options evaluate = DP2DP_EVALUATE_OPTIONS_INIT;
    const dp2dp_model_info *info = dp2dp_model_view(model);
    dp2dp_matrix scores = cli_rows_scores(rows), weights;
    dp2dp_column groups = cli_rows_groups(rows), labels = groups, decisions = groups, none = groups;
    const dp2dp_column *truth = rows->labels ? &labels : NULL;
    int32_t *room = calloc(rows->count, sizeof *room);
    dp2dp_status status = DP2DP_STATUS_OK;
    out->sizes = calloc(group_count, sizeof *out->sizes);
    CLI_TRY_OR_DONE(cli_check_memory(room && out->sizes, "the decisions", error));
    labels.data = rows->labels;
    decisions.data = room;
    none.data = &no_group;
    none.stride = 0;
    predict.unknown = DP2DP_UNKNOWN_BASE;
    predict.threads = (unsigned)cli_count(args, "threads");
    cli_rows_predict(rows, &weights, &predict);
    evaluate.positive = info->strata > 0 ? info->positive : DP2DP_POSITIVE_DEFAULT;
    evaluate.statistics = info->statistics;
    evaluate.statistic_count = info->statistic_count;
    evaluate.strata = group_count;
    evaluate.classes = rows->classes;
    evaluate.confidence = cli_real(args, "confidence");
    CLI_TRY_OR_DONE(dp2dp_model_predict(model, &scores, &groups, &predict, room, error));
    CLI_TRY_OR_DONE(dp2dp_evaluate(&decisions, &groups, truth, &evaluate, &out->after, error));
    evaluate.bootstrap_draws = 0;
    /* The decision before the rule is the class with the largest score. For a rule of kind OFFSET,
     * the model's dither (a random number for each score) is added to the scores first. For other
     * rules, the dither is a part of the rule, so it is not added. */
    if (info->rule == DP2DP_RULE_OFFSET) {
        CLI_TRY_OR_DONE(dp2dp_model_predict(model, &scores, &none, &predict, room, error));
    } else {
        cli_rows_argmax(rows, room);
    }
    CLI_TRY_OR_DONE(dp2dp_evaluate(&decisions, &groups, truth, &evaluate, &out->before, error));
    out->cut = cli_rows_are_cut(rows);
    for (size_t i = 0; i < rows->count; i++) {
        out->sizes[rows->groups[i]]++;
    }
done:
    free(room);
    return status;
}

/* Returns whether the model is a classifier without a fair rule. */
static int is_bare(const cli_columns *columns) {
    return columns->classifier && dp2dp_model_view(columns->classifier)->strata == 0;
}

/* Returns RATES_DIFFER if the rule does not make the rates of these groups equal, else 0. */
static unsigned warn_of_gap(const dp2dp_model_info *info, const dp2dp_evaluation *after) {
    size_t cells = after->strata * after->classes;
    double *table = calloc(cells, sizeof *table);
    for (size_t i = 0; i < cells && table; i++) {
        table[i] = (double)after->counts[i];
    }
    unsigned found =
        table && info->groups == after->strata ? dp2dp_warn_of_rates(info, table, 0, NULL) : 0U;
    free(table);
    return found;
}

/* Returns what may be wrong with the table or the model, as dp2dp_warning bits. A table that has
 * exactly as many rows as a table that the model was made from may be the same table. */
static unsigned warnings_of(const cli_columns *columns, const dp2dp_model_info *info,
                            const comparison *c) {
    const dp2dp_evaluation *before = c->before, *after = c->after;
    unsigned found = dp2dp_warn_of_people(info, after->records + c->left_out) |
                     dp2dp_warn_of_decisions(before, after) | c->cut | warn_of_gap(info, after) |
                     cli_absent_warnings(columns->schema, columns->watch);
    for (size_t g = 0; g < after->strata; g++) {
        found |= c->sizes[g] < 1 ? (unsigned)DP2DP_WARNING_EMPTY_GROUP : 0U;
    }
    if (info->strata > 0 && !after->criteria[info->criterion].measured) {
        found |= DP2DP_WARNING_CRITERION_NOT_MEASURED;
    } else if (info->strata > 0 && after->criteria[info->criterion].unfairness >
                                       before->criteria[info->criterion].unfairness) {
        found |= DP2DP_WARNING_UNFAIRNESS_LARGER;
    }
    return found;
}

_Static_assert(sizeof(dp2dp_interval) == 2 * sizeof(double),
               "an array of intervals must be a table of doubles");

static void interval_json(cli_json *json, const char *key, double low, double high) {
    const double ends[] = {low, high};
    cli_json_reals(json, key, ends, 2);
}

static cli_measured measured_of(const cli_columns *columns, const dp2dp_model_info *info,
                                const comparison *c) {
    return (cli_measured) {.before = c->before,
                           .after = c->after,
                           .groups = columns->group_names,
                           .classes = columns->class_names,
                           .aims = info->strata > 0,
                           .criterion = info->criterion};
}

static cli_positive positive_of(const cli_columns *columns, const dp2dp_model_info *info) {
    return info->strata == 0 ? (cli_positive) {NULL, 0}
                             : cli_positive_of(info->criterion, info->positive,
                                               columns->class_names, columns->classes);
}

static void print_json(const cli_columns *columns, const dp2dp_model_info *info,
                       const comparison *c, cli_out *out) {
    const cli_measured measured = measured_of(columns, info, c);
    const cli_headline headline = cli_headline_of(&measured);
    const dp2dp_evaluation *e = c->after;
    const unsigned warnings = warnings_of(columns, info, c);
    cli_json json = cli_json_begin(out->stream);
    cli_json_real(&json, "error", e->error);
    interval_json(&json, "error_interval", 1 - e->accuracy_interval.high,
                  1 - e->accuracy_interval.low);
    cli_json_real(&json, "balanced_accuracy", e->balanced_accuracy);
    cli_json_real(&json, "unfairness", e->unfairness);
    interval_json(&json, "unfairness_interval", e->unfairness_interval.low,
                  e->unfairness_interval.high);
    cli_json_real(&json, "criterion_unfairness", headline.own[1]);
    cli_json_open_object(&json, "unfair");
    cli_json_real(&json, "error", c->before->error);
    cli_json_real(&json, "unfairness", c->before->unfairness);
    cli_json_real(&json, "criterion_unfairness", headline.own[0]);
    cli_json_table(&json, "rates", c->before->rates, e->strata, e->classes);
    cli_json_close_object(&json);
    cli_json_texts(&json, "groups", columns->group_names, e->strata);
    cli_json_texts(&json, "classes", columns->class_names, e->classes);
    cli_json_table(&json, "rates", e->rates, e->strata, e->classes);
    cli_json_open_array(&json, "rate_intervals");
    for (size_t g = 0; g < e->strata; g++) {
        cli_json_table(&json, NULL, &e->rate_intervals[g * e->classes].low, e->classes, 2);
    }
    cli_json_close_array(&json);
    cli_json_reals(&json, "group_sizes", c->sizes, e->strata);
    cli_json_count(&json, "records", e->records);
    cli_json_count(&json, "left_out", c->left_out);
    cli_absent_json(columns->schema, columns->watch, &json);
    cli_json_text(&json, "criterion",
                  info->strata > 0 ? dp2dp_criterion_name(info->criterion) : NULL);
    const cli_positive positive = positive_of(columns, info);
    if (positive.name) {
        cli_positive_json(&positive, &json);
    }
    cli_criteria_json(&measured, &json);
    cli_json_truth(&json, "fair_rule", !is_bare(columns));
    cli_json_real(&json, "confidence", e->confidence);
    cli_warnings_json(warnings, &json);
    cli_json_text(&json, "assumption", dp2dp_statement_text(DP2DP_STATEMENT_ASSUMES_HELD_OUT));
    cli_json_truth(&json, "private", 0);
    cli_outside_json(columns->schema, columns->watch, &json);
    cli_odd_scores_json(columns, &json);
    cli_json_end(&json);
}

static void rates_text(const cli_columns *columns, const char *title, const dp2dp_evaluation *e,
                       cli_out *out) {
    fprintf(out->stream, "\n%sRates %s%s\n", cli_bold(out), title, cli_plain(out));
    cli_out_table(out, &(cli_table) {e->strata, e->classes, columns->group_names,
                                     columns->class_names, e->rates, 3});
}

/* Prints what may be wrong with the table or the model. print_text has already printed the warning
 * that the table has as many people as the model was made from. */
static void print_cautions(const cli_columns *columns, unsigned warnings, const comparison *c,
                           cli_out *out) {
    cli_outside_text(columns->schema, columns->watch, out);
    cli_odd_scores_text(columns, out);
    if (warnings & DP2DP_WARNING_EMPTY_GROUP) {
        cli_out_prose(out,
                      "CAUTION: a group has nobody in this table. Its rates are unknown, "
                      "and %s.",
                      isnan(c->after->unfairness)
                          ? "with one group there is nothing to compare: this table says "
                            "nothing about unfairness"
                          : "the unfairness compares only the other groups");
    }
    warnings &= ~(unsigned)(DP2DP_WARNING_EMPTY_GROUP | DP2DP_WARNING_AS_MANY_PEOPLE);
    cli_warnings_text(warnings, out);
}

static void interval_text(const cli_columns *columns, const dp2dp_model_info *info,
                          const dp2dp_evaluation *e, cli_out *out) {
    const dp2dp_criterion own = is_bare(columns) ? DP2DP_DEMOGRAPHIC_PARITY : info->criterion;
    const int other = own != DP2DP_DEMOGRAPHIC_PARITY;
    if (other && e->criteria[own].measured && !isnan(e->criteria[own].unfairness)) {
        cli_out_row(out, "unfairness",
                    "%s with the model: between %.4f and %.4f, with confidence %g",
                    dp2dp_criterion_name(own), e->criteria[own].interval.low,
                    e->criteria[own].interval.high, e->confidence);
    }
    if (!isnan(e->unfairness)) {
        cli_out_row(out, "unfairness",
                    "%swith the model: between %.4f and %.4f, with confidence %g",
                    other ? "demographic_parity " : "", e->unfairness_interval.low,
                    e->unfairness_interval.high, e->confidence);
    }
    if (e->has_labels) {
        cli_out_row(out, "error", "with the model: between %.4f and %.4f, with confidence %g",
                    1 - e->accuracy_interval.high, 1 - e->accuracy_interval.low, e->confidence);
        cli_out_row(out, "balanced", "with the model: accuracy %.4f, averaged over the classes",
                    e->balanced_accuracy);
    }
}

static void print_text(const cli_columns *columns, const dp2dp_model_info *info,
                       const comparison *c, cli_out *out) {
    const cli_measured measured = measured_of(columns, info, c);
    static const char *const people[] = {"people"};
    const dp2dp_evaluation *before = c->before, *after = c->after;
    const cli_headline headline = cli_headline_of(&measured);
    const unsigned warnings = warnings_of(columns, info, c);
    fprintf(out->stream,
            "%sBefore and after, on %" PRIu64 " %s%s (NOT private: counted without noise)\n",
            cli_bold(out), after->records, cli_noun(after->records, "person", "people"),
            cli_plain(out));
    cli_headline_text(&headline, out);
    if (c->left_out > 0) {
        cli_out_row(out, "left out", "%" PRIu64 " %s of the table, as the schema says", c->left_out,
                    cli_noun(c->left_out, "row", "rows"));
        cli_absent_text(columns->schema, columns->watch, "by group", out);
    }
    interval_text(columns, info, after, out);
    const cli_positive positive = positive_of(columns, info);
    cli_positive_text(&positive, out);
    cli_group_text(cli_columns_group(columns), info, out);
    cli_scores_text(columns->args, info, out);
    cli_out_row(out, "assumes",
                "%s%s. A model fits the people it was learned from better than it fits other "
                "people",
                dp2dp_statement_text(DP2DP_STATEMENT_ASSUMES_HELD_OUT),
                cli_as_many(info, after->records + c->left_out));
    rates_text(columns, "of each class before", before, out);
    rates_text(columns, "of each class after", after, out);
    cli_criteria_text(&measured, out);
    cli_out_section(out, "Group sizes");
    cli_out_table(out, &(cli_table) {after->strata, 1, columns->group_names, people, c->sizes, 0});
    cli_out_section(out, "What it means");
    cli_out_prose(
        out,
        "%s Where no criterion is named, unfairness is the largest difference between two "
        "groups in the rate of one class.",
        is_bare(columns)
            ? "The model has no fair rule yet, so before and after are the same. dp2dp "
              "fit --model learns a rule from other people."
            : "Before: each person gets the class with the largest score. After: the "
              "model's decision.");
    if (!after->has_labels) {
        cli_out_prose(out, columns->classifier
                               ? "To count errors too, give a table that has the label column of "
                                 "the model's schema (the true class)."
                               : "To count errors too, give --label, the column with the true "
                                 "class.");
    }
    print_cautions(columns, warnings, c, out);
    if (!(warnings & DP2DP_WARNING_ONE_CLASS)) {
        cli_lost_text(&measured, info->strata > 0 && info->positive >= 0, out);
    }
}

/* If *error says that the table lacks the label column, returns the name of that column; otherwise
 * NULL. */
static const char *find_lacking(const cli_columns *columns, const dp2dp_error *error) {
    const dp2dp_schema_info *schema = columns->schema ? dp2dp_schema_view(columns->schema) : NULL;
    size_t length = strlen(error->column);
    if (error->reason != DP2DP_REASON_NO_SUCH_COLUMN || length == 0) {
        return NULL;
    }
    for (size_t i = 0; schema && i < schema->column_count; i++) {
        const dp2dp_schema_column *column = &schema->columns[i];
        if (column->role == DP2DP_ROLE_LABEL && strncmp(column->name, error->column, length) == 0) {
            return column->name;
        }
    }
    return NULL;
}

/* Reads the rows. If a table of raw rows lacks the label column, reads the table again without
 * labels, just as a table of scores is read without --label. Fails if such a table is standard
 * input, which cannot be read again. */
static dp2dp_status read_rows(const cli_args *args, cli_columns *columns, cli_rows *rows,
                              dp2dp_error *error) {
    dp2dp_status status = cli_scores_read(columns, rows, error);
    const char *label = status == DP2DP_STATUS_DATA ? find_lacking(columns, error) : NULL;
    if (label && strcmp(columns->path, "-") == 0) {
        cli_error_add(error, "; that column is the label of this model. To measure without labels, "
                             "give a file: standard input cannot be read twice");
    }
    if (label == NULL || strcmp(columns->path, "-") == 0) {
        return status;
    }
    fprintf(stderr, "dp2dp %s: note: the table has no column \"", args->verb->name);
    cli_print_safely(stderr, label);
    fputs("\", the label of this model: errors are not counted\n", stderr);
    cli_rows_free(rows);
    columns->parts &= ~(unsigned)DP2DP_PART_LABEL;
    return cli_scores_read(columns, rows, error);
}

dp2dp_status cmd_evaluate(const cli_args *args, cli_out *out, dp2dp_error *error) {
    dp2dp_model *model = NULL;
    cli_columns columns = {0};
    comparison c = {0};
    cli_rows rows = {0};
    cli_watch watch = {0};
    dp2dp_status status = DP2DP_STATUS_OK;
    CLI_TRY_OR_DONE(cli_kind_model(args, &model, error));
    CLI_TRY_OR_DONE(cli_columns_of_test(args, model, args->operands[1], &columns, error));
    columns.watch = &watch;
    watch.hides_group = cli_model_hides_group(model);
    CLI_TRY_OR_DONE(cli_outside_count(columns.schema, &watch, error));
    CLI_TRY_OR_DONE(read_rows(args, &columns, &rows, error));
    c.left_out = columns.classifier ? watch.rows - rows.count : 0;
    if (rows.count == 0 && c.left_out > 0) {
        CLI_TRY_OR_DONE(cli_fail(error, DP2DP_STATUS_DATA,
                                 "%.120s: nobody is left to count: all %" PRIu64 " rows lack a "
                                 "value, and the schema drops such rows",
                                 args->operands[1], c.left_out));
    }
    if (rows.count == 0) {
        CLI_TRY_OR_DONE(
            cli_fail(error, DP2DP_STATUS_DATA, "%.120s: the table has no rows", args->operands[1]));
    }
    CLI_TRY_OR_DONE(compare(args, model, &rows, columns.groups, &c, error));
    (cli_given(args, "json") ? print_json : print_text)(&columns, dp2dp_model_view(model), &c, out);
done:
    cli_outside_free(&watch);
    dp2dp_evaluation_free(c.before);
    dp2dp_evaluation_free(c.after);
    free(c.sizes);
    cli_rows_free(&rows);
    cli_columns_free(&columns);
    dp2dp_model_free(model);
    return status;
}
