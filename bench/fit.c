/* How long making a pool and fitting take, and how much memory they need beyond the caller's table.
 *     bench_fit N K G THREADS [counts|exact [SCORES CODES]]
 * N people, K classes, G groups. SCORES and CODES are raw files: N × K float32 and N int8; the
 * default is random people. The last line is for compare_fit.py: seconds for the pool, seconds for
 * the fit, the rule's unfairness on these people, its expected accuracy by their scores, and the
 * memory. */
#include <string.h>

#include "timing.h"

typedef struct table {
    size_t rows, classes, groups;
    unsigned threads;
    float *scores;
    int8_t *codes;
    int32_t *decisions;
} table;

static dp2dp_column codes_of(const table *t) {
    return (dp2dp_column) {t->codes, DP2DP_INT8, t->rows, 1};
}

static void judge(const table *t, const dp2dp_model *model, double *unfairness, double *accuracy) {
    dp2dp_matrix scores = matrix_of(t->scores, t->rows, t->classes);
    dp2dp_column codes = codes_of(t), decisions = {t->decisions, DP2DP_INT32, t->rows, 4};
    dp2dp_evaluate_options options = DP2DP_EVALUATE_OPTIONS_INIT;
    dp2dp_evaluation *evaluation = NULL;
    dp2dp_error error;
    double sum = 0.0;
    options.strata = t->groups;
    options.classes = t->classes;
    require(dp2dp_model_predict(model, &scores, &codes, NULL, t->decisions, &error), &error);
    require(dp2dp_evaluate(&decisions, &codes, NULL, &options, &evaluation, &error), &error);
    for (size_t i = 0; i < t->rows; i++) {
        sum += (double)t->scores[i * t->classes + (size_t)t->decisions[i]];
    }
    *unfairness = evaluation->unfairness;
    *accuracy = sum / (double)t->rows;
    dp2dp_evaluation_free(evaluation);
}

static void run(const table *t, dp2dp_solver solver) {
    dp2dp_pool_options pool_options = DP2DP_POOL_OPTIONS_INIT;
    dp2dp_matrix scores = matrix_of(t->scores, t->rows, t->classes);
    dp2dp_column codes = codes_of(t);
    dp2dp_fit_options options = DP2DP_FIT_OPTIONS_INIT;
    dp2dp_pool *pool = NULL;
    dp2dp_model *model = NULL;
    dp2dp_error error;
    double unfairness, accuracy, table_bytes = 4.0 * (double)(t->rows * t->classes);
    pool_options.strata = t->groups;
    pool_options.threads = t->threads;
    options.solver = solver;
    options.epsilon = 1.0;
    options.delta = 1e-6;
    double before = peak_memory(), start = seconds();
    require(dp2dp_pool_new(&scores, &codes, &pool_options, &pool, &error), &error);
    double built = seconds();
    dp2dp_source source = dp2dp_pool_source(pool);
    require(dp2dp_fit(&source, &options, &model, &error), &error);
    double fitted = seconds(), memory = peak_memory() - before;
    judge(t, model, &unfairness, &accuracy);
    printf("N %zu, K %zu, G %zu, %u threads, %s: pool %.4f s, fit %.4f s; memory beyond the "
           "input: %.2f times the float32 table\n",
           t->rows, t->classes, t->groups, t->threads,
           solver == DP2DP_SOLVER_EXACT ? "exact" : "counts", built - start, fitted - built,
           memory / table_bytes);
    printf("= %.9g %.9g %.9g %.9g %.9g\n", built - start, fitted - built, unfairness, accuracy,
           memory / table_bytes);
    dp2dp_model_free(model);
    dp2dp_pool_free(pool);
}

static int read_raw(const char *path, size_t size, size_t count, void *out) {
    FILE *in = fopen(path, "rb");
    int whole = in && fread(out, size, count, in) == count;
    if (in) {
        (void)fclose(in);
    }
    return whole;
}

static int fill(table *t, int argc, char **argv) {
    t->scores = malloc(t->rows * t->classes * sizeof *t->scores);
    t->codes = malloc(t->rows);
    t->decisions = malloc(t->rows * sizeof *t->decisions);
    if (!t->scores || !t->codes || !t->decisions || t->groups < 2 || t->groups > 127) {
        return 0;
    }
    if (argc > 7) {
        return read_raw(argv[6], sizeof(float), t->rows * t->classes, t->scores) &&
               read_raw(argv[7], 1, t->rows, t->codes);
    }
    make_people(t->rows, t->classes, t->groups, t->scores, t->codes);
    return 1;
}

int main(int argc, char **argv) {
    table t = {.rows = argc > 1 ? strtoull(argv[1], NULL, 10) : 1400000,
               .classes = argc > 2 ? strtoull(argv[2], NULL, 10) : 5,
               .groups = argc > 3 ? strtoull(argv[3], NULL, 10) : 5,
               .threads = argc > 4 ? (unsigned)strtoul(argv[4], NULL, 10) : 2};
    dp2dp_solver solver =
        argc > 5 && strcmp(argv[5], "exact") == 0 ? DP2DP_SOLVER_EXACT : DP2DP_SOLVER_COUNTS;
    const dp2dp_error error = {
        .message = "bench_fit: cannot read the files, out of memory, or G is not 2 to 127"};
    require(fill(&t, argc, argv) ? DP2DP_STATUS_OK : DP2DP_STATUS_ARGUMENT, &error);
    run(&t, solver);
    free(t.scores);
    free(t.codes);
    free(t.decisions);
    return 0;
}
