/* The whole pipeline, again and again. */
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sodium.h>

#include "classifier.h"
#include "interrupt.h"
#include "labelled.h"
#include "number.h"
#include "run_report.h"
#include "run_save.h"
#include "spend.h"

enum {
    THREADS_MAX = 256
};

/* What the workers share. */
typedef struct crew {
    const cli_pipeline *pipeline;
    cli_run *runs;
    size_t count;
    atomic_size_t next, done;
    int watched;
} crew;

static void *work(void *argument) {
    crew *c = argument;
    for (size_t i; (i = atomic_fetch_add(&c->next, 1)) < c->count;) {
        if (cli_interrupted()) {
            c->runs[i].status = cli_fail(&c->runs[i].error, DP2DP_STATUS_CANCELLED, "interrupted");
            continue;
        }
        cli_pipeline_run(c->pipeline, i, &c->runs[i]);
        size_t done = atomic_fetch_add(&c->done, 1) + 1;
        if (c->watched) {
            fprintf(stderr, "\rrun %zu of %zu", done, c->count);
        }
    }
    return NULL;
}

/* The first failure by number, so that the message does not depend on the threads. */
static dp2dp_status run_all(const cli_pipeline *pipeline, size_t threads, cli_run *runs,
                            size_t count, dp2dp_error *error) {
    crew c = {.pipeline = pipeline, .runs = runs, .count = count, .watched = isatty(STDERR_FILENO)};
    pthread_t others[THREADS_MAX];
    size_t started = 0;
    threads = threads < count ? threads : count;
    threads = threads < THREADS_MAX ? threads : THREADS_MAX;
    cli_interrupt_hold();
    while (started + 1 < threads && pthread_create(&others[started], NULL, work, &c) == 0) {
        started++;
    }
    (void)work(&c);
    for (size_t i = 0; i < started; i++) {
        (void)pthread_join(others[i], NULL);
    }
    cli_interrupt_release();
    if (c.watched) {
        fputs("\r\033[K", stderr);
    }
    for (size_t i = 0; i < count; i++) {
        if (runs[i].status != DP2DP_STATUS_OK) {
            *error = runs[i].error;
            return runs[i].status;
        }
    }
    return DP2DP_STATUS_OK;
}

/* --split: three fractions. */
static dp2dp_status read_split(const cli_args *args, double fractions[CLI_PARTS],
                               dp2dp_error *error) {
    const char *text = cli_word(args, "split");
    double sum = 0;
    int count = 0, sound = 1;
    for (const char *at = text; at && sound; count++) {
        char number[CLI_NUMBER_SIZE];
        size_t length = strcspn(at, ",");
        snprintf(number, sizeof number, "%.*s", (int)(length < 32 ? length : 32), at);
        sound = count < CLI_PARTS && length < 32 &&
                cli_number_parse(number, &fractions[count]) == CLI_PARSED && fractions[count] > 0 &&
                fractions[count] <= 1;
        sum += sound ? fractions[count] : 0;
        at = at[length] == ',' ? at + length + 1 : NULL;
    }
    return sound && count == CLI_PARTS && fabs(sum - 1) <= 1e-9
               ? DP2DP_STATUS_OK
               : cli_fail(error, DP2DP_STATUS_ARGUMENT,
                          "--split '%.60s' is not three numbers above 0 that sum to 1, such as "
                          "0.55,0.20,0.25",
                          text);
}

/* Whole rows of the first two parts, the rest to the third; what is within 1e-9 of a whole number
 * is that number. */
static dp2dp_status size_parts(const cli_args *args, const double fractions[CLI_PARTS],
                               cli_pipeline *p, dp2dp_error *error) {
    size_t count = p->people->count;
    for (int i = 0; i < 2; i++) {
        p->sizes[i] = (size_t)floor(fractions[i] * (double)count + 1e-9);
    }
    size_t both = p->sizes[CLI_PART_TRAIN] + p->sizes[CLI_PART_POOL];
    p->sizes[CLI_PART_TEST] = count > both ? count - both : 0;
    return p->sizes[CLI_PART_TRAIN] > 0 && p->sizes[CLI_PART_POOL] > 1 &&
                   p->sizes[CLI_PART_TEST] > 0
               ? DP2DP_STATUS_OK
               : cli_fail(error, DP2DP_STATUS_DATA,
                          "%zu rows are too few for --split %.60s: at least 1, 2 and 1", count,
                          cli_word(args, "split"));
}

