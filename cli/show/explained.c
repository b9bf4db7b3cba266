#include "show/show.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/number.h"
#include "privacy/privacy.h"
#include "show/changes.h"

enum {
    CHANGES_MAX = 60 /* changes are printed for at most this many pairs of group and class */
};

/* Smaller changes round to 0 in four decimals and are not reported. */
static const double no_change = 0.00005;

/* Returns what the rule adds to the score of class k in a group; -0 becomes 0. */
static double shift_of(const dp2dp_model_info *info, size_t group, size_t k) {
    return 0.0 - info->offsets[group * info->classes + k];
}

static void columns_text(const dp2dp_schema_info *schema, cli_out *out) {
    char text[400];
    size_t count = 0;
    const char **names = calloc(schema->column_count, sizeof *names);
    for (size_t i = 0; names && i < schema->column_count; i++) {
        if (schema->columns[i].role == DP2DP_ROLE_FEATURE) {
            names[count++] = schema->columns[i].name;
        }
    }
    if (count > 0) {
        cli_out_row(out, cli_noun(count, "column", "columns"), "%s",
                    cli_listed(names, count, " and ", text, sizeof text));
    }
    free(names);
}

static void purpose_text(const cli_explained *m, cli_out *out) {
    const dp2dp_model_info *info = m->info;
    const dp2dp_classifier *c = info->classifier;
    char text[400];
    cli_out_section(out, "What it does");
    if (info->classes > 0) {
        cli_out_row(out, "decides", "%s, for each person",
                    cli_listed(info->names.classes, info->classes, " or ", text, sizeof text));
    }
    cli_target_text(info, out);
    if (c == NULL) {
        cli_out_row(out, "from", "the scores of a classifier that is not in this file%s%s",
                    info->names.scores ? ", in the columns " : "",
                    info->names.scores
                        ? cli_listed(info->names.scores, info->classes, " and ", text, sizeof text)
                        : "");
    } else {
        cli_out_row(out, "from",
                    "%zu %s, through its own classifier (logistic regression, method %s)%s%s",
                    c->features, cli_noun(c->features, "feature", "features"),
                    dp2dp_train_method_name(c->method), *m->schema->name ? "; schema " : "",
                    m->schema->name);
        columns_text(m->schema, out);
    }
    if (info->strata == 0) {
        if (info->classes > 0) {
            cli_out_row(out, "groups",
                        "not used: there is no fair rule yet, see dp2dp fit --model");
        }
        return;
    }
    const char *groups = cli_listed(info->names.groups, info->groups, " or ", text, sizeof text);
    if (info->rule == DP2DP_RULE_WEIGHTED) {
        cli_out_row(out, "not group", "the rule does not see the group; the groups are %s", groups);
        cli_out_row(out, "but", "the probability of each group%s%s%s",
                    info->weight_columns > info->groups ? " and label" : "",
                    info->weights ? ", in the columns " : "",
                    info->weights ? cli_listed(info->weights, info->weight_columns, " and ", text,
                                               sizeof text)
                                  : "");
    } else {
        cli_out_row(out, "and group", "%s%s%s", groups,
                    info->names.group_column ? ", in the column " : "",
                    info->names.group_column ? info->names.group_column : "");
    }
    cli_criterion_text(info, out);
    cli_out_row(out, "aims at", "that %s%s%s (rho %s, solver %s)",
                info->labels > 1 ? "these rates are equal in all groups"
                                 : "groups get each class equally often",
                info->options->rho > 0 ? ", within " : "",
                info->options->rho > 0 ? cli_number_exact(info->options->rho).text : "",
                cli_number_exact(info->options->rho).text, dp2dp_solver_name(info->solver));
}

static int is_everybody(const cli_set *set) {
    return *set->name == '\0';
}

cli_set *cli_set_find(const cli_explained *model, const char *name) {
    for (size_t i = 0; i < model->set_count; i++) {
        if (strcmp(model->sets[i].name, name) == 0) {
            return (cli_set *)&model->sets[i];
        }
    }
    return NULL;
}

