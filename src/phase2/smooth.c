#include "phase2/smooth.h"

#include <string.h>

#include "base/alloc.h"
#include "base/parallel.h"
#include "decide/kernel.h"
#include "num/elementary.h"

enum {
    TASKS_MAX = 64,
    PARTIAL_MAX = 1 << 25, /* largest number of doubles in the partial sums of all tasks: 256 MB */
    ROWS_PER_TASK = 4096
};

static size_t sums_size(const dp2dp_pool *pool) {
    return pool->strata * (2 + pool->classes + pool->classes * pool->classes);
}

/* The number of tasks depends only on the size of the pool, so the order of additions is the same
 * for any number of threads. If the sums are large there are fewer tasks, because every task has
 * its own sums. */
static size_t tasks_of(const dp2dp_pool *pool) {
    size_t tasks = 1 + pool->records / ROWS_PER_TASK, fitting = PARTIAL_MAX / sums_size(pool);
    tasks = tasks < TASKS_MAX ? tasks : TASKS_MAX;
    return tasks < fitting ? tasks : fitting > 1 ? fitting : 1;
}

double dp2dpi_smooth_memory(const dp2dp_pool *pool) {
    double tasks = (double)tasks_of(pool);
    return (double)sizeof(double) *
           ((tasks + 1.0) * (double)sums_size(pool) + tasks * (double)pool->classes);
}

static void point_into(dp2dpi_smooth *s, const dp2dp_pool *pool, double *memory) {
    s->value = memory;
    s->accuracy = s->value + pool->strata;
    s->rates = s->accuracy + pool->strata;
    s->hessian = s->rates + pool->strata * pool->classes;
}

dp2dp_status dp2dpi_smooth_new(const dp2dp_pool *pool, dp2dpi_smooth *out, dp2dp_error *error) {
    *out = (dp2dpi_smooth) {.size = sums_size(pool), .tasks = tasks_of(pool)};
    DP2DPI_TRY(DP2DPI_ALLOC(out->memory, (out->tasks + 1) * out->size + out->tasks * pool->classes,
                            "sums over the pool", error));
    out->partial = out->memory + out->size;
    out->scratch = out->partial + out->tasks * out->size;
    point_into(out, pool, out->memory);
    return DP2DP_STATUS_OK;
}

void dp2dpi_smooth_free(dp2dpi_smooth *smooth) {
    dp2dpi_free(smooth->memory);
    *smooth = (dp2dpi_smooth) {0};
}

typedef struct job {
    const dp2dp_pool *pool;
    const double *offsets;
    double beta;
    int executed; /* 1 to compute the sums for the rule as it is executed, in float32 */
    dp2dpi_smooth *smooth;
} job;

int dp2dpi_soften(double *x, size_t classes, double beta, double *value) {
    double largest = x[0], sum = 0.0;
    size_t best = 0;
    for (size_t k = 1; k < classes; k++) {
        if (x[k] > largest) {
            largest = x[k];
            best = k;
        }
    }
    *value = largest;
    int shared = 0;
    for (size_t k = 0; k < classes; k++) {
        if (k == best) {
            x[k] = 1.0;
        } else if (beta > 0.0 && x[k] - largest > -40.0 * beta) {
            x[k] = dp2dpi_exp_fast((x[k] - largest) / beta);
            shared = 1;
        } else {
            x[k] = 0.0;
        }
        sum += x[k];
    }
    if (shared) {
        *value += beta * dp2dpi_log(sum);
        for (size_t k = 0; k < classes; k++) {
            x[k] /= sum;
        }
    }
    return shared;
}

static void sum_event(const job *j, size_t stratum, size_t first, size_t last, double *x,
                      dp2dpi_smooth *into) {
    const dp2dp_pool *pool = j->pool;
    size_t classes = pool->classes, size = pool->begin[stratum + 1] - pool->begin[stratum];
    const float *values = pool->values + pool->begin[stratum] * classes;
    const double *offsets = j->offsets + stratum * classes;
    double *rates = into->rates + stratum * classes,
           *hessian = into->hessian + stratum * classes * classes;
    for (size_t i = first; i < last; i++) {
        double value, accuracy = 0.0;
        for (size_t k = 0; k < classes; k++) {
            float score = values[k * size + i];
            x[k] = j->executed ? (double)(score - (float)offsets[k]) : (double)score - offsets[k];
        }
        int shared = dp2dpi_soften(x, classes, j->beta, &value);
        into->value[stratum] += value;
        for (size_t k = 0; k < classes; k++) {
            rates[k] += x[k];
            accuracy += x[k] * (double)values[k * size + i];
        }
        into->accuracy[stratum] += accuracy;
        if (shared) {
            dp2dpi_kernel_spread(x, classes, j->beta, hessian);
        }
    }
}

/* Computes the sums of task t, which processes the t-th part of every stratum. */
static void sum_task(void *context, size_t task) {
    const job *j = context;
    dp2dpi_smooth part = *j->smooth;
    double *memory = j->smooth->partial + task * j->smooth->size;
    memset(memory, 0, j->smooth->size * sizeof *memory);
    point_into(&part, j->pool, memory);
    for (size_t stratum = 0; stratum < j->pool->strata; stratum++) {
        size_t size = j->pool->begin[stratum + 1] - j->pool->begin[stratum];
        size_t each = size / j->smooth->tasks, more = size % j->smooth->tasks;
        size_t first = task * each + (task < more ? task : more);
        sum_event(j, stratum, first, first + each + (task < more),
                  j->smooth->scratch + task * j->pool->classes, &part);
    }
}

static void sum_all(job *j) {
    dp2dpi_smooth *smooth = j->smooth;
    dp2dpi_parallel(smooth->tasks, j->pool->threads, sum_task, j);
    memset(smooth->memory, 0, smooth->size * sizeof *smooth->memory);
    for (size_t task = 0; task < smooth->tasks; task++) {
        const double *part = smooth->partial + task * smooth->size;
        for (size_t i = 0; i < smooth->size; i++) {
            smooth->memory[i] += part[i];
        }
    }
}

void dp2dpi_smooth_sum(const dp2dp_pool *pool, const double *offsets, double beta,
                       dp2dpi_smooth *smooth) {
    job j = {pool, offsets, beta, 0, smooth};
    sum_all(&j);
}

void dp2dpi_smooth_rule(const dp2dp_pool *pool, const double *offsets, dp2dpi_smooth *smooth) {
    job j = {pool, offsets, 0.0, 1, smooth};
    sum_all(&j);
}
