#include <math.h>
#include <string.h>

#include "cmd/cmd.h"
#include "common/json.h"
#include "input/kind.h"
#include "privacy/privacy.h"
#include "show/show.h"

static void promises_json(const dp2dp_model_info *info, cli_json *json) {
    cli_json_open_array(json, "people");
    for (size_t i = 0; i < info->promise_count; i++) {
        const dp2dp_promise *promise = &info->promises[i];
        cli_json_open_object(json, NULL);
        cli_json_text(json, "set", promise->people);
        cli_json_real(json, "records", promise->records > 0 ? (double)promise->records : NAN);
        cli_json_count(json, "rows_per_person", promise->rows_per_person);
        cli_json_real(json, "epsilon", promise->epsilon);
        cli_json_truth(json, "declared", promise->declared);
        cli_json_close_object(json);
    }
    cli_json_close_array(json);
}

static void rule_json(const dp2dp_model_info *info, cli_json *json) {
    cli_json_open_object(json, "rule");
    cli_criterion_json(info, json);
    cli_json_text(json, "solver", dp2dp_solver_name(info->solver));
    cli_json_real(json, "rho", info->options->rho);
    cli_json_count(json, "records", info->records);
    cli_json_text(json, "sensitive", info->names.group_column);
    cli_json_texts(json, "groups", info->names.groups, info->groups);
    cli_json_table(json, "offsets", info->offsets, info->strata, info->classes);
    cli_json_reals(json, "shares", info->shares, info->strata);
    if (!cli_criterion_is_plain(info) || !isnan(info->rate_noise[0])) {
        cli_json_reals(json, "rate_noise", info->rate_noise, info->strata);
    }
    cli_json_close_object(json);
}

static dp2dp_status print_json(const char *name, const dp2dp_model_info *info, cli_out *out,
                               dp2dp_error *error) {
    dp2dp_schema *schema = NULL;
    int has_epsilon = dp2dp_model_has_epsilon(info);
    if (info->classifier) {
        CLI_TRY(dp2dp_schema_load(info->classifier->schema, &schema, error));
    }
    cli_json json = cli_json_begin(out->stream);
    dp2dp_status status = DP2DP_STATUS_OK;
    cli_json_text(&json, "model", name);
    cli_json_real(&json, "epsilon", has_epsilon ? info->epsilon : NAN);
    cli_json_real(&json, "delta", has_epsilon ? info->delta : NAN);
    cli_claimed_json(info, &json);
    cli_json_text(&json, "adjacency", dp2dp_adjacency_name(dp2dp_ledger_adjacency(info->ledger)));
    cli_reasons_json(info->not_private_because == 0, info->not_private_because, &json);
    CLI_TRY_OR_DONE(cli_model_json(info, &json, error));
    promises_json(info, &json);
    cli_json_texts(&json, "classes", info->names.classes, info->classes);
    cli_classifier_member(info, schema ? dp2dp_schema_view(schema) : NULL, &json);
    if (info->strata > 0) {
        rule_json(info, &json);
    } else {
        cli_json_text(&json, "rule", NULL);
    }
    cli_json_text(&json, "library_version", info->library_version);
    if (info->from_version > 0) {
        cli_json_count(&json, "from_version", (uint64_t)info->from_version);
    }
    cli_entries_json(info->ledger, &json);
    cli_json_end(&json);
done:
    dp2dp_schema_free(schema);
    return status;
}

dp2dp_status cmd_show(const cli_args *args, cli_out *out, dp2dp_error *error) {
    dp2dp_model *model = NULL;
    const char *name = strcmp(args->operands[0], "-") == 0 ? "standard input" : args->operands[0];
    dp2dp_status status = DP2DP_STATUS_OK;
    CLI_TRY_OR_DONE(cli_kind_model(args, &model, error));
    status = cli_given(args, "json") ? print_json(name, dp2dp_model_view(model), out, error)
                                     : cli_explain(model, DP2DP_EXPLAIN_ALL, name, out, error);
done:
    dp2dp_model_free(model);
    return status;
}
