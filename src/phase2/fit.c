#include <dp2dp/fit.h>

#include <math.h>
#include <string.h>

#include <dp2dp/version.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/options.h"
#include "base/source.h"
#include "decide/covers.h"
#include "decide/model.h"
#include "mechanism/ledger.h"
#include "phase2/counts.h"
#include "phase2/exact.h"
#include "phase2/group_base.h"
#include "phase2/names.h"
#include "phase2/remaining.h"
#include "phase2/sgd.h"
#include "phase2/sgd_as_published.h"
#include "phase2/sgd_as_published_release.h"
#include "phase2/sgd_release.h"
#include "pool/expand.h"

static const unsigned declarable =
    DP2DP_NOT_PRIVATE_LABELS_FROM_DATA | DP2DP_NOT_PRIVATE_SCHEMA_FROM_DATA |
    DP2DP_NOT_PRIVATE_SCORES_FROM_POOL | DP2DP_NOT_PRIVATE_CLASSIFIER_NOT_PRIVATE;
static int is_private_solver(dp2dp_solver solver) {
    return solver != DP2DP_SOLVER_EXACT;
}

static dp2dp_status check_options(const dp2dp_fit_options *o, dp2dp_error *error) {
    if (dp2dp_solver_name(o->solver) == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "solver = %d: not a known solver",
                           (int)o->solver);
    }
    if (o->not_private_because & ~(unsigned)declarable) {
        return dp2dpi_fail(
            error, DP2DP_STATUS_ARGUMENT,
            "not_private_because = %u: only the bits labels-from-data, schema-from-data, "
            "scores-from-pool and classifier-not-private may be set",
            o->not_private_because);
    }
    if (is_private_solver(o->solver)) {
        DP2DPI_TRY(dp2dpi_release_check_budget(o->epsilon, o->delta, DP2DPI_EPSILON_MAY_BE_INFINITE,
                                               error));
    }
    DP2DPI_TRY(dp2dpi_release_check(o->rng, o->ledger, error));
    return dp2dpi_options_check(DP2DP_STRUCT_FIT_OPTIONS, o, error);
}

/* Checks the caller's statements about the model that computed the scores. */
static dp2dp_status check_declared(const dp2dp_fit_options *o, dp2dp_error *error) {
    int declared = !isnan(o->scores_epsilon);
    DP2DPI_TRY(dp2dpi_ledger_check_people(o->people_name, error));
    if (o->scores_id && (!declared || !dp2dpi_is_hex(o->scores_id, DP2DPI_RELEASE_ID_DIGITS))) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "scores_id must be 32 lower-case hexadecimal digits, and scores_epsilon "
                           "must be given with it");
    }
    if (o->people != DP2DP_PEOPLE_OTHER && o->people != DP2DP_PEOPLE_SAME) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "people = %d: it must be DP2DP_PEOPLE_OTHER or DP2DP_PEOPLE_SAME",
                           (int)o->people);
    }
    if (declared != !isnan(o->scores_delta) || o->scores_delta >= 1.0) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "give scores_epsilon and scores_delta together, or neither; "
                           "scores_delta must be below 1");
    }
    if (declared && o->base) {
        return dp2dpi_fail(
            error, DP2DP_STATUS_ARGUMENT,
            "scores_epsilon must not be given with base: the ledger of base already states the "
            "cost of the scores");
    }
    if (declared && (o->not_private_because & DP2DP_NOT_PRIVATE_SCORES_FROM_POOL)) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "scores_epsilon and the reason scores-from-pool contradict each other: "
                           "if the scores come from a private model that was trained on this "
                           "pool, keep scores_epsilon, set same_people and leave out "
                           "scores-from-pool");
    }
    const unsigned stated =
        DP2DP_NOT_PRIVATE_SCORES_FROM_POOL | DP2DP_NOT_PRIVATE_CLASSIFIER_NOT_PRIVATE;
    if (o->people == DP2DP_PEOPLE_SAME && !declared && o->base == NULL && o->base_plan == NULL &&
        (o->not_private_because & stated) == 0) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "same_people needs the privacy cost of the scores; set base or "
                           "scores_epsilon, or add scores-from-pool to not_private_because");
    }
    if ((declared || o->base) &&
        (o->not_private_because & DP2DP_NOT_PRIVATE_CLASSIFIER_NOT_PRIVATE)) {
        return dp2dpi_fail(
            error, DP2DP_STATUS_ARGUMENT,
            "the reason classifier-not-private must not be given with scores_epsilon or base, "
            "which already say whether the classifier is private");
    }
    return DP2DP_STATUS_OK;
}

