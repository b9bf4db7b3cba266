#include "show/show.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "common/number.h"
#include "privacy/privacy.h"

dp2dp_status cli_rule_json(const dp2dp_model_info *info, const cli_costs *costs, cli_json *json,
                           dp2dp_error *error) {
    cli_criterion_json(info, json);
    cli_json_text(json, "solver", dp2dp_solver_name(info->solver));
    cli_json_real(json, "rho", info->options->rho);
    cli_json_real(json, "epsilon", dp2dp_model_has_epsilon(info) ? info->epsilon : NAN);
    cli_json_real(json, "delta", dp2dp_model_has_epsilon(info) ? info->delta : NAN);
    cli_json_real(json, "epsilon_fit", costs->fit);
    cli_json_real(json, "epsilon_before", costs->before);
    cli_claimed_json(info, json);
    cli_json_text(json, "adjacency", dp2dp_adjacency_name(DP2DP_REPLACE_ONE));
    cli_json_count(json, "rows_per_person", info->options->rows_per_person);
    cli_reasons_json(info->not_private_because == 0, info->not_private_because, json);
    CLI_TRY(cli_model_json(info, json, error));
    cli_json_count(json, "records", info->records);
    if (info->kept > 0) {
        cli_json_count(json, "records_kept", info->kept);
    }
    cli_classifier_member(info, NULL, json);
    cli_json_text(json, "sensitive", info->names.group_column);
    cli_json_texts(json, "groups", info->names.groups, info->groups);
    cli_json_texts(json, "classes", info->names.classes, info->classes);
    cli_json_table(json, "offsets", info->offsets, info->strata, info->classes);
    if (dp2dp_model_changes_nothing(info)) {
        cli_json_truth(json, "changes_nothing", 1);
    }
    cli_json_reals(json, "shares", info->shares, info->strata);
    if (!isnan(info->rate_noise[0])) {
        cli_json_reals(json, "rate_noise", info->rate_noise, info->strata);
    }
    if (info->optimality) {
        cli_json_open_object(json, "optimality");
        cli_json_real(json, "dual", info->optimality->dual);
        cli_json_real(json, "primal", info->optimality->primal);
        cli_json_real(json, "rule", info->optimality->rule);
        cli_json_real(json, "unfairness", info->optimality->unfairness);
        cli_json_close_object(json);
    }
    return DP2DP_STATUS_OK;
}

static void parts_text(const dp2dp_model_info *info, const cli_costs *costs, cli_out *out) {
    cli_out_row(out, "epsilon", "%s for this fit (the people in this table)",
                cli_number_up(costs->fit, 4).text);
    cli_out_row(out, "", "%s for the classifier%s%s", cli_number_up(costs->before, 4).text,
                costs->refitted ? " and its earlier rule (the people they were learned from)"
                                : " (the people it was trained on)",
                costs->declared ? ", as declared" : "");
    cli_out_row(out, "", "%s together: %s", cli_number_up(info->epsilon, 4).text,
                costs->adds_up ? dp2dp_statement_text(DP2DP_STATEMENT_BOTH_COUNT)
                               : "the larger of the two, since nobody is in both sets");
}

static void privacy_text(const dp2dp_model_info *info, const cli_costs *costs, cli_out *out) {
    cli_claimed_text(info, out);
    if (!dp2dp_model_has_epsilon(info)) {
        cli_out_row(out, "epsilon", "none: nothing is promised");
        return;
    }
    cli_protects_text(DP2DP_REPLACE_ONE, info->options->rows_per_person, out);
    if (isnan(costs->before)) {
        cli_out_row(out, "epsilon", "%s%s", cli_number_up(info->epsilon, 4).text,
                    info->not_private_because & DP2DP_NOT_PRIVATE_CLASSIFIER_NOT_PRIVATE
                        ? ", for the rule alone"
                        : "");
    } else {
        parts_text(info, costs, out);
    }
    cli_out_row(out, "delta", "%s", cli_number_up(info->delta, 4).text);
}

/* Returns the standard deviation of the noise that solver `counts` adds to each count, and sets
 * *tables to the number of noisy tables. Returns 0 for other solvers, which add no noise to counts.
 */
