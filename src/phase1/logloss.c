#include "phase1/logloss.h"

#include <string.h>

#include "base/alloc.h"
#include "base/parallel.h"
#include "phase1/lanes.h"

enum {
    ROWS_PER_TASK = 2048,
    TASKS_MAX = 16,
    TASKS_FEW = 4,
    PARTIAL_MAX = 1 << 22 /* numbers in all tasks together */
};

static size_t entries_of(const dp2dpi_examples *e) {
    return e->rows->numbers + e->rows->categories + 1;
}

/* Second derivatives that a pair of features has: the blocks of the matrix are symmetric. */
static size_t kinds_of(const dp2dpi_logloss *loss) {
    size_t outputs = loss->examples->outputs;
    return loss->order == DP2DPI_LOGLOSS_HESSIAN ? outputs * (outputs + 1) / 2 : 0;
}

/* z for every lane, then probabilities, values of entries and twice the kinds for one row. */
static size_t scratch_of(const dp2dpi_logloss *loss) {
    const dp2dpi_examples *e = loss->examples;
    return (dp2dpi_lanes_of(e) + 1) * e->outputs + entries_of(e) + 2 * kinds_of(loss);
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
    static const char what[] = "sums over the rows";
    size_t cells = dp2dpi_examples_cells(e), pairs = (e->width + 1) * (e->width + 2) / 2;
    size_t square = order == DP2DPI_LOGLOSS_HESSIAN ? cells * cells : 0;
    size_t tasks = tasks_of(e, 1 + cells + square), lanes = tasks * dp2dpi_lanes_of(e);
    void *memory = NULL, *places = NULL, *floats = NULL, *words = NULL;
    *out = (dp2dpi_logloss) {.examples = e, .order = order, .cells = cells, .tasks = tasks};
    out->size = 1 + cells + pairs * kinds_of(out);
    dp2dp_status status = dp2dpi_alloc_for(what, square + tasks * (out->size + scratch_of(out)),
                                           sizeof(double), &memory, error);
    if (status == DP2DP_STATUS_OK) {
        status = dp2dpi_alloc_for(what, tasks * entries_of(e), sizeof(size_t), &places, error);
    }
    if (status == DP2DP_STATUS_OK) {
        status =
            dp2dpi_alloc_for(what, lanes * (e->rows->numbers + 1), sizeof(float), &floats, error);
    }
    if (status == DP2DP_STATUS_OK) {
        status = dp2dpi_alloc_for(what, lanes * (e->rows->categories + 1), sizeof(int32_t), &words,
                                  error);
    }
    out->partial = memory;
    out->places = places;
    out->floats = floats;
    out->words = words;
    if (status == DP2DP_STATUS_OK) { /* the first partial sum becomes the result */
        out->scratch = out->partial + tasks * out->size;
        out->gradient = out->partial + 1;
        out->hessian = square > 0 ? out->scratch + tasks * scratch_of(out) : NULL;
    }
    return status;
}

static void wipe_and_free(void *memory, size_t length) {
    if (memory) {
        dp2dpi_wipe(memory, length);
    }
    dp2dpi_free(memory);
}

void dp2dpi_logloss_free(dp2dpi_logloss *loss) {
    const dp2dpi_examples *e = loss->examples;
    if (e) {
        size_t square = loss->order == DP2DPI_LOGLOSS_HESSIAN ? loss->cells * loss->cells : 0;
        size_t length = square + loss->tasks * (loss->size + scratch_of(loss));
        size_t lanes = loss->tasks * dp2dpi_lanes_of(e);
        wipe_and_free(loss->partial, length * sizeof *loss->partial);
        wipe_and_free(loss->floats, lanes * (e->rows->numbers + 1) * sizeof *loss->floats);
        wipe_and_free(loss->words, lanes * (e->rows->categories + 1) * sizeof *loss->words);
        wipe_and_free(loss->places, loss->tasks * entries_of(e) * sizeof *loss->places);
    }
    *loss = (dp2dpi_logloss) {0};
}

/* The entries of (row, 1) that are there, places ascending. */
typedef struct entries {
    size_t count;
    size_t *places;
    double *values;
} entries;

DP2DPI_INLINE void gather(const dp2dpi_examples *e, const dp2dpi_block *r, size_t lanes, size_t b,
                          entries *v) {
    double scale = (double)r->scale[b];
    size_t m = 0;
    for (size_t j = 0; j < e->rows->numbers; j++, m++) {
        v->places[m] = j;
        v->values[m] = scale * (double)r->x[j * lanes + b];
    }
    for (size_t q = 0; q < e->rows->categories; q++) {
        int32_t code = r->codes[q * lanes + b];
        if (code >= 0) {
            v->places[m] = (size_t)code;
            v->values[m++] = scale;
        }
    }
    v->places[m] = e->width;
    v->values[m++] = 1.0;
    v->count = m;
}

/* (diag(p) − p pᵀ) ⊗ v vᵀ, for each pair of places, the later first, the kinds together: g ≥ h; one
 * output: p (1 − p) v vᵀ. */
