#include "decide/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/options.h"
#include "decide/columns.h"

const char dp2dpi_no_decisions[] =
    "the model predicts the group and makes no decisions; use it only for the weights of a rule "
    "that does not see the group";

static size_t names_of(const dp2dp_model *model) {
    return model->info.groups + 2 * model->info.classes + 1 + model->info.weight_columns;
}

static void free_classifier(dp2dpi_held_classifier *held) {
    dp2dpi_free(held->weights);
    dp2dpi_free(held->schema);
    dp2dpi_free(held->trained_by);
    for (size_t g = 0; held->groups && g < held->view.schema_group_count; g++) {
        dp2dpi_free(held->groups[g]);
    }
    dp2dpi_free(held->groups);
}

void dp2dp_model_free(dp2dp_model *model) {
    if (model == NULL) {
        return;
    }
    for (size_t i = 0; model->names && i < names_of(model); i++) {
        dp2dpi_free(model->names[i]);
    }
    dp2dpi_free(model->names);
    dp2dpi_free(model->library_version);
    dp2dp_ledger_free(model->ledger);
    dp2dpi_free(model->offsets);
    dp2dpi_free(model->offsets_single);
    free_classifier(&model->classifier);
    free_classifier(&model->group_classifier);
    dp2dpi_free(model->statistics);
    dp2dpi_free(model->label_sets);
    dp2dpi_free(model);
}

const dp2dp_model_info *dp2dp_model_view(const dp2dp_model *model) {
    return &model->info;
}

static dp2dp_status copy_name(const char *what, const char *name, char **out, dp2dp_error *error) {
    size_t length = name ? strlen(name) : 0;
    if (length == 0 || length > DP2DPI_NAME_MAX || !dp2dpi_json_is_utf8(name)) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "the name of a %s has %zu bytes; it must be UTF-8 of 1 to %d bytes",
                           what, length, DP2DPI_NAME_MAX);
    }
    return dp2dpi_strdup(name, out, error);
}

/* Copies n distinct names to out. If none are given, the names are "0", "1", … */
static dp2dp_status copy_names(const char *what, const char *const *names, size_t n, char **out,
                               dp2dp_error *error) {
    for (size_t i = 0; i < n; i++) {
        char number[24];
        snprintf(number, sizeof number, "%zu", i);
        DP2DPI_TRY(copy_name(what, names ? names[i] : number, &out[i], error));
        for (size_t j = 0; j < i && names; j++) {
            if (strcmp(out[i], out[j]) == 0) {
                return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                                   "%s %zu and %s %zu have the same name", what, j + 1, what,
                                   i + 1);
            }
        }
    }
    return DP2DP_STATUS_OK;
}

static dp2dp_status take_names(dp2dp_model *model, const dp2dp_names *names,
                               const char *const *weights, dp2dp_error *error) {
    size_t groups = model->info.groups, classes = model->info.classes;
    char **class_names = model->names + groups, **score_names = class_names + classes;
    char **column = score_names + classes, **weight_names = column + 1;
    DP2DPI_TRY(copy_names("group", names->groups, groups, model->names, error));
    DP2DPI_TRY(copy_names("class", names->classes, classes, class_names, error));
    if (names->scores) {
        DP2DPI_TRY(copy_names("score column", names->scores, classes, score_names, error));
    }
    if (names->group_column) {
        DP2DPI_TRY(copy_name("group column", names->group_column, column, error));
    }
    if (weights) {
        DP2DPI_TRY(
            copy_names("weight column", weights, model->info.weight_columns, weight_names, error));
        model->info.weights = (const char *const *)weight_names;
    }
    model->info.names = (dp2dp_names) {
        .groups = (const char *const *)model->names,
        .classes = (const char *const *)class_names,
        .scores = names->scores ? (const char *const *)score_names : NULL,
        .group_column = *column,
    };
    return DP2DP_STATUS_OK;
}

static dp2dp_status allocate(dp2dp_model *model, dp2dp_error *error) {
    size_t strata = model->info.strata, cells = strata * model->info.classes;
    /* the kernels always read at least two rows of offsets */
    size_t rows = strata > 0 ? strata + model->info.labels : 2;
    DP2DPI_TRY(DP2DPI_ALLOC(model->offsets, cells + 2 * strata, "a model", error));
    model->shares = model->offsets + cells;
    model->rate_noise = model->shares + strata;
    DP2DPI_TRY(DP2DPI_ALLOC(model->offsets_single,
                            rows * model->info.classes + DP2DPI_COLUMNS_SLACK, "a model", error));
    DP2DPI_TRY(DP2DPI_ALLOC(model->names, names_of(model), "a model", error));
    return dp2dpi_ledger_new_of_model(&model->ledger, error);
}

