#include <math.h>

#include "common/json.h"
#include "privacy/spend.h"
#include "show/classifier.h"
#include "show/explained.h"
#include "show/leaks.h"
#include "show/rule.h"

static void sets_json(const cli_explained *m, cli_json *json) {
    cli_json_open_array(json, "people");
    for (size_t i = 0; i < m->set_count; i++) {
        const cli_set *set = &m->sets[i];
        cli_json_open_object(json, NULL);
        cli_json_text(json, "set", set->name);
        if (set->records > 0) {
            cli_json_count(json, "records", set->records);
        } else {
            cli_json_text(json, "records", NULL);
        }
        cli_json_count(json, "rows_per_person", set->rows_per_person);
        cli_json_real(json, "epsilon", set->epsilon);
        cli_json_truth(json, "declared", set->declared);
        cli_json_close_object(json);
    }
    cli_json_close_array(json);
}

static void rule_json(const dp2dp_model_info *info, cli_json *json) {
    cli_json_open_object(json, "rule");
    cli_json_text(json, "solver", cli_rule_solver(info->solver));
    cli_json_real(json, "rho", info->settings.rho);
    cli_json_count(json, "records", info->records);
    cli_json_text(json, "sensitive", info->names.event_column);
    cli_json_texts(json, "groups", info->names.events, info->events);
    cli_json_table(json, "offsets", info->offsets, info->events, info->classes);
    cli_json_open_array(json, "shares");
    for (size_t g = 0; g < info->events; g++) {
        cli_json_real(json, NULL, info->shares[g]);
    }
    cli_json_close_array(json);
    cli_json_close_object(json);
}

static void classifier_json(const cli_explained *m, cli_json *json) {
    const dp2dp_classifier *c = m->info->classifier;
    cli_json_open_object(json, "classifier");
    cli_json_text(json, "method", cli_classifier_word(c->method));
    cli_json_count(json, "records", c->records);
    cli_json_count(json, "features", c->features);
    cli_json_text(json, "schema", m->schema->name);
    cli_json_open_array(json, "columns");
    for (size_t i = 0; i < m->schema->column_count; i++) {
        if (m->schema->columns[i].role == DP2DP_ROLE_FEATURE) {
            cli_json_text(json, NULL, m->schema->columns[i].name);
        }
    }
    cli_json_close_array(json);
    cli_json_close_object(json);
}

dp2dp_status cli_explained_json(const cli_explained *m, cli_out *out, dp2dp_error *error) {
    const dp2dp_model_info *info = m->info;
    cli_json json = cli_json_begin(out->stream);
    cli_json_text(&json, "model", m->path);
    cli_json_real(&json, "epsilon", m->epsilon);
    cli_json_real(&json, "delta", isnan(m->epsilon) ? NAN : info->delta);
    if (!isnan(info->epsilon_claimed)) {
        cli_json_real(&json, "claimed", info->epsilon_claimed);
    }
    cli_json_text(&json, "adjacency", dp2dp_adjacency_name(dp2dp_ledger_adjacency(info->ledger)));
    cli_leaks_json(info, &json);
    sets_json(m, &json);
    cli_json_texts(&json, "classes", info->names.classes, info->classes);
    if (info->classifier) {
        classifier_json(m, &json);
    } else {
        cli_json_text(&json, "classifier", NULL);
    }
    if (info->events > 0) {
        rule_json(info, &json);
    } else {
        cli_json_text(&json, "rule", NULL);
    }
    cli_json_text(&json, "library_version", info->library_version);
    dp2dp_status status = cli_entries_json(info->ledger, &json, error);
    cli_json_end(&json);
    return status;
}
