/* How close prediction comes to the speed of memory.
 *     bench_predict N K G THREADS [KIND [SCORES]]
 * N people, K classes, G groups. KIND is the rule: offset (demographic parity; the default), linear
 * (equalized odds), dithered (the same with dither), weighted (equalized odds for a rule that does
 * not see the group, with weights of groups and labels) or by-group (with weights of groups).
 * SCORES are even (uniform numbers divided by their sum; the default), sure (as a classifier for
 * Adult gives them: 7 % of rows with two classes are within .15 of a tie) or tied (nearly all rows
 * within .1 of a tie; for linear and dithered).
 *
 * Slices of the table are decided and, in turn, others of the same size are only added up, by as
 * many threads. A slice takes less than a millisecond, so that some are not disturbed by
 * other processes; the 5th percentile of each counts. The first figure counts the bytes that
 * predict reads (scores, and codes or weights) and writes (decisions), the second only those it
 * reads. */
#include <string.h>

#include "base/parallel.h"

#include "timing.h"

enum {
    ROUNDS = 40,
    TIMES_MAX = 1 << 11,
    SLICE_ROWS = 1 << 16, /* of each thread */
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

typedef enum score_kind {
    EVEN,
    SURE,
    TIED,
    SCORE_KINDS
} score_kind;
static const char *const score_names[SCORE_KINDS] = {"even", "sure", "tied"};

typedef struct table {
    size_t rows, classes, groups;
    unsigned threads;
    kind kind;
    score_kind score_kind;
    size_t columns; /* weights of each row; 0 if the rule sees the group */
    float *scores;  /* rows × classes, and then the weights */
    int8_t *codes, *strata;
    int32_t *decisions;
    uint64_t *sums;
} table;

static size_t numbers(const table *t) {
    return t->rows * (t->classes + t->columns);
}

static dp2dp_matrix weights_of(const table *t, size_t first, size_t rows) {
    return matrix_of(t->scores + t->rows * t->classes + first * t->columns, rows, t->columns);
}

static double read_slice(const table *t, size_t first, size_t rows) {
    size_t width = t->classes + t->columns;
    reading r = {(const uint64_t *)(const void *)t->scores + first * width / 2, rows * width / 2,
                 t->sums};
    double start = seconds();
    dp2dpi_parallel((r.count + WORDS_PER_TASK - 1) / WORDS_PER_TASK, t->threads, read_task, &r);
    return seconds() - start;
}

static double predict_slice(const table *t, const dp2dp_model *model, size_t first, size_t rows) {
    dp2dp_matrix scores = matrix_of(t->scores + first * t->classes, rows, t->classes);
    dp2dp_matrix weights = weights_of(t, first, rows);
    dp2dp_column codes = {t->codes + first, DP2DP_INT8, rows, 1};
    dp2dp_predict_options options = DP2DP_PREDICT_OPTIONS_INIT;
    dp2dp_error error;
    options.threads = t->threads;
    options.weights = t->columns ? &weights : NULL;
    double start = seconds();
    require(dp2dp_model_predict(model, &scores, &codes, &options, t->decisions + first, &error),
            &error);
    return seconds() - start;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double low_time(double *times, size_t count) {
    qsort(times, count, sizeof *times, by_size);
    return times[count / 20];
}

/* Reads one slice and predicts another one, half a table away, in turn. */
static void compare(const table *t, const dp2dp_model *model) {
    static double read[TIMES_MAX], predicted[TIMES_MAX];
    size_t row_bytes = (t->classes + t->columns) * sizeof(float), count = 0;
    size_t slice = SLICE_ROWS * t->threads;
    slice = slice < t->rows / 2 ? slice : t->rows / 2;
    size_t slices = t->rows / slice;
    for (size_t i = 0; i < ROUNDS * slices && count < TIMES_MAX; i++, count++) {
        read[count] = read_slice(t, i % slices * slice, slice);
        predicted[count] = predict_slice(t, model, (i + slices / 2) % slices * slice, slice);
    }
    double reading_time = low_time(read, count), predict_time = low_time(predicted, count);
    double bytes = (double)(slice * row_bytes), target = t->kind == OFFSET ? 0.6 : 0.5;
    double codes_read = t->columns ? 0.0 : (double)slice;
    double bandwidth = bytes / reading_time, in = (bytes + codes_read) / predict_time,
           moved = in + (double)(slice * sizeof(int32_t)) / predict_time;
    printf("predict %s, N %zu, K %zu, G %zu, %s scores, %u threads: %.2f ns per row; reads and "
           "writes %.1f GB/s, reads %.1f GB/s; memory is read at %.1f GB/s\n",
           kind_names[t->kind], t->rows, t->classes, t->groups, score_names[t->score_kind],
           t->threads, 1e9 * predict_time / (double)slice, 1e-9 * moved, 1e-9 * in,
           1e-9 * bandwidth);
    printf("%s  predict %s: %.0f %% of the read bandwidth (target %.0f), %.0f %% counting only "
           "what it reads\n",
           moved >= target * bandwidth ? "PASS" : "FAIL", kind_names[t->kind],
           100 * moved / bandwidth, 100 * target, 100 * in / bandwidth);
}

/* Makes the scores that make_people has drawn surer. */
static void sharpen(const table *t) {
    for (size_t i = 0; i < t->rows; i++) {
        float *scores = t->scores + i * t->classes, sum = 0.0F;
        for (size_t k = 0; k < t->classes; k++) {
            float square = scores[k] * scores[k];
            scores[k] = square * square;
            sum += scores[k];
        }
        for (size_t k = 0; k < t->classes; k++) {
            scores[k] /= sum;
        }
    }
}

/* Moves every row to within .1 of a tie of two of its classes under the rule `linear`. */
static void tie(const table *t, const dp2dp_model *model) {
    const double *all = dp2dp_model_view(model)->offsets;
    size_t classes = t->classes;
    uint64_t state = 3;
    for (size_t i = 0; i < t->rows; i++) {
        const double *offsets = all + (size_t)t->codes[i] * classes * classes;
        size_t a = next_random(&state) % classes, b = (a + 1) % classes;
        double with_a = 1.0 - offsets[a * classes + a] + offsets[a * classes + b];
        double with_b = -1.0 - offsets[b * classes + a] + offsets[b * classes + b];
        double share = with_a / (with_a - with_b) + 0.1 * (next_random(&state) * 0x1p-24 - 0.5);
        share = share < 0.0 ? 0.0 : share > 1.0 ? 1.0 : share;
        memset(t->scores + i * classes, 0, classes * sizeof *t->scores);
        t->scores[i * classes + a] = (float)(1.0 - share);
        t->scores[i * classes + b] = (float)share;
    }
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
    dp2dp_matrix scores = matrix_of(t->scores, rows, t->classes), weights = weights_of(t, 0, rows);
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
    options.rho =
        t->score_kind == TIED ? 1.0 : 0.0; /* else the rule's offsets would undo the ties */
    options.epsilon = 1.0;
    options.delta = 1e-6;
    require(dp2dp_pool_new(&scores, &strata, &pool_options, &pool, &error), &error);
    dp2dp_source source = dp2dp_pool_source(pool);
    require(dp2dp_fit(&source, &options, &model, &error), &error);
    if (t->score_kind == TIED) {
        tie(t, model);
    }
    compare(t, model);
    dp2dp_model_free(model);
    dp2dp_pool_free(pool);
}

/* Returns the place of the word in the list, or `count`. */
static size_t place_of(const char *word, const char *const *list, size_t count) {
    size_t found = 0;
    while (found < count && strcmp(list[found], word) != 0) {
        found++;
    }
    return found;
}

int main(int argc, char **argv) {
    table t = {.rows = argc > 1 ? strtoull(argv[1], NULL, 10) : 10000000,
               .classes = argc > 2 ? strtoull(argv[2], NULL, 10) : 2,
               .groups = argc > 3 ? strtoull(argv[3], NULL, 10) : 2,
               .threads = argc > 4 ? (unsigned)strtoul(argv[4], NULL, 10) : 2,
               .kind = (kind)place_of(argc > 5 ? argv[5] : "offset", kind_names, KINDS),
               .score_kind =
                   (score_kind)place_of(argc > 6 ? argv[6] : "even", score_names, SCORE_KINDS)};
    const dp2dp_error error = {
        .message = "bench_predict: out of memory, G times K is not 1 to 127, or no such word"};
    t.columns = t.kind == WEIGHTED ? t.groups * t.classes : t.kind == BY_GROUP ? t.groups : 0;
    t.scores = malloc(numbers(&t) * sizeof *t.scores);
    t.codes = malloc(t.rows);
    t.strata = malloc(t.rows);
    t.decisions = malloc(t.rows * sizeof *t.decisions);
    t.sums = calloc(numbers(&t) / WORDS_PER_TASK + 1, sizeof *t.sums);
    int fits = t.scores && t.codes && t.strata && t.decisions && t.sums && t.kind < KINDS &&
               t.score_kind < SCORE_KINDS &&
               (t.score_kind != TIED || t.kind == LINEAR || t.kind == DITHERED) && t.groups > 0 &&
               t.groups * t.classes < 128;
    require(fits ? DP2DP_STATUS_OK : DP2DP_STATUS_ARGUMENT, &error);
    make_people(t.rows, t.classes, t.groups, t.scores, t.codes);
    if (t.score_kind == SURE) {
        sharpen(&t);
    }
    make_strata(&t);
    run(&t);
    free(t.scores);
    free(t.codes);
    free(t.strata);
    free(t.decisions);
    free(t.sums);
    return 0;
}
