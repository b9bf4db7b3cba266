/* People for the tests of Phase 2, drawn by splitmix64, and functions that make pools and fits from
 * them. */
#ifndef DP2DP_TESTS_UNIT_PHASE2_DATA_H
#define DP2DP_TESTS_UNIT_PHASE2_DATA_H

#include "draw.h"
#include "support.h"

#include <dp2dp/fit.h>

#include "unit/mechanism/spent.h"

typedef struct people {
    size_t n, classes, groups;
    float *scores;  /* n × classes, row-major */
    int32_t *group; /* n */
} people;

static inline people people_new(size_t n, size_t classes, size_t groups) {
    people p = {n, classes, groups, calloc(n * classes, sizeof(float)), calloc(n, sizeof(int32_t))};
    assert_non_null(p.scores);
    assert_non_null(p.group);
    return p;
}

static inline void people_free(people *p) {
    free(p->scores);
    free(p->group);
}

/* raw / Σ raw in double precision, rounded to single. */
static inline void people_set(people *p, size_t row, const double *raw) {
    double sum = 0;
    for (size_t k = 0; k < p->classes; k++) {
        sum += raw[k];
    }
    for (size_t k = 0; k < p->classes; k++) {
        p->scores[row * p->classes + k] = (float)(raw[k] / sum);
    }
}

/* Scores with `levels` raw values (few: heavy ties), groups of equal expected size. */
static inline people people_random(size_t n, size_t classes, size_t groups, uint64_t levels,
                                   uint64_t seed) {
    people p = people_new(n, classes, groups);
    double raw[64];
    for (size_t i = 0; i < n; i++) {
        p.group[i] = (int32_t)(draw(&seed) % groups);
        for (size_t k = 0; k < classes; k++) {
            raw[k] = (double)(1 + draw(&seed) % levels);
        }
        people_set(&p, i, raw);
    }
    return p;
}

/* The first group, a half of all, favours class 0; without ties. Data in which every class is
 * treated alike would hide a wrong proximal step. */
static inline people people_favoured(size_t n, size_t classes, size_t groups, uint64_t seed) {
    people p = people_new(n, classes, groups);
    double raw[64];
    for (size_t i = 0; i < n; i++) {
        p.group[i] = draw(&seed) % 2 ? 0 : (int32_t)(1 + draw(&seed) % (groups - 1));
        for (size_t k = 0; k < classes; k++) {
            raw[k] = (double)(1 + draw(&seed) % (1U << 20));
        }
        raw[0] *= p.group[i] == 0 ? 2.5 : 1.0;
        people_set(&p, i, raw);
    }
    return p;
}

/* A row of probabilities that sum to 1, each exactly a float32: multiples of 1/units, which tie
 * with each other, or any numbers if units is 0. */
static inline void draw_row(uint64_t *seed, size_t classes, size_t units, double *row) {
    double sum = 0;
    for (size_t k = 0; k < classes; k++) {
        row[k] = units ? 0 : 1e-3 + (double)(draw(seed) >> 11) * 0x1p-53;
        sum += row[k];
    }
    for (size_t k = 0; k < classes && units == 0; k++) {
        row[k] = (double)(float)(row[k] / sum);
    }
    for (size_t i = 0; i < units; i++) {
        row[draw(seed) % classes] += 1.0 / (double)units;
    }
}

static inline dp2dp_matrix scores_of(const people *p) {
    return (dp2dp_matrix) {
        p->scores,    DP2DP_FLOAT32, p->n, p->classes, (ptrdiff_t)(p->classes * sizeof(float)),
        sizeof(float)};
}

static inline dp2dp_column groups_of(const people *p) {
    return (dp2dp_column) {p->group, DP2DP_INT32, p->n, sizeof(int32_t)};
}

static inline dp2dp_pool *pool_with(const people *p, dp2dp_pool_options options) {
    dp2dp_matrix scores = scores_of(p);
    dp2dp_column groups = groups_of(p);
    dp2dp_pool *pool = NULL;
    options.strata = p->groups;
    assert_ok(dp2dp_pool_new(&scores, &groups, &options, &pool, &test_error));
    return pool;
}

static inline dp2dp_pool *pool_on(const people *p, unsigned threads) {
    dp2dp_pool_options options = DP2DP_POOL_OPTIONS_INIT;
    options.threads = threads;
    return pool_with(p, options);
}

static inline dp2dp_pool *pool_of(const people *p) {
    return pool_on(p, 1);
}

/* A source with its own count callback, not a pool. */
static inline dp2dp_source source_of(uint64_t records, size_t groups, size_t classes, void *context,
                                     dp2dp_status (*count)(void *, const float *, int64_t *,
                                                           dp2dp_error *)) {
    return (dp2dp_source) {.struct_size = sizeof(dp2dp_source),
                           .records = records,
                           .strata = groups,
                           .classes = classes,
                           .context = context,
                           .count = count};
}

