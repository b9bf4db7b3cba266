/* How close prediction comes to the speed of memory.
 *     bench_predict N K G THREADS [KIND]
 * N people, K classes, G groups. KIND is the rule: offset (demographic parity; the default), linear
 * (equalized odds), dithered (the same with dither), weighted (equalized odds for a rule that does
 * not see the group, with weights of groups and labels) or by-group (with weights of groups). The
 * speed of memory is measured in turn with predict: the same threads add up a table of the same
 * size. The first figure counts the bytes that predict reads (scores, and codes or weights) and
 * writes (decisions), the second only those it reads. */
#include <string.h>

#include "base/parallel.h"

#include "timing.h"

enum {
    ROUNDS = 40,
    WORDS_PER_TASK = 1 << 17
};

typedef struct reading {
    const uint64_t *words;
    size_t count;
    uint64_t *sums; /* one for each task */
} reading;

static void read_task(void *context, size_t task) {
    const reading *r = context;
    size_t first = task * WORDS_PER_TASK;
    size_t last = first + WORDS_PER_TASK < r->count ? first + WORDS_PER_TASK : r->count;
    uint64_t sum = 0;
    for (size_t i = first; i < last; i++) {
        sum += r->words[i];
    }
    r->sums[task] = sum;
}

typedef enum kind {
    OFFSET,
    LINEAR,
    DITHERED,
    WEIGHTED,
    BY_GROUP,
    KINDS
} kind;
static const char *const kind_names[KINDS] = {"offset", "linear", "dithered", "weighted",
                                              "by-group"};

typedef struct table {
    size_t rows, classes, groups;
    unsigned threads;
    kind kind;
    size_t columns; /* weights of each row; 0 if the rule sees the group */
    float *scores;  /* rows × classes, and then the weights */
    int8_t *codes, *strata;
    int32_t *decisions;
    uint64_t *sums;
} table;

static size_t numbers(const table *t) {
    return t->rows * (t->classes + t->columns);
}

static dp2dp_matrix weights_of(const table *t, size_t rows) {
    return matrix_of(t->scores + t->rows * t->classes, rows, t->columns);
}

static double read_once(const table *t) {
    reading r = {(const uint64_t *)(const void *)t->scores,
                 numbers(t) * sizeof(float) / sizeof(uint64_t), t->sums};
    double start = seconds();
    dp2dpi_parallel((r.count + WORDS_PER_TASK - 1) / WORDS_PER_TASK, t->threads, read_task, &r);
    return seconds() - start;
}

/* Reads and predicts in turn and takes the fastest round of each, the one least disturbed by other
 * processes. */
static void compare(const table *t, const dp2dp_model *model) {
    dp2dp_matrix scores = matrix_of(t->scores, t->rows, t->classes);
    dp2dp_matrix weights = weights_of(t, t->rows);
    dp2dp_column codes = {t->codes, DP2DP_INT8, t->rows, 1};
    dp2dp_predict_options options = DP2DP_PREDICT_OPTIONS_INIT;
    dp2dp_error error;
    double reading_time = 1e9, predict_time = 1e9;
    options.threads = t->threads;
    options.weights = t->columns ? &weights : NULL;
    for (int i = 0; i < ROUNDS; i++) {
        double took = read_once(t), start = seconds();
        require(dp2dp_model_predict(model, &scores, &codes, &options, t->decisions, &error),
                &error);
        double predicted = seconds() - start;
        reading_time = took < reading_time ? took : reading_time;
        predict_time = predicted < predict_time ? predicted : predict_time;
    }
    double bytes = (double)(numbers(t) * sizeof(float)), target = t->kind == OFFSET ? 0.6 : 0.5;
    double codes_read = t->columns ? 0.0 : (double)t->rows;
    double bandwidth = bytes / reading_time, in = (bytes + codes_read) / predict_time,
           moved = in + (double)(t->rows * sizeof(int32_t)) / predict_time;
    printf("predict %s, N %zu, K %zu, G %zu, %u threads: %.4f s; reads and writes %.1f GB/s, reads "
           "%.1f GB/s; memory is read at %.1f GB/s\n",
           kind_names[t->kind], t->rows, t->classes, t->groups, t->threads, predict_time,
           1e-9 * moved, 1e-9 * in, 1e-9 * bandwidth);
    printf("%s  predict %s: %.0f %% of the read bandwidth (target %.0f), %.0f %% counting only "
           "what it reads\n",
           moved >= target * bandwidth ? "PASS" : "FAIL", kind_names[t->kind],
           100 * moved / bandwidth, 100 * target, 100 * in / bandwidth);
}

