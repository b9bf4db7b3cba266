#include "run/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <sodium.h>

#include "common/progress.h"
#include "common/random.h"
#include "input/stream.h"
#include "show/show.h"

/* The state of one run. cli_pipeline_run frees what the run allocates. */
typedef struct state {
    const cli_pipeline *pipeline;
    uint64_t index;
    dp2dp_model *classifier, *model;
    float *scores;  /* of all rows, row-major */
    size_t scored;  /* how many rows have their scores */
    float *weights; /* of all rows, for a rule that does not see the group; else NULL */
    size_t weight_columns;
    int32_t *room; /* scratch space: three columns for the rows of the test part */
    dp2dp_error *error;
} state;

/* Fills `bytes` with random bytes for one purpose of one run: derived from the seed or, without a
 * seed, from the operating system. */
static void derive(const state *s, const char *purpose, unsigned char *bytes, size_t size) {
    unsigned char message[32] = {0};
    if (!s->pipeline->has_seed) {
        randombytes_buf(bytes, size);
        return;
    }
    for (int i = 0; i < 8; i++) {
        message[i] = (unsigned char)(s->pipeline->seed >> 8 * i);
        message[8 + i] = (unsigned char)(s->index >> 8 * i);
    }
    strncpy((char *)message + 16, purpose, 15);
    (void)crypto_generichash(bytes, size, message, sizeof message, NULL, 0);
}

static uint64_t word_at(const unsigned char *bytes) {
    uint64_t word = 0;
    for (int i = 7; i >= 0; i--) {
        word = word << 8 | bytes[i];
    }
    return word;
}

static uint64_t derive_seed(const state *s, const char *purpose) {
    unsigned char bytes[crypto_generichash_BYTES_MIN];
    derive(s, purpose, bytes, sizeof bytes);
    return word_at(bytes) >> 11; /* 53 bits, as --insecure-seed accepts */
}

/* Assigns each row to a part at random. The split depends on the number of rows, not on what the
 * rows contain. */
static void split(const state *s, uint8_t *parts) {
    unsigned char key[32];
    cli_random random;
    const size_t *sizes = s->pipeline->sizes;
    size_t count = s->pipeline->people->count;
    derive(s, "split", key, sizeof key);
    for (size_t i = 0; i < 4; i++) {
        random.state[i] = word_at(key + 8 * i);
    }
    for (size_t i = 0; i < count; i++) {
        parts[i] = i < sizes[0]              ? CLI_PART_TRAIN
                   : i < sizes[0] + sizes[1] ? CLI_PART_POOL
                                             : CLI_PART_TEST;
    }
    for (size_t i = count; i > 1; i--) {
        size_t j = (size_t)cli_random_below(&random, i);
        uint8_t part = parts[j];
        parts[j] = parts[i - 1];
        parts[i - 1] = part;
    }
}

static int cancel(void *context, uint64_t step, uint64_t total) {
    (void)context;
    (void)step;
    (void)total;
    return cli_interrupted();
}

static dp2dp_status train(state *s, const cli_run *run) {
    struct ArrowArrayStream rows;
    dp2dp_train_options options = s->pipeline->train;
    options.insecure_seed = options.rng == DP2DP_RNG_INSECURE ? derive_seed(s, "train") : 0;
    options.progress = s->pipeline->watcher ? cli_progress_step : cancel;
    options.progress_context = s->pipeline->watcher;
    CLI_TRY(cli_people_stream(s->pipeline->people, run->parts, CLI_PART_TRAIN, &rows, s->error));
    return dp2dp_train(s->pipeline->schema, &rows, &options, &s->classifier, s->error);
}

static dp2dp_status take_scores(void *context, const struct ArrowArray *batch, dp2dp_error *error) {
    state *s = context;
    size_t more = (size_t)batch->length, classes = dp2dp_model_view(s->classifier)->classes;
    (void)error;
    memcpy(s->scores + s->scored * classes, batch->children[1]->children[0]->buffers[1],
           more * classes * sizeof(float));
    if (s->weights) {
        /* The last two columns are the weights of groups, and of groups and labels. */
        int64_t child = batch->n_children - (s->pipeline->criterion.labelled ? 1 : 2);
        memcpy(s->weights + s->scored * s->weight_columns,
               batch->children[child]->children[0]->buffers[1],
               more * s->weight_columns * sizeof(float));
    }
    s->scored += more;
    return DP2DP_STATUS_OK;
}

/* Scores all rows with the classifier. */
static dp2dp_status score(state *s) {
    struct ArrowArrayStream rows, scored;
    CLI_TRY(cli_people_stream(s->pipeline->people, NULL, 0, &rows, s->error));
    CLI_TRY(dp2dp_model_score(s->classifier, &rows, &scored, s->error));
    return cli_stream_each(&scored, take_scores, s, s->error);
}

static dp2dp_matrix matrix_of(const float *scores, size_t rows, size_t classes) {
    return (dp2dp_matrix) {.data = scores,
                           .type = DP2DP_FLOAT32,
                           .rows = rows,
                           .columns = classes,
                           .row_stride = (ptrdiff_t)(classes * sizeof(float)),
                           .column_stride = sizeof(float)};
}

