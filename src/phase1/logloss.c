#include "phase1/logloss.h"

#include <string.h>

#include "base/alloc.h"
#include "base/parallel.h"
#include "num/triangles.h"
#include "phase1/lanes.h"

enum {
    ROWS_PER_TASK = 2048,
    TASKS_MAX = 16,
    TASKS_FEW = 2,
    PARTIAL_MAX = 1 << 22 /* largest number of doubles in the partial sums of all tasks */
};

static size_t entries_of(const dp2dpi_examples *e) {
    return e->rows->numbers + e->rows->categories + 1;
}

/* Returns how many scratch numbers one task needs. Each lane needs the logits z and their change
 * along the direction of dp2dpi_logloss_multiply. There is also room for the row that is being
 * added: its entries, its probabilities and the two vectors that add_blocks uses. */
static size_t scratch_of(const dp2dpi_examples *e) {
    return 2 * dp2dpi_lanes_of(e) * e->outputs + 3 * e->outputs + entries_of(e);
}

/* Returns the number of tasks, which depends only on the sizes. There are more than TASKS_FEW tasks
 * only if all partial sums together take less than an eighth of the memory of rows and labels. */
static size_t tasks_of(const dp2dpi_examples *e, size_t size) {
    size_t tasks = 1 + e->records / ROWS_PER_TASK, fitting = PARTIAL_MAX / size;
    size_t small = e->records * (entries_of(e) + 1) / 16 / size;
    small = small > TASKS_FEW ? small : TASKS_FEW;
    tasks = tasks < TASKS_MAX ? tasks : TASKS_MAX;
    tasks = tasks < small ? tasks : small;
    return tasks < fitting ? tasks : fitting > 1 ? fitting : 1;
}

/* Rounds down to a power of two, so that two or four threads finish at the same time. */
static size_t power_of_two(size_t tasks) {
    size_t power = 1;
    while (2 * power <= tasks) {
        power *= 2;
    }
    return power;
}

static size_t workspaces_of(const dp2dpi_logloss *loss) {
    return loss->tasks > loss->short_tasks ? loss->tasks : loss->short_tasks;
}

static size_t numbers_of(const dp2dpi_logloss *loss) {
    return loss->tasks * loss->size + loss->short_tasks * (1 + loss->cells) +
           workspaces_of(loss) * scratch_of(loss->examples);
}

dp2dp_status dp2dpi_logloss_new(const dp2dpi_examples *e, dp2dpi_logloss_order order,
                                dp2dpi_logloss *out, dp2dp_error *error) {
    static const char what[] = "sums over the rows";
    size_t cells = dp2dpi_examples_cells(e);
    *out = (dp2dpi_logloss) {.examples = e, .order = order, .every = 1, .cells = cells};
    if (order == DP2DPI_LOGLOSS_HESSIAN) {
        out->size = 1 + cells + dp2dpi_triangle_size(e->width + 1) * e->outputs;
        out->tasks = power_of_two(tasks_of(e, out->size));
    }
    out->short_tasks = tasks_of(e, 1 + cells);
    size_t workspaces = workspaces_of(out), lanes = workspaces * dp2dpi_lanes_of(e);
    DP2DPI_TRY(DP2DPI_ALLOC(out->partial, numbers_of(out), what, error));
    DP2DPI_TRY(DP2DPI_ALLOC(out->places, workspaces * entries_of(e), what, error));
    DP2DPI_TRY(DP2DPI_ALLOC(out->floats, lanes * (e->rows->numbers + 1), what, error));
    DP2DPI_TRY(DP2DPI_ALLOC(out->words, lanes * (e->rows->categories + 1), what, error));
    /* The memory of the first task's partial sum also holds the result. */
    out->short_sums = out->partial + out->tasks * out->size;
    out->gradient = out->partial + 1;
    out->blocks = order == DP2DPI_LOGLOSS_HESSIAN ? out->gradient + cells : NULL;
    out->product = out->blocks && e->outputs > 1 ? out->short_sums : NULL;
    out->scratch = out->short_sums + out->short_tasks * (1 + cells);
    return DP2DP_STATUS_OK;
}

