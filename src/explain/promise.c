#include "explain/explain.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mechanism/ledger.h"

static int is_everybody(const dp2dp_promise *p) {
    return *p->people == '\0';
}

/* Returns 1 if the model was fitted a second time. Such a model makes a promise to everybody, and
 * no other model does. */
static int is_refitted(const dp2dp_model_info *info) {
    int found = 0;
    for (size_t i = 0; i < info->promise_count; i++) {
        found |= is_everybody(&info->promises[i]);
    }
    return found;
}

/* Returns 1 if something is promised to the people the classifier was trained on. */
static int covers_training(const dp2dp_model_info *info) {
    int found = 0;
    for (size_t i = 0; i < info->promise_count; i++) {
        found |= info->promises[i].trained;
    }
    return found;
}

/* Returns 1 if a rule was learned from people whom the classifier was not trained on. */
static int has_other_pool(const dp2dp_model_info *info) {
    int found = 0;
    for (size_t i = 0; i < info->promise_count; i++) {
        found |= info->promises[i].pooled && !info->promises[i].trained;
    }
    return found;
}

/* Returns words for the people whom a promise is made to; the name "" stands for everybody. If a
 * new rule replaces another rule, the cost of the new rule counts for everybody, because the ledger
 * does not say whom the new rule was learned from. */
static const char *promise_words(const dp2dp_model_info *info, const dp2dp_promise *p) {
    int refitted = is_refitted(info);
    if (p->trained) {
        return p->of_rule ? "people the classifier was trained on or the rule was learned from"
               : refitted && !has_other_pool(info)
                   ? "people the classifier or an earlier rule was learned from"
                   : dp2dp_statement_text(DP2DP_STATEMENT_TRAINED);
    }
    return is_everybody(p) ? "anybody else whose data a later fit used"
           : !p->pooled    ? "another set of people"
           : refitted      ? "people an earlier rule was learned from"
                           : dp2dp_statement_text(DP2DP_STATEMENT_POOLED);
}

/* Returns 1 if all charges for the people of a promise were declared. */
static int is_stated(const dp2dp_model_info *info, const dp2dp_promise *p) {
    for (size_t i = 0; i < info->ledger->size; i++) {
        const dp2dp_event *event = &info->ledger->entries[i].event;
        const char *set = event->set && *event->set ? event->set : event->role;
        int counts = set == NULL || *set == '\0' || strcmp(set, p->people) == 0;
        if (counts && event->mechanism != DP2DP_DECLARED) {
            return 0;
        }
    }
    return p->declared;
}

static void explain_one(const dp2dp_model_info *info, const dp2dp_promise *p, dp2dpi_text *t) {
    char records[80] = "", others[32] = "";
    if (p->trained && p->of_rule && info->records != p->records) {
        (void)snprintf(others, sizeof others, " and %" PRIu64, info->records);
    }
    if (p->records > 0) {
        (void)snprintf(records, sizeof records, ", %" PRIu64 "%s %s%s", p->records, others,
                       p->rows_per_person > 1 ? dp2dpi_layout_noun(p->records, "row", "rows")
                                              : dp2dpi_layout_noun(p->records, "person", "people"),
                       is_everybody(p) ? " in the last fit" : "");
    }
    /* If the user gave these people no name, p->people holds the role of their charges ("train" or
     * "pool") instead. Only a name that the user gave is shown. */
    int named = !is_everybody(p) && !dp2dpi_is_role(p->people);
    dp2dpi_layout_row(t, "to", "%s%s%s%s: epsilon %s%s", promise_words(info, p),
                      named ? ", called " : "", named ? p->people : "", records,
                      dp2dpi_number_up(p->epsilon, 4).text,
                      is_stated(info, p) ? ", which the user stated and nobody checked"
                      : p->declared      ? ", a part of which the user stated and nobody checked"
                                         : "");
}

static int has_exposure(const dp2dp_ledger *ledger) {
    int found = 0;
    for (size_t i = 0; i < ledger->size; i++) {
        found |= ledger->entries[i].event.mechanism == DP2DP_EXPOSED;
    }
    return found;
}

/* Returns why nothing is promised. A rule without noise has a ledger entry only if its people have
 * a name. Without the entry, the file does not say whom the rule was learned from. */
static const char *nothing_words(const dp2dp_model_info *info) {
    int named = has_exposure(info->ledger);
    return info->not_private_because & DP2DP_NOT_PRIVATE_NO_BOUND
               ? "no useful upper bound on epsilon is known for the algorithm as published."
           : info->strata > 0 && dp2dp_ledger_size(info->ledger) > 0 && !named
               ? "the rule has no noise, and this file does not say whether the rule was learned "
                 "from the people the classifier was trained on."
               : "without noise the model may reveal anything about the people it was made from.";
}

/* Returns 1 if promises are made to several sets of people, "everybody" not counted. The model's
 * cost then assumes that nobody is in two of these sets. */
static int are_apart(const dp2dp_model_info *info) {
    return info->promise_count > (is_refitted(info) ? 2 : 1);
}

/* Returns words that say how the model's cost follows from the costs to the sets of people. */
static const char *cost_words(const dp2dp_model_info *info) {
    if (is_refitted(info)) {
        return are_apart(info)
                   ? "the largest of the costs above, if nobody is in two of the sets that were "
                     "used before the rule was replaced. The later fits, which replaced it, count "
                     "for all sets, since it is not known whose data they used"
                   : "the largest of the costs above. The later fits, which replaced the rule, "
                     "count for all sets, since it is not known whose data they used";
    }
    return are_apart(info) ? "the largest of the costs above, if nobody is in two of the sets"
           : info->promises[0].of_rule && info->promises[0].trained
               ? dp2dp_statement_text(DP2DP_STATEMENT_BOTH_COUNT)
               : "";
}

