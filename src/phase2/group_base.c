#include "phase2/group_base.h"

#include <stdio.h>
#include <string.h>

#include "base/order.h"
#include "decide/model.h"

int dp2dpi_are_alike(const char *const *given, const char *const *own, size_t n) {
    for (size_t i = 0; given && i < n; i++) {
        if (own == NULL || given[i] == NULL || strcmp(given[i], own[i]) != 0) {
            return 0;
        }
    }
    return 1;
}

const dp2dp_model *dp2dpi_weights_behind(const dp2dp_source *source, const dp2dp_fit_options *o) {
    const dp2dp_model_info *base = o->base ? &o->base->info : NULL;
    if (source->rule != DP2DP_RULE_WEIGHTED || base == NULL || base->classifier == NULL) {
        return NULL;
    }
    return o->group_base ? o->group_base
           : base->classifier->target == DP2DP_TARGET_GROUP_LABEL || base->group_classifier
               ? o->base
               : NULL;
}

/* The weights are in the order of the groups that the model predicts, so the rule must have these
 * groups in this order. */
static dp2dp_status check_groups(const dp2dp_source *source, const dp2dp_fit_options *o,
                                 dp2dp_error *error) {
    const dp2dp_model_info *behind =
        dp2dpi_weights_behind(source, o) ? &dp2dpi_weights_behind(source, o)->info : NULL;
    if (behind == NULL) {
        return DP2DP_STATUS_OK;
    }
    return source->strata / source->labels == behind->groups &&
                   dp2dpi_are_alike(o->names.groups, behind->names.groups, behind->groups)
               ? DP2DP_STATUS_OK
               : dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                             "names: the groups must be those of the model that computed the group "
                             "scores (the weights), in the same order");
}

/* Returns what is wrong with group_base, as the end of a message, or NULL if nothing is wrong. */
static const char *flaw_of(const dp2dp_source *source, const dp2dp_fit_options *o) {
    const dp2dp_classifier *groups = o->group_base->info.classifier;
    const dp2dp_classifier *labels = o->base ? o->base->info.classifier : NULL;
    if (groups == NULL || groups->target != DP2DP_TARGET_GROUP) {
        return "must be a model that predicts the group";
    }
    if (labels == NULL || labels->target != DP2DP_TARGET_LABEL || o->base->info.strata > 0) {
        return "needs a base that predicts the label and has no rule";
    }
    if (source->rule != DP2DP_RULE_WEIGHTED || source->weight_columns != groups->outputs) {
        return "needs a source whose rule is weighted and has one weight for each group";
    }
    if (strcmp(groups->schema, labels->schema) != 0) {
        return "must have the same schema as base, because both read the same table";
    }
    const char *names[] = {dp2dpi_trained_people(o->base), dp2dpi_trained_people(o->group_base)};
    int same = names[0] && names[1] ? strcmp(names[0], names[1]) == 0 : names[0] == names[1];
    /* A classifier without charges has no name for its people, so there is nothing to compare. */
    return same || o->base->ledger->size == 0 || o->group_base->ledger->size == 0
               ? NULL
               : "must be trained on the same people as base, with the same name for them";
}

dp2dp_status dp2dpi_group_base_check(const dp2dp_source *source, const dp2dp_fit_options *o,
                                     dp2dp_error *error) {
    const char *flaw = o->group_base ? flaw_of(source, o) : NULL;
    return flaw ? dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "group_base %s", flaw)
                : check_groups(source, o, error);
}

/* Writes the names, separated by ", ", to the text. Cuts off names that do not fit. */
static void join(const char *const *names, size_t n, char *text, size_t size) {
    size_t at = 0;
    text[0] = '\0';
    for (size_t g = 0; g < n && at < size; g++) {
        int wrote = snprintf(text + at, size - at, "%s%s", g ? ", " : "", names[g]);
        at += wrote > 0 ? (size_t)wrote : size;
    }
}

/* The groups of the rule must be those of base's schema, in the schema's order: everything that
 * reads a table with this schema gives each row the code of its group in the schema. */
static dp2dp_status check_schema_groups(const dp2dp_source *source, const dp2dp_fit_options *o,
                                        dp2dp_error *error) {
    const dp2dp_classifier *c = o->base->info.classifier;
    size_t n = source->strata / source->labels, known = c ? c->schema_group_count : 0;
    const char *const *given = o->names.groups;
    char names[120];
    if (known == 0 ||
        (n == known && (given == NULL || dp2dpi_are_alike(given, c->schema_groups, n)))) {
        return DP2DP_STATUS_OK;
    }
    join(c->schema_groups, known, names, sizeof names);
    return given && dp2dpi_are_reordered(given, n, c->schema_groups, known)
               ? dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                             "group_names are the groups of base in another order: put codes and "
                             "names in the order [%s]; group_names may then be left out",
                             names)
               : dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                             "group_names are not the groups of base, whose schema declares [%s]. "
                             "For a rule about other groups, pass the scores without base, and "
                             "state scores_epsilon, scores_delta and scores_id",
                             names);
}

dp2dp_status dp2dpi_base_check_names(const dp2dp_source *source, const dp2dp_fit_options *o,
                                     dp2dp_error *error) {
    const dp2dp_model_info *base = &o->base->info;
    if (!dp2dpi_are_alike(o->names.classes, base->names.classes, base->classes) ||
        !dp2dpi_are_alike(o->names.scores, base->names.scores, base->classes)) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "names: the names of classes and score columns must be the same as in "
                           "base, the model that computed the scores");
    }
    return check_schema_groups(source, o, error);
}
