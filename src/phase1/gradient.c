#include "phase1/gradient.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/parallel.h"
#include "phase1/logit.h"

enum {
    ROWS_PER_TASK = 2048, /* fewer are not worth a thread */
    TASKS_MAX = 16,
    PARTIAL_MAX = 1 << 22, /* numbers in all tasks together */
    COARSE_BITS = 22
};

static size_t entries_of(const dp2dpi_examples *e) {
    return (e->rows->numbers + e->rows->categories + 1) * e->outputs;
}

size_t dp2dpi_gradient_tasks(const dp2dpi_examples *e) {
    size_t tasks = 1 + e->rows->count / ROWS_PER_TASK;
    size_t fitting = PARTIAL_MAX / dp2dpi_examples_cells(e);
    tasks = tasks < TASKS_MAX ? tasks : TASKS_MAX;
    return tasks < fitting ? tasks : fitting > 1 ? fitting : 1;
}

/* The norm is checked on a coarser grid, rounded up, where squares fit in 64 bits: c_j =
 * (|a_j| >> s) + 1 has |a_j| < c_j 2^s, so Σ c_j² ≤ 2^(2 COARSE_BITS) implies Σ a_j² < 2^(2 g). At
 * most 2^19 squares of at most 2^44 cannot overflow. */
int dp2dpi_gradient_is_within(const int64_t *terms, size_t n, int grid_bits) {
    int shift = grid_bits - COARSE_BITS;
    uint64_t squares = 0, outside = 0;
    for (size_t j = 0; j < n; j++) {
        uint64_t coarse = (uint64_t)(terms[j] < 0 ? -terms[j] : terms[j]) >> shift;
        outside |= coarse >> COARSE_BITS;
        coarse = (coarse & (((uint64_t)1 << COARSE_BITS) - 1)) + 1;
        squares += coarse * coarse;
    }
    return outside == 0 && squares <= (uint64_t)1 << (2 * COARSE_BITS);
}

/* Aiming 2 √m 2^-22 below the bound leaves room for the rounding up of that check. NaN if the norm
 * is not finite. */
static inline double factor_of(double norm, size_t entries, const dp2dpi_look *look) {
    double bound = 1.0 - 2.0 * sqrt((double)entries) * 0x1p-22;
    double unit = (double)((uint64_t)1 << look->grid_bits);
    return norm < 1e300 ? unit * bound / (norm > look->clip ? norm : look->clip) : NAN;
}

/* The norm factorises: |r ⊗ v| = |r| |v|. */
static inline double norm_of(const dp2dpi_rows *rows, size_t i, const double *levels,
                             const double *z, size_t outputs) {
    const float *x = rows->x + i * rows->numbers;
    const int32_t *codes = rows->codes + i * rows->categories;
    double scale = (double)rows->scale[i], row = 0.0, squares = 0.0;
    for (size_t j = 0; j < rows->numbers; j++) {
        row += (double)x[j] * (double)x[j];
    }
    for (size_t q = 0; q < rows->categories; q++) {
        row += codes[q] < 0 ? 0.0 : levels[codes[q]] * levels[codes[q]];
    }
    for (size_t h = 0; h < outputs; h++) {
        squares += z[h] * z[h];
    }
    return sqrt(squares * (scale * scale * row + 1.0));
}

/* The terms of a row: numbers, bias, categories. None is beyond the unit but for rounding, so that
 * all of them fit. */
static inline size_t write_terms(const dp2dpi_rows *rows, size_t i, const double *levels,
                                 const double *z, size_t outputs, double factor, int64_t *terms) {
    const float *x = rows->x + i * rows->numbers;
    const int32_t *codes = rows->codes + i * rows->categories;
    double scale = (double)rows->scale[i];
    size_t at = 0;
    for (size_t j = 0; j < rows->numbers; j++) {
        for (size_t h = 0; h < outputs; h++) {
            terms[at++] = (int64_t)(factor * z[h] * (scale * (double)x[j]));
        }
    }
    for (size_t h = 0; h < outputs; h++) {
        terms[at++] = (int64_t)(factor * z[h]);
    }
    for (size_t q = 0; q < rows->categories; q++) {
        double level = codes[q] < 0 ? 0.0 : scale * levels[codes[q]];
        for (size_t h = 0; h < outputs; h++) {
            terms[at++] = (int64_t)(factor * z[h] * level);
        }
    }
    return at;
}

/* outputs is e->outputs, as a constant where it is 1: most of the time is spent here. */
static inline __attribute__((always_inline)) void add(const dp2dpi_examples *e, size_t i,
                                                      const dp2dpi_look *look, size_t outputs,
                                                      double *z, int64_t *terms, int64_t *sum) {
    const dp2dpi_rows *rows = e->rows;
    const int32_t *codes = rows->codes + i * rows->categories;
    if (look->term == DP2DPI_TERM_GRADIENT) {
        dp2dpi_logit(rows, i, e->width, outputs, look->weights, z);
        dp2dpi_residual(z, outputs, e->labels[i]);
    } else {
        memset(z, 0, outputs * sizeof *z);
        z[0] = 1.0;
    }
    double factor = factor_of(norm_of(rows, i, look->levels, z, outputs), entries_of(e), look);
    if (isnan(factor) || !dp2dpi_gradient_is_within(
                             terms, write_terms(rows, i, look->levels, z, outputs, factor, terms),
                             look->grid_bits)) {
        return;
    }
    for (size_t c = 0; c < rows->numbers * outputs; c++) {
        sum[c] += *terms++;
    }
    for (size_t h = 0; h < outputs; h++) {
        sum[e->width * outputs + h] += *terms++;
    }
    for (size_t q = 0; q < rows->categories; q++, terms += outputs) {
        for (size_t h = 0; h < outputs && codes[q] >= 0; h++) {
            sum[(size_t)codes[q] * outputs + h] += terms[h];
        }
    }
}