/* Appends a row if nothing is promised to the people the classifier was trained on. */
static void explain_absent(const dp2dp_model_info *info, dp2dpi_text *t) {
    int own = info->classifier != NULL;
    const dp2dp_cover *cover = info->cover_count > 0 ? &info->covers[0] : NULL;
    const char *name = cover && strcmp(cover->role, "train") == 0 ? cover->people : NULL;
    if (!covers_training(info)) {
        dp2dpi_layout_row(t, "not to", "people the classifier%s was trained on%s%s: %s",
                          own ? "" : " behind the scores", name ? ", called " : "",
                          name ? name : "",
                          own ? "it was trained without privacy" : "no privacy cost was declared");
    }
}

static void explain_protected(dp2dp_adjacency adjacency, uint64_t rows, dp2dpi_text *t) {
    int replaced = adjacency == DP2DP_REPLACE_ONE;
    const char *change =
        dp2dp_statement_text(replaced ? DP2DP_STATEMENT_REPLACED : DP2DP_STATEMENT_ADDED);
    const char *name = dp2dp_adjacency_name(adjacency);
    if (rows > 1) {
        dp2dpi_layout_row(t, "protects", "%s, at most %" PRIu64 ", which may be %s%s (%s)",
                          dp2dp_statement_text(DP2DP_STATEMENT_RECORDS), rows, change,
                          replaced ? "s" : "", name);
    } else {
        dp2dpi_layout_row(t, "protects", "%s, which may be %s (%s)",
                          dp2dp_statement_text(DP2DP_STATEMENT_RECORD), change, name);
    }
}

/* Appends an upper bound on how often somebody can guess right between two equally likely cases
 * that differ in one person's record. The best guess is right with probability (1 + t)/2, where t
 * is the total variation distance between the outputs of the two cases. By (ε, δ)-DP,
 * t ≤ (e^ε − 1 + 2δ)/(e^ε + 1). */
static void explain_guess(double epsilon, double delta, dp2dpi_text *t) {
    if (delta >= 1 || epsilon > 700) {
        dp2dpi_layout_prose(t, "%s",
                            dp2dp_statement_text(delta >= 1 ? DP2DP_STATEMENT_GUESS_NOTHING
                                                            : DP2DP_STATEMENT_GUESS_UNBOUNDED));
        return;
    }
    double right = 1 / (1 + exp(-epsilon)) + delta / (1 + exp(epsilon));
    dp2dpi_layout_prose(t, "%s %s times in 100; 50 would be chance.",
                        dp2dp_statement_text(DP2DP_STATEMENT_GUESS),
                        dp2dpi_number_up(fmin(100, 100 * right), 3).text);
}

void dp2dpi_explain_promise(const dp2dp_model_info *info, dp2dpi_text *t) {
    uint64_t rows_per_person = 1;
    dp2dpi_layout_section(t, "What it promises, and to whom");
    if (!isnan(info->epsilon_claimed)) {
        dp2dpi_layout_row(t, "claimed", "epsilon %s %s",
                          dp2dpi_number_up(info->epsilon_claimed, 4).text,
                          dp2dp_statement_text(DP2DP_STATEMENT_CLAIMED));
    }
    if (!dp2dp_model_has_epsilon(info)) {
        dp2dpi_layout_prose(t, "Nothing: %s", nothing_words(info));
        return;
    }
    for (size_t i = 0; i < info->promise_count; i++) {
        explain_one(info, &info->promises[i], t);
        rows_per_person = info->promises[i].rows_per_person > rows_per_person
                              ? info->promises[i].rows_per_person
                              : rows_per_person;
    }
    explain_absent(info, t);
    explain_protected(info->ledger->adjacency, rows_per_person, t);
    const char *how = cost_words(info);
    dp2dpi_layout_row(t, "at a cost of", "epsilon %s, delta %s%s%s",
                      dp2dpi_number_up(info->epsilon, 4).text,
                      dp2dpi_number_up(info->delta, 4).text, *how ? ": " : "", how);
    char assumes[DP2DPI_ASSUMES_SIZE];
    dp2dpi_explain_assumes(info->ledger, assumes);
    dp2dpi_layout_row(t, "assumes", "%s", assumes);
    /* The promise to the people the rule was learned from holds even if the classifier is not
     * private. */
    if ((info->not_private_because & ~(unsigned)DP2DP_NOT_PRIVATE_CLASSIFIER_NOT_PRIVATE) == 0) {
        explain_guess(info->epsilon, info->delta, t);
    } else {
        dp2dpi_layout_prose(t, "This promise does not hold, for the reason given at the top. The "
                               "numbers are what the ledger alone would give.");
    }
}

void dp2dpi_explain_trust(const dp2dp_model_info *info, dp2dpi_text *t) {
    int declared = 0;
    for (size_t i = 0; i < info->promise_count; i++) {
        declared |= info->promises[i].declared;
    }
    if (are_apart(info)) {
        dp2dpi_layout_prose(t, "Nobody has checked whether a person is in two of the sets above.");
    }
    if (declared) {
        dp2dpi_layout_prose(t, "Nobody has checked the declared privacy costs.");
    }
}
