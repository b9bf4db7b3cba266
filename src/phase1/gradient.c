#include "phase1/gradient.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/parallel.h"
#include "phase1/lanes.h"

enum {
    ROWS_PER_TASK = 2048, /* fewer are not worth a thread */
    TASKS_MAX = 16,
    PARTIAL_MAX = 1 << 22, /* numbers in all tasks together */
    COARSE_BITS = 22
};

/* Beyond it a norm counts as not finite. */
#define NORM_MAX 1e300

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
 * most 2^19 squares of at most 2^44 cannot overflow. A term beyond the grid is outside at once. */
DP2DPI_INLINE void measure(int64_t term, int shift, uint64_t *squares, uint64_t *outside) {
    uint64_t coarse = (uint64_t)(term < 0 ? -term : term) >> shift;
    *outside |= coarse >> COARSE_BITS;
    uint32_t up = (uint32_t)(coarse & (((uint32_t)1 << COARSE_BITS) - 1)) + 1;
    *squares += (uint64_t)up * up;
}

DP2DPI_INLINE int is_within(uint64_t squares, uint64_t outside) {
    return (outside == 0) & (squares <= (uint64_t)1 << (2 * COARSE_BITS));
}

int dp2dpi_gradient_is_within(const int64_t *terms, size_t n, int grid_bits) {
    uint64_t squares = 0, outside = 0;
    for (size_t j = 0; j < n; j++) {
        measure(terms[j], grid_bits - COARSE_BITS, &squares, &outside);
    }
    return is_within(squares, outside);
}

/* Aiming 2 √m 2^-22 below the bound leaves room for the rounding up of that check. */
DP2DPI_INLINE double unit_of(size_t entries, const dp2dpi_look *look) {
    double bound = 1.0 - 2.0 * sqrt((double)entries) * 0x1p-22;
    return (double)((uint64_t)1 << look->grid_bits) * bound;
}

/* What the terms of every lane are multiplied by: 0 where the norm is not finite, and so is
 * something in its row; z becomes 0 there too. */
DP2DPI_INLINE void find_factors(size_t lanes, size_t outputs, double unit, double clip,
                                const double *restrict norm, double *restrict z,
                                double *restrict factor) {
    for (size_t b = 0; b < lanes; b++) {
        double ratio = unit / (norm[b] > clip ? norm[b] : clip);
        factor[b] = norm[b] < NORM_MAX ? ratio : 0.0;
    }
    for (size_t h = 0; h < outputs; h++) {
        for (size_t b = 0; b < lanes; b++) {
            z[h * lanes + b] = norm[b] < NORM_MAX ? z[h * lanes + b] : 0.0;
        }
    }
}

/* The norm factorises: |r ⊗ v| = |r| |v|. */
DP2DPI_INLINE void find_norms(const dp2dpi_examples *e, const dp2dpi_block *r, size_t lanes,
                              size_t outputs, const double *levels, const double *restrict z,
                              double *restrict norm) {
    double squares[DP2DPI_LANES];
    for (size_t b = 0; b < lanes; b++) {
        norm[b] = squares[b] = 0.0;
    }
    for (size_t j = 0; j < e->rows->numbers; j++) {
        for (size_t b = 0; b < lanes; b++) {
            norm[b] += (double)r->x[j * lanes + b] * (double)r->x[j * lanes + b];
        }
    }
    for (size_t q = 0; q < e->rows->categories; q++) {
        for (size_t b = 0; b < lanes; b++) {
            int32_t code = r->codes[q * lanes + b];
            double level = code < 0 ? 0.0 : levels[code];
            norm[b] += level * level;
        }
    }
    for (size_t h = 0; h < outputs; h++) {
        for (size_t b = 0; b < lanes; b++) {
            squares[b] += z[h * lanes + b] * z[h * lanes + b];
        }
    }
    for (size_t b = 0; b < lanes; b++) {
        double scale = (double)r->scale[b];
        norm[b] = sqrt(squares[b] * (scale * scale * norm[b] + 1.0));
    }
}

/* What is known of the lanes while their terms are written. */
typedef struct lanes_state {
    double norm[DP2DPI_LANES], factor[DP2DPI_LANES], entry[DP2DPI_LANES];
    uint64_t squares[DP2DPI_LANES], outside[DP2DPI_LANES];
    int64_t keep[DP2DPI_LANES]; /* all ones, or zero: the lane adds nothing */
} lanes_state;

/* The terms of one entry of v, for every output. None is beyond the unit but for rounding, so that
 * all of them fit. */
DP2DPI_INLINE void write_entry(size_t lanes, size_t outputs, int shift, const double *restrict z,
                               lanes_state *restrict s, int64_t *restrict terms) {
    for (size_t h = 0; h < outputs; h++) {
        for (size_t b = 0; b < lanes; b++) {
            double entry = s->norm[b] < NORM_MAX ? s->entry[b] : 0.0;
            int64_t term = (int64_t)(s->factor[b] * z[h * lanes + b] * entry);
            terms[h * lanes + b] = term;
            measure(term, shift, &s->squares[b], &s->outside[b]);
        }
    }
}

