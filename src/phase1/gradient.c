#include "phase1/gradient.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clones.h"
#include "phase1/lanes.h"

#ifdef __FAST_MATH__
#error \
    "do not compile with -ffast-math: it reorders sums, and the privacy proof needs a fixed order"
#endif

enum {
    ROWS_PER_TASK = 2048,
    TASKS_MAX = 16,
    PARTIAL_MAX = 1 << 22, /* most integers that all partial sums hold together */
    LANES = DP2DPI_LANES,
    EXACT_BITS = 48
};

size_t dp2dpi_gradient_tasks(const dp2dpi_examples *e) {
    size_t tasks = 1 + e->records / ROWS_PER_TASK;
    size_t fitting = PARTIAL_MAX / dp2dpi_examples_cells(e);
    tasks = tasks < TASKS_MAX ? tasks : TASKS_MAX;
    return tasks < fitting ? tasks : fitting > 1 ? fitting : 1;
}

/* Returns the number of places in a table or sum. There is one place for each feature and one for
 * the bias. A level that is missing in a row uses place -1, which holds zeros in a table and is
 * ignored in a sum. */
static size_t places_of(const dp2dpi_examples *e) {
    return e->width + 2;
}

typedef struct slice {
    size_t count;
    const float *x;
    const int32_t *codes;
    const float *scale;
    const int32_t *labels;
} slice;

/* The current rows, one in each lane. If there are fewer than LANES rows, the other lanes hold
 * zeros. */
typedef struct block {
    double scale[LANES];
    double square[LANES]; /* squared norm of the row's features */
    double a[LANES]; /* in cut(), the row's clipping factor; in add_output(), z × scale for one
                        output */
    int64_t kept[LANES];
    float *x;  /* numbers × LANES */
    double *z; /* outputs × LANES */
} block;

/* The squared factor of a level and its weight for the first output. They form a vector, so that
 * one instruction adds both to the sums of a row. */
typedef double pair __attribute__((vector_size(16)));
typedef double quad __attribute__((vector_size(32)));

/* Copies the rows of s to r. Sets the logits and the squared norms to what the categorical columns
 * contribute. find_logits and find_squares add what the numeric columns contribute. */
