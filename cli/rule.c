#include "rule.h"

#include <inttypes.h>
#include <math.h>

#include "answer.h"
#include "number.h"
#include "release.h"

static const struct {
    unsigned bit;
    const char *word, *meaning;
} leaks[] = {
#define DP2DP_LEAK(name, bit, word, meaning) {bit, word, meaning},
#include <dp2dp/leak.def>
#undef DP2DP_LEAK
};
static const size_t leak_count = sizeof leaks / sizeof leaks[0];

static const char *solver_word(dp2dp_solver solver) {
    switch (solver) {
#define DP2DP_SOLVER(name, value, word) \
    case DP2DP_SOLVER_##name:           \
        return word;
#include <dp2dp/solver.def>
#undef DP2DP_SOLVER
    }
    return NULL;
}

int cli_rule_has_epsilon(const dp2dp_model_info *info) {
    return (info->leaks & (DP2DP_LEAK_NO_NOISE | DP2DP_LEAK_NO_BOUND)) == 0;
}

void cli_leaks_json(const dp2dp_model_info *info, cli_json *json) {
    cli_json_truth(json, "private", info->leaks == 0);
    cli_json_open_array(json, "leaks");
    for (size_t i = 0; i < leak_count; i++) {
        if (info->leaks & leaks[i].bit) {
            cli_json_text(json, NULL, leaks[i].word);
        }
    }
    cli_json_close_array(json);
}

void cli_leaks_text(const dp2dp_model_info *info, cli_out *out) {
    for (size_t i = 0; i < leak_count; i++) {
        if (info->leaks & leaks[i].bit) {
            fprintf(out->stream, "%sNOT PRIVATE%s: %s\n", cli_alarm(out), cli_plain(out),
                    leaks[i].meaning);
        }
    }
}

void cli_rule_json(const dp2dp_model_info *info, cli_json *json) {
    size_t groups = info->events, classes = info->classes;
    cli_json_text(json, "solver", solver_word(info->solver));
    cli_json_real(json, "rho", info->settings.rho);
    cli_json_real(json, "epsilon", cli_rule_has_epsilon(info) ? info->epsilon : NAN);
    cli_json_real(json, "delta", cli_rule_has_epsilon(info) ? info->delta : NAN);
    if (!isnan(info->epsilon_claimed)) {
        cli_json_real(json, "claimed", info->epsilon_claimed);
    }
    cli_json_text(json, "adjacency", dp2dp_adjacency_name(DP2DP_REPLACE_ONE));
    cli_json_count(json, "rows_per_person", info->settings.rows_per_person);
    cli_leaks_json(info, json);
    cli_json_count(json, "records", info->records);
    cli_json_texts(json, "groups", info->names.events, groups);
    cli_json_texts(json, "classes", info->names.classes, classes);
    cli_json_table(json, "offsets", info->offsets, groups, classes);
    cli_json_open_array(json, "shares");
    for (size_t g = 0; g < groups; g++) {
        cli_json_real(json, NULL, info->shares[g]);
    }
    cli_json_close_array(json);
    if (info->optimality) {
        cli_json_open_object(json, "optimality");
        cli_json_real(json, "dual", info->optimality->dual);
        cli_json_real(json, "primal", info->optimality->primal);
        cli_json_real(json, "rule", info->optimality->rule);
        cli_json_real(json, "unfairness", info->optimality->unfairness);
        cli_json_close_object(json);
    }
}

static void privacy_text(const dp2dp_model_info *info, cli_out *out) {
    if (!isnan(info->epsilon_claimed)) {
        cli_out_row(out, "claimed", "epsilon %s by the paper's own accounting, which is not sound",
                    cli_number_up(info->epsilon_claimed, 4).text);
    }
    if (!cli_rule_has_epsilon(info)) {
        cli_out_row(out, "epsilon", "none: nothing is promised");
        return;
    }
    cli_protects_text(DP2DP_REPLACE_ONE, info->settings.rows_per_person, out);
    cli_out_row(out, "epsilon", "%s", cli_number_up(info->epsilon, 4).text);
    cli_out_row(out, "delta", "%s", cli_number_up(info->delta, 4).text);
}

void cli_rule_text(const dp2dp_model_info *info, cli_out *out) {
    const dp2dp_optimality *best = info->optimality;
    cli_out_row(out, "learnt from", "%" PRIu64 " people in %zu groups, %zu classes", info->records,
                info->events, info->classes);
    cli_out_row(out, "solver", "%s", solver_word(info->solver));
    cli_out_row(out, "tolerance",
                "aims at groups that differ by at most %s in the rate of any class (rho)",
                cli_number_exact(info->settings.rho).text);
    if (best) {
        cli_out_row(out, "optimality",
                    "expected accuracy %.6f with unfairness %.6f on these people; no rule within "
                    "the tolerance has more than %.6f",
                    best->rule, best->unfairness, best->dual);
    }
    privacy_text(info, out);
    fprintf(out->stream, "\n%sOffsets%s (a person's group: subtracted from each class's score)\n",
            cli_bold(out), cli_plain(out));
    cli_out_table(out, &(cli_table) {.rows = info->events,
                                     .columns = info->classes,
                                     .row_names = info->names.events,
                                     .column_names = info->names.classes,
                                     .values = info->offsets,
                                     .decimals = 4});
    if (cli_rule_has_epsilon(info) && info->leaks == 0) {
        fprintf(out->stream, "\n%sWhat it means%s\n", cli_bold(out), cli_plain(out));
        cli_explain_odds(info->epsilon, info->delta, out);
    }
}
