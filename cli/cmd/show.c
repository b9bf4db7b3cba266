#include <math.h>
#include <string.h>

#include "cmd/cmd.h"
#include "common/json.h"
#include "input/kind.h"
#include "privacy/privacy.h"
#include "show/changes.h"
#include "show/show.h"

static void sets_json(const cli_explained *m, cli_json *json) {
    cli_json_open_array(json, "people");
    for (size_t i = 0; i < m->set_count; i++) {
        const cli_set *set = &m->sets[i];
        cli_json_open_object(json, NULL);
        cli_json_text(json, "set", set->name);
        cli_json_real(json, "records", set->records > 0 ? (double)set->records : NAN);
        cli_json_count(json, "rows_per_person", set->rows_per_person);
        cli_json_real(json, "epsilon", set->epsilon);
        cli_json_truth(json, "declared", set->declared);
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
    if (!cli_criterion_is_plain(info)) {
        cli_json_open_array(json, "rate_noise");
        for (size_t e = 0; e < info->strata; e++) {
            cli_json_real(json, NULL, cli_rate_noise(info, e));
        }
        cli_json_close_array(json);
    }
    cli_json_close_object(json);
}

static void explained_json(const cli_explained *m, cli_out *out) {
    const dp2dp_model_info *info = m->info;
    cli_json json = cli_json_begin(out->stream);
    cli_json_text(&json, "model", m->path);
    cli_json_real(&json, "epsilon", m->epsilon);
    cli_json_real(&json, "delta", isnan(m->epsilon) ? NAN : info->delta);
    cli_claimed_json(info, &json);
    cli_json_text(&json, "adjacency", dp2dp_adjacency_name(dp2dp_ledger_adjacency(info->ledger)));
    cli_reasons_json(info->not_private_because == 0, info->not_private_because, &json);
    cli_model_json(info, &json);
    sets_json(m, &json);
    cli_json_texts(&json, "classes", info->names.classes, info->classes);
    cli_classifier_member(info, m->schema, &json);
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
}

/* Returns the set of this name, which it adds if missing, or NULL if there are CLI_SETS_MAX others.
 */
static cli_set *set_named(cli_explained *model, const char *name) {
    cli_set *set = cli_set_find(model, name);
    if (set || model->set_count == CLI_SETS_MAX) {
        return set;
    }
    set = &model->sets[model->set_count++];
    *set = (cli_set) {.name = name, .rows_per_person = 1};
    return set;
}

/* Collects the sets of people in the ledger. If the model has a rule, the last entry is the charge
 * for it. */
static void find_sets(cli_explained *model) {
    const dp2dp_model_info *info = model->info;
    cli_set *set = NULL;
    for (size_t i = 0; i < dp2dp_ledger_size(info->ledger); i++) {
        dp2dp_event event = cli_entry(info->ledger, i, NULL);
        if (event.mechanism == DP2DP_EXPOSED) {
            continue; /* an exposure promises nothing to anybody */
        }
        set = set_named(model, cli_entry_set(&event));
        if (set) {
            set->declared |= event.mechanism == DP2DP_DECLARED;
            set->trained |= event.role && strcmp(event.role, "train") == 0;
            set->pooled |= event.role && strcmp(event.role, "pool") == 0;
            set->rows_per_person = event.rows_per_person > set->rows_per_person
                                       ? event.rows_per_person
                                       : set->rows_per_person;
        }
    }
    if (set && info->strata > 0) {
        set->of_rule = 1;
        set->records = info->records;
    }
    set = cli_set_trained(model);
    if (set && info->classifier && info->classifier->records > 0) {
        set->records = info->classifier->records;
    }
}

static dp2dp_status explained_account(cli_explained *model, dp2dp_error *error) {
    const dp2dp_model_info *info = model->info;
    cli_entries entries = {.ledger = info->ledger};
    model->epsilon = NAN;
    if (!cli_rule_has_epsilon(info)) {
        return DP2DP_STATUS_OK;
    }
    model->epsilon = info->epsilon;
    find_sets(model);
    for (size_t i = 0; i < model->set_count; i++) {
        entries.set = model->sets[i].name;
        CLI_TRY(cli_spend_of(&entries, info->delta, &model->sets[i].epsilon, error));
    }
    return DP2DP_STATUS_OK;
}

dp2dp_status cmd_show(const cli_args *args, cli_out *out, dp2dp_error *error) {
    dp2dp_model *model = NULL;
    dp2dp_schema *schema = NULL;
    cli_explained explained = {.path = strcmp(args->operands[0], "-") == 0 ? "standard input"
                                                                           : args->operands[0]};
    dp2dp_status status = DP2DP_STATUS_OK;
    CLI_TRY_OR_DONE(cli_kind_model(args, &model, error));
    explained.info = dp2dp_model_view(model);
    if (explained.info->classifier) {
        CLI_TRY_OR_DONE(dp2dp_schema_load(explained.info->classifier->schema, &schema, error));
    }
    explained.schema = schema ? dp2dp_schema_view(schema) : NULL;
    CLI_TRY_OR_DONE(explained_account(&explained, error));
    (cli_given(args, "json") ? explained_json : cli_explained_text)(&explained, out);
done:
    dp2dp_schema_free(schema);
    dp2dp_model_free(model);
    return status;
}