dp2dp_status dp2dpi_model_new(const dp2dpi_model_kind *kind, const dp2dp_names *names,
                              dp2dp_model **out, dp2dp_error *error) {
    size_t labels = kind->labels > 1 ? kind->labels : 1;
    dp2dp_status status = DP2DP_STATUS_OK;
    *out = NULL;
    dp2dp_model *model;
    DP2DPI_TRY(DP2DPI_ALLOC(model, 1, "a model", error));
    model->info = (dp2dp_model_info) {.struct_size = sizeof model->info,
                                      .strata = kind->strata,
                                      .classes = kind->classes,
                                      .groups = kind->strata ? kind->strata / labels : kind->groups,
                                      .labels = labels,
                                      .rule = kind->rule,
                                      .positive = DP2DP_POSITIVE_DEFAULT,
                                      .weight_columns = kind->weight_columns,
                                      .tolerance = NAN,
                                      .epsilon = NAN,
                                      .delta = NAN,
                                      .epsilon_claimed = NAN,
                                      .classifier_noise = NAN};
    DP2DPI_TRY_OR_DONE(allocate(model, error));
    DP2DPI_TRY_OR_DONE(take_names(model, names, kind->weights, error));
    model->info.offsets = model->offsets;
    model->info.shares = model->shares;
    model->info.rate_noise = model->rate_noise;
    for (size_t e = 0; e < kind->strata; e++) {
        model->rate_noise[e] = NAN;
    }
    model->info.ledger = model->ledger;
    model->info.options = &model->options;
    model->options.struct_size = sizeof model->options;
    *out = model;
    model = NULL;
done:
    dp2dp_model_free(model);
    return status;
}

dp2dp_status dp2dpi_model_new_without_rule(const dp2dp_schema_info *schema, dp2dp_target target,
                                           dp2dp_model **out, dp2dp_error *error) {
    unsigned parts = dp2dp_target_parts(target);
    const dp2dpi_model_kind kind = {
        .classes = parts & DP2DP_PART_LABEL ? schema->class_count : 0,
        .groups = parts & DP2DP_PART_GROUP ? schema->group_count : 0,
    };
    const dp2dp_names names = {.groups = schema->groups, .classes = schema->classes};
    return dp2dpi_model_new(&kind, &names, out, error);
}

dp2dp_status dp2dpi_model_set_criterion(dp2dp_model *model, const dp2dpi_criterion *criterion,
                                        dp2dp_error *error) {
    dp2dp_model_info *info = &model->info;
    size_t n = criterion->custom ? criterion->custom_count : 0;
    info->criterion = criterion->criterion;
    info->positive = criterion->positive;
    if (n == 0) {
        return DP2DP_STATUS_OK;
    }
    DP2DPI_TRY(DP2DPI_ALLOC(model->statistics, n, "a criterion", error));
    DP2DPI_TRY(DP2DPI_ALLOC(model->label_sets, n * info->classes, "a criterion", error));
    for (size_t s = 0; s < n; s++) {
        unsigned char *set = model->label_sets + s * info->classes;
        for (size_t y = 0; y < info->classes; y++) {
            set[y] = criterion->custom[s].labels == NULL || criterion->custom[s].labels[y] != 0;
        }
        model->statistics[s] = (dp2dp_statistic) {criterion->custom[s].class_index, set};
    }
    info->statistics = model->statistics;
    info->statistic_count = n;
    return DP2DP_STATUS_OK;
}

