#include "base/parallel.h"
#include "phase1/lanes.h"

enum {
    ROWS_PER_TASK = 4096
};

typedef struct job {
    const double *weights;
    size_t width, classes;
    const dp2dpi_rows *rows;
    float *out;
} job;

static void score(const job *j, size_t i, double *z) {
    const dp2dpi_rows *rows = j->rows;
    const float *x = rows->x + i * rows->numbers;
    const int32_t *codes = rows->codes + i * rows->categories;
    for (size_t k = 0; k < j->classes; k++) {
        const double *w = j->weights + k * (j->width + 1);
        double sum = 0.0;
        for (size_t c = 0; c < rows->numbers; c++) {
            sum += (double)x[c] * w[c];
        }
        for (size_t q = 0; q < rows->categories; q++) {
            sum += codes[q] < 0 ? 0.0 : w[codes[q]];
        }
        z[k] = (double)rows->scale[i] * sum + w[j->width];
    }
}

static void score_task(void *context, size_t task) {
    const job *j = context;
    double z[DP2DPI_TRAIN_CLASSES_MAX] = {0}, largest, sum;
    size_t first = task * ROWS_PER_TASK, n = j->rows->count;
    size_t last = n - first < ROWS_PER_TASK ? n : first + ROWS_PER_TASK;
    for (size_t i = first; i < last; i++) {
        score(j, i, z);
        dp2dpi_lanes_softmax(z, 1, j->classes, &largest, &sum);
        for (size_t k = 0; k < j->classes; k++) {
            j->out[i * j->classes + k] = (float)z[k];
        }
    }
}

void dp2dpi_train_scores(const double *weights, size_t width, size_t classes,
                         const dp2dpi_rows *rows, unsigned threads, float *out) {
    job j = {weights, width, classes, rows, out};
    dp2dpi_parallel((rows->count + ROWS_PER_TASK - 1) / ROWS_PER_TASK, threads, score_task, &j);
}