DP2DPI_INLINE void take_rows(const dp2dpi_gradient *g, const slice *s, size_t outputs, block *r) {
    const dp2dpi_examples *e = g->examples;
    size_t D = e->rows->numbers, Q = e->rows->categories;
    ptrdiff_t stride = (ptrdiff_t)outputs + 1;
    if (s->count < LANES) {
        memset(r->x, 0, D * LANES * sizeof *r->x);
        memset(r->z, 0, outputs * LANES * sizeof *r->z);
        memset(r->scale, 0, sizeof r->scale);
        memset(r->square, 0, sizeof r->square);
    }
    for (size_t b = 0; b < s->count; b++) {
        r->scale[b] = (double)s->scale[b];
    }
    for (size_t j = 0; j < D; j++) {
#pragma GCC unroll 8
        for (size_t b = 0; b < s->count; b++) {
            r->x[j * LANES + b] = s->x[b * D + j];
        }
    }
    const int32_t *codes = s->codes;
    for (size_t b = 0; b < s->count; b++) {
        pair both = {0.0, 0.0};
#pragma GCC unroll 4
        for (size_t q = 0; q < Q; q++) {
            pair entry;
            memcpy(&entry, g->table + (ptrdiff_t)codes[q] * stride, sizeof entry);
            both += entry;
        }
        r->square[b] = both[0];
        r->z[b] = both[1];
        for (size_t h = 1; h < outputs; h++) {
            double sum = 0.0;
            for (size_t q = 0; q < Q; q++) {
                sum += g->table[(ptrdiff_t)codes[q] * stride + 1 + (ptrdiff_t)h];
            }
            r->z[h * LANES + b] = sum;
        }
        codes += Q;
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

/* Clips the records: multiplies z by a clipping factor, so that z ⊗ v is the gradient clipped to
 * norm look->clip. v is the vector of the record's features. The result is in grid units and not
 * yet rounded (a ⊗ v in docs/proofs/dpgd.md).
 *
 * Keeps a record only if two numbers are at most (1 − 2^-30) 2^(2 grid_bits). The first number is
 * |z|² |v|². The second is the squared norm of the terms that add_output adds for one level; it is
 * needed because a level whose factor is 0 adds nothing to |v|. If one of these numbers is NaN, the
 * record is not kept. The margin 2^-30 is 8 times the largest rounding error of 2^19 terms. */
DP2DPI_INLINE void cut(const dp2dpi_look *look, size_t outputs, size_t count, block *r) {
    double grid = (double)((uint64_t)1 << look->grid_bits), clip = look->clip;
    double unit = grid * (1.0 - 0x1p-28), square_max = grid * grid * (1.0 - 0x1p-30), sum[LANES];
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
        double level = r->scale[b] * (1.0 / DP2DPI_LEVEL_UNITS);
        r->kept[b] = sum[b] * r->square[b] <= square_max && sum[b] * (level * level) <= square_max;
    }
    for (size_t b = count; b < LANES; b++) {
        r->kept[b] = 0;
    }
}

/* Zeroes scale, x and z in the lanes of records that cut() does not keep. Multiplying by 0 is not
 * enough, because 0 · NaN is NaN. */
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

/* Rounds the terms towards zero and adds them. If no term exceeds 2^EXACT_BITS, a double holds all
 * terms and all their sums exactly. */
DP2DPI_INLINE int64_t sum_of(double *restrict terms, int grid_bits) {
    if (grid_bits > EXACT_BITS) {
        int64_t total = 0;
        for (size_t b = 0; b < LANES; b++) {
            total += (int64_t)terms[b];
        }
        return total;
    }
    quad all[LANES / 4];
    for (size_t b = 0; b < LANES; b++) {
        terms[b] = trunc(terms[b]);
    }
    memcpy(all, terms, sizeof all);
    quad four = ((all[0] + all[1]) + (all[2] + all[3])) + ((all[4] + all[5]) + (all[6] + all[7]));
    return (int64_t)((four[0] + four[1]) + (four[2] + four[3]));
}

/* Rounds z v towards zero for every record and adds the result to `sum`. z is the record's number
 * for output h, and v is the vector of the record's features. Leaves out the factors of the levels;
 * dp2dpi_gradient_sum multiplies by them at the end. Every term is within ±2^grid_bits. */
DP2DPI_INLINE void add_output(const dp2dpi_gradient *g, int grid_bits, size_t outputs, size_t h,
                              const slice *s, block *r, int64_t *restrict sum) {
    const dp2dpi_examples *e = g->examples;
    size_t D = e->rows->numbers, Q = e->rows->categories;
    const double *z = r->z + h * LANES;
    double terms[LANES];
    for (size_t b = 0; b < LANES; b++) {
        r->a[b] = z[b] * r->scale[b];
        terms[b] = z[b];
    }
    sum[e->width * outputs + h] += sum_of(terms, grid_bits);
    for (size_t j = 0; j < D; j++) {
        for (size_t b = 0; b < LANES; b++) {
            terms[b] = r->a[b] * (double)r->x[j * LANES + b];
        }
        sum[j * outputs + h] += sum_of(terms, grid_bits);
    }
    /* A missing level has code -1 and adds to place -1, which nothing reads. The sum at place -1
     * may overflow, so the addition is unsigned: unsigned overflow is defined behaviour. */
    uint64_t *place = (uint64_t *)sum;
    const int32_t *codes = s->codes;
    for (size_t b = 0; b < s->count; b++) {
        int64_t part = (int64_t)(r->a[b] * (1.0 / DP2DPI_LEVEL_UNITS));
#pragma GCC unroll 4
        for (size_t q = 0; q < Q; q++) {
            place[(ptrdiff_t)codes[q] * (ptrdiff_t)outputs + (ptrdiff_t)h] += (uint64_t)part;
        }
        codes += Q;
    }
}

/* Computes the term SLOPE, which is the derivative of the loss with respect to a common factor of
 * the logits. In every lane, replaces z = softmax − onehot by the dot product z · logits. Also sets
 * the squared norm to 1, so that cut() clips the slope itself. */
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
                            const slice *s, block *r, int64_t *sum) {
    double largest[LANES], below[LANES], *logits = r->z + outputs * LANES;
    size_t used = look->term == DP2DP_TERM_GRADIENT ? outputs : 1;
    int64_t kept = 0;
    take_rows(g, s, outputs, r);
    if (look->term == DP2DP_TERM_ROW) {
        for (size_t b = 0; b < LANES; b++) {
            r->z[b] = 1.0;
        }
    } else {
        find_logits(g, outputs, r);
        if (look->term == DP2DP_TERM_SLOPE) {
            memcpy(logits, r->z, outputs * LANES * sizeof *logits);
        }
        dp2dpi_lanes_softmax(r->z, LANES, outputs, largest, below);
        dp2dpi_lanes_subtract_labels(s->labels, s->count, LANES, outputs, r->z);
    }
    if (look->term == DP2DP_TERM_SLOPE) {
        take_slopes(outputs, logits, r);
    } else {
        find_squares(g, r);
    }
    cut(look, used, s->count, r);
    for (size_t b = 0; b < LANES; b++) {
        kept += r->kept[b];
    }
    if (kept < LANES) {
        clear_others(g->examples, used, r);
    }
    if (look->term == DP2DP_TERM_SLOPE) {
        for (size_t b = 0; b < LANES; b++) {
            sum[0] += (int64_t)r->z[b];
        }
        return;
    }
    for (size_t h = 0; h < used; h++) {
        add_output(g, look->grid_bits, outputs, h, s, r, sum);
    }
}

