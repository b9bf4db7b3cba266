#include <dp2dp/fit.h>

#include <math.h>
#include <string.h>

#include <dp2dp/version.h>

#include "base/alloc.h"
#include "base/options.h"
#include "base/source.h"
#include "mechanism/ledger.h"
#include "phase2/counts.h"
#include "phase2/exact.h"
#include "phase2/model.h"
#include "phase2/published.h"
#include "phase2/published_release.h"
#include "phase2/sgd.h"
#include "phase2/sgd_release.h"

/* Reasons in not_private_because that only the caller can know. */
static const unsigned declarable = DP2DP_NOT_PRIVATE_LABELS_FROM_DATA |
                                   DP2DP_NOT_PRIVATE_SCHEMA_FROM_DATA |
                                   DP2DP_NOT_PRIVATE_SCORES_FROM_POOL;

static int is_private_solver(dp2dp_solver solver) {
    return solver != DP2DP_SOLVER_EXACT;
}

static dp2dp_status check_options(const dp2dp_fit_options *o, dp2dp_error *error) {
    if (dp2dp_solver_name(o->solver) == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "solver = %d: not a known solver",
                           (int)o->solver);
    }
    if (o->not_private_because & ~(unsigned)declarable) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "not_private_because = %u: it has bits that a caller cannot set",
                           o->not_private_because);
    }
    if (is_private_solver(o->solver) &&
        (!(o->epsilon > 0.0) || (!isinf(o->epsilon) && !(o->delta > 0.0 && o->delta < 1.0)))) {
        return dp2dpi_fail(
            error, DP2DP_STATUS_ARGUMENT,
            "epsilon and delta must be chosen: epsilon above 0, delta between 0 and 1");
    }
    DP2DPI_TRY(dp2dpi_release_check(o->rng, o->ledger, error));
    return dp2dpi_options_check(DP2DP_STRUCT_FIT_OPTIONS, o, error);
}

/* Checks the caller's statements about the model behind the scores. */
static dp2dp_status check_declared(const dp2dp_fit_options *o, dp2dp_error *error) {
    int declared = !isnan(o->scores_epsilon);
    if (o->people != DP2DP_PEOPLE_OTHER && o->people != DP2DP_PEOPLE_SAME) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "people = %d: it must be OTHER or SAME",
                           (int)o->people);
    }
    if (declared != !isnan(o->scores_delta) || o->scores_delta >= 1.0) {
        return dp2dpi_fail(
            error, DP2DP_STATUS_ARGUMENT,
            "give both scores_epsilon and scores_delta or neither; scores_delta must be below 1");
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
                           "if a private model was trained on the pool, set people to SAME");
    }
    return DP2DP_STATUS_OK;
}

/* Returns 1 if the caller gave no names or repeated the base's own names. */
static int are_alike(const char *const *given, const char *const *own, size_t n) {
    for (size_t i = 0; given && i < n; i++) {
        if (own == NULL || given[i] == NULL || strcmp(given[i], own[i]) != 0) {
            return 0;
        }
    }
    return 1;
}

/* One guarantee covers both phases, so both must have the same rows_per_person. A declared
 * guarantee has no rows_per_person. */
static dp2dp_status check_people(const dp2dp_ledger *behind, const dp2dp_fit_options *o,
                                 dp2dp_error *error) {
    for (size_t i = 0; i < dp2dp_ledger_size(behind); i++) {
        dp2dp_event event = DP2DP_EVENT_INIT;
        dp2dp_rng_kind rng;
        DP2DPI_TRY(dp2dp_ledger_entry(behind, i, &event, &rng, error));
        if (event.mechanism != DP2DP_DECLARED && event.rows_per_person != o->rows_per_person) {
            return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                               "rows_per_person = %llu: the model behind the scores was charged "
                               "with rows_per_person = %llu; both must be equal",
                               (unsigned long long)o->rows_per_person,
                               (unsigned long long)event.rows_per_person);
        }
    }
    return DP2DP_STATUS_OK;
}

static dp2dp_status check_base(const dp2dp_source *source, const dp2dp_fit_options *o,
                               dp2dp_error *error) {
    if (o->base == NULL) {
        return DP2DP_STATUS_OK;
    }
    const dp2dp_model_info *base = &o->base->info;
    if (source->classes != base->classes) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "the scores have %zu classes but the model behind them has %zu",
                           source->classes, base->classes);
    }
    if (!are_alike(o->names.classes, base->names.classes, base->classes) ||
        !are_alike(o->names.scores, base->names.scores, base->classes)) {
        return dp2dpi_fail(
            error, DP2DP_STATUS_ARGUMENT,
            "names: classes and score columns must equal those of the model behind the "
            "scores");
    }
    return check_people(base->ledger, o, error);
}

