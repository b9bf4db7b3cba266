#include <math.h>
#include <string.h>

#include "explained.h"
#include "kind.h"
#include "rule.h"

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
    const dp2dp_classifier *classifier = model->info->classifier;
    cli_set *set = &model->sets[model->set_count++];
    *set = (cli_set) {.name = name, .epsilon = NAN, .rows_per_person = 1};
    if (strcmp(name, "train") == 0 && classifier) {
        set->records = classifier->records;
    } else if (strcmp(name, "pool") == 0) {
        set->records = model->info->records;
    }
    return set;
}

/* What touches a set is its own entries and those of everybody. */
static dp2dp_status account_set(const cli_explained *model, cli_set *set, dp2dp_error *error) {
    dp2dp_accountant *accountant = NULL;
    dp2dp_status status = dp2dp_accountant_new(DP2DP_REPLACE_ONE, &accountant, error);
    size_t size = dp2dp_ledger_size(model->info->ledger);
    for (size_t i = 0; i < size && status == DP2DP_STATUS_OK; i++) {
        dp2dp_event event = DP2DP_EVENT_INIT;
        dp2dp_rng_kind rng;
        status = dp2dp_ledger_entry(model->info->ledger, i, &event, &rng, error);
        const char *name = event.set ? event.set : "";
        if (status == DP2DP_STATUS_OK && (*name == '\0' || strcmp(name, set->name) == 0)) {
            set->declared |= event.mechanism == DP2DP_DECLARED;
            set->rows_per_person = event.rows_per_person > set->rows_per_person
                                       ? event.rows_per_person
                                       : set->rows_per_person;
            status = dp2dp_accountant_add(accountant, &event, error);
        }
    }
    if (status == DP2DP_STATUS_OK) {
        status = dp2dp_accountant_epsilon(accountant, model->info->delta, DP2DP_BACKEND_AUTO,
                                          &set->epsilon, NULL, error);
        if (status == DP2DP_STATUS_NO_BOUND) {
            set->epsilon = NAN;
            status = DP2DP_STATUS_OK;
        }
    }
    dp2dp_accountant_free(accountant);
    return status;
}

dp2dp_status cli_explained_account(cli_explained *model, dp2dp_error *error) {
    const dp2dp_ledger *ledger = model->info->ledger;
    dp2dp_accountant *accountant = NULL;
    model->epsilon = NAN;
    if (!cli_rule_has_epsilon(model->info)) {
        return DP2DP_STATUS_OK;
    }
    dp2dp_status status = dp2dp_ledger_account(ledger, &accountant, error);
    if (status == DP2DP_STATUS_OK) {
        status = dp2dp_accountant_epsilon(accountant, model->info->delta, DP2DP_BACKEND_AUTO,
                                          &model->epsilon, NULL, error);
    }
    dp2dp_accountant_free(accountant);
    for (size_t i = 0; i < dp2dp_ledger_size(ledger) && status == DP2DP_STATUS_OK; i++) {
        dp2dp_event event = DP2DP_EVENT_INIT;
        dp2dp_rng_kind rng;
        status = dp2dp_ledger_entry(ledger, i, &event, &rng, error);
        if (status == DP2DP_STATUS_OK) {
            (void)set_named(model, event.set ? event.set : "");
        }
    }
    for (size_t i = 0; i < model->set_count && status == DP2DP_STATUS_OK; i++) {
        status = account_set(model, &model->sets[i], error);
    }
    return status;
}

double cli_explained_shift(const dp2dp_model_info *info, size_t group, size_t k) {
    return 0.0 - info->offsets[group * info->classes + k];
}

dp2dp_status cmd_show(const cli_args *args, cli_out *out, dp2dp_error *error) {
    dp2dp_model *model = NULL;
    dp2dp_schema *schema = NULL;
    cli_explained explained = {.path = args->operands[0]};
    dp2dp_status status = cli_kind_model(args->operands[0], &model, error);
    if (status == DP2DP_STATUS_OK) {
        explained.info = dp2dp_model_view(model);
        if (explained.info->classifier) {
            status = dp2dp_schema_load(explained.info->classifier->schema, &schema, error);
        }
    }
    if (status == DP2DP_STATUS_OK) {
        explained.schema = schema ? dp2dp_schema_view(schema)->name : NULL;
        status = cli_explained_account(&explained, error);
    }
    if (status == DP2DP_STATUS_OK) {
        status = (cli_given(args, "json") ? cli_explained_json : cli_explained_text)(&explained,
                                                                                     out, error);
    }
    dp2dp_schema_free(schema);
    dp2dp_model_free(model);
    return status;
}
