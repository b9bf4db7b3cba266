#include "phase1/gradient.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clones.h"
#include "base/parallel.h"
#include "phase1/lanes.h"

enum {
    ROWS_PER_TASK = 2048, /* fewer are not worth a thread */
    TASKS_MAX = 16,
    PARTIAL_MAX = 1 << 22, /* numbers in all tasks together */
    LANES = DP2DPI_LANES
};

size_t dp2dpi_gradient_tasks(const dp2dpi_examples *e) {
    size_t tasks = 1 + e->rows->count / ROWS_PER_TASK;
    size_t fitting = PARTIAL_MAX / dp2dpi_examples_cells(e);
    tasks = tasks < TASKS_MAX ? tasks : TASKS_MAX;
    return tasks < fitting ? tasks : fitting > 1 ? fitting : 1;
}

/* A level that is missing has the place -1, before all others, where all is zero and what is added
 * is not looked at. */
static size_t places_of(const dp2dpi_examples *e) {
    return e->width + 2;
}

/* Rows in hand, one in each lane; lanes behind count hold zeros. */
typedef struct block {
    size_t count;
    const int32_t *codes[LANES];
    double scale[LANES];
    int32_t labels[LANES];
    double square[LANES]; /* |v|² */
    double a[LANES];      /* what the row is multiplied by, for one output */
    int64_t kept[LANES];
    float *x;  /* numbers × LANES */
    double *z; /* outputs × LANES */
} block;

/* Copies rows, and adds up what their levels bring to the logits and to |v|². */
DP2DPI_INLINE void take_rows(const dp2dpi_gradient *g, const size_t *which, size_t outputs,
                             block *r) {
    const dp2dpi_examples *e = g->examples;
    size_t D = e->rows->numbers, Q = e->rows->categories;
    ptrdiff_t stride = (ptrdiff_t)outputs + 1;
    if (r->count < LANES) {
        memset(r->x, 0, D * LANES * sizeof *r->x);
        memset(r->z, 0, outputs * LANES * sizeof *r->z);
        memset(r->scale, 0, sizeof r->scale);
        memset(r->labels, 0, sizeof r->labels);
        memset(r->square, 0, sizeof r->square);
    }
    for (size_t b = 0; b < r->count; b++) {
        const float *x = e->rows->x + which[b] * D;
        const int32_t *codes = e->rows->codes + which[b] * Q;
        for (size_t j = 0; j < D; j++) {
            r->x[j * LANES + b] = x[j];
        }
        double square = 0.0, first = 0.0;
        for (size_t q = 0; q < Q; q++) {
            const double *entry = g->table + (ptrdiff_t)codes[q] * stride;
            square += entry[0];
            first += entry[1];
        }
        r->z[b] = first;
        for (size_t h = 1; h < outputs; h++) {
            double sum = 0.0;
            for (size_t q = 0; q < Q; q++) {
                sum += g->table[(ptrdiff_t)codes[q] * stride + 1 + (ptrdiff_t)h];
            }
            r->z[h * LANES + b] = sum;
        }
        r->square[b] = square;
        r->codes[b] = codes;
        r->scale[b] = (double)e->rows->scale[which[b]];
        r->labels[b] = e->labels[which[b]];
    }
}

DP2DPI_INLINE void find_logits(const dp2dpi_gradient *g, size_t outputs, block *r) {
    const dp2dpi_examples *e = g->examples;
    for (size_t h = 0; h < outputs; h++) {
        double *restrict z = r->z + h * LANES, bias = g->table[e->width * (outputs + 1) + 1 + h];
        for (size_t j = 0; j < e->rows->numbers; j++) {
            double weight = g->table[j * (outputs + 1) + 1 + h];
            for (size_t b = 0; b < LANES; b++) {
                z[b] += (double)r->x[j * LANES + b] * weight;
            }
        }
        for (size_t b = 0; b < LANES; b++) {
            z[b] = r->scale[b] * z[b] + bias;
        }
    }
}

DP2DPI_INLINE void find_squares(const dp2dpi_gradient *g, block *r) {
    for (size_t j = 0; j < g->examples->rows->numbers; j++) {
        for (size_t b = 0; b < LANES; b++) {
            r->square[b] += (double)r->x[j * LANES + b] * (double)r->x[j * LANES + b];
        }
    }
    for (size_t b = 0; b < LANES; b++) {
        r->square[b] = r->scale[b] * r->scale[b] * r->square[b] + 1.0;
    }
}

/* z becomes a, so that a ⊗ v is what the record adds before it is rounded: z ⊗ v cut to norm clip,
 * in units of the grid. A record is kept only if |a|² |v|² ≤ 2^(2 grid_bits) is seen to hold, of
 * the very numbers that will be multiplied and with 2^-30 to spare, 2^3 times what rounding can
 * hide in 2^19 terms. What is not a number fails. */
