#include "sweep/sweep.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "common/number.h"
#include "common/progress.h"
#include "common/workers.h"
#include "input/labels.h"
#include "show/show.h"

/* State shared by the threads. */
typedef struct work {
    const cli_pipeline *pipeline;
    cli_grid *grid;
    cli_part_file *part;
    cli_progress progress;
    size_t done, total;   /* points that this process has done, and points that it has to do */
    size_t failed;        /* lowest index of a unit that failed; grid->units if none has failed */
    dp2dp_status status;  /* the status of the unit `failed` */
    dp2dp_error error;    /* the error of the unit `failed` */
    pthread_mutex_t lock; /* held while the members above, the points and the part file change */
} work;

/* Sets the options in *p to those of one point. */
static void set_point(const cli_grid *g, const cli_point *point, cli_pipeline *p) {
    double epsilon = cli_grid_epsilon(g, point);
    p->criterion = g->criteria[point->criterion];
    p->fit.criterion = p->criterion.criterion;
    p->fit.positive = g->positives[point->criterion];
    p->fit.solver = g->solvers[point->solver];
    p->fit.rng = p->fit.solver == DP2DP_SOLVER_EXACT ? DP2DP_RNG_SECURE : DP2DP_RNG_INSECURE;
    p->fit.rho = g->rhos[point->rho];
    p->train.method = g->methods[point->method];
    p->train.rng = p->train.method == DP2DP_TRAIN_NONE ? DP2DP_RNG_SECURE : DP2DP_RNG_INSECURE;
    cli_pool_budget(epsilon, p);
}

static void take_values(const dp2dp_evaluation *before, const dp2dp_evaluation *after,
                        dp2dp_criterion criterion, double values[CLI_SWEEP_VALUES]) {
    values[CLI_SWEEP_ERROR] = after->error;
    values[CLI_SWEEP_UNFAIRNESS] = after->criteria[criterion].unfairness;
    values[CLI_SWEEP_ERROR_BEFORE] = before->error;
    values[CLI_SWEEP_UNFAIRNESS_BEFORE] = before->criteria[criterion].unfairness;
    values[CLI_SWEEP_BALANCED_ACCURACY] = after->balanced_accuracy;
    values[CLI_SWEEP_DISPARATE_IMPACT] = after->disparate_impact;
    for (size_t i = 0; i < CLI_CRITERIA; i++) {
        values[CLI_SWEEP_CRITERIA + i] = after->criteria[i].unfairness;
    }
}

/* Warnings that a sweep does not pass on. They are about the privacy promise of a model file, and a
 * sweep writes no model file. */
static const unsigned unrelated = DP2DP_WARNING_SCORES_ORIGIN_NOT_STATED |
                                  DP2DP_WARNING_WEIGHTS_ORIGIN_NOT_STATED |
                                  DP2DP_WARNING_EPSILON_UNUSED;

/* Learns and measures the rule of one point. */
static dp2dp_status do_point(const cli_pipeline *p, const cli_trial *t, const dp2dp_pool *pool,
                             const dp2dp_evaluation *before, double values[CLI_SWEEP_VALUES],
                             dp2dp_error *error) {
    dp2dp_model *model = NULL;
    dp2dp_evaluation *after = NULL;
    dp2dp_status status = DP2DP_STATUS_OK;
    CLI_TRY_OR_DONE(cli_trial_fit(p, t, pool, &model, error));
    CLI_TRY_OR_DONE(cli_trial_test(p, t, model, &after, error));
    take_values(before, after, p->fit.criterion, values);
    const dp2dp_model_info *info = dp2dp_model_view(model);
    values[CLI_SWEEP_WARNINGS] =
        (double)((info->warnings & ~unrelated) | dp2dp_warn_of_decisions(before, after) |
                 cli_rows_are_cut(&t->test));
    values[CLI_SWEEP_EPSILON_HOLDS] = cli_epsilon_holds(info);
    values[CLI_SWEEP_EPSILON_CLAIMED] = info->epsilon_claimed;
    for (int i = 0; i < CLI_PARTS; i++) {
        values[CLI_SWEEP_RECORDS + i] = (double)t->sizes[i];
    }
    values[CLI_SWEEP_NOISE] =
        t->classifier ? dp2dp_model_view(t->classifier)->classifier_noise : NAN;
done:
    dp2dp_evaluation_free(after);
    dp2dp_model_free(model);
    return status;
}

static dp2dp_status finish_point(work *w, size_t at, const double values[CLI_SWEEP_VALUES],
                                 dp2dp_error *error) {
    cli_point *point = &w->grid->points[at];
    (void)pthread_mutex_lock(&w->lock);
    for (size_t i = 0; i < CLI_SWEEP_VALUES; i++) {
        point->values[i] = values[i];
    }
    dp2dp_status status = cli_part_add(w->part, w->grid, at, error);
    point->done = status == DP2DP_STATUS_OK;
    (void)cli_progress_step(&w->progress, ++w->done, w->total);
    (void)pthread_mutex_unlock(&w->lock);
    return status;
}