/* Training spends most of its time here. So the common case of one output is compiled separately,
 * with the constant 1 as the number of outputs. */
DP2DPI_CLONED static void add_block(const dp2dpi_gradient *g, const dp2dpi_look *look,
                                    const slice *s, block *r, int64_t *sum) {
    if (g->examples->outputs == 1) {
        add_rows(g, look, 1, s, r, sum);
    } else {
        add_rows(g, look, g->examples->outputs, s, r, sum);
    }
}

typedef struct sizes {
    size_t sum, x, codes, z;
    size_t table, units;
} sizes;

static sizes sizes_of(const dp2dpi_examples *e) {
    return (sizes) {.sum = places_of(e) * e->outputs,
                    .x = (2 * e->rows->numbers + 1) * LANES,
                    .codes = (e->rows->categories + 1) * LANES,
                    .z = 2 * e->outputs * LANES,
                    .table = places_of(e) * (e->outputs + 1),
                    .units = e->width};
}

dp2dp_status dp2dpi_gradient_new(const dp2dpi_examples *e, dp2dpi_gradient *out,
                                 dp2dp_error *error) {
    static const char what[] = "gradients";
    size_t tasks = dp2dpi_gradient_tasks(e);
    sizes s = sizes_of(e);
    *out = (dp2dpi_gradient) {.examples = e, .tasks = tasks};
    DP2DPI_TRY(DP2DPI_ALLOC(out->sum, (tasks + 1) * s.sum + s.units, what, error));
    out->partial = out->sum + s.sum;
    out->units = out->partial + tasks * s.sum;
    DP2DPI_TRY(DP2DPI_ALLOC(out->x, tasks * s.x, what, error));
    DP2DPI_TRY(DP2DPI_ALLOC(out->codes, tasks * s.codes, what, error));
    DP2DPI_TRY(DP2DPI_ALLOC(out->z, tasks * s.z + s.table, what, error));
    out->table = out->z + tasks * s.z + e->outputs + 1;
    unsigned threads = dp2dpi_threads(e->threads) < tasks ? e->threads : (unsigned)tasks;
    return dp2dpi_thread_pool_new(threads, &out->workers, error);
}

void dp2dpi_gradient_free(dp2dpi_gradient *g) {
    dp2dpi_thread_pool_free(g->workers);
    if (g->examples) {
        sizes s = sizes_of(g->examples);
        dp2dpi_wipe_and_free(g->sum, (g->tasks + 1) * s.sum * sizeof *g->sum);
        dp2dpi_wipe_and_free(g->x, g->tasks * s.x * sizeof *g->x);
        dp2dpi_wipe_and_free(g->codes, g->tasks * s.codes * sizeof *g->codes);
        dp2dpi_wipe_and_free(g->z, g->tasks * s.z * sizeof *g->z);
    }
    *g = (dp2dpi_gradient) {0};
}