/* In the order numbers, bias, categories. */
DP2DPI_INLINE void write_terms(const dp2dpi_examples *e, const dp2dpi_block *r, size_t lanes,
                               size_t outputs, const dp2dpi_look *look, const double *z,
                               lanes_state *s, int64_t *terms) {
    int shift = look->grid_bits - COARSE_BITS;
    memset(s->squares, 0, sizeof s->squares);
    memset(s->outside, 0, sizeof s->outside);
    for (size_t j = 0; j < e->rows->numbers; j++, terms += outputs * lanes) {
        for (size_t b = 0; b < lanes; b++) {
            s->entry[b] = (double)r->scale[b] * (double)r->x[j * lanes + b];
        }
        write_entry(lanes, outputs, shift, z, s, terms);
    }
    for (size_t b = 0; b < lanes; b++) {
        s->entry[b] = 1.0;
    }
    write_entry(lanes, outputs, shift, z, s, terms);
    terms += outputs * lanes;
    for (size_t q = 0; q < e->rows->categories; q++, terms += outputs * lanes) {
        for (size_t b = 0; b < lanes; b++) {
            int32_t code = r->codes[q * lanes + b];
            s->entry[b] = code < 0 ? 0.0 : (double)r->scale[b] * look->levels[code];
        }
        write_entry(lanes, outputs, shift, z, s, terms);
    }
    for (size_t b = 0; b < lanes; b++) {
        s->keep[b] = b < r->count && is_within(s->squares[b], s->outside[b]) ? -1 : 0;
    }
}

/* Adds the lanes that are kept. */
DP2DPI_INLINE void add_terms(const dp2dpi_examples *e, const dp2dpi_block *r, size_t lanes,
                             size_t outputs, const int64_t *restrict keep,
                             const int64_t *restrict terms, int64_t *restrict sum) {
    size_t numbers = e->rows->numbers;
    for (size_t j = 0; j <= numbers; j++) {
        for (size_t h = 0; h < outputs; h++, terms += lanes) {
            int64_t total = 0;
            for (size_t b = 0; b < lanes; b++) {
                total += terms[b] & keep[b];
            }
            sum[(j < numbers ? j : e->width) * outputs + h] += total;
        }
    }
    for (size_t q = 0; q < e->rows->categories; q++, terms += outputs * lanes) {
        for (size_t b = 0; b < lanes; b++) {
            int32_t code = r->codes[q * lanes + b];
            for (size_t h = 0; h < outputs && code >= 0; h++) {
                sum[(size_t)code * outputs + h] += terms[h * lanes + b] & keep[b];
            }
        }
    }
}

DP2DPI_INLINE void add_entries(const dp2dpi_examples *e, const dp2dpi_block *r, size_t lanes,
                               size_t outputs, const dp2dpi_look *look, double *z, int64_t *terms,
                               int64_t *sum) {
    lanes_state s;
    if (look->term == DP2DPI_TERM_GRADIENT) {
        dp2dpi_block_logits(e, r, lanes, outputs, look->weights, z);
        dp2dpi_block_softmax(z, lanes, outputs, s.norm, s.factor);
        dp2dpi_block_subtract_labels(r, lanes, outputs, z);
    } else {
        for (size_t c = 0; c < lanes * outputs; c++) {
            z[c] = c < lanes ? 1.0 : 0.0;
        }
    }
    find_norms(e, r, lanes, outputs, look->levels, z, s.norm);
    find_factors(lanes, outputs, unit_of(entries_of(e), look), look->clip, s.norm, z, s.factor);
    write_terms(e, r, lanes, outputs, look, z, &s, terms);
    add_terms(e, r, lanes, outputs, s.keep, terms, sum);
}

DP2DPI_INLINE void add_slopes(const dp2dpi_examples *e, const dp2dpi_block *r, size_t lanes,
                              size_t outputs, const dp2dpi_look *look, double *z, int64_t *terms,
                              int64_t *sum) {
    lanes_state s;
    double *logits = z + lanes * outputs;
    dp2dpi_block_logits(e, r, lanes, outputs, look->weights, z);
    memcpy(logits, z, lanes * outputs * sizeof *z);
    dp2dpi_block_softmax(z, lanes, outputs, s.norm, s.factor);
    dp2dpi_block_subtract_labels(r, lanes, outputs, z);
    for (size_t b = 0; b < lanes; b++) {
        s.entry[b] = 0.0;
    }
    for (size_t c = 0; c < lanes * outputs; c++) {
        s.entry[c % lanes] += z[c] * logits[c];
    }
    for (size_t b = 0; b < lanes; b++) {
        s.norm[b] = fabs(s.entry[b]);
    }
    find_factors(lanes, 1, unit_of(1, look), look->clip, s.norm, s.entry, s.factor);
    for (size_t b = 0; b < r->count; b++) {
        terms[0] = (int64_t)(s.factor[b] * s.entry[b]);
        sum[0] += dp2dpi_gradient_is_within(terms, 1, look->grid_bits) ? terms[0] : 0;
    }
}