static double count_noise(const dp2dp_model_info *info, uint64_t *tables) {
    dp2dp_event event;
    if (info->solver != DP2DP_SOLVER_COUNTS || isinf(info->options->epsilon) ||
        !cli_last_event(info->ledger, &event)) {
        return 0;
    }
    *tables = event.count;
    return event.sigma;
}

/* Prints the largest standard deviation that the noise has in the rates of any stratum (a group, or
 * a group and a label). */
static void rate_noise_text(const dp2dp_model_info *info, cli_out *out) {
    size_t worst = 0, labels = info->labels;
    for (size_t e = 1; e < info->strata; e++) {
        worst = info->rate_noise[e] > info->rate_noise[worst] ? e : worst;
    }
    double noise = info->rate_noise[worst];
    const char *group = info->names.groups[worst / labels];
    const char *with = labels > 1 ? " with the label " : "";
    const char *label = labels > 1 ? info->names.classes[worst % labels] : "";
    if (noise >= 1 && dp2dp_model_smallest(info) == info->strata) {
        cli_out_row(out, "",
                    "over all tables, the noise is larger than any rate of at least one group, and "
                    "hides which group this is: nothing can be told about its rates");
    } else if (noise >= 1) {
        cli_out_row(out, "",
                    "over all tables, the noise is larger than any rate of the group "
                    "%.100s%s%.100s: nothing can be told about these rates",
                    group, with, label);
    } else if (!isnan(noise)) {
        cli_out_row(
            out, "",
            "averaged over all tables, the noise has a standard deviation of about %s on the rates "
            "of the group %.100s%s%.100s; no other group has more noise",
            cli_number_up(noise, 2).text, group, with, label);
    }
}

static dp2dp_status explain(const dp2dp_model *model, cli_out *out, dp2dp_error *error) {
    const dp2dp_model_info *info = dp2dp_model_view(model);
    int promises = dp2dp_model_has_epsilon(info) && info->not_private_because == 0;
    int idle = dp2dp_model_changes_nothing(info);
    int limitless = dp2dp_rho_is_large(info->options->rho);
    if (promises || info->warnings || idle || limitless || info->kept > 0) {
        cli_out_section(out, promises ? "What it means" : "Warnings");
    }
    if (promises) {
        cli_explain_guess(info->epsilon, info->delta, out);
        cli_out_prose(out,
                      "This holds for anybody who sees the model, which may be published. It does "
                      "not cover decisions: each decision reveals something about the scores of "
                      "the person it is made for.");
    }
    if (idle) {
        cli_out_prose(
            out,
            "CAUTION: every offset is 0 or nearly 0, so the rule changes no decision or hardly "
            "any. The groups are within the tolerance already, or the noise hides their "
            "difference.");
    }
    cli_warnings_text(info->warnings, out);
    cli_oddities_text(info->oddities, out);
    return cli_explain(model, DP2DP_EXPLAIN_CAUTIONS, NULL, out, error);
}

enum {
    SHOWN_MOST = 8, /* most columns that a row names */
    PAIRS_SIZE = SHOWN_MOST * 128
};

/* Prints which column has the scores of which class or group, if the columns are known. */
static void pairs_text(const char *title, const char *const *columns, const char *const *names,
                       size_t count, cli_out *out) {
    char text[PAIRS_SIZE] = "";
    size_t length = 0, shown = count < SHOWN_MOST ? count : SHOWN_MOST;
    for (size_t k = 0; columns && k < shown; k++) {
        length +=
            (size_t)snprintf(text + length, sizeof text - length, "%s%.40s is the score of %.40s",
                             k ? ", " : "", columns[k], names[k]);
    }
    if (columns) {
        cli_out_row(out, title, "%s%s", text, shown < count ? ", and so on" : "");
    }
}