DP2DPI_INLINE void cut(const dp2dpi_look *look, size_t outputs, block *r) {
    double grid = (double)((uint64_t)1 << look->grid_bits), clip = look->clip;
    double unit = grid * (1.0 - 0x1p-28), most = grid * grid * (1.0 - 0x1p-30), sum[LANES];
    for (size_t b = 0; b < LANES; b++) {
        sum[b] = 0.0;
    }
    for (size_t h = 0; h < outputs; h++) {
        for (size_t b = 0; b < LANES; b++) {
            sum[b] += r->z[h * LANES + b] * r->z[h * LANES + b];
        }
    }
    for (size_t b = 0; b < LANES; b++) {
        double norm = sqrt(sum[b] * r->square[b]);
        r->a[b] = unit / (norm > clip ? norm : clip);
        sum[b] = 0.0;
    }
    for (size_t h = 0; h < outputs; h++) {
        for (size_t b = 0; b < LANES; b++) {
            r->z[h * LANES + b] *= r->a[b];
            sum[b] += r->z[h * LANES + b] * r->z[h * LANES + b];
        }
    }
    for (size_t b = 0; b < LANES; b++) {
        r->kept[b] = sum[b] * r->square[b] <= most;
    }
    for (size_t b = r->count; b < LANES; b++) {
        r->kept[b] = 0;
    }
}

/* Lanes that are not kept become zero in all that is multiplied: 0 · NaN is not 0. */
static void clear_others(const dp2dpi_examples *e, size_t outputs, block *r) {
    for (size_t b = 0; b < LANES; b++) {
        if (r->kept[b]) {
            continue;
        }
        r->scale[b] = 0.0;
        for (size_t j = 0; j < e->rows->numbers; j++) {
            r->x[j * LANES + b] = 0.0F;
        }
        for (size_t h = 0; h < outputs; h++) {
            r->z[h * LANES + b] = 0.0;
        }
    }
}

/* Rounds a ⊗ v towards zero and adds it. Every term is within ± 2^grid_bits, and so is a number. */
DP2DPI_INLINE void add_output(const dp2dpi_gradient *g, size_t outputs, size_t h, block *r,
                              int64_t *restrict sum) {
    const dp2dpi_examples *e = g->examples;
    size_t D = e->rows->numbers, Q = e->rows->categories;
    const double *z = r->z + h * LANES, *restrict levels = g->levels;
    int64_t total = 0;
    for (size_t b = 0; b < LANES; b++) {
        r->a[b] = z[b] * r->scale[b];
        total += (int64_t)z[b];
    }
    sum[e->width * outputs + h] += total;
    for (size_t j = 0; j < D; j++) {
        total = 0;
        for (size_t b = 0; b < LANES; b++) {
            total += (int64_t)(r->a[b] * (double)r->x[j * LANES + b]);
        }
        sum[j * outputs + h] += total;
    }
    for (size_t b = 0; b < r->count; b++) {
        const int32_t *codes = r->codes[b];
        size_t count = r->kept[b] ? Q : 0;
        double a = r->a[b];
        for (size_t q = 0; q < count; q++) {
            ptrdiff_t place = codes[q];
            sum[place * (ptrdiff_t)outputs + (ptrdiff_t)h] += (int64_t)(a * levels[place]);
        }
    }
}

/* The one number (softmax − onehot)·z in place of z, with v = 1. */
DP2DPI_INLINE void take_slopes(size_t outputs, const double *logits, block *r) {
    for (size_t b = 0; b < LANES; b++) {
        double slope = 0.0;
        for (size_t h = 0; h < outputs; h++) {
            slope += r->z[h * LANES + b] * logits[h * LANES + b];
        }
        r->z[b] = slope;
        r->square[b] = 1.0;
    }
}

DP2DPI_INLINE void add_rows(const dp2dpi_gradient *g, const dp2dpi_look *look, size_t outputs,
                            const size_t *which, block *r, int64_t *sum) {
    double most[LANES], below[LANES], *logits = r->z + outputs * LANES;
    size_t used = look->term == DP2DPI_TERM_GRADIENT ? outputs : 1;
    int64_t kept = 0;
    take_rows(g, which, outputs, r);
    if (look->term == DP2DPI_TERM_ROW) {
        for (size_t b = 0; b < LANES; b++) {
            r->z[b] = 1.0;
        }
    } else {
        find_logits(g, outputs, r);
        if (look->term == DP2DPI_TERM_SLOPE) {
            memcpy(logits, r->z, outputs * LANES * sizeof *logits);
        }
        dp2dpi_block_softmax(r->z, LANES, outputs, most, below);
        dp2dpi_block_subtract_labels(r->labels, LANES, outputs, r->z);
    }
    if (look->term == DP2DPI_TERM_SLOPE) {
        take_slopes(outputs, logits, r);
    } else {
        find_squares(g, r);
    }
    cut(look, used, r);
    for (size_t b = 0; b < LANES; b++) {
        kept += r->kept[b];
    }
    if (kept < LANES) {
        clear_others(g->examples, used, r);
    }
    if (look->term == DP2DPI_TERM_SLOPE) {
        for (size_t b = 0; b < LANES; b++) {
            sum[0] += (int64_t)r->z[b];
        }
        return;
    }
    for (size_t h = 0; h < used; h++) {
        add_output(g, outputs, h, r, sum);
    }
}