static void tabulate(dp2dpi_gradient *g, const dp2dpi_look *look) {
    const dp2dpi_examples *e = g->examples;
    size_t outputs = e->outputs;
    memset(g->table - (outputs + 1), 0, (outputs + 1) * sizeof *g->table);
    for (size_t j = 0; j <= e->width; j++) {
        double *entry = g->table + j * (outputs + 1);
        entry[0] = 0.0;
        for (size_t h = 0; h < outputs; h++) {
            entry[1 + h] = look->weights ? look->weights[j * outputs + h] : 0.0;
        }
    }
    for (size_t j = e->rows->numbers; j < e->width; j++) {
        double units = look->levels[j] * DP2DPI_LEVEL_UNITS;
        int known = units >= 0.0 && units <= DP2DPI_LEVEL_UNITS;
        g->units[j] = known ? (int64_t)units : 0;
        g->table[j * (outputs + 1)] = known ? look->levels[j] * look->levels[j] : NAN;
    }
}

typedef struct job {
    dp2dpi_gradient *g;
    const uint8_t *mask;
    const dp2dpi_look *look;
} job;

static slice rows_from(const dp2dpi_examples *e, size_t i, size_t count) {
    const dp2dpi_rows *rows = e->rows;
    return (slice) {count, rows->x + i * rows->numbers, rows->codes + i * rows->categories,
                    rows->scale + i, e->labels + i};
}

static slice masked_rows(const job *j, size_t task, size_t *at, size_t last) {
    const dp2dpi_examples *e = j->g->examples;
    size_t D = e->rows->numbers, Q = e->rows->categories, count = 0;
    float *x = j->g->x + task * sizes_of(e).x + D * LANES, *scale = x + D * LANES;
    int32_t *codes = j->g->codes + task * sizes_of(e).codes, *labels = codes + Q * LANES;
    for (; *at < last && count < LANES; (*at)++) {
        if (j->mask[*at]) {
            slice row = rows_from(e, *at, 1);
            memcpy(x + count * D, row.x, D * sizeof *x);
            memcpy(codes + count * Q, row.codes, Q * sizeof *codes);
            scale[count] = *row.scale;
            labels[count] = *row.labels;
            count++;
        }
    }
    return (slice) {count, x, codes, scale, labels};
}

static void sum_task(void *context, size_t task) {
    const job *j = context;
    const dp2dpi_gradient *g = j->g;
    sizes s = sizes_of(g->examples);
    size_t n = g->examples->rows->count, more = n % g->tasks;
    size_t first = n / g->tasks * task + (task < more ? task : more);
    size_t last = first + n / g->tasks + (task < more);
    int64_t *sum = g->partial + task * s.sum + g->examples->outputs;
    block r = {.x = g->x + task * s.x, .z = g->z + task * s.z};
    memset(sum - g->examples->outputs, 0, s.sum * sizeof *sum);
    while (first < last) {
        slice rows;
        if (j->mask) {
            rows = masked_rows(j, task, &first, last);
        } else {
            rows = rows_from(g->examples, first, last - first < LANES ? last - first : LANES);
            first += rows.count;
        }
        add_block(g, j->look, &rows, &r, sum);
    }
}

void dp2dpi_gradient_sum(dp2dpi_gradient *g, const uint8_t *mask, const dp2dpi_look *look) {
    job j = {g, mask, look};
    const dp2dpi_examples *e = g->examples;
    size_t each = sizes_of(e).sum, outputs = e->outputs;
    tabulate(g, look);
    dp2dpi_thread_pool_run(g->workers, g->tasks, sum_task, &j);
    memset(g->sum, 0, each * sizeof *g->sum);
    for (size_t task = 0; task < g->tasks; task++) {
        for (size_t c = 0; c < each - outputs; c++) {
            g->sum[c] += g->partial[task * each + outputs + c];
        }
    }
    if (look->term != DP2DP_TERM_SLOPE) {
        for (size_t c = e->rows->numbers * outputs; c < e->width * outputs; c++) {
            g->sum[c] *= g->units[c / outputs];
        }
    }
}
