#include "phase1/logloss.h"

#include <string.h>

#include "base/alloc.h"
#include "base/parallel.h"
#include "phase1/logit.h"

enum {
    ROWS_PER_TASK = 2048,
    TASKS_MAX = 16,
    TASKS_FEW = 4,
    PARTIAL_MAX = 1 << 22 /* numbers in all tasks together */
};

static size_t entries_of(const dp2dpi_examples *e) {
    return e->rows->numbers + e->rows->categories + 1;
}

static size_t scratch_of(const dp2dpi_examples *e) {
    return entries_of(e) + e->outputs;
}

/* Fixed by the sizes. More than a few tasks only where their sums are small beside the rows: a
 * quarter of them. */
static size_t tasks_of(const dp2dpi_examples *e, size_t size) {
    size_t tasks = 1 + e->rows->count / ROWS_PER_TASK, fitting = PARTIAL_MAX / size;
    size_t small = e->rows->count * entries_of(e) / 8 / size;
    small = small > TASKS_FEW ? small : TASKS_FEW;
    tasks = tasks < TASKS_MAX ? tasks : TASKS_MAX;
    tasks = tasks < small ? tasks : small;
    return tasks < fitting ? tasks : fitting > 1 ? fitting : 1;
}

dp2dp_status dp2dpi_logloss_new(const dp2dpi_examples *e, dp2dpi_logloss_order order,
                                dp2dpi_logloss *out, dp2dp_error *error) {
    size_t cells = dp2dpi_examples_cells(e);
    size_t size = 1 + cells + (order == DP2DPI_LOGLOSS_HESSIAN ? cells * cells : 0);
    size_t tasks = tasks_of(e, size);
    void *memory = NULL, *places = NULL;
    *out = (dp2dpi_logloss) {
        .examples = e, .order = order, .cells = cells, .size = size, .tasks = tasks};
    dp2dp_status status = dp2dpi_alloc_for("sums over the rows", tasks * (size + scratch_of(e)),
                                           sizeof(double), &memory, error);
    if (status == DP2DP_STATUS_OK) {
        status = dp2dpi_alloc_for("sums over the rows", tasks * entries_of(e), sizeof(size_t),
                                  &places, error);
        out->places = places;
    }
    out->partial = memory;
    if (status == DP2DP_STATUS_OK) { /* the first partial sum becomes the result */
        out->scratch = out->partial + tasks * size;
        out->gradient = out->partial + 1;
        out->hessian = order == DP2DPI_LOGLOSS_HESSIAN ? out->gradient + cells : NULL;
    }
    return status;
}

void dp2dpi_logloss_free(dp2dpi_logloss *loss) {
    if (loss->partial) {
        dp2dpi_wipe(loss->partial, loss->tasks * loss->size * sizeof(double));
    }
    dp2dpi_free(loss->partial);
    dp2dpi_free(loss->places);
    *loss = (dp2dpi_logloss) {0};
}

/* The entries of (row, 1) that are there, places ascending. */
static size_t gather(const dp2dpi_examples *e, size_t i, size_t *places, double *values) {
    const dp2dpi_rows *rows = e->rows;
    double scale = (double)rows->scale[i];
    size_t m = 0;
    for (size_t j = 0; j < rows->numbers; j++, m++) {
        places[m] = j;
        values[m] = scale * (double)rows->x[i * rows->numbers + j];
    }
    for (size_t q = 0; q < rows->categories; q++) {
        int32_t code = rows->codes[i * rows->categories + q];
        if (code >= 0) {
            places[m] = (size_t)code;
            values[m++] = scale;
        }
    }
    places[m] = e->width;
    values[m++] = 1.0;
    return m;
}

/* (diag(p) − p pᵀ) ⊗ v vᵀ into the blocks on and below the diagonal; H = 1: p (1 − p) v vᵀ. */
static void add_hessian(const double *p, size_t outputs, const size_t *places, const double *values,
                        size_t m, size_t cells, double *hessian) {
    for (size_t g = 0; g < outputs; g++) {
        for (size_t h = 0; h < outputs; h++) {
            double weight = (g == h ? p[g] : 0.0) - p[g] * p[h];
            for (size_t b = 0; b < m; b++) {
                double *row = hessian + (places[b] * outputs + g) * cells + h;
                double factor = weight * values[b];
                for (size_t a = 0; a <= b; a++) {
                    row[places[a] * outputs] += factor * values[a];
                }
            }
        }
    }
}

typedef struct job {
    const dp2dpi_logloss *loss;
    const double *weights;
} job;

static void sum_task(void *context, size_t task) {
    const job *j = context;
    const dp2dpi_logloss *loss = j->loss;
    const dp2dpi_examples *e = loss->examples;
    size_t outputs = e->outputs, n = e->rows->count, more = n % loss->tasks;
    size_t first = n / loss->tasks * task + (task < more ? task : more);
    size_t last = first + n / loss->tasks + (task < more);
    double *sum = loss->partial + task * loss->size, *gradient = sum + 1;
    double *z = loss->scratch + task * scratch_of(e), *values = z + outputs, total = 0.0;
    size_t *places = loss->places + task * entries_of(e);
    memset(sum, 0, loss->size * sizeof *sum);
    for (size_t i = first; i < last; i++) {
        size_t m = gather(e, i, places, values), label = (size_t)e->labels[i];
        size_t own = outputs == 1 ? 0 : label;
        dp2dpi_logit(e->rows, i, e->width, outputs, j->weights, z);
        double at_label = outputs == 1 && label == 0 ? 0.0 : z[own];
        double most = dp2dpi_softmax(z, outputs, &total);
        if (loss->order == DP2DPI_LOGLOSS_HESSIAN) {
            sum[0] += most - at_label + dp2dpi_log(total);
            add_hessian(z, outputs, places, values, m, loss->cells, gradient + loss->cells);
        }
        z[own] -= outputs == 1 ? (double)label : 1.0;
        for (size_t a = 0; a < m; a++) {
            double *to = gradient + places[a] * outputs;
            for (size_t h = 0; h < outputs; h++) {
                to[h] += values[a] * z[h];
            }
        }
    }
}

void dp2dpi_logloss_at(dp2dpi_logloss *loss, const double *weights) {
    job j = {loss, weights};
    dp2dpi_parallel(loss->tasks, loss->examples->threads, sum_task, &j);
    for (size_t task = 1; task < loss->tasks; task++) {
        for (size_t i = 0; i < loss->size; i++) {
            loss->partial[i] += loss->partial[task * loss->size + i];
        }
    }
    loss->value = loss->partial[0];
}
