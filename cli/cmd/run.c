#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include <sodium.h>

#include "cmd/cmd.h"
#include "common/progress.h"
#include "common/workers.h"
#include "input/encoded.h"
#include "privacy/privacy.h"
#include "run/run.h"
#include "show/show.h"

typedef struct workers {
    const cli_pipeline *pipeline;
    cli_run *runs;
    size_t count;
    size_t done;
    cli_progress progress;
    pthread_mutex_t lock; /* held while `done` and `progress` change */
} workers;

static void work(void *context, size_t i) {
    workers *w = context;
    if (cli_interrupted()) {
        w->runs[i].status = cli_fail(&w->runs[i].error, DP2DP_STATUS_CANCELLED, "interrupted");
        return;
    }
    cli_pipeline_run(w->pipeline, i, &w->runs[i]);
    (void)pthread_mutex_lock(&w->lock);
    (void)cli_progress_step(&w->progress, ++w->done, w->count);
    (void)pthread_mutex_unlock(&w->lock);
}

/* Does all runs. If several runs fail, reports the failed run with the lowest number, so that the
 * message does not depend on the order in which the threads work. */
static dp2dp_status run_all(const cli_pipeline *pipeline, size_t threads, cli_run *runs,
                            size_t count, dp2dp_error *error) {
    cli_pipeline watched = *pipeline;
    workers w = {.pipeline = &watched,
                 .runs = runs,
                 .count = count,
                 .progress = cli_progress_begin(),
                 .lock = PTHREAD_MUTEX_INITIALIZER};
    /* The progress bar shows the steps of a single run, or the finished runs of several. */
    watched.watcher = count == 1 ? &w.progress : NULL;
    cli_workers_run(count, threads, work, &w);
    cli_progress_end(&w.progress);
    for (size_t i = 0; i < count; i++) {
        if (runs[i].status == DP2DP_STATUS_CANCELLED) {
            return cli_fail(error, DP2DP_STATUS_CANCELLED, "interrupted");
        }
        if (runs[i].status != DP2DP_STATUS_OK) {
            *error = runs[i].error;
            return runs[i].status;
        }
    }
    return DP2DP_STATUS_OK;
}

void cli_run_check(const cli_args *args) {
    dp2dp_error error;
    int method = cli_enum_if_sure(args, "method", DP2DP_WORDS_METHOD);
    int solver = cli_enum_if_sure(args, "solver", DP2DP_WORDS_SOLVER);
    int noiseless = method == DP2DP_TRAIN_NONE && solver == DP2DP_SOLVER_EXACT;
    if (method != 0 && method != DP2DP_TRAIN_EXTERNAL && solver != 0 && !noiseless) {
        (void)cli_spend_check_budget(args, "--method none --solver exact", &error);
    }
    if (method == DP2DP_TRAIN_EXTERNAL) {
        cli_faults_note(args->faults,
                        cli_refuse(&error, "dp2dp run trains the classifier itself, so --method "
                                           "external cannot be used: use dp2dp train --method "
                                           "external, then dp2dp fit --model"),
                        &error);
    }
    if (solver != 0) {
        cli_faults_note(args->faults, cli_args_check_solvers(args, &error), &error);
    }
    cli_faults_note(args->faults, cli_spend_check_ledger(args, &error), &error);
}

static dp2dp_status read_settings(const cli_args *args, size_t threads, cli_pipeline *p,
                                  dp2dp_error *error) {
    p->fit = DP2DP_FIT_OPTIONS_INIT;
    cli_set_options(args, DP2DP_STRUCT_FIT_OPTIONS, &p->fit);
    p->train = DP2DP_TRAIN_OPTIONS_INIT;
    p->train.method = (dp2dp_train_method)cli_enum(args, "method", DP2DP_WORDS_METHOD);
    p->train.delta = p->fit.delta;
    p->train.rows_per_person = p->fit.rows_per_person;
    CLI_TRY(cli_pool_read(args, p, error));
    cli_pool_budget(p->fit.epsilon, p);
    p->train.target = cli_given(args, "unaware") ? DP2DP_TARGET_GROUP_LABEL : DP2DP_TARGET_LABEL;
    p->has_seed = cli_given(args, "insecure-seed");
    p->seed = p->has_seed ? cli_count(args, "insecure-seed") : 0;
    p->keep = cli_given(args, "save");
    p->train.threads = cli_count(args, "runs") > 1 ? 1 : (unsigned)threads;
    p->fit.solver = (dp2dp_solver)cli_enum(args, "solver", DP2DP_WORDS_SOLVER);
    p->train.rng =
        p->has_seed && p->train.method != DP2DP_TRAIN_NONE ? DP2DP_RNG_INSECURE : DP2DP_RNG_SECURE;
    p->fit.rng =
        p->has_seed && p->fit.solver != DP2DP_SOLVER_EXACT ? DP2DP_RNG_INSECURE : DP2DP_RNG_SECURE;
    return DP2DP_STATUS_OK;
}

static dp2dp_source shape_of(const cli_pipeline *p) {
    const dp2dp_schema_info *info = dp2dp_schema_view(p->schema);
    dp2dp_source pool = DP2DP_SOURCE_INIT;
    dp2dp_pool_options options = DP2DP_POOL_OPTIONS_INIT;
    cli_criterion_pool(&p->criterion, info->group_count, info->class_count, &options);
    pool.records = cli_part_size(p, CLI_PART_POOL);
    pool.strata = options.strata;
    pool.labels = options.labels;
    pool.counted = options.counted;
    pool.dither = options.dither;
    pool.dither_key = options.dither_key;
    pool.rule = p->criterion.unaware    ? DP2DP_RULE_WEIGHTED
                : p->criterion.labelled ? DP2DP_RULE_LINEAR
                                        : DP2DP_RULE_OFFSET;
    pool.weight_columns = p->criterion.unaware ? options.strata : 0;
    pool.classes = info->class_count;
    pool.leaves_out = p->people->fields > CLI_FIELD_LEFT_OUT;
    return pool;
}

