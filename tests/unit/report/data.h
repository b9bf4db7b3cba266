/* Test people, sweeps and pages for the tests of the report. */
#ifndef DP2DP_TESTS_UNIT_REPORT_DATA_H
#define DP2DP_TESTS_UNIT_REPORT_DATA_H

#include <jansson.h>

#include <dp2dp/report.h>

#include "unit/metrics/labelled.h"

/* Test people as columns; the views point into `labelled`. */
typedef struct tested {
    labelled labelled;
    int32_t *label;
    dp2dp_matrix scores, weights;
    dp2dp_column groups, labels;
} tested;

static inline tested tested_people(size_t n, size_t classes, size_t groups, uint64_t seed) {
    tested t = {.labelled = labelled_people(n, classes, groups, seed),
                .label = calloc(n, sizeof(int32_t))};
    const people *p = &t.labelled.people;
    for (size_t i = 0; i < n; i++) {
        t.label[i] = t.labelled.stratum[i] % (int32_t)classes;
    }
    t.scores = scores_of(p);
    t.weights = (dp2dp_matrix) {
        t.labelled.weights, DP2DP_FLOAT32, n, groups, (ptrdiff_t)(groups * sizeof(float)),
        sizeof(float)};
    t.groups = (dp2dp_column) {p->group, DP2DP_INT32, n, sizeof(int32_t)};
    t.labels = (dp2dp_column) {t.label, DP2DP_INT32, n, sizeof(int32_t)};
    return t;
}

static inline void tested_free(tested *t) {
    labelled_free(&t->labelled);
    free(t->label);
}

static inline void use_tested(const tested *t, sight sees, dp2dp_report_options *options) {
    options->scores = &t->scores;
    options->groups = &t->groups;
    options->labels = &t->labels;
    options->weights = sees == UNAWARE ? &t->weights : NULL;
}

/* Freed with dp2dp_text_free. */
__attribute__((noinline, unused)) static char *page_of(const dp2dp_model *model,
                                                       const dp2dp_report_options *options) {
    char *text = NULL;
    size_t length = 0;
    assert_ok(dp2dp_report(model, options, &text, &length, &test_error));
    assert_int_equal(strlen(text), length);
    return text;
}

/* The data that a page embeds. */
static inline json_t *data_of(const char *page) {
    static const char opening[] = "id=\"dp2dp-data\">";
    const char *from = strstr(page, opening);
    assert_non_null(from);
    from += strlen(opening);
    const char *to = strstr(from, "</script>");
    assert_non_null(to);
    assert_null(memchr(from, '<', (size_t)(to - from)));
    json_error_t failure;
    json_t *data = json_loadb(from, (size_t)(to - from), 0, &failure);
    if (data == NULL) {
        fail_msg("line %d: %s", failure.line, failure.text);
    }
    return data;
}

#define SWEEP_HEADER                                                                              \
    "criterion,method,solver,rho,epsilon,delta,epsilon_holds,epsilon_claimed,run,error,"          \
    "unfairness,error_before,"                                                                    \
    "unfairness_before,positive,sees_group,records_train,records_pool,records_test,"              \
    "balanced_accuracy,disparate_impact,data,records,rows_per_person,protects,split,dither,seed," \
    "version,"                                                                                    \
    "not_private\n"
#define SWEEP_ROW(criterion, rho, epsilon, run, error, unfairness, sees, data, records)  \
    criterion ",scores,counts," rho "," epsilon ",1e-05,,," run "," error "," unfairness \
              ",0.2,0.3,," sees ",0,1,1,0.5,0.5," data "," records                       \
              ",1,,\"0.5,0.5\",0,3,0.1.0,no\n"

#endif
