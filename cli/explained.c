#include "explained.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "answer.h"
#include "classifier.h"
#include "number.h"
#include "release.h"
#include "rule.h"
#include "spend.h"

enum {
    CHANGES_MAX = 60 /* lines about who gets what */
};

/* What rounds to no change in four decimals is none. */
static const double no_change = 0.00005;

static void heading(const char *text, cli_out *out) {
    fprintf(out->stream, "\n%s%s%s\n", cli_bold(out), text, cli_plain(out));
}

/* "a, b or c", as far as there is room. */
static const char *listed(const char *const *names, size_t count, const char *last, char *text,
                          size_t size) {
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        const char *between = i == 0 ? "" : i + 1 == count ? last : ", ";
        if (used + strlen(between) + strlen(names[i]) + 8 > size) {
            snprintf(text + used, size - used, ", ...");
            break;
        }
        used += (size_t)snprintf(text + used, size - used, "%s%s", between, names[i]);
    }
    return text;
}

static void purpose_text(const cli_explained *m, cli_out *out) {
    const dp2dp_model_info *info = m->info;
    const dp2dp_classifier *c = info->classifier;
    char text[400];
    heading("What it does", out);
    cli_out_row(out, "decides", "%s, for each person",
                listed(info->names.classes, info->classes, " or ", text, sizeof text));
    if (c == NULL) {
        cli_out_row(out, "from", "the scores of a classifier that is not in this file%s%s",
                    info->names.scores ? ", in the columns " : "",
                    info->names.scores
                        ? listed(info->names.scores, info->classes, " and ", text, sizeof text)
                        : "");
    } else {
        cli_out_row(out, "from",
                    "%zu features, by a classifier of its own (logistic regression, method %s)%s%s",
                    c->features, cli_classifier_word(c->method),
                    m->schema && *m->schema ? "; schema " : "", m->schema ? m->schema : "");
    }
    if (info->events == 0) {
        cli_out_row(out, "groups",
                    "it pays no regard to them: there is no fair rule yet, see "
                    "dp2dp fit --model");
        return;
    }
    cli_out_row(out, "and group", "%s%s%s",
                listed(info->names.events, info->events, " or ", text, sizeof text),
                info->names.event_column ? ", in the column " : "",
                info->names.event_column ? info->names.event_column : "");
    cli_out_row(out, "aims at", "groups that get each class equally often%s%s (rho %s, solver %s)",
                info->settings.rho > 0 ? ", within " : "",
                info->settings.rho > 0 ? cli_number_exact(info->settings.rho).text : "",
                cli_number_exact(info->settings.rho).text, cli_rule_solver(info->solver));
}

static const char *set_words(const char *name) {
    return strcmp(name, "train") == 0  ? "whoever the classifier was trained on"
           : strcmp(name, "pool") == 0 ? "whoever the rule was learnt from"
           : *name == '\0'             ? "everybody"
                                       : "another set of people";
}

static void set_text(const cli_set *set, cli_out *out) {
    char records[64] = "";
    if (set->records > 0) {
        snprintf(records, sizeof records, ", %" PRIu64 " %s", set->records,
                 set->rows_per_person > 1 ? "rows" : "people");
    }
    cli_out_row(out, "to", "%s%s: epsilon %s%s", set_words(set->name), records,
                isnan(set->epsilon) ? "none at this delta" : cli_number_up(set->epsilon, 4).text,
                set->declared ? ", some of it declared by others and not checked" : "");
}

static void promise_text(const cli_explained *m, cli_out *out) {
    const dp2dp_model_info *info = m->info;
    uint64_t rows_per_person = 1;
    heading("What it promises, and to whom", out);
    cli_claimed_text(info, out);
    if (isnan(m->epsilon)) {
        cli_out_prose(out, "Nothing: no bound holds on what it tells about those it was made "
                           "from.");
        return;
    }
    for (size_t i = 0; i < m->set_count; i++) {
        set_text(&m->sets[i], out);
        rows_per_person = m->sets[i].rows_per_person > rows_per_person ? m->sets[i].rows_per_person
                                                                       : rows_per_person;
    }
    cli_protects_text(dp2dp_ledger_adjacency(info->ledger), rows_per_person, out);
    cli_out_row(out, "at a cost of", "epsilon %s, delta %s%s", cli_number_up(m->epsilon, 4).text,
                cli_number_up(info->delta, 4).text,
                m->set_count > 1 ? ": the largest of these, since nobody is in two of the sets"
                                 : "");
    if (info->leaks == 0) {
        cli_explain_odds(m->epsilon, info->delta, out);
    } else {
        cli_out_prose(out, "These numbers are those of the ledger; what is said below takes the "
                           "promise back.");
    }
}