/* Training and fit share one guarantee, so they must have the same rows_per_person. Skips ledger
 * entries that declare a guarantee or an exposure, because they have no rows_per_person. */
static dp2dp_status check_people(const dp2dp_ledger *behind, const dp2dp_fit_options *o,
                                 dp2dp_error *error) {
    for (size_t i = 0; i < dp2dp_ledger_size(behind); i++) {
        dp2dp_event event = DP2DP_EVENT_INIT;
        dp2dp_rng_kind rng;
        DP2DPI_TRY(dp2dp_ledger_entry(behind, i, &event, &rng, error));
        if (event.mechanism != DP2DP_DECLARED && event.mechanism != DP2DP_EXPOSED &&
            event.rows_per_person != o->rows_per_person) {
            return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                               "rows_per_person = %llu: the model behind the scores was charged "
                               "with rows_per_person = %llu; these two numbers must be equal",
                               (unsigned long long)o->rows_per_person,
                               (unsigned long long)event.rows_per_person);
        }
    }
    return DP2DP_STATUS_OK;
}

static dp2dp_status check_base(const dp2dp_source *source, const dp2dp_fit_options *o,
                               dp2dp_error *error) {
    DP2DPI_TRY(dp2dpi_group_base_check(source, o, error));
    if (o->base == NULL) {
        return o->base_plan ? check_people(o->base_plan, o, error) : DP2DP_STATUS_OK;
    }
    const dp2dp_model_info *base = &o->base->info;
    if (base->classes == 0) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "base: %s", dp2dpi_no_decisions);
    }
    if (source->classes != base->classes) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "the scores have %zu classes, but base, the model behind them, has %zu",
                           source->classes, base->classes);
    }
    DP2DPI_TRY(dp2dpi_base_check_names(source, o, error));
    DP2DPI_TRY(check_people(base->ledger, o, error));
    return o->group_base ? check_people(o->group_base->ledger, o, error) : DP2DP_STATUS_OK;
}

/* Returns the name of the people that base or group_base was trained on; NULL if unknown. */
static const char *name_behind(const dp2dp_fit_options *options) {
    dp2dp_fit_options unnamed = *options;
    unnamed.people = DP2DP_PEOPLE_SAME;
    unnamed.people_name = NULL;
    return dp2dpi_fit_people(&unnamed);
}

/* Returns 1 if the people of the pool are those on whom the model that computed the scores was
 * trained. Two sets of people with the same name are the same set, even if options->people is
 * OTHER. */
static int are_same(const dp2dp_fit_options *options) {
    return options->people == DP2DP_PEOPLE_SAME ||
           (options->base && dp2dpi_ledger_names(options->base->ledger, options->people_name)) ||
           (options->base_plan && dp2dpi_ledger_names(options->base_plan, options->people_name)) ||
           (options->group_base &&
            dp2dpi_ledger_names(options->group_base->ledger, options->people_name));
}

static dp2dp_status check_names(const dp2dp_source *source, const dp2dp_fit_options *o,
                                dp2dp_error *error) {
    DP2DPI_TRY(dp2dpi_names_check(o, source, error));
    if (o->base) {
        DP2DPI_TRY(dp2dpi_ledger_check_spelling(o->base->ledger, o->people_name, error));
    }
    const char *behind = o->people == DP2DP_PEOPLE_SAME ? name_behind(o) : NULL;
    return o->people_name && behind && strcmp(o->people_name, behind) != 0
               ? dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                             "people '%s': the same people are called '%s' in the model "
                             "behind the scores; use that name",
                             o->people_name, behind)
               : DP2DP_STATUS_OK;
}

static dp2dpi_criterion criterion_of(const dp2dp_fit_options *o) {
    return (dp2dpi_criterion) {.criterion = o->criterion,
                               .positive = o->positive,
                               .custom = o->statistics,
                               .custom_count = o->statistics ? o->statistic_count : 0};
}