cli_set *cli_set_trained(const cli_explained *model) {
    for (size_t i = 0; i < model->set_count; i++) {
        if (model->sets[i].trained) {
            return (cli_set *)&model->sets[i];
        }
    }
    return NULL;
}

/* Returns whether an earlier rule was learned from people other than those of the training. */
static int has_other_pool(const cli_explained *model) {
    int found = 0;
    for (size_t i = 0; i < model->set_count; i++) {
        found |= model->sets[i].pooled && !model->sets[i].trained;
    }
    return found;
}

/* If a rule replaces another rule, the ledger does not say whom it was learned from. Its cost then
 * counts for everybody, under the name "". */
static const char *set_words(const cli_explained *m, const cli_set *set) {
    int refitted = cli_set_find(m, "") != NULL;
    if (set->trained) {
        return set->of_rule ? "people the classifier was trained on or the rule was learned from"
               : refitted && !has_other_pool(m)
                   ? "people the classifier or an earlier rule was learned from"
                   : dp2dp_statement_text(DP2DP_STATEMENT_TRAINED);
    }
    return is_everybody(set) ? "anybody else in a later fit"
           : !set->pooled    ? "another set of people"
           : refitted        ? "people an earlier rule was learned from"
                             : dp2dp_statement_text(DP2DP_STATEMENT_POOLED);
}

static void set_text(const cli_explained *m, const cli_set *set, cli_out *out) {
    char records[80] = "", others[32] = "";
    if (set->trained && set->of_rule && m->info->records != set->records) {
        snprintf(others, sizeof others, " and %" PRIu64, m->info->records);
    }
    if (set->records > 0) {
        snprintf(records, sizeof records, ", %s%" PRIu64 "%s %s",
                 is_everybody(set) ? "the last fit: " : "", set->records, others,
                 set->rows_per_person > 1 ? cli_noun(set->records, "row", "rows")
                                          : cli_noun(set->records, "person", "people"));
    }
    /* A set without a name of its own is called after its role. */
    int named = !is_everybody(set) && !cli_list_has("train|pool", set->name);
    cli_out_row(out, "to", "%s%s%s%s: epsilon %s%s", set_words(m, set), named ? ", called " : "",
                named ? set->name : "", records, cli_number_up(set->epsilon, 4).text,
                set->declared ? ", partly declared by others and not checked" : "");
}

/* Returns why nothing is promised. A rule without noise has a ledger entry only if its people have
 * a name. Without the entry, the file does not say whom the rule was learned from. */
static const char *nothing_words(const dp2dp_model_info *info) {
    int named = cli_marks_of(&(cli_entries) {.ledger = info->ledger}).exposed > 0;
    return info->not_private_because & DP2DP_NOT_PRIVATE_NO_BOUND
               ? "no bound is known for the algorithm as published."
           : info->strata > 0 && dp2dp_ledger_size(info->ledger) > 0 && !named
               ? "the rule has no noise, and this file does not say whether the rule was learned "
                 "from the people the classifier was trained on."
               : "without noise the model may reveal anything about the people it was made from.";
}

/* Returns whether there are several named sets; the cost assumes that nobody is in two of them. */
static int are_apart(const cli_explained *m) {
    return m->set_count > (cli_set_find(m, "") ? 2 : 1);
}

/* Returns how the costs of the sets combine into the model's cost. */
static const char *cost_words(const cli_explained *m) {
    if (cli_set_find(m, "")) {
        return are_apart(m)
                   ? ": the largest of these, if nobody is in two of the earlier sets. The later "
                     "fits count for all sets, since it is not known who was in them"
                   : ": the largest of these. The later fits count for all sets, since it is not "
                     "known who was in them";
    }
    return are_apart(m) ? ": the largest of these, if nobody is in two of the sets"
           : m->sets[0].of_rule && m->sets[0].trained
               ? ": both costs count, since some people may be in both sets"
               : "";
}

