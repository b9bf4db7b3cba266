#include <math.h>
#include <string.h>

#include "cmd/cmd.h"
#include "input/kind.h"
#include "privacy/spend.h"
#include "show/explained.h"
#include "show/leaks.h"

/* The set of that name, which is made if it is not there; NULL: there are too many. */
static cli_set *set_named(cli_explained *model, const char *name) {
    for (size_t i = 0; i < model->set_count; i++) {
        if (strcmp(model->sets[i].name, name) == 0) {
            return &model->sets[i];
        }
    }
    if (model->set_count == CLI_SETS_MAX) {
        return NULL;
    }
    cli_set *set = &model->sets[model->set_count++];
    *set = (cli_set) {.name = name, .rows_per_person = 1};
    return set;
}

/* The rule was paid for last, by those it was learnt from. */
static dp2dp_status find_sets(cli_explained *model, dp2dp_error *error) {
    const dp2dp_model_info *info = model->info;
    cli_set *set = NULL;
    for (size_t i = 0; i < dp2dp_ledger_size(info->ledger); i++) {
        dp2dp_event event = DP2DP_EVENT_INIT;
        dp2dp_rng_kind rng;
        CLI_TRY(dp2dp_ledger_entry(info->ledger, i, &event, &rng, error));
        set = set_named(model, event.set ? event.set : "");
        if (set) {
            set->declared |= event.mechanism == DP2DP_DECLARED;
            set->rows_per_person = event.rows_per_person > set->rows_per_person
                                       ? event.rows_per_person
                                       : set->rows_per_person;
        }
    }
    if (set && info->events > 0) {
        set->of_rule = 1;
        set->records = info->records;
    }
    for (size_t i = 0; i < model->set_count; i++) {
        set = &model->sets[i];
        if (strcmp(set->name, "train") == 0 && info->classifier && info->classifier->records > 0) {
            set->records = info->classifier->records;
        }
    }
    return DP2DP_STATUS_OK;
}

dp2dp_status cli_explained_account(cli_explained *model, dp2dp_error *error) {
    const dp2dp_model_info *info = model->info;
    cli_entries all = {0, dp2dp_ledger_size(info->ledger), NULL};
    model->epsilon = NAN;
    if (!cli_rule_has_epsilon(info)) {
        return DP2DP_STATUS_OK;
    }
    CLI_TRY(cli_spend_of(info->ledger, &all, info->delta, &model->epsilon, error));
    CLI_TRY(find_sets(model, error));
    for (size_t i = 0; i < model->set_count; i++) {
        cli_entries own = {0, all.last, model->sets[i].name};
        CLI_TRY(cli_spend_of(info->ledger, &own, info->delta, &model->sets[i].epsilon, error));
    }
    return DP2DP_STATUS_OK;
}

double cli_explained_shift(const dp2dp_model_info *info, size_t group, size_t k) {
    return 0.0 - info->offsets[group * info->classes + k];
}

dp2dp_status cmd_show(const cli_args *args, cli_out *out, dp2dp_error *error) {
    dp2dp_model *model = NULL;
    dp2dp_schema *schema = NULL;
    cli_explained explained = {.path = args->operands[0]};
    dp2dp_status status = DP2DP_STATUS_OK;
    CLI_TRY_OR_DONE(cli_kind_model(args, &model, error));
    explained.info = dp2dp_model_view(model);
    if (explained.info->classifier) {
        CLI_TRY_OR_DONE(dp2dp_schema_load(explained.info->classifier->schema, &schema, error));
    }
    explained.schema = schema ? dp2dp_schema_view(schema) : NULL;
    CLI_TRY_OR_DONE(cli_explained_account(&explained, error));
    status =
        (cli_given(args, "json") ? cli_explained_json : cli_explained_text)(&explained, out, error);
done:
    dp2dp_schema_free(schema);
    dp2dp_model_free(model);
    return status;
}