/* Computes what one run would charge, and records the charges in `dry`. If nobody is in both the
 * train part and the pool part, each part gets its own name for its people. Otherwise the charges
 * of the fit include the charges of the training. */
static dp2dp_status plan(const cli_pipeline *p, dp2dp_ledger *dry, dp2dp_error *error) {
    int apart = p->fit.people == DP2DP_PEOPLE_OTHER;
    int fits = p->fit.solver != DP2DP_SOLVER_EXACT && !isinf(p->fit.epsilon);
    dp2dp_train_options train = p->train;
    dp2dp_fit_options fit = p->fit;
    dp2dp_source pool = shape_of(p);
    dp2dp_ledger *trained = NULL;
    dp2dp_status status = DP2DP_STATUS_OK;
    train.people_name = apart ? "train part" : NULL;
    fit.people_name = apart ? "pool part" : NULL;
    CLI_TRY(dp2dp_ledger_new(DP2DP_REPLACE_ONE, &trained, error));
    if (cli_classifier_is_noisy(&train) || (!apart && fits)) {
        CLI_TRY_OR_DONE(dp2dp_train_plan(p->schema, cli_part_size(p, CLI_PART_TRAIN), &train,
                                         apart || !fits ? dry : trained, error));
    }
    fit.base_plan = apart ? NULL : trained;
    status = fits ? dp2dp_fit_plan(&pool, &fit, dry, error) : DP2DP_STATUS_OK;
done:
    dp2dp_ledger_free(trained);
    return status;
}

/* Prints what one run would charge for training and fit. */
static dp2dp_status rehearse(const cli_args *args, const cli_pipeline *p, cli_out *out,
                             dp2dp_error *error) {
    cli_dry dry = {0};
    dp2dp_status status = DP2DP_STATUS_OK;
    CLI_TRY_OR_DONE(cli_dry_open(args, &dry, error));
    if (dry.before.path) {
        CLI_TRY_OR_DONE(cli_run_expose(args, dry.ledger, NULL, error));
        dry.exposes = 1;
        dry.held = dp2dp_ledger_size(dry.ledger);
    }
    CLI_TRY_OR_DONE(plan(p, dry.ledger, error));
    dry.records = cli_part_size(p, CLI_PART_POOL);
    status = cli_dry_print(args, &dry, out, error);
done:
    dp2dp_ledger_free(dry.ledger);
    return status;
}

static dp2dp_status perform(const cli_args *args, const cli_pipeline *p, size_t threads,
                            cli_run *runs, cli_out *out, dp2dp_error *error) {
    size_t count = cli_count(args, "runs");
    dp2dp_ledger *ledger = NULL;
    cli_spent spent = {0};
    dp2dp_status status = DP2DP_STATUS_OK;
    CLI_TRY_OR_DONE(cli_spend_open(args, &ledger, &spent, error));
    if (ledger) {
        CLI_TRY_OR_DONE(cli_run_expose(args, ledger, NULL, error));
    }
    CLI_TRY_OR_DONE(run_all(p, threads, runs, count, error));
    CLI_TRY_OR_DONE(cli_save_runs(args, p, runs, count, error));
    CLI_TRY_OR_DONE(cli_spend_total(args, ledger, &spent, error));
    cli_run_report(args, p, runs, count, &spent, out);
done:
    dp2dp_ledger_free(ledger);
    return status;
}

dp2dp_status cmd_run(const cli_args *args, cli_out *out, dp2dp_error *error) {
    size_t count = cli_count(args, "runs"),
           threads = cli_workers_threads(cli_count(args, "threads"));
    cli_labelled table = {0};
    cli_people people = {0};
    cli_pipeline p = {0};
    double shares[CLI_PARTS] = {0};
    dp2dp_status status = DP2DP_STATUS_OK;
    cli_run *runs = calloc(count, sizeof *runs);
    CLI_TRY(cli_check_memory(runs, "the runs", error));
    if (sodium_init() < 0) {
        CLI_TRY_OR_DONE(
            cli_fail(error, DP2DP_STATUS_ENTROPY, "the system provided no random numbers"));
    }
    CLI_TRY_OR_DONE(read_settings(args, threads, &p, error));
    CLI_TRY_OR_DONE(cli_criterion_read(args, &p.criterion, error));
    CLI_TRY_OR_DONE(cli_split_read(cli_word(args, "split"), CLI_PARTS, shares, error));
    CLI_TRY_OR_DONE(cli_pipeline_read(args, &table, &people, &p, error));
    CLI_TRY_OR_DONE(cli_criterion_options(args, table.info->classes, table.info->class_count,
                                          &p.criterion, &p.fit, error));
    p.positive = p.fit.positive;
    CLI_TRY_OR_DONE(cli_split_size(cli_word(args, "split"), shares, &p, error));
    /* If --save cannot be written, say so now, before the long work. */
    CLI_TRY_OR_DONE(cli_save_check(args, error));
    status = cli_given(args, "dry-run") ? rehearse(args, &p, out, error)
                                        : perform(args, &p, threads, runs, out, error);
done:
    for (size_t i = 0; i < count; i++) {
        cli_run_drop_rows(&runs[i]);
    }
    free(runs);
    cli_people_free(&people);
    cli_labelled_close(&table);
    return status;
}
