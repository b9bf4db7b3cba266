#include "phase2/smooth_combined.h"

#include <string.h>

#include "base/alloc.h"
#include "base/parallel.h"
#include "phase2/smooth.h"

enum {
    TASKS_MAX = 32,
    PARTIAL_MAX = 1 << 25, /* largest number of doubles in the partial sums of all tasks: 256 MB */
    ROWS_PER_TASK = 2048
};

typedef struct part {
    double *value, *accuracy, *constant, *given, *people, *strata, *hessian;
} part;

static size_t variables(const dp2dpi_sums *s) {
    return s->groups * s->statistics->count;
}

static size_t length_of(const dp2dpi_sums *s) {
    return 2 + s->pool->classes + 2 * variables(s) + s->pool->strata +
           s->blocks * s->size * s->size;
}

static part part_at(const dp2dpi_sums *s, double *memory) {
    part p = {.value = memory, .accuracy = memory + 1, .constant = memory + 2};
    p.given = p.constant + s->pool->classes;
    p.people = p.given + variables(s);
    p.strata = p.people + variables(s);
    p.hessian = p.strata + s->pool->strata;
    return p;
}

/* Returns how many scratch numbers a task needs, for the scores, values, softmax and ω of a record.
 */
static size_t scratch_of(const dp2dpi_sums *s) {
    return 2 * s->pool->classes + s->size;
}

static dp2dpi_sums plan(const dp2dp_pool *pool, const dp2dpi_statistics *statistics) {
    dp2dpi_sums s = {.pool = pool,
                     .statistics = statistics,
                     .groups = pool->strata / pool->labels,
                     .tasks = 1 + pool->records / ROWS_PER_TASK};
    int weighted = pool->rule == DP2DP_RULE_WEIGHTED;
    s.blocks = weighted ? 1 : s.groups;
    s.size = variables(&s) / s.blocks;
    s.length = length_of(&s);
    size_t fitting = PARTIAL_MAX / s.length;
    s.tasks = s.tasks < TASKS_MAX ? s.tasks : TASKS_MAX;
    s.tasks = s.tasks < fitting ? s.tasks : fitting > 1 ? fitting : 1;
    return s;
}

double dp2dpi_sums_memory(const dp2dp_pool *pool, const dp2dpi_statistics *statistics) {
    dp2dpi_sums s = plan(pool, statistics);
    return (double)sizeof(double) *
           ((double)(s.tasks + 1) * (double)s.length + (double)s.tasks * (double)scratch_of(&s));
}

dp2dp_status dp2dpi_sums_new(const dp2dp_pool *pool, const dp2dpi_statistics *statistics,
                             dp2dpi_sums *out, dp2dp_error *error) {
    *out = plan(pool, statistics);
    DP2DPI_TRY(DP2DPI_ALLOC(out->memory,
                            (out->tasks + 1) * out->length + out->tasks * scratch_of(out),
                            "sums over the pool", error));
    part whole = part_at(out, out->memory);
    out->constant = whole.constant;
    out->given = whole.given;
    out->people = whole.people;
    out->strata = whole.strata;
    out->hessian = whole.hessian;
    out->scratch = out->memory + (out->tasks + 1) * out->length;
    return DP2DP_STATUS_OK;
}

void dp2dpi_sums_free(dp2dpi_sums *sums) {
    dp2dpi_free(sums->memory);
    *sums = (dp2dpi_sums) {0};
}

typedef struct job {
    dp2dpi_sums *sums;
    const double *theta; /* groups × statistics; NULL for the rule as executed */
    const float *table;  /* strata × classes; used for the rule as executed */
    double beta;
} job;

/* One record, the block of its variables, and scratch numbers. */
typedef struct record {
    size_t block;
    /* The pool stores scores and weights column by column: number j of this record is at index j ×
     * apart. */
    const float *scores, *weights;
    size_t apart, first_row;
    double *value, *omega, *score;
} record;

/* With the rule `offset`, `weights` is NULL, and a record counts fully for its own group. */
static float weight_of(const record *r, size_t j) {
    return r->weights ? r->weights[j * r->apart] : 1.0F;
}

static size_t parts_of(const dp2dp_pool *pool) {
    return pool->parts > 0 ? pool->parts : 1;
}

/* Writes ω (smooth_combined.h) for the variables of the block. */
static void find_omega(const dp2dpi_sums *s, const record *r) {
    size_t n = s->statistics->count, labels = s->statistics->labels;
    for (size_t v = 0; v < s->size; v++) {
        size_t first = s->blocks == 1 ? v / n * labels : 0;
        r->omega[v] = 0.0;
        for (size_t y = 0; y < labels; y++) {
            if (dp2dpi_statistic_has(s->statistics, v % n, y)) {
                r->omega[v] += (double)weight_of(r, first + y);
            }
        }
    }
}

