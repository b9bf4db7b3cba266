/* People with labels and weights, for the tests of criteria. */
#ifndef DP2DP_TESTS_UNIT_PHASE2_CRITERIA_H
#define DP2DP_TESTS_UNIT_PHASE2_CRITERIA_H

#include "unit/phase2/data.h"

enum {
    CASE_MAX = 4096 /* people × strata, at most */
};

typedef struct labelled {
    size_t n, classes, groups;
    double scores[CASE_MAX], weights[CASE_MAX]; /* weights: n × groups × classes, sum 1 */
    double group_weights[CASE_MAX];             /* n × groups */
    int32_t group[CASE_MAX], label[CASE_MAX], stratum[CASE_MAX];
} labelled;

static inline dp2dp_matrix matrix_of(const double *data, size_t rows, size_t columns) {
    return (dp2dp_matrix) {.data = data,
                           .type = DP2DP_FLOAT64,
                           .rows = rows,
                           .columns = columns,
                           .row_stride = (ptrdiff_t)(columns * sizeof *data),
                           .column_stride = sizeof *data};
}

static inline dp2dp_column codes_of(const int32_t *codes, size_t rows) {
    return (dp2dp_column) {
        .data = codes, .type = DP2DP_INT32, .rows = rows, .stride = sizeof *codes};
}

/* Person i gets new scores, group, label and weights; group 0 has higher scores for class 0. */
static inline void labelled_draw(labelled *p, size_t i, uint64_t *seed) {
    size_t k = p->classes, cells = p->groups * k;
    double *joint = p->weights + i * cells, *scores = p->scores + i * k;
    p->group[i] = (int32_t)(draw(seed) % p->groups);
    draw_row(seed, k, 0, scores);
    double tilt = p->group[i] == 0 ? 0.3 : 0.0, u = uniform(seed);
    for (size_t c = 0; c < k; c++) {
        scores[c] = (1 - tilt) * scores[c] + (c == 0 ? tilt : 0);
    }
    p->label[i] = (int32_t)k - 1;
    for (size_t c = k; c-- > 0;) {
        u -= scores[c];
        p->label[i] = u < 0 ? p->label[i] : (int32_t)(c > 0 ? c - 1 : 0);
    }
    p->stratum[i] = p->group[i] * (int32_t)k + p->label[i];
    draw_row(seed, p->groups, 0, p->group_weights + i * p->groups);
    for (size_t e = 0; e < cells; e++) {
        joint[e] = p->group_weights[i * p->groups + e / k] * scores[e % k];
    }
}

static inline void labelled_new(labelled *p, size_t n, size_t classes, size_t groups,
                                uint64_t seed) {
    p->n = n;
    p->classes = classes;
    p->groups = groups;
    assert_true(n * groups * classes <= CASE_MAX);
    for (size_t i = 0; i < n; i++) {
        labelled_draw(p, i, &seed);
    }
}

/* Which rule, what is counted, and how it is dithered. */
typedef struct way {
    int weighted, by_group, labels;
    int ignores; /* bad rows are ignored */
    dp2dp_counted counted;
    double width;
    dp2dp_dither_key key;
} way;

static inline size_t labels_of(const labelled *p, const way *w) {
    return w->labels ? p->classes : 1;
}

static inline dp2dp_pool *labelled_pool(const labelled *p, const way *w) {
    dp2dp_matrix scores = matrix_of(p->scores, p->n, p->classes);
    size_t columns = w->by_group || !w->labels ? p->groups : p->groups * p->classes;
    dp2dp_matrix weights =
        matrix_of(columns == p->groups ? p->group_weights : p->weights, p->n, columns);
    int soft = w->counted == DP2DP_COUNTED_SCORES;
    dp2dp_column strata = codes_of(w->labels && !soft ? p->stratum : p->group, p->n);
    dp2dp_pool_options o = DP2DP_POOL_OPTIONS_INIT;
    o.strata = p->groups * labels_of(p, w);
    o.labels = labels_of(p, w);
    o.weights = w->weighted ? &weights : NULL;
    o.counted = w->counted;
    o.bad_rows = w->ignores ? DP2DP_BAD_ROWS_IGNORE : DP2DP_BAD_ROWS_REFUSE;
    o.dither = (dp2dp_dither) {w->width, 5};
    o.dither_key = w->key;
    dp2dp_pool *pool = NULL;
    assert_ok(
        dp2dp_pool_new(&scores, soft && w->weighted ? NULL : &strata, &o, &pool, &test_error));
    return pool;
}

#endif