/* Begins the error message with the settings of the point that failed. */
static void name_point(const cli_grid *g, const cli_point *point, dp2dp_status status,
                       dp2dp_error *error) {
    const dp2dp_error found = *error;
    double epsilon = cli_grid_epsilon(g, point);
    (void)cli_fail(error, status, "%s, %s, %s, %s%s%srho %s, run %zu: %.250s",
                   dp2dp_criterion_name(g->criteria[point->criterion].criterion),
                   cli_grid_method(g, point), dp2dp_solver_name(g->solvers[point->solver]),
                   isnan(epsilon) ? "" : "epsilon ",
                   isnan(epsilon) ? "" : cli_number_exact(epsilon).text, isnan(epsilon) ? "" : ", ",
                   cli_number_exact(g->rhos[point->rho]).text, point->run, found.message);
}

/* What a thread has in memory for the unit it works on. A unit is a set of points with the same
 * split and classifier. */
typedef struct desk {
    cli_trial trial;
    dp2dp_pool *pool;
    dp2dp_evaluation
        *before; /* evaluation of the decisions without a rule; shared by all points of the unit */
    int criterion; /* the criterion that `pool` was made for; -1: none yet */
    int weights;   /* 0: the rows are not scored yet; 1: they are scored; 2: they also have a weight
                      for each pair of group and label */
} desk;

static dp2dp_status prepare(const cli_pipeline *p, const cli_grid *g, const cli_point *point,
                            desk *d, dp2dp_error *error) {
    int weights = 1 + (p->criterion.unaware && p->criterion.labelled);
    if (d->trial.parts == NULL) {
        CLI_TRY(cli_trial_train(p, point->run, &d->trial, error));
    }
    if (d->weights != weights) {
        CLI_TRY(cli_trial_score(p, &d->trial, error));
        if (g->as_published[point->method]) {
            CLI_TRY(cli_sweep_perturb(p, &d->trial, error));
        }
        d->weights = weights;
    }
    if (d->before == NULL) {
        CLI_TRY(cli_trial_test(p, &d->trial, NULL, &d->before, error));
    }
    if (d->criterion != point->criterion) {
        dp2dp_pool_free(d->pool);
        d->pool = NULL;
        CLI_TRY(cli_trial_pool(p, &d->trial, &d->pool, error));
        d->criterion = point->criterion;
    }
    return DP2DP_STATUS_OK;
}

/* Computes those points of a unit that are not done yet. */
static dp2dp_status do_unit(work *w, size_t unit, dp2dp_error *error) {
    const cli_grid *g = w->grid;
    desk d = {.criterion = -1};
    cli_pipeline p = *w->pipeline;
    double values[CLI_SWEEP_VALUES];
    const cli_point *point = NULL;
    dp2dp_status status = DP2DP_STATUS_OK;
    for (size_t i = g->starts[unit]; i < g->starts[unit + 1]; i++) {
        point = &g->points[g->order[i]];
        if (point->done) {
            continue;
        }
        set_point(g, point, &p);
        CLI_TRY_OR_DONE(prepare(&p, g, point, &d, error));
        CLI_TRY_OR_DONE(do_point(&p, &d.trial, d.pool, d.before, values, error));
        CLI_TRY_OR_DONE(finish_point(w, g->order[i], values, error));
    }
done:
    if (status == DP2DP_STATUS_DATA || status == DP2DP_STATUS_ARGUMENT ||
        status == DP2DP_STATUS_BUDGET || status == DP2DP_STATUS_NO_BOUND) {
        name_point(g, point, status, error);
    }
    dp2dp_evaluation_free(d.before);
    dp2dp_pool_free(d.pool);
    cli_trial_free(&d.trial);
    return status;
}

/* Computes a unit. Skips it if a unit with a lower index has failed, or if the user has interrupted
 * the sweep. After a failure, units with a lower index are still computed, so that the message does
 * not depend on the number of threads. */
static void work_unit(void *context, size_t unit) {
    work *w = context;
    dp2dp_error error = {0};
    (void)pthread_mutex_lock(&w->lock);
    int stopped = w->failed < unit || cli_interrupted();
    (void)pthread_mutex_unlock(&w->lock);
    dp2dp_status status = stopped ? DP2DP_STATUS_OK : do_unit(w, unit, &error);
    (void)pthread_mutex_lock(&w->lock);
    if (status != DP2DP_STATUS_OK && unit < w->failed) {
        w->failed = unit;
        w->status = status;
        w->error = error;
    }
    (void)pthread_mutex_unlock(&w->lock);
}

dp2dp_status cli_sweep_work(const cli_pipeline *p, cli_grid *grid, cli_part_file *part,
                            size_t threads, dp2dp_error *error) {
    cli_pipeline inner = *p;
    work w = {.pipeline = &inner,
              .grid = grid,
              .part = part,
              .progress = cli_progress_begin(),
              .total = grid->count - part->found,
              .failed = grid->units,
              .lock = PTHREAD_MUTEX_INITIALIZER};
    /* If there are fewer units than threads, each unit trains with several threads. */
    size_t spare = threads / (grid->units < threads ? grid->units : threads);
    inner.train.threads = (unsigned)(spare > 1 ? spare : 1);
    cli_workers_run(grid->units, threads, work_unit, &w);
    cli_progress_end(&w.progress);
    if (cli_interrupted()) {
        return cli_fail(error, DP2DP_STATUS_CANCELLED, "interrupted");
    }
    if (w.failed < grid->units) {
        *error = w.error;
        return w.status;
    }
    return DP2DP_STATUS_OK;
}