/* Prints a row if nothing is promised to the people the classifier was trained on. */
static void absent_text(const cli_explained *m, cli_out *out) {
    int own = m->info->classifier != NULL;
    const dp2dp_cover *cover = m->info->cover_count > 0 ? &m->info->covers[0] : NULL;
    const char *name = cover && strcmp(cover->role, "train") == 0 ? cover->people : NULL;
    if (!cli_set_trained(m)) {
        cli_out_row(out, "not to", "people the classifier%s was trained on%s%s: %s",
                    own ? "" : " behind the scores", name ? ", called " : "", name ? name : "",
                    own ? "it was trained without privacy" : "no privacy cost was declared");
    }
}

static void promise_text(const cli_explained *m, cli_out *out) {
    const dp2dp_model_info *info = m->info;
    uint64_t rows_per_person = 1;
    cli_out_section(out, "What it promises, and to whom");
    cli_claimed_text(info, out);
    if (isnan(m->epsilon)) {
        cli_out_prose(out, "Nothing: %s", nothing_words(info));
        return;
    }
    for (size_t i = 0; i < m->set_count; i++) {
        set_text(m, &m->sets[i], out);
        rows_per_person = m->sets[i].rows_per_person > rows_per_person ? m->sets[i].rows_per_person
                                                                       : rows_per_person;
    }
    absent_text(m, out);
    cli_protects_text(dp2dp_ledger_adjacency(info->ledger), rows_per_person, out);
    cli_out_row(out, "at a cost of", "epsilon %s, delta %s%s", cli_number_up(m->epsilon, 4).text,
                cli_number_up(info->delta, 4).text, cost_words(m));
    cli_assumes_text(&(cli_entries) {.ledger = info->ledger}, out);
    /* A classifier without privacy does not weaken the promise to the people of the rule. */
    if ((info->not_private_because & ~(unsigned)DP2DP_NOT_PRIVATE_CLASSIFIER_NOT_PRIVATE) == 0) {
        cli_explain_guess(m->epsilon, info->delta, out);
    } else {
        cli_out_prose(out, "This promise does not hold, for the reason given at the top. The "
                           "numbers are what the ledger alone would give.");
    }
}

/* Prints the threshold t that the score of class 1 must exceed in each group, for a model with two
 * classes. The two scores sum to 1, so adding a to their difference moves t from 1/2 to (1 - a)
 * / 2.
 */
static void thresholds_text(const dp2dp_model_info *info, cli_out *out) {
    static const char *const names[] = {"before", "after"};
    double values[2 * CHANGES_MAX];
    for (size_t g = 0; g < info->strata; g++) {
        double added = shift_of(info, g, 1) - shift_of(info, g, 0);
        values[2 * g] = 0.5;
        values[2 * g + 1] = fmin(1, fmax(0, (1 - added) / 2));
    }
    cli_out_prose(out, "Class %.200s is given if its score is above", info->names.classes[1]);
    cli_out_table(out, &(cli_table) {info->strata, 2, info->names.groups, names, values, 4});
}

static void shifts_text(const dp2dp_model_info *info, cli_out *out) {
    double values[CHANGES_MAX];
    for (size_t g = 0; g < info->strata; g++) {
        for (size_t k = 0; k < info->classes; k++) {
            values[g * info->classes + k] = shift_of(info, g, k);
        }
    }
    cli_out_prose(
        out, "Added to the score of each class, before the class with the largest score is chosen");
    cli_out_table(out, &(cli_table) {info->strata, info->classes, info->names.groups,
                                     info->names.classes, values, 4});
}

/* Prints which class has the largest shift in group g, and which has the smallest. The rule never
 * takes the first of these classes away from anybody, and never newly gives the second to anybody.
 */