/* The number of outputs is a constant where it is 1: most of the time is spent here. */
DP2DPI_CLONED static void add_block(const dp2dpi_gradient *g, const dp2dpi_look *look,
                                    const size_t *which, block *r, int64_t *sum) {
    if (g->examples->outputs == 1) {
        add_rows(g, look, 1, which, r, sum);
    } else {
        add_rows(g, look, g->examples->outputs, which, r, sum);
    }
}

typedef struct sizes {
    size_t sum, x, z; /* of a task */
    size_t table, levels;
} sizes;

static sizes sizes_of(const dp2dpi_examples *e) {
    return (sizes) {places_of(e) * e->outputs, e->rows->numbers * LANES, 2 * e->outputs * LANES,
                    places_of(e) * (e->outputs + 1), places_of(e)};
}

dp2dp_status dp2dpi_gradient_new(const dp2dpi_examples *e, dp2dpi_gradient *out,
                                 dp2dp_error *error) {
    static const char what[] = "gradients";
    size_t tasks = dp2dpi_gradient_tasks(e);
    sizes s = sizes_of(e);
    void *sums = NULL, *x = NULL, *z = NULL;
    *out = (dp2dpi_gradient) {.examples = e, .tasks = tasks};
    dp2dp_status status =
        dp2dpi_alloc_for(what, (tasks + 1) * s.sum, sizeof(int64_t), &sums, error);
    out->sum = sums;
    if (status == DP2DP_STATUS_OK) {
        out->partial = out->sum + s.sum;
        status = dp2dpi_alloc_for(what, tasks * s.x + 1, sizeof(float), &x, error);
        out->x = x;
    }
    if (status == DP2DP_STATUS_OK) {
        status =
            dp2dpi_alloc_for(what, tasks * s.z + s.table + s.levels, sizeof(double), &z, error);
        out->z = z;
    }
    if (status == DP2DP_STATUS_OK) {
        out->table = out->z + tasks * s.z + e->outputs + 1;
        out->levels = out->z + tasks * s.z + s.table + 1;
    }
    return status;
}

static void wipe_and_free(void *memory, size_t length) {
    if (memory) {
        dp2dpi_wipe(memory, length);
    }
    dp2dpi_free(memory);
}

void dp2dpi_gradient_free(dp2dpi_gradient *g) {
    if (g->examples) {
        sizes s = sizes_of(g->examples);
        wipe_and_free(g->sum, (g->tasks + 1) * s.sum * sizeof *g->sum);
        wipe_and_free(g->x, g->tasks * s.x * sizeof *g->x);
        wipe_and_free(g->z, g->tasks * s.z * sizeof *g->z);
    }
    *g = (dp2dpi_gradient) {0};
}

/* Side by side, as rows look them up: for every place its squared level and its weights. */
static void tabulate(dp2dpi_gradient *g, const dp2dpi_look *look) {
    const dp2dpi_examples *e = g->examples;
    memset(g->table - (e->outputs + 1), 0, (e->outputs + 1) * sizeof *g->table);
    g->levels[-1] = 0.0;
    for (size_t j = 0; j <= e->width; j++) {
        double *entry = g->table + j * (e->outputs + 1);
        double level = j >= e->rows->numbers && j < e->width ? look->levels[j] : 0.0;
        g->levels[j] = level;
        entry[0] = level * level;
        for (size_t h = 0; h < e->outputs; h++) {
            entry[1 + h] = look->weights ? look->weights[j * e->outputs + h] : 0.0;
        }
    }
}

typedef struct job {
    dp2dpi_gradient *g;
    const uint8_t *mask;
    const dp2dpi_look *look;
} job;

static void sum_task(void *context, size_t task) {
    const job *j = context;
    const dp2dpi_gradient *g = j->g;
    sizes s = sizes_of(g->examples);
    size_t n = g->examples->rows->count, more = n % g->tasks, which[LANES];
    size_t first = n / g->tasks * task + (task < more ? task : more);
    size_t last = first + n / g->tasks + (task < more);
    int64_t *sum = g->partial + task * s.sum + g->examples->outputs;
    block r = {.x = g->x + task * s.x, .z = g->z + task * s.z};
    memset(sum - g->examples->outputs, 0, s.sum * sizeof *sum);
    for (size_t i = first; i < last; i++) {
        which[r.count] = i;
        r.count += j->mask == NULL || j->mask[i];
        if (r.count > 0 && (r.count == LANES || i + 1 == last)) {
            add_block(g, j->look, which, &r, sum);
            r.count = 0;
        }
    }
}

void dp2dpi_gradient_sum(dp2dpi_gradient *g, const uint8_t *mask, const dp2dpi_look *look) {
    job j = {g, mask, look};
    size_t each = sizes_of(g->examples).sum, outputs = g->examples->outputs;
    tabulate(g, look);
    dp2dpi_parallel(g->tasks, g->examples->threads, sum_task, &j);
    memset(g->sum, 0, each * sizeof *g->sum);
    for (size_t task = 0; task < g->tasks; task++) {
        for (size_t c = 0; c < each - outputs; c++) {
            g->sum[c] += g->partial[task * each + outputs + c];
        }
    }
}
