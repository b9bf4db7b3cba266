/* People with groups and labels, and pools and models of them for every criterion. */
#ifndef DP2DP_TESTS_UNIT_METRICS_LABELLED_H
#define DP2DP_TESTS_UNIT_METRICS_LABELLED_H

#include <dp2dp/metrics.h>

#include "unit/phase2/data.h"

typedef struct labelled {
    people people;
    int32_t *stratum; /* g K + y */
    float *weights;   /* n × G: estimates of the probability of each group */
} labelled;

static inline void labelled_free(labelled *l) {
    people_free(&l->people);
    free(l->stratum);
    free(l->weights);
}

/* Labels are drawn from the scores. */
static inline labelled labelled_people(size_t n, size_t classes, size_t groups, uint64_t seed) {
    labelled l = {people_favoured(n, classes, groups, seed), calloc(n, sizeof(int32_t)),
                  calloc(n * groups, sizeof(float))};
    for (size_t i = 0; i < n; i++) {
        double u = (double)(draw(&seed) >> 11) * 0x1p-53;
        size_t y = 0;
        for (; y + 1 < classes && u >= (double)l.people.scores[i * classes + y]; y++) {
            u -= (double)l.people.scores[i * classes + y];
        }
        l.stratum[i] = l.people.group[i] * (int32_t)classes + (int32_t)y;
        float own = 0.5F + 0.25F * (float)(draw(&seed) % 2);
        for (size_t g = 0; g < groups; g++) {
            l.weights[i * groups + g] =
                (size_t)l.people.group[i] == g ? own : (1.0F - own) / (float)(groups - 1);
        }
    }
    return l;
}

typedef enum sight {
    AWARE,
    UNAWARE /* the rule gets the weights instead of the group */
} sight;

/* Two rates of no built-in criterion: class 0 among labels 0 and 1, and class 1 among all. */
static inline dp2dp_fit_options fit_for(dp2dp_criterion criterion) {
    static const unsigned char first_two[8] = {1, 1};
    static const dp2dp_statistic custom[] = {{0, first_two}, {1, NULL}};
    dp2dp_fit_options options = seeded(4.0, 3);
    options.steps = 20;
    options.criterion = criterion;
    options.statistics = criterion == DP2DP_CUSTOM ? custom : NULL;
    options.statistic_count = criterion == DP2DP_CUSTOM ? 2 : 0;
    return options;
}

static inline dp2dp_pool *labelled_pool(const labelled *l, const dp2dp_fit_options *fit,
                                        sight sees) {
    const people *p = &l->people;
    int labels = fit->criterion != DP2DP_DEMOGRAPHIC_PARITY;
    dp2dp_matrix scores = scores_of(p);
    dp2dp_matrix weights = {
        l->weights,   DP2DP_FLOAT32, p->n, p->groups, (ptrdiff_t)(p->groups * sizeof(float)),
        sizeof(float)};
    dp2dp_column strata = {labels ? l->stratum : p->group, DP2DP_INT32, p->n, sizeof(int32_t)};
    dp2dp_pool_options options = DP2DP_POOL_OPTIONS_INIT;
    dp2dp_pool *pool = NULL;
    options.threads = 1;
    options.labels = labels ? p->classes : 1;
    options.strata = p->groups * options.labels;
    options.weights = sees == UNAWARE ? &weights : NULL;
    options.dither = (dp2dp_dither) {sees == AWARE ? dp2dp_fit_dither(fit, p->classes) : 0.0, 17};
    options.dither_key = DP2DP_DITHER_KEY_SCORES;
    assert_ok(dp2dp_pool_new(&scores, &strata, &options, &pool, &test_error));
    return pool;
}

static inline dp2dp_model *labelled_model(const labelled *l, const dp2dp_fit_options *fit,
                                          sight sees) {
    HANDLE(dp2dp_pool) *pool = labelled_pool(l, fit, sees);
    dp2dp_source source = dp2dp_pool_source(pool);
    dp2dp_model *model = fit_source(&source, fit);
    return model;
}

#endif