static dp2dp_column column_of(const int32_t *codes, size_t rows) {
    return (dp2dp_column) {
        .data = codes, .type = DP2DP_INT32, .rows = rows, .stride = sizeof(int32_t)};
}

/* The stratum that row i is counted under. */
static int32_t code_of(const cli_pipeline *p, size_t i, size_t classes) {
    const int32_t *groups = p->people->values[CLI_FIELD_GROUP];
    const int32_t *labels = p->people->values[CLI_FIELD_LABEL];
    return cli_people_is_left_out(p->people, i)        ? -1
           : cli_criterion_reads_labels(&p->criterion) ? groups[i] * (int32_t)classes + labels[i]
                                                       : groups[i];
}

/* Makes a pool from the scores, weights and strata of the pool part. */
static dp2dp_status gather_pool(const state *s, const uint8_t *parts, dp2dp_pool **out) {
    const cli_pipeline *p = s->pipeline;
    size_t classes = dp2dp_model_view(s->classifier)->classes, count = p->sizes[CLI_PART_POOL];
    size_t columns = s->weight_columns;
    dp2dp_pool_options options = DP2DP_POOL_OPTIONS_INIT;
    float *scores = calloc(count, classes * sizeof *scores);
    float *weights = columns > 0 ? calloc(count, columns * sizeof *weights) : NULL;
    int32_t *codes = calloc(count, sizeof *codes);
    dp2dp_status status = DP2DP_STATUS_OK;
    cli_criterion_pool(&p->criterion, dp2dp_schema_view(p->schema)->group_count, classes, &options);
    options.threads = p->train.threads;
    options.leaves_out = p->people->fields > CLI_FIELD_LEFT_OUT;
    CLI_TRY_OR_DONE(
        cli_check_memory(scores && codes && (weights || columns == 0), "the rows", s->error));
    for (size_t i = 0, at = 0; i < p->people->count; i++) {
        if (parts[i] == CLI_PART_POOL) {
            memcpy(scores + at * classes, s->scores + i * classes, classes * sizeof *scores);
            if (weights) {
                memcpy(weights + at * columns, s->weights + i * columns, columns * sizeof *weights);
            }
            codes[at++] = code_of(p, i, classes);
        }
    }
    dp2dp_matrix matrix = matrix_of(scores, count, classes);
    dp2dp_matrix weighted = matrix_of(weights, count, columns);
    options.weights = weights ? &weighted : NULL;
    dp2dp_column strata = column_of(codes, count);
    status = dp2dp_pool_new(&matrix, &strata, &options, out, s->error);
done:
    free(scores);
    free(weights);
    free(codes);
    return status;
}

static dp2dp_status fit(state *s, const cli_run *run) {
    dp2dp_pool *pool = NULL;
    dp2dp_fit_options options = s->pipeline->fit;
    options.insecure_seed = options.rng == DP2DP_RNG_INSECURE ? derive_seed(s, "fit") : 0;
    options.progress = cancel;
    options.base = s->classifier;
    options.names.groups = dp2dp_schema_view(s->pipeline->schema)->groups;
    dp2dp_status status = DP2DP_STATUS_OK;
    CLI_TRY_OR_DONE(gather_pool(s, run->parts, &pool));
    dp2dp_source source = dp2dp_pool_source(pool);
    status = dp2dp_fit(&source, &options, &s->model, s->error);
done:
    dp2dp_pool_free(pool);
    return status;
}

/* Writes the model's decision for every row. */
static dp2dp_status decide(const state *s, const dp2dp_model *model, int32_t *out) {
    const cli_people *people = s->pipeline->people;
    dp2dp_predict_options options = DP2DP_PREDICT_OPTIONS_INIT;
    dp2dp_matrix scores =
        matrix_of(s->scores, people->count, dp2dp_model_view(s->classifier)->classes);
    dp2dp_column groups = column_of(people->values[CLI_FIELD_GROUP], people->count);
    dp2dp_matrix weights = matrix_of(s->weights, people->count, s->weight_columns);
    options.weights = dp2dp_model_view(model)->rule == DP2DP_RULE_WEIGHTED ? &weights : NULL;
    options.threads = s->pipeline->train.threads;
    return dp2dp_model_predict(model, &scores, &groups, &options, out, s->error);
}

/* Measures error and unfairness of the decisions on the test part; criteria: the unfairness under
 * each of them. */