static dp2dp_status check_arguments(const cli_args *args, const dp2dp_train_options *train,
                                    const dp2dp_fit_options *fit, dp2dp_error *error) {
    int is_free = train->method == DP2DP_TRAIN_NONE && fit->solver == DP2DP_SOLVER_EXACT;
    if (train->method == DP2DP_TRAIN_EXTERNAL) {
        return cli_fail(
            error, DP2DP_STATUS_ARGUMENT,
            "--method external has nothing to train: see dp2dp train, then fit --model");
    }
    return cli_spend_check_budget(args, is_free ? "both" : NULL, "--method none --solver exact",
                                  error);
}

static void read_settings(const cli_args *args, size_t threads, cli_pipeline *p) {
    cli_classifier_options(args, &p->train);
    dp2dp_fit_options_init(&p->fit);
    cli_setting(args, "epsilon", &p->fit.epsilon);
    cli_setting(args, "delta", &p->fit.delta);
    p->fit.rho = cli_real(args, "rho");
    p->fit.rows_per_person = p->train.rows_per_person;
    p->fit.rng = p->train.rng;
    p->has_seed = cli_given(args, "insecure-seed");
    p->seed = p->train.insecure_seed;
    p->keep = cli_given(args, "save");
    p->train.threads = cli_count(args, "runs") > 1 ? 1 : (unsigned)threads;
#define DP2DP_SOLVER(name, value, word)                \
    if (strcmp(cli_word(args, "solver"), word) == 0) { \
        p->fit.solver = DP2DP_SOLVER_##name;           \
    }
#include <dp2dp/solver.def>
#undef DP2DP_SOLVER
}

static size_t thread_count(const cli_args *args) {
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t asked = cli_count(args, "threads");
    return asked > 0 ? (size_t)asked : online > 0 ? (size_t)online : 1;
}

static dp2dp_status read_people(const cli_args *args, cli_labelled *table, cli_people *people,
                                dp2dp_error *error) {
    dp2dp_status status = cli_labelled_schema(args, table, error);
    if (status == DP2DP_STATUS_OK && table->info->group_count == 0) {
        status = cli_fail(error, DP2DP_STATUS_DATA,
                          "the schema has no column of role sensitive: there are no groups to "
                          "treat alike: %.120s",
                          cli_word(args, "schema"));
    }
    if (status == DP2DP_STATUS_OK) {
        status = cli_labelled_open(args, DP2DP_PART_FEATURES | DP2DP_PART_LABEL | DP2DP_PART_GROUP,
                                   table, error);
    }
    return status == DP2DP_STATUS_OK ? cli_people_load(table->schema, &table->stream, people, error)
                                     : status;
}

dp2dp_status cmd_run(const cli_args *args, cli_out *out, dp2dp_error *error) {
    size_t count = cli_count(args, "runs"), threads = thread_count(args);
    cli_labelled table = {0};
    cli_people people = {0};
    cli_save save = {0};
    cli_pipeline p = {.people = &people};
    double fractions[CLI_PARTS] = {0};
    cli_run *runs = calloc(count, sizeof *runs);
    dp2dp_status status =
        runs == NULL ? cli_fail(error, DP2DP_STATUS_MEMORY, "out of memory for %zu runs", count)
        : sodium_init() < 0 ? cli_fail(error, DP2DP_STATUS_ENTROPY, "the system gave no randomness")
                            : DP2DP_STATUS_OK;
    read_settings(args, threads, &p);
    if (status == DP2DP_STATUS_OK &&
        (status = check_arguments(args, &p.train, &p.fit, error)) == 0 &&
        (status = read_split(args, fractions, error)) == 0 &&
        (status = read_people(args, &table, &people, error)) == 0 &&
        (status = size_parts(args, fractions, &p, error)) == 0 &&
        /* Before the work: what could not be written later is refused now. */
        (status = cli_save_begin(args, &save, error)) == 0) {
        p.schema = table.schema;
        status = run_all(&p, threads, runs, count, error);
    }
    if (status == DP2DP_STATUS_OK) {
        status = cli_save_runs(args, &save, &p, runs, count, error);
    }
    if (status == DP2DP_STATUS_OK) {
        cli_run_report(args, &p, runs, count, out);
    }
    cli_save_end(&save, status);
    for (size_t i = 0; runs && i < count; i++) {
        cli_run_drop_rows(&runs[i]);
    }
    free(runs);
    cli_people_free(&people);
    cli_labelled_close(&table);
    return status;
}