/* outputs is e->outputs, as a constant where it is 1: most of the time is spent here. */
DP2DPI_INLINE void add(const dp2dpi_examples *e, const dp2dpi_block *r, size_t lanes,
                       const dp2dpi_look *look, double *z, int64_t *terms, int64_t *sum) {
    if (look->term == DP2DPI_TERM_SLOPE) {
        add_slopes(e, r, lanes, e->outputs, look, z, terms, sum);
    } else if (e->outputs == 1) {
        add_entries(e, r, lanes, 1, look, z, terms, sum);
    } else {
        add_entries(e, r, lanes, e->outputs, look, z, terms, sum);
    }
}

void dp2dpi_gradient_add(const dp2dpi_examples *e, size_t i, const dp2dpi_look *look, double *z,
                         int64_t *terms, int64_t *sum) {
    dp2dpi_block row = dp2dpi_block_of_row(e, i);
    add(e, &row, 1, look, z, terms, sum);
}

DP2DPI_CLONED static void add_lanes(const dp2dpi_examples *e, const dp2dpi_block *r,
                                    const dp2dpi_look *look, double *z, int64_t *terms,
                                    int64_t *sum) {
    add(e, r, DP2DPI_LANES, look, z, terms, sum);
}

dp2dp_status dp2dpi_gradient_new(const dp2dpi_examples *e, dp2dpi_gradient *out,
                                 dp2dp_error *error) {
    static const char what[] = "gradients";
    size_t cells = dp2dpi_examples_cells(e), tasks = dp2dpi_gradient_tasks(e);
    size_t rows = tasks * dp2dpi_lanes_of(e);
    void *sums = NULL, *terms = NULL, *z = NULL, *floats = NULL, *words = NULL;
    *out = (dp2dpi_gradient) {.examples = e, .tasks = tasks};
    dp2dp_status status =
        dp2dpi_alloc_for(what, (tasks + 1) * cells, sizeof(int64_t), &sums, error);
    out->sum = sums;
    if (status == DP2DP_STATUS_OK) {
        out->partial = out->sum + cells;
        status = dp2dpi_alloc_for(what, rows * entries_of(e), sizeof(int64_t), &terms, error);
        out->terms = terms;
    }
    if (status == DP2DP_STATUS_OK) {
        status = dp2dpi_alloc_for(what, rows * 2 * e->outputs, sizeof(double), &z, error);
        out->z = z;
    }
    if (status == DP2DP_STATUS_OK) {
        status =
            dp2dpi_alloc_for(what, rows * (e->rows->numbers + 1), sizeof(float), &floats, error);
        out->floats = floats;
    }
    if (status == DP2DP_STATUS_OK) {
        status = dp2dpi_alloc_for(what, rows * (e->rows->categories + 1), sizeof(int32_t), &words,
                                  error);
        out->words = words;
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
    const dp2dpi_examples *e = g->examples;
    if (e) {
        size_t rows = g->tasks * dp2dpi_lanes_of(e);
        wipe_and_free(g->sum, (g->tasks + 1) * dp2dpi_examples_cells(e) * sizeof *g->sum);
        wipe_and_free(g->terms, rows * entries_of(e) * sizeof *g->terms);
        wipe_and_free(g->z, rows * 2 * e->outputs * sizeof *g->z);
        wipe_and_free(g->floats, rows * (e->rows->numbers + 1) * sizeof *g->floats);
        wipe_and_free(g->words, rows * (e->rows->categories + 1) * sizeof *g->words);
    }
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
    size_t lanes = dp2dpi_lanes_of(e), at = task * lanes, which[DP2DPI_LANES], count = 0;
    double *z = g->z + at * 2 * e->outputs;
    int64_t *sum = g->partial + task * cells, *terms = g->terms + at * entries_of(e);
    float *floats = g->floats + at * (e->rows->numbers + 1);
    int32_t *words = g->words + at * (e->rows->categories + 1);
    memset(sum, 0, cells * sizeof *sum);
    for (size_t i = first; i < last; i++) {
        which[count] = i;
        count += j->mask == NULL || j->mask[i];
        if (lanes == 1 && count == 1) {
            dp2dpi_gradient_add(e, i, j->look, z, terms, sum);
            count = 0;
        } else if (count > 0 && (count == lanes || i + 1 == last)) {
            dp2dpi_block r = dp2dpi_block_of_rows(e, which, count, floats, words);
            add_lanes(e, &r, j->look, z, terms, sum);
            count = 0;
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
