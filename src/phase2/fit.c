#include <dp2dp/fit.h>

#include <math.h>

#include "base/alloc.h"
#include "phase2/counts.h"
#include "phase2/exact.h"
#include "phase2/model.h"

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

static dp2dp_status check_number(const char *name, double value, double least, double most,
                                 dp2dp_error *error) {
    if (value >= least && value <= most) {
        return DP2DP_STATUS_OK;
    }
    return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "%s = %g: it must be from %g to %g", name,
                       value, least, most);
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
    if (o->solver != DP2DP_SOLVER_COUNTS && o->solver != DP2DP_SOLVER_EXACT) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "solver = %d: it must be counts or exact",
                           (int)o->solver);
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
        status = check_number(#name, o->name, least, most, error);                     \
    }
#define DP2DP_FIT_COUNT(name, standard, least, most, meaning)              \
    if (status == DP2DP_STATUS_OK) {                                       \
        status = check_number(#name, (double)o->name, least, most, error); \
    }
#include <dp2dp/fit.def>
#undef DP2DP_FIT_NUMBER
#undef DP2DP_FIT_COUNT
    return status;
}

static dp2dp_status model_new(const dp2dp_source *source, dp2dp_model **out, dp2dp_error *error) {
    void *memory = NULL, *numbers = NULL;
    size_t cells = source->events * source->classes;
    dp2dp_status status = dp2dpi_alloc_for("a model", 1, sizeof(dp2dp_model), &memory, error);
    *out = NULL;
    if (status != DP2DP_STATUS_OK) {
        return status;
    }
    dp2dp_model *model = memory;
    if ((status = dp2dpi_alloc_for("a model", cells + source->events, sizeof(double), &numbers,
                                   error)) == DP2DP_STATUS_OK) {
        status = dp2dp_ledger_new(DP2DP_REPLACE_ONE, &model->ledger, error);
    }
    model->events = source->events;
    model->classes = source->classes;
    model->offsets = numbers;
    if (status != DP2DP_STATUS_OK) {
        dp2dp_model_free(model);
        return status;
    }
    model->shares = model->offsets + cells;
    *out = model;
    return DP2DP_STATUS_OK;
}

/* Offsets are published as float32 values, so that every way of executing the rule agrees. */
static void publish(dp2dp_model *model) {
    for (size_t i = 0; i < model->events * model->classes; i++) {
        model->offsets[i] = (double)(float)model->offsets[i];
    }
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
    uint64_t steps = options->steps ? options->steps : DP2DPI_COUNTS_STEPS;
    dp2dp_status status =
        dp2dpi_releases_new(source, options, steps, model->ledger, &releases, error);
    if (status == DP2DP_STATUS_OK) {
        status =
            dp2dpi_counts_solve(&releases, options, steps, model->offsets, model->shares, error);
    }
    dp2dpi_releases_free(&releases);
    model->is_private = !isinf(options->epsilon) && options->rng == DP2DP_RNG_SECURE;
    return status;
}

static dp2dp_status fit_exact(const dp2dp_source *source, const dp2dp_fit_options *options,
                              dp2dp_model *model, dp2dp_error *error) {
    const dp2dp_pool *pool = dp2dpi_source_pool(source);
    if (pool == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "solver exact needs the records: fit it to a pool");
    }
    return dp2dpi_exact_solve(pool, options->rho, model->offsets, model->shares, &model->optimality,
                              error);
}

dp2dp_status dp2dp_fit(const dp2dp_source *source, const dp2dp_fit_options *options,
                       dp2dp_model **out, dp2dp_error *error) {
    dp2dp_model *model = NULL;
    *out = NULL;
    dp2dp_status status = check_source(source, error);
    if (status != DP2DP_STATUS_OK || (status = check_options(options, error)) != DP2DP_STATUS_OK ||
        (status = model_new(source, &model, error)) != DP2DP_STATUS_OK) {
        return status;
    }
    model->solver = options->solver;
    status = options->solver == DP2DP_SOLVER_EXACT ? fit_exact(source, options, model, error)
                                                   : fit_counts(source, options, model, error);
    if (status != DP2DP_STATUS_OK) {
        dp2dp_model_free(model);
        return status;
    }
    publish(model);
    *out = model;
    return DP2DP_STATUS_OK;
}