static dp2dp_status check_criterion(const dp2dp_source *source, const dp2dp_fit_options *o,
                                    dp2dp_error *error) {
    int general = o->solver == DP2DP_SOLVER_COUNTS || o->solver == DP2DP_SOLVER_EXACT;
    if (!general &&
        (source->rule != DP2DP_RULE_OFFSET || o->criterion != DP2DP_DEMOGRAPHIC_PARITY)) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "solver %s supports only demographic parity with rules that see the "
                           "group; use solver counts or exact",
                           dp2dp_solver_name(o->solver));
    }
    dp2dpi_criterion criterion = criterion_of(o);
    dp2dpi_statistics statistics;
    dp2dp_status status =
        dp2dpi_statistics_new(&criterion, source->labels, source->classes, &statistics, error);
    dp2dpi_statistics_free(&statistics);
    DP2DPI_TRY(status);
    int has_positive = o->criterion == DP2DP_TRUE_POSITIVE_RATE_PARITY ||
                       o->criterion == DP2DP_FALSE_POSITIVE_RATE_PARITY;
    return !has_positive && o->positive != DP2DP_POSITIVE_DEFAULT
               ? dp2dpi_fail(
                     error, DP2DP_STATUS_ARGUMENT,
                     "positive = %d has no effect on criterion %s; only true_positive_rate_parity "
                     "and false_positive_rate_parity have a positive class",
                     (int)o->positive, dp2dp_criterion_name(o->criterion))
               : DP2DP_STATUS_OK;
}

/* Returns the caller's options with the solver's defaults in place of 0. The defaults depend only
 * on public numbers. */
static dp2dp_fit_options resolve(const dp2dp_source *source, const dp2dp_fit_options *options) {
    dp2dp_fit_options used = *options;
    int counts = used.solver == DP2DP_SOLVER_COUNTS;
    if (used.steps == 0) {
        used.steps = !counts              ? DP2DPI_SGD_STEPS
                     : source->labels > 1 ? DP2DPI_COUNTS_STEPS_LABELLED
                                          : DP2DPI_COUNTS_STEPS;
    }
    /* Solver `counts` gives less of the budget to the group counts than the other solvers do,
     * because each of its tables improves the estimate of the group sizes. */
    if (used.share_budget <= 0.0) {
        used.share_budget = counts ? 0.02 : 0.05;
    }
    if (used.solver == DP2DP_SOLVER_SGD_AS_PUBLISHED) {
        used.tail = 0.0;
    }
    used.batch = used.batch < source->records ? used.batch : source->records;
    return used;
}

/* Returns 1 if base is given but nothing says which model computed the weights (the probabilities
 * of the groups): base does not predict pairs of group and label, and group_base is not given. If
 * base is not given, the caller's statements about the scores hold for the weights too. */
static int are_weights_unknown(const dp2dp_fit_options *options) {
    const dp2dp_classifier *c = options->base ? options->base->info.classifier : NULL;
    return options->base && options->group_base == NULL &&
           (c == NULL || c->target != DP2DP_TARGET_GROUP_LABEL);
}

static unsigned warn_of_rule(const dp2dp_source *source, const dp2dp_fit_options *options) {
    unsigned warnings = 0;
    if (source->rule == DP2DP_RULE_LINEAR && source->dither.width <= 0.0 &&
        dp2dp_fit_dither(options, source->classes) > 0.0) {
        warnings |= DP2DP_WARNING_NEEDS_DITHER;
    }
    if (source->rule == DP2DP_RULE_WEIGHTED && source->labels > 1 &&
        source->weight_columns < source->strata) {
        warnings |= DP2DP_WARNING_GROUP_WEIGHTS;
    }
    if (source->rule == DP2DP_RULE_WEIGHTED && are_weights_unknown(options)) {
        warnings |= DP2DP_WARNING_WEIGHTS_ORIGIN_NOT_STATED;
    }
    return warnings;
}

