#include <dp2dp/fit.h>

#include <math.h>

#include <dp2dp/version.h>

#include "base/alloc.h"
#include "phase2/counts.h"
#include "phase2/exact.h"
#include "phase2/model.h"
#include "phase2/published.h"
#include "phase2/sgd.h"

void dp2dp_fit_options_init(dp2dp_fit_options *options) {
    *options = (dp2dp_fit_options) {
        .struct_size = sizeof *options,
        .solver = DP2DP_SOLVER_COUNTS,
        .rng = DP2DP_RNG_SECURE,
#define DP2DP_FIT_NUMBER(name, standard, least, most, meaning) .name = (standard),
#define DP2DP_FIT_COUNT(name, standard, least, most, meaning) .name = (standard),
#include <dp2dp/fit.def>
#undef DP2DP_FIT_NUMBER
#undef DP2DP_FIT_COUNT
    };
}

/* Leaks that only the caller can know of. */
static const unsigned declarable =
    DP2DP_LEAK_LABELS_FROM_DATA | DP2DP_LEAK_SCHEMA_FROM_DATA | DP2DP_LEAK_SCORES_FROM_POOL;

/* NULL for a value that is no solver. */
static const char *solver_word(dp2dp_solver solver) {
    switch (solver) {
#define DP2DP_SOLVER(name, value, word) \
    case DP2DP_SOLVER_##name:           \
        return word;
#include <dp2dp/solver.def>
#undef DP2DP_SOLVER
    }
    return NULL;
}

static int is_private_solver(dp2dp_solver solver) {
    return solver != DP2DP_SOLVER_EXACT;
}

static dp2dp_status check_options(const dp2dp_fit_options *o, dp2dp_error *error) {
    dp2dp_status status = DP2DP_STATUS_OK;
    if (o == NULL || o->struct_size != sizeof *o) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "fit options: start from dp2dp_fit_options_init");
    }
    if (solver_word(o->solver) == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "solver = %d: no such solver",
                           (int)o->solver);
    }
    if (o->leaks & ~(unsigned)declarable) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "leaks = %u: bits that are not declared",
                           o->leaks);
    }
    if (o->rng != DP2DP_RNG_SECURE && o->rng != DP2DP_RNG_INSECURE) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "rng = %d: it must be secure or insecure",
                           (int)o->rng);
    }
    if (o->ledger && dp2dp_ledger_adjacency(o->ledger) != DP2DP_REPLACE_ONE) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "ledger: it must be kept under replace-one, for the number of records "
                           "is public here");
    }
    if (is_private_solver(o->solver) &&
        (!(o->epsilon > 0.0) || (!isinf(o->epsilon) && !(o->delta > 0.0 && o->delta < 1.0)))) {
        return dp2dpi_fail(
            error, DP2DP_STATUS_ARGUMENT,
            "epsilon and delta must be chosen: epsilon above 0, delta between 0 and 1");
    }
#define DP2DP_FIT_NUMBER(name, standard, least, most, meaning)                         \
    if (status == DP2DP_STATUS_OK && !(isnan((double)(standard)) && isnan(o->name))) { \
        status = dp2dpi_check_number(#name, o->name, least, most, error);              \
    }
#define DP2DP_FIT_COUNT(name, standard, least, most, meaning)                     \
    if (status == DP2DP_STATUS_OK) {                                              \
        status = dp2dpi_check_number(#name, (double)o->name, least, most, error); \
    }
#include <dp2dp/fit.def>
#undef DP2DP_FIT_NUMBER
#undef DP2DP_FIT_COUNT
    return status;
}

static dp2dp_status check_source(const dp2dp_source *source, dp2dp_error *error) {
    if (source == NULL || source->struct_size != sizeof *source || source->count == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "source: struct_size and count must be set");
    }
    if (source->records < 2 || source->records > (uint64_t)1 << 48) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "records = %llu: there must be from 2 to 2^48",
                           (unsigned long long)source->records);
    }
    if (source->events < 2 || source->events > DP2DPI_EVENTS_MAX || source->classes < 2 ||
        source->classes > DP2DPI_CLASSES_MAX) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "%zu groups and %zu classes: there must be from 2 to %d of each",
                           source->events, source->classes, DP2DPI_CLASSES_MAX);
    }
    if (dp2dpi_dither_is_sound(&source->dither) == 0 ||
        (source->row_sums != DP2DP_ROW_SUMS_CHECK &&
         source->row_sums != DP2DP_ROW_SUMS_NORMALIZE)) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "source: row_sums and dither must be set; the width is from 0 to 1");
    }
    const dp2dp_pool *pool = dp2dpi_source_pool(source);
    if (pool && (pool->records != source->records || pool->events != source->events ||
                 pool->classes != source->classes)) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "source: its sizes are not those of the pool behind it");
    }
    return DP2DP_STATUS_OK;
}

static dp2dp_status fit_counts(const dp2dp_source *source, const dp2dp_fit_options *options,
                               dp2dp_model *model, dp2dp_error *error) {
    dp2dpi_releases releases;
    dp2dp_status status = dp2dpi_releases_new(source, options, model->ledger, &releases, error);
    if (status == DP2DP_STATUS_OK) {
        status = dp2dpi_counts_solve(&releases, options, model->offsets, model->shares, error);
    }
    dp2dpi_releases_free(&releases);
    return status;
}