static void add_slope(const dp2dpi_examples *e, size_t i, const dp2dpi_look *look, double *z,
                      int64_t *terms, int64_t *sum) {
    double *logits = z + e->outputs, slope = 0.0;
    dp2dpi_logit(e->rows, i, e->width, e->outputs, look->weights, z);
    memcpy(logits, z, e->outputs * sizeof *z);
    dp2dpi_residual(z, e->outputs, e->labels[i]);
    for (size_t h = 0; h < e->outputs; h++) {
        slope += z[h] * logits[h];
    }
    double factor = factor_of(fabs(slope), 1, look);
    if (isnan(factor)) {
        return;
    }
    terms[0] = (int64_t)(factor * slope);
    sum[0] += dp2dpi_gradient_is_within(terms, 1, look->grid_bits) ? terms[0] : 0;
}

void dp2dpi_gradient_add(const dp2dpi_examples *e, size_t i, const dp2dpi_look *look, double *z,
                         int64_t *terms, int64_t *sum) {
    if (look->term == DP2DPI_TERM_SLOPE) {
        add_slope(e, i, look, z, terms, sum);
    } else if (e->outputs == 1) {
        add(e, i, look, 1, z, terms, sum);
    } else {
        add(e, i, look, e->outputs, z, terms, sum);
    }
}

dp2dp_status dp2dpi_gradient_new(const dp2dpi_examples *e, dp2dpi_gradient *out,
                                 dp2dp_error *error) {
    static const char what[] = "gradients";
    size_t cells = dp2dpi_examples_cells(e), tasks = dp2dpi_gradient_tasks(e);
    void *sums = NULL, *terms = NULL, *z = NULL;
    *out = (dp2dpi_gradient) {.examples = e, .tasks = tasks};
    dp2dp_status status =
        dp2dpi_alloc_for(what, (tasks + 1) * cells, sizeof(int64_t), &sums, error);
    out->sum = sums;
    if (status == DP2DP_STATUS_OK) {
        out->partial = out->sum + cells;
        status = dp2dpi_alloc_for(what, tasks * entries_of(e), sizeof(int64_t), &terms, error);
        out->terms = terms;
    }
    if (status == DP2DP_STATUS_OK) {
        status = dp2dpi_alloc_for(what, tasks * 2 * e->outputs, sizeof(double), &z, error);
        out->z = z;
    }
    return status;
}

void dp2dpi_gradient_free(dp2dpi_gradient *g) {
    if (g->sum) {
        dp2dpi_wipe(g->sum, (g->tasks + 1) * dp2dpi_examples_cells(g->examples) * sizeof *g->sum);
    }
    if (g->terms) {
        dp2dpi_wipe(g->terms, g->tasks * entries_of(g->examples) * sizeof *g->terms);
    }
    dp2dpi_free(g->sum);
    dp2dpi_free(g->terms);
    dp2dpi_free(g->z);
    *g = (dp2dpi_gradient) {0};
}

typedef struct job {
    dp2dpi_gradient *g;
    const uint8_t *mask;
    const dp2dpi_look *look;
} job;

static void sum_task(void *context, size_t task) {
    const job *j = context;
    const dp2dpi_gradient *g = j->g;
    const dp2dpi_examples *e = g->examples;
    size_t cells = dp2dpi_examples_cells(e), n = e->rows->count;
    size_t first = n / g->tasks * task + (task < n % g->tasks ? task : n % g->tasks);
    size_t last = first + n / g->tasks + (task < n % g->tasks);
    int64_t *sum = g->partial + task * cells;
    memset(sum, 0, cells * sizeof *sum);
    for (size_t i = first; i < last; i++) {
        if (j->mask == NULL || j->mask[i]) {
            dp2dpi_gradient_add(e, i, j->look, g->z + task * 2 * e->outputs,
                                g->terms + task * entries_of(e), sum);
        }
    }
}

void dp2dpi_gradient_sum(dp2dpi_gradient *g, const uint8_t *mask, const dp2dpi_look *look) {
    job j = {g, mask, look};
    size_t cells = dp2dpi_examples_cells(g->examples);
    dp2dpi_parallel(g->tasks, g->examples->threads, sum_task, &j);
    memset(g->sum, 0, cells * sizeof *g->sum);
    for (size_t task = 0; task < g->tasks; task++) {
        for (size_t c = 0; c < cells; c++) {
            g->sum[c] += g->partial[task * cells + c];
        }
    }
}