/* Sets everything in the model that does not depend on the records. */
static dp2dp_status describe(const dp2dp_source *source, const dp2dp_fit_options *options,
                             dp2dp_model *model, dp2dp_error *error) {
    dp2dp_model_info *info = &model->info;
    info->solver = options->solver;
    dp2dpi_options_copy(DP2DP_STRUCT_FIT_OPTIONS, options, &model->options);
    info->row_sums = source->row_sums;
    info->grid_bits = source->grid_bits;
    info->dither = source->dither;
    info->records = source->records;
    info->leaves_out = source->leaves_out;
    info->counted = source->counted;
    info->dither_key = source->dither_key;
    dp2dpi_criterion criterion = criterion_of(options);
    DP2DPI_TRY(dp2dpi_model_set_criterion(model, &criterion, error));
    info->rng = options->rng;
    info->insecure_seed = options->rng == DP2DP_RNG_INSECURE ? options->insecure_seed : 0;
    info->not_private_because = options->not_private_because;
    if (options->rng == DP2DP_RNG_INSECURE) {
        info->not_private_because |= DP2DP_NOT_PRIVATE_INSECURE_NOISE;
    }
    if (!is_private_solver(options->solver) || isinf(options->epsilon)) {
        info->not_private_because |= DP2DP_NOT_PRIVATE_NO_NOISE;
    }
    if (is_private_solver(options->solver)) {
        info->warnings |= dp2dp_warn_of_budget(options->epsilon, options->delta, source->records);
    } else if (isfinite(options->epsilon)) {
        info->warnings |= DP2DP_WARNING_EPSILON_UNUSED;
    }
    info->warnings |= warn_of_rule(source, options);
    DP2DPI_TRY(dp2dpi_strdup(dp2dp_version(), &model->library_version, error));
    info->library_version = model->library_version;
    return DP2DP_STATUS_OK;
}

/* Copies to *own all charges of a model that computed scores or weights. If a charge has a role
 * (training or pool) but names no people, its copy gets the name `same`, unless `same` is NULL. */
static dp2dp_status copy_charges(const dp2dp_ledger *behind, const char *same, dp2dp_ledger *own,
                                 dp2dp_error *error) {
    for (size_t i = 0; i < behind->size; i++) {
        dp2dp_event event = behind->entries[i].event;
        event.set = event.role && event.set == NULL ? same : event.set;
        DP2DPI_TRY(dp2dpi_ledger_charge_all(own, &event, 1, behind->entries[i].rng, error));
    }
    return DP2DP_STATUS_OK;
}

/* Charges to *own what the scores and weights cost: the declared guarantee, or all charges of base
 * and group_base. If training and pool have the same people, charges that name no people get the
 * name of the pool's people. */
static dp2dp_status take_costs(const dp2dp_fit_options *options, dp2dp_ledger *own,
                               dp2dp_error *error) {
    const char *same = options->people == DP2DP_PEOPLE_SAME ? dp2dpi_fit_people(options) : NULL;
    dp2dp_event event = dp2dpi_ledger_declared(options->scores_epsilon, options->scores_delta,
                                               "scores as declared");
    const dp2dp_ledger *behind = options->base ? options->base->ledger : options->base_plan;
    if (behind == NULL && !isnan(options->scores_epsilon)) {
        event.set = same;
        event.release_id = options->scores_id;
        return dp2dpi_ledger_charge_all(own, &event, 1, DP2DP_RNG_SECURE, error);
    }
    if (behind) {
        DP2DPI_TRY(copy_charges(behind, same, own, error));
    }
    return options->group_base ? copy_charges(options->group_base->ledger, same, own, error)
                               : DP2DP_STATUS_OK;
}

/* Copies the classifiers of base and group_base, and the reasons why they are not private. If a
 * classifier without privacy was trained on people of the pool, these people have no guarantee. */
static dp2dp_status take_base(const dp2dp_fit_options *options, dp2dp_model *model,
                              dp2dp_error *error) {
    const dp2dp_model_info *base = options->base ? &options->base->info : NULL;
    if (base && base->classifier) {
        DP2DPI_TRY(dp2dpi_model_add_classifier(model, base->classifier, error));
    }
    const dp2dp_classifier *groups = options->group_base ? options->group_base->info.classifier
                                     : base              ? base->group_classifier
                                                         : NULL;
    if (groups && model->info.weight_columns == groups->outputs) {
        DP2DPI_TRY(dp2dpi_model_add_classifier(model, groups, error));
    }
    model->info.not_private_because |= dp2dpi_reasons_behind(options);
    if (are_same(options) &&
        (model->info.not_private_because & DP2DP_NOT_PRIVATE_CLASSIFIER_NOT_PRIVATE)) {
        model->info.not_private_because |= DP2DP_NOT_PRIVATE_SCORES_FROM_POOL;
    }
    return DP2DP_STATUS_OK;
}

/* If the model that computed the scores was trained on the people of the pool, lists the costs of
 * the scores that `ledger` does not contain yet. These people count as exposed if a model that
 * computed scores or weights used their data without noise. Ownership: the caller frees *lines,
 * whose texts belong to base. */