void dp2dpi_logloss_free(dp2dpi_logloss *loss) {
    const dp2dpi_examples *e = loss->examples;
    if (e) {
        size_t workspaces = workspaces_of(loss), lanes = workspaces * dp2dpi_lanes_of(e);
        dp2dpi_wipe_and_free(loss->partial, numbers_of(loss) * sizeof *loss->partial);
        dp2dpi_wipe_and_free(loss->floats, lanes * (e->rows->numbers + 1) * sizeof *loss->floats);
        dp2dpi_wipe_and_free(loss->words, lanes * (e->rows->categories + 1) * sizeof *loss->words);
        dp2dpi_wipe_and_free(loss->places, workspaces * entries_of(e) * sizeof *loss->places);
    }
    *loss = (dp2dpi_logloss) {0};
}

typedef struct entries {
    size_t count;
    size_t *places;
    double *values;
} entries;

DP2DPI_INLINE void gather(const dp2dpi_examples *e, const dp2dpi_lane_block *r, size_t lanes,
                          size_t b, entries *v) {
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

/* Adds p (1 − p) v vᵀ to the triangle, for one output. v holds the entries of the row, numeric
 * features first. */
DP2DPI_INLINE void add_triangle(double p, size_t numbers, const entries *v,
                                double *restrict triangle) {
    for (size_t b = 0; b < v->count; b++) {
        double *restrict row = triangle + dp2dpi_triangle_size(v->places[b]);
        double scaled = (p - p * p) * v->values[b];
        size_t first = b < numbers ? b + 1 : numbers;
        for (size_t a = 0; a < first; a++) {
            row[a] += scaled * v->values[a];
        }
        for (size_t a = first; a <= b; a++) {
            row[v->places[a]] += scaled * v->values[a];
        }
    }
}

/* Adds p_h (1 − p_h) v vᵀ to the block of every output h. v holds the entries of the row, and p the
 * probabilities of the classes. */
DP2DPI_INLINE void add_blocks(const double *p, size_t outputs, const entries *v,
                              double *restrict weight, double *restrict blocks) {
    double *restrict scaled = weight + outputs;
    for (size_t h = 0; h < outputs; h++) {
        weight[h] = p[h] - p[h] * p[h];
    }
    for (size_t b = 0; b < v->count; b++) {
        double *restrict row = blocks + dp2dpi_triangle_size(v->places[b]) * outputs;
        for (size_t h = 0; h < outputs; h++) {
            scaled[h] = weight[h] * v->values[b];
        }
        for (size_t a = 0; a <= b; a++) {
            double *restrict to = row + v->places[a] * outputs, value = v->values[a];
            for (size_t h = 0; h < outputs; h++) {
                to[h] += scaled[h] * value;
            }
        }
    }
}

DP2DPI_INLINE void add_outer(const double *p, size_t outputs, const entries *v,
                             double *restrict sum) {
    for (size_t a = 0; a < v->count; a++) {
        double *restrict to = sum + v->places[a] * outputs;
        for (size_t h = 0; h < outputs; h++) {
            to[h] += v->values[a] * p[h];
        }
    }
}

typedef struct workspace {
    double *sum, *z, *change, *p, *weight;
    float *floats;
    int32_t *words;
    entries v;
} workspace;

DP2DPI_INLINE void take_lane(const double *z, size_t lanes, size_t outputs, size_t b, double *p) {
    for (size_t h = 0; h < outputs; h++) {
        p[h] = z[h * lanes + b];
    }
}

/* One sum over the rows. direction is NULL, except in dp2dpi_logloss_multiply. */
typedef struct job {
    const dp2dpi_logloss *loss;
    dp2dpi_logloss_order order;
    const double *weights, *direction;
    size_t tasks, size;
    double *sums; /* tasks × size: the partial sum of each task, a vector */
} job;

/* Adds the rows of a block, in row order, to the loss and the gradient and, for order HESSIAN, to
 * the blocks of the Hessian. The loss of a row contains the logarithm of a sum of exponentials. To
 * save time, add_rows takes one logarithm of the product of these sums for all rows of the block.
 * The product of 32 sums cannot overflow, because each sum is at most the number of classes. */
DP2DPI_INLINE void add_rows(const job *j, const dp2dpi_lane_block *r, size_t lanes, size_t outputs,
                            workspace *d) {
    const dp2dpi_examples *e = j->loss->examples;
    double largest[DP2DPI_LANES], total[DP2DPI_LANES], at_label[DP2DPI_LANES];
    double *gradient = d->sum + 1, *blocks = gradient + j->loss->cells, product = 1.0;
    int second = j->order == DP2DPI_LOGLOSS_HESSIAN;
    dp2dpi_lanes_logits(e, r, lanes, outputs, j->weights, d->z);
    for (size_t b = 0; b < lanes; b++) {
        size_t label = (size_t)r->labels[b];
        at_label[b] = outputs > 1 ? d->z[label * lanes + b] : label == 0 ? 0.0 : d->z[b];
    }
    dp2dpi_lanes_softmax(d->z, lanes, outputs, largest, total);
    for (size_t b = 0; b < r->count; b++) {
        take_lane(d->z, lanes, outputs, b, d->p);
        gather(e, r, lanes, b, &d->v);
        d->sum[0] += largest[b] - at_label[b];
        product *= total[b];
        if (second && outputs == 1) {
            add_triangle(d->p[0], e->rows->numbers, &d->v, blocks);
        } else if (second) {
            add_blocks(d->p, outputs, &d->v, d->weight, blocks);
        }
        d->p[outputs == 1 ? 0 : r->labels[b]] -= outputs == 1 ? (double)r->labels[b] : 1.0;
        add_outer(d->p, outputs, &d->v, gradient);
    }
    d->sum[0] += dp2dpi_log(product);
}

/* Adds the product of the Hessian and the direction. For each row the product is (diag(p) − p pᵀ) u
 * ⊗ v. v holds the entries of the row, p the probabilities of the classes, and u the change of the
 * logits along the direction. */
DP2DPI_INLINE void add_products(const job *j, const dp2dpi_lane_block *r, size_t lanes,
                                size_t outputs, workspace *d) {
    const dp2dpi_examples *e = j->loss->examples;
    double largest[DP2DPI_LANES], total[DP2DPI_LANES], mean[DP2DPI_LANES] = {0};
    dp2dpi_lanes_logits(e, r, lanes, outputs, j->weights, d->z);
    dp2dpi_lanes_softmax(d->z, lanes, outputs, largest, total);
    dp2dpi_lanes_logits(e, r, lanes, outputs, j->direction, d->change);
    for (size_t h = 0; h < outputs; h++) {
        for (size_t b = 0; b < lanes; b++) {
            mean[b] += d->z[h * lanes + b] * d->change[h * lanes + b];
        }
    }
    for (size_t h = 0; h < outputs; h++) {
        for (size_t b = 0; b < lanes; b++) {
            d->z[h * lanes + b] *= d->change[h * lanes + b] - mean[b];
        }
    }
    for (size_t b = 0; b < r->count; b++) {
        take_lane(d->z, lanes, outputs, b, d->p);
        gather(e, r, lanes, b, &d->v);
        add_outer(d->p, outputs, &d->v, d->sum);
    }
}

DP2DPI_INLINE void add_block(const job *j, const dp2dpi_lane_block *r, size_t lanes, size_t outputs,
                             workspace *d) {
    if (outputs > 1 && j->direction) {
        add_products(j, r, lanes, outputs, d);
    } else {
        add_rows(j, r, lanes, outputs, d);
    }
}

/* The loops over outputs are short. Compiling them with constants for the common numbers of outputs
 * lets the compiler unroll them. */
DP2DPI_CLONED static void add_lanes(const job *j, const dp2dpi_lane_block *r, workspace *d) {
    size_t outputs = j->loss->examples->outputs;
    switch (outputs) {
    case 1:
        add_block(j, r, DP2DPI_LANES, 1, d);
        return;
    case 3:
        add_block(j, r, DP2DPI_LANES, 3, d);
        return;
    case 4:
        add_block(j, r, DP2DPI_LANES, 4, d);
        return;
    default:
        add_block(j, r, DP2DPI_LANES, outputs, d);
    }
}

static workspace workspace_of(const job *j, size_t task) {
    const dp2dpi_logloss *loss = j->loss;
    const dp2dpi_examples *e = loss->examples;
    size_t lanes = dp2dpi_lanes_of(e);
    workspace d = {.sum = j->sums + task * j->size,
                   .z = loss->scratch + task * scratch_of(e),
                   .floats = loss->floats + task * lanes * (e->rows->numbers + 1),
                   .words = loss->words + task * lanes * (e->rows->categories + 1),
                   .v = {.places = loss->places + task * entries_of(e)}};
    d.change = d.z + lanes * e->outputs;
    d.p = d.change + lanes * e->outputs;
    d.weight = d.p + e->outputs;
    d.v.values = d.weight + 2 * e->outputs;
    return d;
}

static size_t row_of(const dp2dpi_logloss *loss, size_t i) {
    uint64_t mixed = (uint64_t)i * UINT64_C(0x9E3779B97F4A7C15) >> 32;
    return i * loss->every + (size_t)(mixed % loss->every);
}

static void sum_task(void *context, size_t task) {
    const job *j = context;
    const dp2dpi_examples *e = j->loss->examples;
    size_t n = e->rows->count / j->loss->every, more = n % j->tasks, lanes = dp2dpi_lanes_of(e);
    size_t first = n / j->tasks * task + (task < more ? task : more);
    size_t last = first + n / j->tasks + (task < more), which[DP2DPI_LANES];
    workspace d = workspace_of(j, task);
    memset(d.sum, 0, j->size * sizeof *d.sum);
    for (size_t i = first; i < last; i += lanes) {
        size_t count = last - i < lanes ? last - i : lanes;
        if (lanes == 1) {
            dp2dpi_lane_block row = dp2dpi_lanes_load_row(e, row_of(j->loss, i));
            add_block(j, &row, 1, e->outputs, &d);
            continue;
        }
        for (size_t b = 0; b < count; b++) {
            which[b] = row_of(j->loss, i + b);
        }
        dp2dpi_lane_block r = dp2dpi_lanes_load_rows(e, which, count, d.floats, d.words);
        add_lanes(j, &r, &d);
    }
}

static void sum_rows(job *j) {
    dp2dpi_parallel(j->tasks, j->loss->examples->threads, sum_task, j);
    for (size_t task = 1; task < j->tasks; task++) {
        for (size_t i = 0; i < j->size; i++) {
            j->sums[i] += j->sums[task * j->size + i];
        }
    }
}

void dp2dpi_logloss_at(dp2dpi_logloss *loss, const double *weights) {
    job j = {loss, loss->order, weights, NULL, loss->tasks, loss->size, loss->partial};
    if (loss->order == DP2DPI_LOGLOSS_GRADIENT) {
        dp2dpi_logloss_slope(loss, weights);
        return;
    }
    sum_rows(&j);
    loss->value = loss->partial[0];
}

void dp2dpi_logloss_slope(dp2dpi_logloss *loss, const double *weights) {
    size_t size = 1 + loss->cells;
    job j = {loss, DP2DPI_LOGLOSS_GRADIENT, weights, NULL, loss->short_tasks,
             size, loss->short_sums};
    sum_rows(&j);
    memmove(loss->partial, loss->short_sums, size * sizeof *loss->partial);
    loss->value = loss->partial[0];
}

void dp2dpi_logloss_multiply(dp2dpi_logloss *loss, const double *weights, const double *direction) {
    job j = {loss,        DP2DPI_LOGLOSS_GRADIENT, weights, direction, loss->short_tasks,
             loss->cells, loss->short_sums};
    sum_rows(&j);
}
