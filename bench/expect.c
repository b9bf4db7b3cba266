/* How unfair a fitted rule is in the population when the smaller group of the pool has n people and
 * the other group four times as many. Prints the table of docs/fit.md. The scores are random: K
 * logits with standard deviation 1.5, shifted by group. rho is 0. */
#include <math.h>

#include "timing.h"

enum {
    FITS = 40,
    POPULATION = 200000,
    CLASSES_MAX = 6
};

static const double delta = 1e-5;

static double uniform(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static double normal(uint64_t *state) {
    return sqrt(-2 * log(1 - uniform(state))) * cos(6.283185307179586 * uniform(state));
}

typedef struct people {
    size_t n, classes;
    float *scores;
    int8_t *groups;
} people;

/* shift[g K + k] moves the logits of group g. */
static people draw(size_t n, size_t classes, const double *shift, uint64_t *state) {
    people p = {n, classes, malloc(n * classes * sizeof(float)), malloc(n)};
    if (p.scores == NULL || p.groups == NULL) {
        abort();
    }
    for (size_t i = 0; i < n; i++) {
        double raw[CLASSES_MAX], sum = 0;
        p.groups[i] = i % 5 != 0;
        for (size_t k = 0; k < classes; k++) {
            raw[k] = exp(shift[(size_t)p.groups[i] * classes + k] + 1.5 * normal(state));
            sum += raw[k];
        }
        for (size_t k = 0; k < classes; k++) {
            p.scores[i * classes + k] = (float)(raw[k] / sum);
        }
    }
    return p;
}

static void drop(people *p) {
    free(p->scores);
    free(p->groups);
}

typedef enum rule {
    FITTED,
    PLAIN /* groups unknown to the model get the plain argmax */
} rule;

static double unfairness(const dp2dp_model *model, const people *p, rule which) {
    static int32_t decisions[POPULATION];
    static const int8_t nobody = -1;
    dp2dp_predict_options predict = DP2DP_PREDICT_OPTIONS_INIT;
    dp2dp_matrix scores = matrix_of(p->scores, p->n, p->classes);
    dp2dp_column groups = {p->groups, DP2DP_INT8, p->n, 1};
    dp2dp_column strangers = {&nobody, DP2DP_INT8, p->n, 0};
    dp2dp_column decided = {decisions, DP2DP_INT32, p->n, sizeof(int32_t)};
    dp2dp_evaluate_options options = DP2DP_EVALUATE_OPTIONS_INIT;
    dp2dp_evaluation *evaluation = NULL;
    dp2dp_error error = {0};
    options.strata = 2;
    options.classes = p->classes;
    options.bootstrap_draws = 0;
    predict.unknown = DP2DP_UNKNOWN_BASE;
    require(dp2dp_model_predict(model, &scores, which == PLAIN ? &strangers : &groups, &predict,
                                decisions, &error),
            &error);
    require(dp2dp_evaluate(&decided, &groups, NULL, &options, &evaluation, &error), &error);
    double u = evaluation->unfairness;
    dp2dp_evaluation_free(evaluation);
    return u;
}

/* The mean unfairness over FITS populations, each with its own pool and fit. */
static double expected(size_t smaller, size_t classes, double epsilon, rule which) {
    uint64_t state = 1;
    double sum = 0;
    for (uint64_t fit = 0; fit < FITS; fit++) {
        double shift[2 * CLASSES_MAX];
        dp2dp_error error = {0};
        dp2dp_pool *pool = NULL;
        dp2dp_model *model = NULL;
        dp2dp_pool_options pool_options = DP2DP_POOL_OPTIONS_INIT;
        dp2dp_fit_options options = DP2DP_FIT_OPTIONS_INIT;
        for (size_t i = 0; i < 2 * classes; i++) {
            shift[i] = 0.6 * normal(&state);
        }
        people some = draw(5 * smaller, classes, shift, &state);
        people all = draw(POPULATION, classes, shift, &state);
        dp2dp_matrix scores = matrix_of(some.scores, some.n, some.classes);
        dp2dp_column groups = {some.groups, DP2DP_INT8, some.n, 1};
        pool_options.strata = 2;
        require(dp2dp_pool_new(&scores, &groups, &pool_options, &pool, &error), &error);
        options.epsilon = epsilon;
        options.delta = delta;
        options.rng = DP2DP_RNG_INSECURE;
        options.insecure_seed = fit;
        dp2dp_source source = dp2dp_pool_source(pool);
        require(dp2dp_fit(&source, &options, &model, &error), &error);
        sum += unfairness(model, &all, which);
        dp2dp_model_free(model);
        dp2dp_pool_free(pool);
        drop(&some);
        drop(&all);
    }
    return sum / FITS;
}

int main(void) {
    static const size_t sizes[] = {50, 100, 300, 1000, 3000, 10000}, classes[] = {2, 6};
    static const double epsilons[] = {0.25, 0.5, 1, 2, 4, INFINITY};
    for (size_t k = 0; k < 2; k++) {
        printf("\n| n, K = %zu | before | ε = 0.25 | 0.5 | 1 | 2 | 4 | no noise "
               "|\n|---|---|---|---|---|---|---|---|\n",
               classes[k]);
        for (size_t i = 0; i < 6; i++) {
            printf("| %zu | %.3f |", sizes[i], expected(sizes[i], classes[k], INFINITY, PLAIN));
            for (size_t e = 0; e < 6; e++) {
                printf(" %.3f |", expected(sizes[i], classes[k], epsilons[e], FITTED));
                (void)fflush(stdout);
            }
            printf("\n");
        }
    }
    return 0;
}