static dp2dp_status measure(const state *s, const uint8_t *parts, const int32_t *decisions,
                            double *error_rate, double *unfairness, double *criteria) {
    const cli_people *people = s->pipeline->people;
    size_t count = s->pipeline->sizes[CLI_PART_TEST], measured = 0;
    int32_t *columns[] = {s->room, s->room + count, s->room + 2 * count};
    const int32_t *from[] = {decisions, people->values[CLI_FIELD_GROUP],
                             people->values[CLI_FIELD_LABEL]};
    dp2dp_evaluate_options options = DP2DP_EVALUATE_OPTIONS_INIT;
    dp2dp_evaluation *found = NULL;
    for (size_t i = 0; i < people->count; i++) {
        int tested = parts[i] == CLI_PART_TEST && !cli_people_is_left_out(people, i);
        for (size_t j = 0; j < 3 && tested; j++) {
            columns[j][measured] = from[j][i];
        }
        measured += (size_t)tested;
    }
    if (measured == 0) {
        return cli_fail(s->error, DP2DP_STATUS_DATA,
                        "all rows of the test part are left out, so nothing can be measured");
    }
    dp2dp_column predictions = column_of(columns[0], measured);
    dp2dp_column groups = column_of(columns[1], measured);
    dp2dp_column labels = column_of(columns[2], measured);
    options.strata = dp2dp_schema_view(s->pipeline->schema)->group_count;
    options.classes = dp2dp_schema_view(s->pipeline->schema)->class_count;
    options.positive = s->pipeline->fit.positive;
    options.bootstrap_draws = 0;
    dp2dp_status status = DP2DP_STATUS_OK;
    CLI_TRY_OR_DONE(dp2dp_evaluate(&predictions, &groups, &labels, &options, &found, s->error));
    *error_rate = found->error;
    *unfairness = found->unfairness;
    for (size_t i = 0; i < CLI_CRITERIA; i++) {
        criteria[i] = found->criteria[i].unfairness;
    }
done:
    dp2dp_evaluation_free(found);
    return status;
}

static dp2dp_status make_room(state *s, cli_run *run) {
    size_t count = s->pipeline->people->count;
    run->parts = calloc(count, sizeof *run->parts);
    run->unfair = calloc(count, sizeof *run->unfair);
    run->fair = calloc(count, sizeof *run->fair);
    s->room = calloc(s->pipeline->sizes[CLI_PART_TEST], 3 * sizeof *s->room);
    s->scores =
        calloc(count, dp2dp_schema_view(s->pipeline->schema)->class_count * sizeof *s->scores);
    if (s->pipeline->criterion.unaware) {
        const dp2dp_schema_info *info = dp2dp_schema_view(s->pipeline->schema);
        s->weight_columns =
            info->group_count * (s->pipeline->criterion.labelled ? info->class_count : 1);
        s->weights = calloc(count, s->weight_columns * sizeof *s->weights);
    }
    return cli_check_memory(run->parts && run->unfair && run->fair && s->room && s->scores &&
                                (s->weights || s->weight_columns == 0),
                            "the rows", s->error);
}

void cli_run_drop_rows(cli_run *run) {
    free(run->parts);
    free(run->unfair);
    free(run->fair);
    run->parts = NULL;
    run->unfair = run->fair = NULL;
}

static dp2dp_status run_once(state *s, cli_run *out) {
    const unsigned none = DP2DP_NOT_PRIVATE_NO_NOISE | DP2DP_NOT_PRIVATE_NO_BOUND |
                          DP2DP_NOT_PRIVATE_CLASSIFIER_NOT_PRIVATE;
    double *m = out->measures;
    CLI_TRY(make_room(s, out));
    split(s, out->parts);
    CLI_TRY(train(s, out));
    CLI_TRY(score(s));
    CLI_TRY(fit(s, out));
    CLI_TRY(decide(s, s->classifier, out->unfair));
    CLI_TRY(decide(s, s->model, out->fair));
    CLI_TRY(measure(s, out->parts, out->unfair, &m[CLI_ERROR_BEFORE], &m[CLI_UNFAIRNESS_BEFORE],
                    &m[CLI_CRITERIA_BEFORE]));
    CLI_TRY(measure(s, out->parts, out->fair, &m[CLI_ERROR_AFTER], &m[CLI_UNFAIRNESS_AFTER],
                    &m[CLI_CRITERIA_AFTER]));
    const dp2dp_model_info *info = dp2dp_model_view(s->model);
    out->not_private_because = info->not_private_because;
    out->epsilon = info->not_private_because & none ? NAN : info->epsilon;
    out->delta = info->not_private_because & none ? NAN : info->delta;
    out->warnings = info->warnings;
    for (size_t i = 0; i < info->cover_count && i < 2; i++) {
        out->covers[out->cover_count++] = info->covers[i];
        out->covers[i].people = NULL; /* a run names nobody, and the text goes with the model */
    }
    out->noise = cli_classifier_noise(dp2dp_model_view(s->classifier));
    return DP2DP_STATUS_OK;
}

void cli_pipeline_run(const cli_pipeline *pipeline, uint64_t index, cli_run *out) {
    *out = (cli_run) {.noise = NAN};
    state s = {.pipeline = pipeline, .index = index, .error = &out->error};
    out->status = run_once(&s, out);
    if (out->status != DP2DP_STATUS_OK || !pipeline->keep) {
        cli_run_drop_rows(out);
    }
    dp2dp_model_free(s.model);
    dp2dp_model_free(s.classifier);
    free(s.scores);
    free(s.weights);
    free(s.room);
}