/* A source that counts a pool of this library must have the sizes of that pool. */
static dp2dp_status check_pool(const dp2dp_source *source, dp2dp_error *error) {
    const dp2dp_pool *pool = dp2dpi_source_pool(source);
    if (pool && (pool->records != source->records || pool->strata != source->strata ||
                 pool->classes != source->classes)) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "source: records, strata and classes must equal those of its pool");
    }
    return DP2DP_STATUS_OK;
}

/* Returns the caller's options with the solver's own defaults in place of 0. All of them are
 * public. */
static dp2dp_fit_options resolve(const dp2dp_source *source, const dp2dp_fit_options *options) {
    dp2dp_fit_options used = *options;
    int counts = used.solver == DP2DP_SOLVER_COUNTS;
    if (used.steps == 0) {
        used.steps = counts ? DP2DPI_COUNTS_STEPS : DP2DPI_SGD_STEPS;
    }
    /* Solver counts needs less: it estimates the shares again from every table. */
    if (used.share_budget <= 0.0) {
        used.share_budget = counts ? 0.02 : 0.05;
    }
    if (used.solver == DP2DP_SOLVER_SGD_AS_PUBLISHED) {
        used.tail = 0.0;
    }
    used.batch = used.batch < source->records ? used.batch : source->records;
    return used;
}

/* Fills in the part of the model that does not depend on the records. */
static dp2dp_status describe(const dp2dp_source *source, const dp2dp_fit_options *options,
                             dp2dp_model *model, dp2dp_error *error) {
    dp2dp_model_info *info = &model->info;
    info->solver = options->solver;
    dp2dpi_options_copy(DP2DP_STRUCT_FIT_OPTIONS, options, &model->options);
    info->row_sums = source->row_sums;
    info->dither = source->dither;
    info->records = source->records;
    info->rng = options->rng;
    info->insecure_seed = options->rng == DP2DP_RNG_INSECURE ? options->insecure_seed : 0;
    info->not_private_because = options->not_private_because;
    if (options->rng == DP2DP_RNG_INSECURE) {
        info->not_private_because |= DP2DP_NOT_PRIVATE_INSECURE_NOISE;
    }
    if (!is_private_solver(options->solver) || isinf(options->epsilon)) {
        info->not_private_because |= DP2DP_NOT_PRIVATE_NO_NOISE;
    }
    DP2DPI_TRY(dp2dpi_strdup(dp2dp_version(), &model->library_version, error));
    info->library_version = model->library_version;
    return DP2DP_STATUS_OK;
}

/* Copies the classifier, the reasons and every charge of the base. The charges were made when the
 * base was made, so options->ledger is not charged again. */
static dp2dp_status take_base(const dp2dp_fit_options *options, dp2dp_model *model,
                              dp2dp_error *error) {
    const dp2dp_model_info *base = &options->base->info;
    if (base->classifier) {
        DP2DPI_TRY(dp2dpi_model_add_classifier(model, base->classifier, error));
    }
    model->info.not_private_because |= base->not_private_because;
    if (options->people == DP2DP_PEOPLE_SAME &&
        (base->not_private_because & DP2DP_NOT_PRIVATE_CLASSIFIER_NOT_PRIVATE)) {
        model->info.not_private_because |= DP2DP_NOT_PRIVATE_SCORES_FROM_POOL;
    }
    return dp2dpi_ledger_charge_entries(model->ledger, base->ledger, error);
}

/* States ε at the δ of the fit, or at the δ of the base if the fit has none. If a guarantee was
 * declared at a larger δ, no ε is certified there, and the model states ε at the sum of the two δ.
 */
static dp2dp_status account(const dp2dp_fit_options *options, dp2dp_model *model,
                            dp2dp_error *error) {
    double behind = options->base ? options->base->info.delta : options->scores_delta;
    double delta = isnan(options->delta) ? behind : options->delta;
    if (!(delta > 0.0 && delta < 1.0)) {
        return DP2DP_STATUS_OK;
    }
    dp2dp_status status = dp2dpi_model_account(model, delta, error);
    if (status == DP2DP_STATUS_NO_BOUND && delta + behind < 1.0) {
        status = dp2dpi_model_account(model, delta + behind, error);
    }
    return status;
}