/* Two classes have one threshold. The scores sum to 1, so that it moves by half of what is added.
 */
static void threshold_text(const dp2dp_model_info *info, size_t g, cli_out *out) {
    double added = cli_explained_shift(info, g, 1) - cli_explained_shift(info, g, 0);
    const char *group = info->names.events[g], *class = info->names.classes[1];
    double threshold = fmin(1, fmax(0, (1 - added) / 2));
    if (fabs(added) < no_change) {
        cli_out_row(out, "group", "%.200s: nothing changes", group);
        return;
    }
    cli_out_row(out, "group",
                "%.200s: class %.200s is given %s: %.4f is %s its score, so that it is given from "
                "%.4f on instead of 0.5",
                group, class, added > 0 ? "earlier" : "later", fabs(added),
                added > 0 ? "added to" : "taken from", threshold);
}

static void shifts_text(const dp2dp_model_info *info, size_t g, cli_out *out) {
    size_t said = 0;
    for (size_t k = 0; k < info->classes; k++) {
        double added = cli_explained_shift(info, g, k);
        if (fabs(added) >= no_change) {
            cli_out_row(out, said++ == 0 ? "group" : "",
                        "%.200s: class %.200s is given %s: %.4f is %s its score",
                        info->names.events[g], info->names.classes[k],
                        added > 0 ? "earlier" : "later", fabs(added),
                        added > 0 ? "added to" : "taken from");
        }
    }
    if (said == 0) {
        cli_out_row(out, "group", "%.200s: nothing changes", info->names.events[g]);
    }
}

static void change_text(const cli_explained *m, cli_out *out) {
    const dp2dp_model_info *info = m->info;
    if (info->events == 0) {
        return;
    }
    heading("What changes for which group", out);
    if (info->events * info->classes > CHANGES_MAX) {
        cli_out_prose(out,
                      "%zu groups and %zu classes: see offsets in --json, subtracted from the "
                      "scores.",
                      info->events, info->classes);
        return;
    }
    for (size_t g = 0; g < info->events; g++) {
        (info->classes == 2 ? threshold_text : shifts_text)(info, g, out);
    }
    cli_out_prose(out, "The same person always gets the same decision.");
}

static void limits_text(const cli_explained *m, cli_out *out) {
    const dp2dp_model_info *info = m->info;
    heading("What it does not promise", out);
    if (info->events > 0) {
        cli_out_prose(out,
                      "Fairness is an aim, not a proof: the rule was made for people like those it "
                      "was learnt from. dp2dp certify bounds how far it is reached, on other "
                      "people. Alike means how often each class is given; errors may differ "
                      "between groups.");
    }
    cli_out_prose(out, "Decisions tell about those they are made for; that is not counted here. "
                       "That the sets of people are different, and what others declared, is "
                       "taken on trust.");
    cli_rule_caution(info, out);
    if (info->classifier && info->events == 0) {
        cli_classifier_caution(cli_classifier_noise(info), out);
    }
}

dp2dp_status cli_explained_text(const cli_explained *m, cli_out *out, dp2dp_error *error) {
    (void)error;
    cli_leaks_text(m->info, out);
    fputs(cli_bold(out), out->stream);
    cli_print_safely(out->stream, m->path);
    fprintf(out->stream, ", %s%s\n",
            m->info->events == 0  ? "a classifier"
            : m->info->classifier ? "a classifier with a fair rule"
                                  : "a fair rule for scores",
            cli_plain(out));
    purpose_text(m, out);
    promise_text(m, out);
    change_text(m, out);
    limits_text(m, out);
    return DP2DP_STATUS_OK;
}

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
    cli_json_text(json, "schema", m->schema);
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