static dp2dp_status find_unpaid(const dp2dp_fit_options *options, const dp2dp_ledger *ledger,
                                const dp2dp_ledger *costs, dp2dpi_line **lines, size_t *n,
                                dp2dp_error *error) {
    unsigned behind = options->base || options->base_plan ? dp2dpi_reasons_behind(options)
                                                          : options->not_private_because;
    int same = are_same(options);
    int exposed = (options->not_private_because & DP2DP_NOT_PRIVATE_SCORES_FROM_POOL) != 0 ||
                  (same && (behind & DP2DPI_NOT_PRIVATE_EXPOSED) != 0);
    return ledger && (same || exposed)
               ? dp2dpi_ledger_find_unpaid(ledger, same ? costs : NULL, options->people_name,
                                           exposed, lines, n, error)
               : DP2DP_STATUS_OK;
}

/* Computes the model's ε at the δ of the fit or, if the fit has no δ, at the δ of the scores and
 * weights. If the scores were declared with a larger δ, there may be no ε at the δ of the fit. In
 * this case, uses the δ of the fit plus the δ of scores and weights. If the fit has no noise and
 * the scores were declared to cost 0, the model gets no ε, because an ε of 0 would look like a
 * guarantee. */
static dp2dp_status account(const dp2dp_fit_options *options, dp2dp_model *model,
                            dp2dp_error *error) {
    double behind = options->base ? options->base->info.delta : options->scores_delta;
    double weights = options->group_base ? options->group_base->info.delta : NAN;
    behind = isnan(behind) ? weights : isnan(weights) ? behind : behind + weights;
    double delta = isnan(options->delta) ? behind : options->delta;
    int noiseless = (model->info.not_private_because & DP2DP_NOT_PRIVATE_NO_NOISE) != 0;
    if (!(delta > 0.0 && delta < 1.0) || (noiseless && options->scores_epsilon == 0.0)) {
        return DP2DP_STATUS_OK;
    }
    dp2dp_status status = dp2dpi_model_account(model, delta, error);
    if (status == DP2DP_STATUS_NO_BOUND && delta + behind < 1.0) {
        status = dp2dpi_model_account(model, delta + behind, error);
    }
    return status;
}

/* Runs solver exact. This solver counts each row of the pool as one record, so the function first
 * repeats each row once for each record that the row stands for. The solver adds in floating point,
 * so only a pool with repeated rows gives exactly the result of a table with repeated rows. */
static dp2dp_status run_exact(const dp2dp_pool *pool, const dp2dp_fit_options *options,
                              const dp2dpi_statistics *statistics, dp2dp_model *model,
                              dp2dp_error *error) {
    dp2dpi_release_terms terms = dp2dpi_fit_terms(options, model->ledger);
    dp2dp_pool *expanded = NULL;
    dp2dp_status status = DP2DP_STATUS_OK;
    DP2DPI_TRY(dp2dpi_pool_expand(pool, &expanded, error));
    pool = expanded ? expanded : pool;
    model->info.optimality = &model->optimality;
    DP2DPI_TRY_OR_DONE(dp2dpi_release_expose(&terms, error));
    model->info.warnings |= dp2dpi_exact_warn(pool);
    status = pool->rule == DP2DP_RULE_OFFSET && options->criterion == DP2DP_DEMOGRAPHIC_PARITY
                 ? dp2dpi_exact_solve(pool, options, model->offsets, model->shares,
                                      &model->optimality, error)
                 : dp2dpi_exact_combined(pool, options, statistics, model->offsets, model->shares,
                                         &model->optimality, error);
done:
    dp2dp_pool_free(expanded);
    return status;
}

static dp2dp_status run_solver(const dp2dp_source *source, const dp2dp_fit_options *options,
                               const dp2dpi_statistics *statistics, dp2dp_model *model,
                               dp2dp_error *error) {
    const dp2dp_pool *pool = dp2dpi_source_pool(source);
    if (pool == NULL && options->solver != DP2DP_SOLVER_COUNTS) {
        return dp2dpi_fail(
            error, DP2DP_STATUS_ARGUMENT,
            "solver %s needs records, but this source gives only counts; use solver counts",
            dp2dp_solver_name(options->solver));
    }
    switch (options->solver) {
    case DP2DP_SOLVER_EXACT:
        return run_exact(pool, options, statistics, model, error);
    case DP2DP_SOLVER_SGD:
        return dp2dpi_sgd_fit(pool, options, model, error);
    case DP2DP_SOLVER_SGD_AS_PUBLISHED:
        return dp2dpi_published_fit(pool, options, model, error);
    case DP2DP_SOLVER_COUNTS:
    default:
        return dp2dpi_counts_fit(source, options, statistics, model, error);
    }
}