void cli_scores_text(const cli_args *args, const dp2dp_model_info *info, cli_out *out) {
    const char *const *own = info->names.scores;
    cli_list given = {0};
    dp2dp_error ignored;
    int differs = own == NULL;
    if (cli_given(args, "scores") &&
        cli_list_read(args, "scores", &given, &ignored) == DP2DP_STATUS_OK &&
        given.count == info->classes) {
        for (size_t k = 0; own && k < info->classes; k++) {
            differs |= strcmp(given.items[k], own[k]) != 0;
        }
        if (differs) {
            pairs_text("scores", (const char *const *)given.items, info->names.classes,
                       info->classes, out);
        }
        if (differs && own) {
            pairs_text("in the model", own, info->names.classes, info->classes, out);
        }
    }
    cli_list_free(&given);
}

dp2dp_status cli_rule_text(const dp2dp_model *model, const cli_costs *costs, cli_out *out,
                           dp2dp_error *error) {
    const dp2dp_model_info *info = dp2dp_model_view(model);
    const dp2dp_optimality *best = info->optimality;
    uint64_t tables = 1;
    double noise = count_noise(info, &tables);
    cli_out_row(out, "learned from", "%" PRIu64 " %s in %zu groups, %zu classes", info->records,
                costs->has_cells                     ? "records"
                : info->options->rows_per_person > 1 ? "rows"
                                                     : "people",
                info->groups, info->classes);
    pairs_text("scores", info->names.scores, info->names.classes, info->classes, out);
    if (info->weight_columns == info->groups) {
        pairs_text("group scores", info->weights, info->names.groups, info->groups, out);
    }
    cli_group_text(info->names.group_column, info, out);
    if (info->kept > 0) {
        cli_out_row(out, "left out",
                    "about %" PRIu64 " of these, according to the released tables: people whose "
                    "row is bad or lacks a needed value. Nothing was learned from them",
                    info->records - info->kept);
    } else {
        cli_left_out_text(info->leaves_out, out);
    }
    if (info->classifier) {
        size_t features = info->classifier->features;
        cli_out_row(out, "classifier", "%s, %zu %s",
                    dp2dp_train_method_name(info->classifier->method), features,
                    cli_noun(features, "feature", "features"));
    }
    CLI_TRY(cli_explain(model, DP2DP_EXPLAIN_CRITERION, NULL, out, error));
    cli_out_row(out, "solver", "%s", dp2dp_solver_name(info->solver));
    cli_out_row(out, "tolerance", "%s should differ by at most rho = %s between groups",
                info->labels > 1 ? "each of these rates" : "the rate of any class",
                cli_number_exact(info->options->rho).text);
    if (info->tolerance > info->options->rho && info->tolerance >= 1) {
        cli_out_row(out, "",
                    "for some of these rates the noise is larger than any difference, so nothing "
                    "can be told about them, and the rule does not correct them");
    } else if (info->tolerance > info->options->rho) {
        cli_out_row(out, "",
                    "differences of up to %s may be noise, so the rule does not correct them",
                    cli_number_up(info->tolerance, 3).text);
    }
    if (best) {
        cli_out_row(out, "optimality",
                    "expected accuracy %.6f on these people, at unfairness %.6f; no rule with an "
                    "unfairness of %s or less has an expected accuracy above %.6f",
                    best->rule, best->unfairness, cli_number_exact(info->options->rho).text,
                    best->dual);
    }
    privacy_text(info, costs, out);
    if (noise > 0) {
        cli_out_row(out, "noise", "standard deviation %s on each count, in %" PRIu64 " %s",
                    cli_number_up(noise, 4).text, tables, cli_noun(tables, "table", "tables"));
        rate_noise_text(info, out);
    }
    fprintf(out->stream, "\n%sOffsets%s (%s)\n", cli_bold(out), cli_plain(out),
            info->rule == DP2DP_RULE_OFFSET
                ? "a row for each group; each is subtracted from the score of its class"
            : info->rule == DP2DP_RULE_LINEAR
                ? "for each class, the offset in each row of the person's group is multiplied by "
                  "the score of the row's label; the sum of these products is subtracted from the "
                  "score of the class"
                : "for each class, the offset in each row is multiplied by the person's group "
                  "score for that row; the sum of these products is subtracted from the score of "
                  "the class");
    cli_strata_table(info, info->names.classes, info->classes, info->offsets, 4, out);
    return explain(model, out, error);
}