DP2DPI_INLINE void add_hessian(const double *p, size_t outputs, const entries *v,
                               double *restrict kinds, double *restrict hessian) {
    size_t count = outputs * (outputs + 1) / 2, t = 0;
    double *restrict scaled = kinds + count;
    for (size_t g = 0; g < outputs; g++) {
        for (size_t h = 0; h <= g; h++) {
            kinds[t++] = (g == h ? p[g] : 0.0) - p[g] * p[h];
        }
    }
    for (size_t b = 0; b < v->count; b++) {
        double *restrict row = hessian + v->places[b] * (v->places[b] + 1) / 2 * count;
        for (t = 0; t < count; t++) {
            scaled[t] = kinds[t] * v->values[b];
        }
        for (size_t a = 0; a <= b; a++) {
            double *restrict to = row + v->places[a] * count, value = v->values[a];
            for (t = 0; t < count; t++) {
                to[t] += scaled[t] * value;
            }
        }
    }
}

/* One task's part of the memory. */
typedef struct desk {
    double *sum, *z, *p, *kinds;
    float *floats;
    int32_t *words;
    entries v;
} desk;

/* All rows of a block, one after the other: the order of all additions is that of the rows. */
DP2DPI_INLINE void add_rows(const dp2dpi_logloss *loss, const double *weights,
                            const dp2dpi_block *r, size_t lanes, size_t outputs, desk *d) {
    const dp2dpi_examples *e = loss->examples;
    double most[DP2DPI_LANES], total[DP2DPI_LANES], at_label[DP2DPI_LANES];
    double *gradient = d->sum + 1;
    dp2dpi_block_logits(e, r, lanes, outputs, weights, d->z);
    for (size_t b = 0; b < lanes; b++) {
        size_t label = (size_t)r->labels[b];
        at_label[b] = outputs > 1 ? d->z[label * lanes + b] : label == 0 ? 0.0 : d->z[b];
    }
    dp2dpi_block_softmax(d->z, lanes, outputs, most, total);
    for (size_t b = 0; b < r->count; b++) {
        for (size_t h = 0; h < outputs; h++) {
            d->p[h] = d->z[h * lanes + b];
        }
        gather(e, r, lanes, b, &d->v);
        if (loss->order == DP2DPI_LOGLOSS_HESSIAN) {
            d->sum[0] += most[b] - at_label[b] + dp2dpi_log(total[b]);
            add_hessian(d->p, outputs, &d->v, d->kinds, gradient + loss->cells);
        }
        d->p[outputs == 1 ? 0 : r->labels[b]] -= outputs == 1 ? (double)r->labels[b] : 1.0;
        for (size_t a = 0; a < d->v.count; a++) {
            double *to = gradient + d->v.places[a] * outputs;
            for (size_t h = 0; h < outputs; h++) {
                to[h] += d->v.values[a] * d->p[h];
            }
        }
    }
}

DP2DPI_CLONED static void add_lanes(const dp2dpi_logloss *loss, const double *weights,
                                    const dp2dpi_block *r, desk *d) {
    if (loss->examples->outputs == 1) {
        add_rows(loss, weights, r, DP2DPI_LANES, 1, d);
    } else {
        add_rows(loss, weights, r, DP2DPI_LANES, loss->examples->outputs, d);
    }
}

typedef struct job {
    const dp2dpi_logloss *loss;
    const double *weights;
} job;

static desk desk_of(const dp2dpi_logloss *loss, size_t task) {
    const dp2dpi_examples *e = loss->examples;
    size_t lanes = dp2dpi_lanes_of(e);
    desk d = {.sum = loss->partial + task * loss->size,
              .z = loss->scratch + task * scratch_of(loss),
              .floats = loss->floats + task * lanes * (e->rows->numbers + 1),
              .words = loss->words + task * lanes * (e->rows->categories + 1),
              .v = {.places = loss->places + task * entries_of(e)}};
    d.p = d.z + lanes * e->outputs;
    d.v.values = d.p + e->outputs;
    d.kinds = d.v.values + entries_of(e);
    return d;
}

static void sum_task(void *context, size_t task) {
    const job *j = context;
    const dp2dpi_logloss *loss = j->loss;
    const dp2dpi_examples *e = loss->examples;
    size_t n = e->rows->count, more = n % loss->tasks, lanes = dp2dpi_lanes_of(e);
    size_t first = n / loss->tasks * task + (task < more ? task : more);
    size_t last = first + n / loss->tasks + (task < more), which[DP2DPI_LANES];
    desk d = desk_of(loss, task);
    memset(d.sum, 0, loss->size * sizeof *d.sum);
    for (size_t i = first; i < last; i += lanes) {
        size_t count = last - i < lanes ? last - i : lanes;
        if (lanes == 1) {
            dp2dpi_block row = dp2dpi_block_of_row(e, i);
            add_rows(loss, j->weights, &row, 1, e->outputs, &d);
            continue;
        }
        for (size_t b = 0; b < count; b++) {
            which[b] = i + b;
        }
        dp2dpi_block r = dp2dpi_block_of_rows(e, which, count, d.floats, d.words);
        add_lanes(loss, j->weights, &r, &d);
    }
}

/* From pairs of places to pairs of cells. */
static void spread(const dp2dpi_logloss *loss) {
    size_t outputs = loss->examples->outputs, cells = loss->cells;
    const double *from = loss->gradient + cells;
    for (size_t b = 0; b <= loss->examples->width; b++) {
        for (size_t a = 0; a <= b; a++) {
            for (size_t g = 0; g < outputs; g++) {
                for (size_t h = 0; h <= g; h++, from++) {
                    loss->hessian[(b * outputs + g) * cells + a * outputs + h] = *from;
                    loss->hessian[(b * outputs + h) * cells + a * outputs + g] = *from;
                }
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
    if (loss->hessian) {
        spread(loss);
    }
}