/* Draws a label for each person by the scores, and weights for a rule that does not see the
 * group: three times as much for the person's own group as for another. */
static void make_strata(const table *t) {
    float *weights = t->scores + t->rows * t->classes;
    size_t labels = t->kind == BY_GROUP ? 1 : t->classes;
    uint64_t state = 2;
    for (size_t i = 0; i < t->rows; i++) {
        const float *scores = t->scores + i * t->classes;
        float left = (float)next_random(&state) * 0x1p-24F;
        size_t label = 0, own = (size_t)t->codes[i];
        while (label + 1 < t->classes && left >= scores[label]) {
            left -= scores[label++];
        }
        t->strata[i] = (int8_t)(own * t->classes + label);
        for (size_t e = 0; e < t->columns; e++) {
            float group = (e / labels == own ? 3.0F : 1.0F) / (float)(t->groups + 2);
            weights[i * t->columns + e] = labels == 1 ? group : group * scores[e % labels];
        }
    }
}

static void run(const table *t) {
    size_t rows = t->rows < 100000 ? t->rows : 100000;
    dp2dp_pool_options pool_options = DP2DP_POOL_OPTIONS_INIT;
    dp2dp_matrix scores = matrix_of(t->scores, rows, t->classes), weights = weights_of(t, rows);
    dp2dp_column strata = {t->kind == OFFSET ? t->codes : t->strata, DP2DP_INT8, rows, 1};
    dp2dp_fit_options options = DP2DP_FIT_OPTIONS_INIT;
    dp2dp_pool *pool = NULL;
    dp2dp_model *model = NULL;
    dp2dp_error error;
    pool_options.labels = t->kind == OFFSET ? 1 : t->classes;
    pool_options.strata = t->groups * pool_options.labels;
    pool_options.weights = t->columns ? &weights : NULL;
    pool_options.dither.width = t->kind == DITHERED ? 0.15 : 0.0;
    pool_options.dither_key = DP2DP_DITHER_KEY_SCORES;
    options.criterion = t->kind == OFFSET ? DP2DP_DEMOGRAPHIC_PARITY : DP2DP_EQUALIZED_ODDS;
    options.epsilon = 1.0;
    options.delta = 1e-6;
    require(dp2dp_pool_new(&scores, &strata, &pool_options, &pool, &error), &error);
    dp2dp_source source = dp2dp_pool_source(pool);
    require(dp2dp_fit(&source, &options, &model, &error), &error);
    compare(t, model);
    dp2dp_model_free(model);
    dp2dp_pool_free(pool);
}

static kind kind_of(const char *word) {
    kind found = OFFSET;
    while (found < KINDS && strcmp(kind_names[found], word) != 0) {
        found++;
    }
    return found;
}

int main(int argc, char **argv) {
    table t = {.rows = argc > 1 ? strtoull(argv[1], NULL, 10) : 10000000,
               .classes = argc > 2 ? strtoull(argv[2], NULL, 10) : 2,
               .groups = argc > 3 ? strtoull(argv[3], NULL, 10) : 2,
               .threads = argc > 4 ? (unsigned)strtoul(argv[4], NULL, 10) : 2,
               .kind = kind_of(argc > 5 ? argv[5] : "offset")};
    const dp2dp_error error = {
        .message = "bench_predict: out of memory, G times K is not 1 to 127, or no such rule"};
    t.columns = t.kind == WEIGHTED ? t.groups * t.classes : t.kind == BY_GROUP ? t.groups : 0;
    t.scores = malloc(numbers(&t) * sizeof *t.scores);
    t.codes = malloc(t.rows);
    t.strata = malloc(t.rows);
    t.decisions = malloc(t.rows * sizeof *t.decisions);
    t.sums = calloc(numbers(&t) / WORDS_PER_TASK + 1, sizeof *t.sums);
    int fits = t.scores && t.codes && t.strata && t.decisions && t.sums && t.kind < KINDS &&
               t.groups > 0 && t.groups * t.classes < 128;
    require(fits ? DP2DP_STATUS_OK : DP2DP_STATUS_ARGUMENT, &error);
    make_people(t.rows, t.classes, t.groups, t.scores, t.codes);
    make_strata(&t);
    run(&t);
    free(t.scores);
    free(t.codes);
    free(t.strata);
    free(t.decisions);
    free(t.sums);
    return 0;
}