static void find_values(const job *j, const record *r) {
    const dp2dpi_sums *s = j->sums;
    size_t classes = s->pool->classes, n = s->statistics->count;
    for (size_t k = 0; k < classes; k++) {
        r->score[k] = r->value[k] = (double)r->scores[k * r->apart];
    }
    if (j->theta) {
        const double *theta = j->theta + r->block * s->size;
        for (size_t v = 0; v < s->size; v++) {
            r->value[s->statistics->classes[v % n]] -= r->omega[v] * theta[v];
        }
        return;
    }
    for (size_t k = 0; k < classes; k++) {
        float shift = 0.0F;
        for (size_t p = 0; p < parts_of(s->pool); p++) {
            shift += weight_of(r, p) * j->table[(r->first_row + p) * classes + k];
        }
        r->value[k] = (double)(r->scores[k * r->apart] - shift);
    }
}

/* Adds ω_v ω_u (h_k [k = l] − h_k h_l)/β to the Hessian entry of the variables v and u, where k is
 * the class of v, l is the class of u and h is the softmax. */
static void add_hessian(const job *j, const record *r, double *hessian) {
    const dp2dpi_sums *s = j->sums;
    size_t n = s->statistics->count;
    for (size_t v = 0; v < s->size; v++) {
        size_t k = s->statistics->classes[v % n];
        double weight = r->omega[v] * r->value[k] / j->beta;
        if (weight > 0.0) {
            for (size_t u = 0; u <= v; u++) {
                size_t l = s->statistics->classes[u % n];
                hessian[v * s->size + u] +=
                    weight * r->omega[u] * ((k == l ? 1.0 : 0.0) - r->value[l]);
            }
        }
    }
}

static void add_record(const job *j, const record *r, part *into) {
    const dp2dpi_sums *s = j->sums;
    size_t n = s->statistics->count, classes = s->pool->classes;
    double value;
    find_omega(s, r);
    find_values(j, r);
    int shared = dp2dpi_soften(r->value, classes, j->beta, &value);
    *into->value += value;
    for (size_t k = 0; k < classes; k++) {
        *into->accuracy += r->value[k] * r->score[k];
        into->constant[k] += r->score[k];
    }
    for (size_t p = 0; p < parts_of(s->pool); p++) {
        into->strata[r->first_row + p] += (double)weight_of(r, p);
    }
    for (size_t v = 0; v < s->size; v++) {
        into->given[r->block * s->size + v] +=
            r->omega[v] * r->value[s->statistics->classes[v % n]];
        into->people[r->block * s->size + v] += r->omega[v];
    }
    if (shared) {
        add_hessian(j, r, into->hessian + r->block * s->size * s->size);
    }
}

/* Task t processes the t-th part of every bin (pool.h). */
static void sum_task(void *context, size_t task) {
    const job *j = context;
    const dp2dpi_sums *s = j->sums;
    const dp2dp_pool *pool = s->pool;
    double *memory = s->memory + (task + 1) * s->length;
    memset(memory, 0, s->length * sizeof *memory);
    part into = part_at(s, memory);
    record r = {.value = s->scratch + task * scratch_of(s)};
    r.score = r.value + pool->classes;
    r.omega = r.score + pool->classes;
    for (size_t bin = 0; bin < pool->bins; bin++) {
        size_t size = pool->begin[bin + 1] - pool->begin[bin];
        size_t each = size / s->tasks, more = size % s->tasks;
        size_t first = task * each + (task < more ? task : more), n = each + (task < more);
        r.first_row = dp2dpi_pool_first_row(pool, bin);
        r.block = s->blocks == 1 ? 0 : r.first_row / pool->labels;
        r.apart = size;
        for (size_t i = first; i < first + n; i++) {
            r.scores = pool->values + pool->begin[bin] * pool->classes + i;
            r.weights = pool->parts > 0 ? dp2dpi_pool_weights(pool, bin) + i : NULL;
            add_record(j, &r, &into);
        }
    }
}

static void sum_all(job *j) {
    dp2dpi_sums *s = j->sums;
    dp2dpi_parallel(s->tasks, s->pool->threads, sum_task, j);
    memset(s->memory, 0, s->length * sizeof *s->memory);
    for (size_t task = 0; task < s->tasks; task++) {
        const double *from = s->memory + (task + 1) * s->length;
        for (size_t i = 0; i < s->length; i++) {
            s->memory[i] += from[i];
        }
    }
    s->value = s->memory[0];
    s->accuracy = s->memory[1];
}

void dp2dpi_sums_fill(dp2dpi_sums *sums, const double *theta, double beta) {
    job j = {.sums = sums, .theta = theta, .beta = beta};
    sum_all(&j);
}

void dp2dpi_sums_rule(dp2dpi_sums *sums, const float *table) {
    job j = {.sums = sums, .table = table};
    sum_all(&j);
}