static inline dp2dp_fit_options noiseless(double rho) {
    dp2dp_fit_options options = DP2DP_FIT_OPTIONS_INIT;
    options.epsilon = INFINITY;
    options.rho = rho;
    return options;
}

static inline dp2dp_fit_options seeded(double epsilon, uint64_t seed) {
    dp2dp_fit_options options = DP2DP_FIT_OPTIONS_INIT;
    options.epsilon = epsilon;
    options.delta = 1e-5;
    options.rng = DP2DP_RNG_INSECURE;
    options.insecure_seed = seed;
    return options;
}

static inline dp2dp_model *fit_source(const dp2dp_source *source,
                                      const dp2dp_fit_options *options) {
    dp2dp_model *model = NULL;
    assert_ok(dp2dp_fit(source, options, &model, &test_error));
    return model;
}

static inline dp2dp_model *fit_people(const people *p, const dp2dp_fit_options *options) {
    HANDLE(dp2dp_pool) *pool = pool_of(p);
    dp2dp_source source = dp2dp_pool_source(pool);
    dp2dp_model *model = fit_source(&source, options);
    return model;
}

/* argmax_k p_k − θ_k, lowest on a tie, in single precision as the rule is defined. */
static inline size_t plain_argmax(const float *scores, size_t classes, const float *offsets) {
    size_t best = 0;
    for (size_t k = 1; k < classes; k++) {
        volatile float challenger = scores[k] - offsets[k], holder = scores[best] - offsets[best];
        best = challenger > holder ? k : best;
    }
    return best;
}

static inline void plain_count(const people *p, const float *offsets, int64_t *table) {
    memset(table, 0, p->groups * p->classes * sizeof *table);
    for (size_t i = 0; i < p->n; i++) {
        size_t g = (size_t)p->group[i];
        table[g * p->classes +
              plain_argmax(p->scores + i * p->classes, p->classes, offsets + g * p->classes)]++;
    }
}

static inline dp2dp_status predict_people(const dp2dp_model *model, const people *p,
                                          int32_t *decision) {
    dp2dp_matrix scores = scores_of(p);
    dp2dp_column groups = groups_of(p);
    return dp2dp_model_predict(model, &scores, &groups, NULL, decision, &test_error);
}

/* Counts the decisions of the model and compares them with the counts of the pool at the same
 * offsets. */
static inline void assert_decisions_are_the_counts(const dp2dp_model *model, const dp2dp_pool *pool,
                                                   const people *p) {
    size_t cells = p->groups * p->classes;
    dp2dp_source source = dp2dp_pool_source(pool);
    FREED int64_t *counted = calloc(cells, sizeof *counted),
                  *decided = calloc(cells, sizeof *decided);
    FREED float *offsets = calloc(cells, sizeof *offsets);
    FREED int32_t *decision = calloc(p->n, sizeof *decision);
    for (size_t i = 0; i < cells; i++) {
        offsets[i] = (float)dp2dp_model_view(model)->offsets[i];
    }
    assert_int_equal(source.count(source.context, offsets, counted, NULL), OK);
    assert_ok(predict_people(model, p, decision));
    for (size_t i = 0; i < p->n; i++) {
        decided[(size_t)p->group[i] * p->classes + (size_t)decision[i]]++;
    }
    assert_memory_equal(counted, decided, cells * sizeof *counted);
}

/* A progress callback that stops the fit at one step, and checks the order of all steps. */
typedef struct watch {
    uint64_t calls, total, stop_at; /* total: as given to the first call */
} watch;

static inline int on_progress(void *context, uint64_t step, uint64_t total) {
    watch *w = context;
    w->calls++;
    assert_int_equal(step, w->calls);
    assert_true(w->total == 0 || w->total == total);
    assert_true(step <= total);
    w->total = total;
    return step == w->stop_at;
}

/* Returns max_k max_{g,g'} |P(h = k | g) − P(h = k | g')| of the model's decisions h for these
 * people. *accuracy (optional) is the mean score of the decided classes. */
static inline double unfairness_of(const dp2dp_model *model, const people *p, double *accuracy) {
    FREED int32_t *decision = calloc(p->n, sizeof *decision);
    FREED double *count = calloc(p->groups * (p->classes + 1), sizeof *count);
    double *size = count + p->groups * p->classes, most = 0, right = 0;
    assert_ok(predict_people(model, p, decision));
    for (size_t i = 0; i < p->n; i++) {
        count[(size_t)p->group[i] * p->classes + (size_t)decision[i]]++;
        size[p->group[i]]++;
        right += (double)p->scores[i * p->classes + (size_t)decision[i]];
    }
    for (size_t k = 0; k < p->classes; k++) {
        double low = 1, high = 0;
        for (size_t g = 0; g < p->groups; g++) {
            double rate = size[g] > 0 ? count[g * p->classes + k] / size[g] : NAN;
            low = rate < low ? rate : low;
            high = rate > high ? rate : high;
        }
        most = high - low > most ? high - low : most;
    }
    if (accuracy) {
        *accuracy = right / (double)p->n;
    }
    return most;
}

#endif