static dp2dp_status solve(const dp2dp_source *source, const dp2dp_fit_options *options,
                          dp2dp_model *model, dp2dp_error *error) {
    const dp2dp_pool *pool = dp2dpi_source_pool(source);
    if (pool == NULL && options->solver != DP2DP_SOLVER_COUNTS) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "solver %s needs the records: fit it to a pool",
                           dp2dp_solver_name(options->solver));
    }
    switch (options->solver) {
    case DP2DP_SOLVER_EXACT:
        model->info.optimality = &model->optimality;
        return dp2dpi_exact_solve(pool, options, model->offsets, model->shares, &model->optimality,
                                  error);
    case DP2DP_SOLVER_SGD:
        return dp2dpi_sgd_fit(pool, options, model, error);
    case DP2DP_SOLVER_SGD_AS_PUBLISHED:
        return dp2dpi_published_fit(pool, options, model, error);
    case DP2DP_SOLVER_COUNTS:
    default:
        return dp2dpi_counts_fit(source, options, model, error);
    }
}

static dp2dp_status new_model(const dp2dp_source *source, const dp2dp_fit_options *options,
                              dp2dp_model **out, dp2dp_error *error) {
    dp2dp_names names = options->names;
    if (options->base) {
        names.classes = options->base->info.names.classes;
        names.scores = options->base->info.names.scores;
    }
    return dp2dpi_model_new(source->strata, source->classes, &names, out, error);
}

/* Copies the caller's structs and checks them; *used has the solver's defaults filled in. */
static dp2dp_status prepare(const dp2dp_source *given, const dp2dp_fit_options *options,
                            dp2dp_source *source, dp2dp_fit_options *used, dp2dp_error *error) {
    dp2dp_fit_options own;
    DP2DPI_TRY(dp2dpi_source_read(given, source, error));
    DP2DPI_TRY(dp2dpi_struct_read(DP2DP_STRUCT_FIT_OPTIONS, options, &own, error));
    DP2DPI_TRY(check_pool(source, error));
    DP2DPI_TRY(check_options(&own, error));
    DP2DPI_TRY(check_declared(&own, error));
    DP2DPI_TRY(check_base(source, &own, error));
    *used = resolve(source, &own);
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dp_fit(const dp2dp_source *source, const dp2dp_fit_options *options,
                       dp2dp_model **out, dp2dp_error *error) {
    dp2dp_status status = DP2DP_STATUS_OK;
    dp2dp_model *model = NULL;
    dp2dp_source from;
    dp2dp_fit_options used;
    if (out == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "out must not be NULL");
    }
    *out = NULL;
    DP2DPI_TRY(prepare(source, options, &from, &used, error));
    DP2DPI_TRY(dp2dpi_source_check_count(&from, error));
    DP2DPI_TRY(new_model(&from, &used, &model, error));
    DP2DPI_TRY_OR_DONE(describe(&from, &used, model, error));
    DP2DPI_TRY_OR_DONE(used.base ? take_base(&used, model, error)
                                 : dp2dpi_ledger_charge_declared(model->ledger, used.scores_epsilon,
                                                                 used.scores_delta,
                                                                 "scores as declared", error));
    DP2DPI_TRY_OR_DONE(solve(&from, &used, model, error));
    DP2DPI_TRY_OR_DONE(account(&used, model, error));
    dp2dpi_model_publish(model);
    *out = model;
    model = NULL;
done:
    dp2dp_model_free(model);
    return status;
}

/* Calibrates and charges as the fit would, up to the first draw, with a pool of the right size that
 * has no records. */
static dp2dp_status charge(const dp2dp_source *source, const dp2dp_fit_options *options,
                           dp2dp_error *error) {
    const dp2dp_pool sizes = {
        .records = source->records, .strata = source->strata, .classes = source->classes};
    dp2dpi_counts_releases counts = {0};
    dp2dpi_sgd_releases sgd = {0};
    dp2dpi_published_releases published = {0};
    dp2dp_status status = DP2DP_STATUS_OK;
    switch (options->solver) {
    case DP2DP_SOLVER_COUNTS:
        status = dp2dpi_counts_releases_new(source, options, NULL, &counts, error);
        break;
    case DP2DP_SOLVER_SGD:
        status = dp2dpi_sgd_releases_new(&sizes, options, NULL, &sgd, error);
        break;
    case DP2DP_SOLVER_SGD_AS_PUBLISHED:
        status = dp2dpi_published_releases_new(&sizes, options, NULL, &published, error);
        break;
    case DP2DP_SOLVER_EXACT: /* draws no noise and charges nothing */
        break;
    }
    dp2dpi_counts_releases_free(&counts);
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
    DP2DPI_TRY(dp2dpi_plan_begin(ledger, &used.ledger, error));
    used.rng = DP2DP_RNG_INSECURE;
    return dp2dpi_plan_end(charge(&from, &used, error), used.ledger, ledger, rng, error);
}
