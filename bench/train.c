/* How long training takes on made-up rows shaped like Adult's, and how much memory beyond them.
 *     bench_train [METHOD [ROWS [THREADS [CLASSES]]]]
 * METHOD: dpgd, dpsgd, output or none. */
#include <math.h>
#include <string.h>

#include <dp2dp/dp2dp.h>

#include "phase1/train.h"
#include "timing.h"

enum {
    NUMBERS = 6,
    CATEGORIES = 7
};
static const uint32_t levels[CATEGORIES] = {7, 16, 7, 14, 6, 5, 41};

static void make_rows(dp2dpi_rows *rows, size_t classes, double norm, int32_t *labels) {
    uint64_t state = 7;
    for (size_t i = 0; i < rows->capacity; i++) {
        float sum = 0.0F;
        int32_t first = NUMBERS;
        for (size_t j = 0; j < NUMBERS; j++) {
            float x = (float)(next_random(&state) & 0xFFFF) / 32768.0F - 1.0F;
            rows->x[i * NUMBERS + j] = x;
            sum += x;
        }
        for (size_t q = 0; q < CATEGORIES; q++) {
            rows->codes[i * CATEGORIES + q] = first + (int32_t)(next_random(&state) % levels[q]);
            first += (int32_t)levels[q];
        }
        labels[i] = (int32_t)(sum > 0.0F) + (int32_t)(next_random(&state) % (classes - 1));
        rows->count++;
        dp2dpi_rows_clip(rows, i, norm);
    }
}

static dp2dp_train_method method_of(const char *word) {
#define DP2DP_TRAIN_METHOD(name, value, text) \
    if (strcmp(word, text) == 0) {            \
        return DP2DP_TRAIN_##name;            \
    }
#include <dp2dp/train.def>
#undef DP2DP_TRAIN_METHOD
    return DP2DP_TRAIN_DPGD;
}

static dp2dp_status run(const char *word, size_t n, uint64_t threads, size_t classes,
                        dp2dp_error *error) {
    const size_t width = 102;
    const double norm = 3.0;
    dp2dp_train_options options;
    dp2dpi_rows rows;
    dp2dp_ledger *ledger = NULL;
    int32_t *labels = malloc(n * sizeof *labels);
    double *weights = malloc(classes * (width + 1) * sizeof *weights);
    dp2dp_status status = dp2dpi_rows_new(NUMBERS, CATEGORIES, n, &rows, error);
    dp2dp_train_options_init(&options);
    options.method = method_of(word);
    options.epsilon = 1.0;
    options.delta = 1e-5;
    options.threads = (unsigned)threads;
    options.steps = 100;
    if (status == DP2DP_STATUS_OK && labels && weights &&
        (status = dp2dp_ledger_new(DP2DP_REPLACE_ONE, &ledger, error)) == DP2DP_STATUS_OK) {
        make_rows(&rows, classes, norm, labels);
        double before = peak_memory(), start = seconds();
        status = dp2dpi_train_rows(&rows, labels, width, classes, norm, &options, ledger, weights,
                                   error);
        double bytes = (double)n * (4.0 * (NUMBERS + CATEGORIES + 1));
        printf("%s: n %zu, width %zu, K %zu, %llu threads, 100 steps where it has steps: %.3f s; "
               "memory beyond the rows %.2f x the rows\n",
               word, n, width, classes, (unsigned long long)threads, seconds() - start,
               (peak_memory() - before) / bytes);
    }
    dp2dp_ledger_free(ledger);
    dp2dpi_rows_free(&rows);
    free(labels);
    free(weights);
    return status;
}

int main(int argc, char **argv) {
    dp2dp_error error = {.message = "the rows could not be made"};
    const char *word = argc > 1 ? argv[1] : "dpgd";
    size_t n = argc > 2 ? strtoull(argv[2], NULL, 10) : 45000;
    uint64_t threads = argc > 3 ? strtoull(argv[3], NULL, 10) : 2;
    size_t classes = argc > 4 ? strtoull(argv[4], NULL, 10) : 2;
    dp2dp_status status =
        classes < 2 || n < 1 ? DP2DP_STATUS_ARGUMENT : run(word, n, threads, classes, &error);
    if (status != DP2DP_STATUS_OK) {
        fprintf(stderr, "bench_train: %s\n", error.message);
    }
    return status != DP2DP_STATUS_OK;
}