static dp2dp_status fit_exact(const dp2dp_source *source, const dp2dp_fit_options *options,
                              dp2dp_model *model, dp2dp_error *error) {
    const dp2dp_pool *pool = dp2dpi_source_pool(source);
    if (pool == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "solver exact needs the records: fit it to a pool");
    }
    model->info.optimality = &model->optimality;
    return dp2dpi_exact_solve(pool, options, model->offsets, model->shares, &model->optimality,
                              error);
}

/* The caller's options with each solver's own defaults in place of 0. All of it is public. */
static dp2dp_fit_options resolve(const dp2dp_source *source, const dp2dp_fit_options *options) {
    dp2dp_fit_options used = *options;
    int counts = used.solver == DP2DP_SOLVER_COUNTS;
    if (used.steps == 0) {
        used.steps = counts ? DP2DPI_COUNTS_STEPS : DP2DPI_SGD_STEPS;
    }
    if (used.share_budget <= 0.0) { /* counts learns the shares again from every table */
        used.share_budget = counts ? 0.02 : 0.05;
    }
    if (used.solver == DP2DP_SOLVER_SGD_AS_PUBLISHED) {
        used.tail = 0.0;
    }
    used.batch = used.batch < source->records ? used.batch : source->records;
    return used;
}

/* Everything a model tells that does not depend on the records. */
static dp2dp_status describe(const dp2dp_source *source, const dp2dp_fit_options *options,
                             dp2dp_model *model, dp2dp_error *error) {
    dp2dp_model_info *info = &model->info;
    info->solver = options->solver;
#define DP2DP_FIT_NUMBER(name, standard, least, most, meaning) info->settings.name = options->name;
#define DP2DP_FIT_COUNT(name, standard, least, most, meaning) info->settings.name = options->name;
#include <dp2dp/fit.def>
#undef DP2DP_FIT_NUMBER
#undef DP2DP_FIT_COUNT
    info->row_sums = source->row_sums;
    info->dither = source->dither;
    info->records = source->records;
    info->rng = options->rng;
    info->insecure_seed = options->rng == DP2DP_RNG_INSECURE ? options->insecure_seed : 0;
    info->leaks = options->leaks;
    if (options->rng == DP2DP_RNG_INSECURE) {
        info->leaks |= DP2DP_LEAK_INSECURE_NOISE;
    }
    if (!is_private_solver(options->solver) || isinf(options->epsilon)) {
        info->leaks |= DP2DP_LEAK_NO_NOISE;
    }
    dp2dp_status status = dp2dpi_strdup(dp2dp_version(), &model->library_version, error);
    info->library_version = model->library_version;
    return status;
}

/* ε at the δ that was asked for, from the ledger alone. */
static dp2dp_status account(dp2dp_model *model, dp2dp_error *error) {
    dp2dp_accountant *accountant = NULL;
    if (dp2dp_ledger_size(model->ledger) == 0 || (model->info.leaks & DP2DP_LEAK_NO_BOUND)) {
        return DP2DP_STATUS_OK;
    }
    dp2dp_status status = dp2dp_ledger_account(model->ledger, &accountant, error);
    if (status == DP2DP_STATUS_OK) {
        status = dp2dp_accountant_epsilon(accountant, model->info.settings.delta,
                                          DP2DP_BACKEND_AUTO, &model->info.epsilon, NULL, error);
        model->info.delta = model->info.settings.delta;
    }
    dp2dp_accountant_free(accountant);
    return status;
}

static dp2dp_status solve(const dp2dp_source *source, const dp2dp_fit_options *options,
                          dp2dp_model *model, dp2dp_error *error) {
    switch (options->solver) {
    case DP2DP_SOLVER_EXACT:
        return fit_exact(source, options, model, error);
    case DP2DP_SOLVER_SGD:
        return dp2dpi_sgd_fit(source, options, model, error);
    case DP2DP_SOLVER_SGD_AS_PUBLISHED:
        return dp2dpi_published_fit_as_published(source, options, model, error);
    case DP2DP_SOLVER_COUNTS:
    default:
        return fit_counts(source, options, model, error);
    }
}

dp2dp_status dp2dp_fit(const dp2dp_source *source, const dp2dp_fit_options *options,
                       dp2dp_model **out, dp2dp_error *error) {
    dp2dp_model *model = NULL;
    if (out == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "out must not be NULL");
    }
    *out = NULL;
    dp2dp_status status = check_source(source, error);
    if (status != DP2DP_STATUS_OK || (status = check_options(options, error)) != DP2DP_STATUS_OK ||
        (status = dp2dpi_model_new(source->events, source->classes, &options->names, &model,
                                   error)) != DP2DP_STATUS_OK) {
        return status;
    }
    dp2dp_fit_options used = resolve(source, options);
    if ((status = describe(source, &used, model, error)) != DP2DP_STATUS_OK ||
        (status = solve(source, &used, model, error)) != DP2DP_STATUS_OK ||
        (status = account(model, error)) != DP2DP_STATUS_OK) {
        dp2dp_model_free(model);
        return status;
    }
    dp2dpi_model_publish(model);
    *out = model;
    return DP2DP_STATUS_OK;
}