/* Copies the groups of the schema, so that a rule for this classifier can be compared with them. */
static dp2dp_status keep_groups(dp2dpi_held_classifier *held, const dp2dp_classifier *classifier,
                                dp2dp_error *error) {
    size_t n = classifier->schema_group_count;
    if (n == 0) {
        return DP2DP_STATUS_OK;
    }
    DP2DPI_TRY(DP2DPI_ALLOC(held->groups, n, "the groups of a schema", error));
    held->view.schema_group_count = n;
    for (size_t g = 0; g < n; g++) {
        DP2DPI_TRY(dp2dpi_strdup(classifier->schema_groups[g], &held->groups[g], error));
    }
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dpi_model_add_classifier(dp2dp_model *model, const dp2dp_classifier *classifier,
                                         dp2dp_error *error) {
    int beside = classifier->target == DP2DP_TARGET_GROUP && model->info.classes > 0;
    dp2dpi_held_classifier *held = beside ? &model->group_classifier : &model->classifier;
    size_t cells = classifier->outputs * (classifier->features + 1);
    DP2DPI_TRY(DP2DPI_ALLOC(held->weights, cells, "a classifier", error));
    DP2DPI_TRY(dp2dpi_strdup(classifier->schema, &held->schema, error));
    DP2DPI_TRY(dp2dpi_strdup(classifier->library_version, &held->trained_by, error));
    DP2DPI_TRY(keep_groups(held, classifier, error));
    if (classifier->weights) {
        memcpy(held->weights, classifier->weights, cells * sizeof(double));
    }
    held->view = *classifier;
    dp2dpi_options_copy(DP2DP_STRUCT_TRAIN_OPTIONS, classifier->options, &held->options);
    held->view.options = &held->options;
    held->view.weights = held->weights;
    held->view.schema = held->schema;
    held->view.library_version = held->trained_by;
    held->view.schema_groups = (const char *const *)held->groups;
    *(beside ? &model->info.group_classifier : &model->info.classifier) = &held->view;
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dpi_model_account(dp2dp_model *model, double delta, dp2dp_error *error) {
    if (!dp2dpi_ledger_has_cost(model->ledger) ||
        (model->info.not_private_because & DP2DP_NOT_PRIVATE_NO_BOUND)) {
        return DP2DP_STATUS_OK;
    }
    model->info.delta = delta;
    return dp2dpi_ledger_epsilon(model->ledger, delta, &model->info.epsilon, error);
}

const char *dp2dpi_trained_people(const dp2dp_model *base) {
    const dp2dp_ledger *ledger = base ? base->ledger : NULL;
    for (size_t i = 0; ledger && i < ledger->size; i++) {
        const dp2dp_event *event = &ledger->entries[i].event;
        if (event->set && event->role && strcmp(event->role, DP2DPI_ROLE_TRAIN) == 0) {
            return event->set;
        }
    }
    return NULL;
}

/* Returns the name of the people whom base and group_base were trained on. Both models were trained
 * on the same people, so either model can give the name. A model without charges has no name for
 * its people. */
static const char *people_behind(const dp2dp_fit_options *options) {
    const char *people = dp2dpi_trained_people(options->base);
    return people ? people : dp2dpi_trained_people(options->group_base);
}

const char *dp2dpi_fit_people(const dp2dp_fit_options *options) {
    return options->people_name                   ? options->people_name
           : options->people == DP2DP_PEOPLE_SAME ? people_behind(options)
                                                  : NULL;
}

/* In the user's ledger, the charges name people only if the caller gives a name. Without a name
 * they count for everybody. The ledger must not get the name of the people in the training instead,
 * because the pool may also contain other people. If the pool has the same people as the training
 * and these people have no name, the model's own ledger calls them "train".
 *
 * A base model with a rule was already fitted to a pool, and the new pool may contain some of the
 * same people. So in the model's own ledger, the charges of this second fit count for everybody. */
dp2dpi_release_terms dp2dpi_fit_terms(const dp2dp_fit_options *options, dp2dp_ledger *own) {
    int refit = options->base && options->base->info.strata > 0;
    const char *people = dp2dpi_fit_people(options);
    const char *own_set = people                                 ? people
                          : options->people == DP2DP_PEOPLE_SAME ? DP2DPI_ROLE_TRAIN
                                                                 : NULL;
    return (dp2dpi_release_terms) {.epsilon = options->epsilon,
                                   .delta = options->delta,
                                   .rows_per_person = options->rows_per_person,
                                   .people = options->people_name,
                                   .role = refit ? NULL : DP2DPI_ROLE_POOL,
                                   .own_set = refit ? NULL : own_set,
                                   .verb = "fit",
                                   .rng = options->rng,
                                   .insecure_seed = options->insecure_seed,
                                   .ledger = options->ledger,
                                   .own = own};
}

dp2dp_status dp2dpi_fit_progress(const dp2dp_fit_options *options, uint64_t step, uint64_t total,
                                 dp2dp_error *error) {
    if (options->progress == NULL ||
        options->progress(options->progress_context, step, total) == 0) {
        return DP2DP_STATUS_OK;
    }
    return dp2dpi_fail(error, DP2DP_STATUS_CANCELLED,
                       options->solver == DP2DP_SOLVER_EXACT
                           ? "cancelled"
                           : "cancelled; the charges stay in the ledger");
}

void dp2dpi_model_publish(dp2dp_model *model) {
    for (size_t i = 0; i < model->info.strata * model->info.classes; i++) {
        model->offsets_single[i] = (float)model->offsets[i];
        model->offsets[i] = (double)model->offsets_single[i];
    }
}