static void direction_text(const dp2dp_model_info *info, size_t g, cli_out *out) {
    size_t up = 0, down = 0;
    for (size_t k = 1; k < info->classes; k++) {
        double added = shift_of(info, g, k);
        up = added > shift_of(info, g, up) ? k : up;
        down = added < shift_of(info, g, down) ? k : down;
    }
    double gap = shift_of(info, g, up) - shift_of(info, g, down);
    if (gap < no_change) {
        cli_out_row(out, "group", "%.200s: nothing changes", info->names.groups[g]);
    } else {
        cli_out_row(out, "group", "%.200s: class %.200s is given more easily, %.200s less easily",
                    info->names.groups[g], info->names.classes[up], info->names.classes[down]);
    }
}

static void change_text(const cli_explained *m, cli_out *out) {
    const dp2dp_model_info *info = m->info;
    if (info->strata == 0) {
        return;
    }
    cli_out_section(out, "What changes for which group");
    if (info->strata * info->classes > CHANGES_MAX) {
        cli_out_prose(out,
                      "There are %zu groups and %zu classes: --json lists the offsets, which are "
                      "subtracted from the scores.",
                      info->strata, info->classes);
        return;
    }
    if (!cli_criterion_is_plain(info)) {
        cli_changes_text(info, out);
        cli_noise_text(info, out);
        return;
    }
    for (size_t g = 0; g < info->strata; g++) {
        direction_text(info, g, out);
    }
    (info->classes == 2 ? thresholds_text : shifts_text)(info, out);
    cli_out_prose(out, "The same person always gets the same decision.");
}

/* Prints what the file states but cannot prove. */
static void trust_text(const cli_explained *m, cli_out *out) {
    int declared = 0;
    for (size_t i = 0; i < m->set_count; i++) {
        declared |= m->sets[i].declared;
    }
    if (are_apart(m)) {
        cli_out_prose(out, "It is not checked that nobody is in two of the sets of people.");
    }
    if (declared) {
        cli_out_prose(out, "The privacy costs that others declared are not checked.");
    }
}

static void limits_text(const cli_explained *m, cli_out *out) {
    const dp2dp_model_info *info = m->info;
    cli_out_section(out, "What it does not promise");
    if (info->strata > 0) {
        cli_out_prose(out,
                      "%s dp2dp certify bounds the remaining unfairness, using other people. "
                      "\"Fair\" here means %s.%s",
                      dp2dp_statement_text(DP2DP_STATEMENT_AIM),
                      info->labels > 1 ? cli_criterion_help(info)
                                       : "demographic parity: each group gets each class equally "
                                         "often. Errors may differ between groups",
                      info->labels > 1 ? " Other notions of fair are not promised: dp2dp evaluate "
                                         "prints their gaps beside each other."
                                       : "");
    }
    if (info->dither.width > 0 && !cli_criterion_is_plain(info)) {
        cli_out_prose(
            out, "The model does not show how many decisions depend on the public random number. "
                 "dp2dp predict --out FILE counts them for the people it decides about.");
    }
    cli_out_prose(out, "%s", dp2dp_statement_text(DP2DP_STATEMENT_DECISIONS));
    trust_text(m, out);
    cli_warnings_text(info->warnings, out);
    if (info->classifier && info->strata == 0) {
        cli_classifier_caution(cli_classifier_noise(info), out);
    }
}

void cli_explained_text(const cli_explained *m, cli_out *out) {
    cli_reasons_text(m->info->not_private_because, out);
    fputs(cli_bold(out), out->stream);
    cli_print_safely(out->stream, m->path);
    fprintf(out->stream, ", %s%s\n",
            m->info->strata == 0  ? "a classifier"
            : m->info->classifier ? "a classifier with a fair rule"
                                  : "a fair rule for scores",
            cli_plain(out));
    if (m->info->from_version > 0) {
        cli_out_row(out, "file",
                    "of version %d, which does not say whom the model covers: that is read from "
                    "its ledger. A command that saves the model writes the newer format",
                    m->info->from_version);
    }
    purpose_text(m, out);
    promise_text(m, out);
    change_text(m, out);
    limits_text(m, out);
}