static dp2dp_status solve(const dp2dp_source *source, const dp2dp_fit_options *options,
                          dp2dp_model *model, dp2dp_error *error) {
    dp2dpi_criterion criterion = criterion_of(options);
    dp2dpi_statistics statistics;
    dp2dp_status status = DP2DP_STATUS_OK;
    DP2DPI_TRY_OR_DONE(
        dp2dpi_statistics_new(&criterion, source->labels, source->classes, &statistics, error));
    DP2DPI_TRY_OR_DONE(run_solver(source, options, &statistics, model, error));
done:
    dp2dpi_statistics_free(&statistics);
    return status;
}

static dp2dp_status new_model(const dp2dp_source *source, const dp2dp_fit_options *options,
                              dp2dp_model **out, dp2dp_error *error) {
    dp2dp_names names = options->names;
    if (options->base) {
        names.classes = options->base->info.names.classes;
        names.scores = options->base->info.names.scores;
    }
    if (names.groups == NULL && options->base && options->base->info.classifier) {
        names.groups = options->base->info.classifier->schema_groups;
    }
    if (dp2dpi_weights_behind(source, options)) {
        names.groups = dp2dpi_weights_behind(source, options)->info.names.groups;
    }
    const dp2dpi_model_kind kind = {.strata = source->strata,
                                    .classes = source->classes,
                                    .labels = source->labels,
                                    .rule = source->rule,
                                    .weight_columns = source->weight_columns,
                                    .weights = options->weight_names};
    return dp2dpi_model_new(&kind, &names, out, error);
}

/* Copies and checks the caller's structs, and fills the solver's defaults into *used. */
static dp2dp_status prepare(const dp2dp_source *given, const dp2dp_fit_options *options,
                            dp2dp_source *source, dp2dp_fit_options *used, dp2dp_error *error) {
    dp2dp_fit_options own;
    DP2DPI_TRY(dp2dpi_source_read(given, source, error));
    DP2DPI_TRY(dp2dpi_struct_read(DP2DP_STRUCT_FIT_OPTIONS, options, &own, error));
    DP2DPI_TRY(dp2dpi_remaining_begin(&own, error));
    DP2DPI_TRY(check_options(&own, error));
    DP2DPI_TRY(check_criterion(source, &own, error));
    DP2DPI_TRY(dp2dpi_pool_check_solver(dp2dpi_source_pool(source), own.solver, error));
    DP2DPI_TRY(check_declared(&own, error));
    DP2DPI_TRY(check_base(source, &own, error));
    DP2DPI_TRY(check_names(source, &own, error));
    DP2DPI_TRY(dp2dpi_remaining_find(source, &own, error));
    *used = resolve(source, &own);
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dp_fit(const dp2dp_source *source, const dp2dp_fit_options *options,
                       dp2dp_model **out, dp2dp_error *error) {
    dp2dp_status status = DP2DP_STATUS_OK;
    dp2dp_model *model = NULL;
    dp2dpi_line *unpaid = NULL;
    size_t n = 0;
    dp2dp_source from;
    dp2dp_fit_options used;
    if (out == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "out must not be NULL");
    }
    *out = NULL;
    DP2DPI_TRY(prepare(source, options, &from, &used, error));
    DP2DPI_TRY(dp2dpi_remaining_refuse_plan(&used, error));
    DP2DPI_TRY(dp2dpi_source_check_count(&from, error));
    DP2DPI_TRY(new_model(&from, &used, &model, error));
    DP2DPI_TRY_OR_DONE(describe(&from, &used, model, error));
    DP2DPI_TRY_OR_DONE(take_base(&used, model, error));
    DP2DPI_TRY_OR_DONE(take_costs(&used, model->ledger, error));
    DP2DPI_TRY_OR_DONE(find_unpaid(&used, used.ledger, model->ledger, &unpaid, &n, error));
    if (used.ledger) {
        dp2dpi_ledger_charge_with_next(used.ledger, unpaid, n);
    }
    DP2DPI_TRY_OR_DONE(solve(&from, &used, model, error));
    DP2DPI_TRY_OR_DONE(account(&used, model, error));
    model->info.warnings |= dp2dp_warn_of_budget(model->info.epsilon, model->info.delta, 0) |
                            (used.base ? dp2dpi_model_inherited(used.base) : 0) |
                            (used.group_base ? used.group_base->info.warnings : 0);
    DP2DPI_TRY_OR_DONE(dp2dpi_model_cover(model, error));
    dp2dpi_model_publish(model);
    *out = model;
    model = NULL;
done:
    if (used.ledger) {
        dp2dpi_ledger_charge_with_next(used.ledger, NULL, 0);
    }
    dp2dpi_free(unpaid);
    dp2dp_model_free(model);
    return status;
}

