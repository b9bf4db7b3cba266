/* From scores in memory to a fair, private rule and decisions: fit_scores [MODEL] saves it too. */
#include <stdio.h>
#include <stdlib.h>

#include <dp2dp/dp2dp.h>

enum {
    PEOPLE = 4000,
    CLASSES = 2
};

/* Stands in for a classifier: group 0 gets class 1 less often than group 1. */
static void score_people(float (*scores)[CLASSES], int8_t *groups) {
    srand(1);
    for (int i = 0; i < PEOPLE; i++) {
        float p = (float)rand() / (float)RAND_MAX;
        groups[i] = rand() % 5 < 3;
        p = groups[i] ? 1 - p * p : p * p;
        scores[i][0] = 1 - p;
        scores[i][1] = p;
    }
}

/* U: the largest difference between the groups in the rate of a class. Not private. */
static dp2dp_status unfairness(const int32_t *decisions, const dp2dp_column *groups, double *out,
                               dp2dp_error *error) {
    dp2dp_column codes = {decisions, DP2DP_INT32, PEOPLE, sizeof *decisions};
    dp2dp_evaluate_options options = DP2DP_EVALUATE_OPTIONS_INIT;
    dp2dp_evaluation *found = NULL;
    options.strata = 2;
    options.classes = CLASSES;
    dp2dp_status status = dp2dp_evaluate(&codes, groups, NULL, &options, &found, error);
    *out = status ? 0 : found->unfairness;
    dp2dp_evaluation_free(found);
    return status;
}

static dp2dp_status fit(const dp2dp_matrix *scores, const dp2dp_column *groups, dp2dp_model **out,
                        dp2dp_error *error) {
    dp2dp_pool_options pool_options = DP2DP_POOL_OPTIONS_INIT;
    dp2dp_fit_options options = DP2DP_FIT_OPTIONS_INIT;
    dp2dp_pool *pool = NULL;
    pool_options.strata = 2;
    options.epsilon = 1;
    options.delta = 1e-5;
    dp2dp_status status = dp2dp_pool_new(scores, groups, &pool_options, &pool, error);
    if (!status) {
        dp2dp_source source = dp2dp_pool_source(pool);
        status = dp2dp_fit(&source, &options, out, error);
    }
    dp2dp_pool_free(pool);
    return status;
}

int main(int argc, char **argv) {
    static float scores[PEOPLE][CLASSES];
    static int8_t groups[PEOPLE];
    static int32_t plain[PEOPLE], fair[PEOPLE];
    dp2dp_matrix p = {scores, DP2DP_FLOAT32, PEOPLE, CLASSES, sizeof scores[0], sizeof(float)};
    dp2dp_column g = {groups, DP2DP_INT8, PEOPLE, 1};
    dp2dp_model *model = NULL;
    dp2dp_status status;
    dp2dp_error error;
    double before, after;

    score_people(scores, groups);
    for (int i = 0; i < PEOPLE; i++)
        plain[i] = scores[i][1] > scores[i][0];
    if (!(status = fit(&p, &g, &model, &error)) &&
        !(status = dp2dp_model_predict(model, &p, &g, NULL, fair, &error)) &&
        !(status = unfairness(plain, &g, &before, &error)) &&
        !(status = unfairness(fair, &g, &after, &error)) &&
        !(status = argc > 1 ? dp2dp_model_save(model, argv[1], &error) : status))
        printf("unfairness before %.3f, after %.3f\n", before, after);
    else
        fprintf(stderr, "fit_scores: %s\n", error.message);
    dp2dp_model_free(model);
    return dp2dp_status_exit_code(status);
}
