/* How close prediction comes to the speed of memory.
 *     bench_predict N K G THREADS
 * N people, K classes, G groups. The speed of memory is measured in turn with predict: the same
 * threads add up a table of the same size. The first figure counts the bytes that predict reads
 * (scores and codes) and writes (decisions), the second only those it reads. */
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

typedef struct table {
    size_t rows, classes, groups;
    unsigned threads;
    float *scores;
    int8_t *codes;
    int32_t *decisions;
    uint64_t *sums;
} table;

static double read_once(const table *t) {
    reading r = {(const uint64_t *)(const void *)t->scores,
                 t->rows * t->classes * sizeof(float) / sizeof(uint64_t), t->sums};
    double start = seconds();
    dp2dpi_parallel((r.count + WORDS_PER_TASK - 1) / WORDS_PER_TASK, t->threads, read_task, &r);
    return seconds() - start;
}

/* Reads and predicts in turn and takes the fastest round of each, the one least disturbed by other
 * processes. */
static void compare(const table *t, const dp2dp_model *model) {
    dp2dp_matrix scores = matrix_of(t->scores, t->rows, t->classes);
    dp2dp_column codes = {t->codes, DP2DP_INT8, t->rows, 1};
    dp2dp_predict_options options = DP2DP_PREDICT_OPTIONS_INIT;
    dp2dp_error error;
    double reading_time = 1e9, predict_time = 1e9;
    options.threads = t->threads;
    for (int i = 0; i < ROUNDS; i++) {
        double took = read_once(t), start = seconds();
        require(dp2dp_model_predict(model, &scores, &codes, &options, t->decisions, &error),
                &error);
        double predicted = seconds() - start;
        reading_time = took < reading_time ? took : reading_time;
        predict_time = predicted < predict_time ? predicted : predict_time;
    }
    double bytes = (double)(t->rows * t->classes * sizeof(float));
    double bandwidth = bytes / reading_time, in = (bytes + (double)t->rows) / predict_time,
           moved = in + (double)(t->rows * sizeof(int32_t)) / predict_time;
    printf("predict N %zu, K %zu, G %zu, %u threads: %.4f s; reads and writes %.1f GB/s, reads "
           "%.1f GB/s; memory is read at %.1f GB/s\n",
           t->rows, t->classes, t->groups, t->threads, predict_time, 1e-9 * moved, 1e-9 * in,
           1e-9 * bandwidth);
    printf("%s  predict: %.0f %% of the read bandwidth (target 60), %.0f %% counting only what it "
           "reads\n",
           moved >= 0.6 * bandwidth ? "PASS" : "FAIL", 100 * moved / bandwidth,
           100 * in / bandwidth);
}

static void run(const table *t) {
    dp2dp_pool_options pool_options = DP2DP_POOL_OPTIONS_INIT;
    dp2dp_matrix scores = matrix_of(t->scores, t->rows, t->classes);
    dp2dp_column codes = {t->codes, DP2DP_INT8, t->rows, 1};
    dp2dp_fit_options options = DP2DP_FIT_OPTIONS_INIT;
    dp2dp_pool *pool = NULL;
    dp2dp_model *model = NULL;
    dp2dp_error error;
    scores.rows = codes.rows = t->rows < 100000 ? t->rows : 100000;
    pool_options.strata = t->groups;
    options.epsilon = 1.0;
    options.delta = 1e-6;
    require(dp2dp_pool_new(&scores, &codes, &pool_options, &pool, &error), &error);
    dp2dp_source source = dp2dp_pool_source(pool);
    require(dp2dp_fit(&source, &options, &model, &error), &error);
    compare(t, model);
    dp2dp_model_free(model);
    dp2dp_pool_free(pool);
}

int main(int argc, char **argv) {
    table t = {.rows = argc > 1 ? strtoull(argv[1], NULL, 10) : 10000000,
               .classes = argc > 2 ? strtoull(argv[2], NULL, 10) : 2,
               .groups = argc > 3 ? strtoull(argv[3], NULL, 10) : 2,
               .threads = argc > 4 ? (unsigned)strtoul(argv[4], NULL, 10) : 2};
    const dp2dp_error error = {.message = "bench_predict: out of memory, or G is not 1 to 127"};
    t.scores = malloc(t.rows * t.classes * sizeof *t.scores);
    t.codes = malloc(t.rows);
    t.decisions = malloc(t.rows * sizeof *t.decisions);
    t.sums = calloc(t.rows * t.classes / WORDS_PER_TASK + 1, sizeof *t.sums);
    int fits = t.scores && t.codes && t.decisions && t.sums && t.groups > 0 && t.groups < 128;
    require(fits ? DP2DP_STATUS_OK : DP2DP_STATUS_ARGUMENT, &error);
    make_people(t.rows, t.classes, t.groups, t.scores, t.codes);
    run(&t);
    free(t.scores);
    free(t.codes);
    free(t.decisions);
    free(t.sums);
    return 0;
}