/* Calibrates the noise and charges the ledger as a fit would, but draws no noise and reads no
 * record. The pool `sizes` has no rows. */
static dp2dp_status charge(const dp2dp_source *source, const dp2dp_fit_options *options,
                           dp2dp_error *error) {
    const dp2dp_pool sizes = {.records = source->records,
                              .strata = source->strata,
                              .classes = source->classes,
                              .leaves_out = source->leaves_out};
    dp2dpi_sgd_releases sgd = {0};
    dp2dpi_published_releases published = {0};
    dp2dpi_release_terms terms = dp2dpi_fit_terms(options, NULL);
    dp2dp_status status = DP2DP_STATUS_OK;
    switch (options->solver) {
    case DP2DP_SOLVER_COUNTS:
        status = dp2dpi_counts_plan(source, options, error);
        break;
    case DP2DP_SOLVER_SGD:
        status = dp2dpi_sgd_releases_new(&sizes, options, NULL, &sgd, error);
        break;
    case DP2DP_SOLVER_SGD_AS_PUBLISHED:
        status = dp2dpi_published_releases_new(&sizes, options, NULL, &published, error);
        break;
    case DP2DP_SOLVER_EXACT:
        status = dp2dpi_release_expose(&terms, error);
        break;
    }
    dp2dpi_sgd_releases_free(&sgd);
    dp2dpi_published_releases_free(&published);
    return status;
}

dp2dp_status dp2dp_fit_plan(const dp2dp_source *source, const dp2dp_fit_options *options,
                            dp2dp_ledger *ledger, dp2dp_error *error) {
    dp2dp_source from;
    dp2dp_fit_options used;
    DP2DPI_TRY(prepare(source, options, &from, &used, error));
    dp2dp_rng_kind rng = used.rng;
    dp2dp_ledger *costs = NULL;
    dp2dpi_line *unpaid = NULL;
    size_t n = 0;
    dp2dp_status status = DP2DP_STATUS_OK;
    DP2DPI_TRY(dp2dpi_plan_begin(ledger, &used.ledger, error));
    used.rng = DP2DP_RNG_INSECURE;
    DP2DPI_TRY_OR_DONE(dp2dpi_ledger_new_of_model(&costs, error));
    DP2DPI_TRY_OR_DONE(take_costs(&used, costs, error));
    DP2DPI_TRY_OR_DONE(find_unpaid(&used, ledger, costs, &unpaid, &n, error));
    dp2dpi_ledger_charge_with_next(ledger, unpaid, n);
    DP2DPI_TRY_OR_DONE(charge(&from, &used, error));
done:
    status = dp2dpi_plan_end(status, used.ledger, ledger, rng, error);
    dp2dpi_ledger_charge_with_next(ledger, NULL, 0);
    dp2dp_ledger_free(costs);
    dp2dpi_free(unpaid);
    return status;
}

double dp2dp_fit_dither(const dp2dp_fit_options *given, size_t classes) {
    dp2dp_fit_options options;
    dp2dpi_statistics statistics;
    double width = 0.0;
    if (classes == 0 ||
        dp2dpi_struct_read(DP2DP_STRUCT_FIT_OPTIONS, given, &options, NULL) != DP2DP_STATUS_OK) {
        return 0.0;
    }
    dp2dpi_criterion criterion = criterion_of(&options);
    if (dp2dpi_statistics_new(&criterion, classes, classes, &statistics, NULL) == DP2DP_STATUS_OK) {
        width = dp2dpi_statistics_free_rates(&statistics, classes) < classes ? 0.0 : 0.15;
    }
    dp2dpi_statistics_free(&statistics);
    return width;
}
