#include "run/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "input/labels.h"
#include "show/show.h"

void cli_run_drop_rows(cli_run *run) {
    free(run->parts);
    free(run->unfair);
    free(run->fair);
    run->parts = NULL;
    run->unfair = run->fair = NULL;
}

static void take_measures(const dp2dp_evaluation *e, double *error_rate, double *unfairness,
                          double *criteria) {
    *error_rate = e->error;
    *unfairness = e->unfairness;
    for (size_t i = 0; i < CLI_CRITERIA; i++) {
        criteria[i] = e->criteria[i].unfairness;
    }
}

static void take(const dp2dp_evaluation *e, int after, double measures[CLI_MEASURES]) {
    take_measures(e, &measures[after ? CLI_ERROR_AFTER : CLI_ERROR_BEFORE],
                  &measures[after ? CLI_UNFAIRNESS_AFTER : CLI_UNFAIRNESS_BEFORE],
                  &measures[after ? CLI_CRITERIA_AFTER : CLI_CRITERIA_BEFORE]);
}

static dp2dp_status measure(const cli_pipeline *p, const cli_trial *t, const dp2dp_model *model,
                            cli_run *out) {
    dp2dp_evaluation *before = NULL, *after = NULL;
    dp2dp_status status = DP2DP_STATUS_OK;
    CLI_TRY_OR_DONE(cli_trial_test(p, t, NULL, &before, &out->error));
    CLI_TRY_OR_DONE(cli_trial_test(p, t, model, &after, &out->error));
    out->warnings |= dp2dp_warn_of_decisions(before, after) | cli_rows_are_cut(&t->test);
    take(before, 0, out->measures);
    take(after, 1, out->measures);
done:
    dp2dp_evaluation_free(before);
    dp2dp_evaluation_free(after);
    return status;
}

/* Stores the decisions without and with the rule, for all rows of the table. */
static dp2dp_status keep_rows(const cli_pipeline *p, cli_trial *t, const dp2dp_model *model,
                              cli_run *out) {
    cli_rows all = {0};
    dp2dp_status status = DP2DP_STATUS_OK;
    out->unfair = calloc(p->count, sizeof *out->unfair);
    out->fair = calloc(p->count, sizeof *out->fair);
    CLI_TRY_OR_DONE(cli_check_memory(out->unfair && out->fair, "the rows", &out->error));
    CLI_TRY_OR_DONE(cli_trial_score_all(p, t, &all, &out->error));
    CLI_TRY_OR_DONE(cli_trial_decide(p, NULL, &all, out->unfair, &out->error));
    CLI_TRY_OR_DONE(cli_trial_decide(p, model, &all, out->fair, &out->error));
    out->parts = t->parts;
    t->parts = NULL;
done:
    cli_rows_free(&all);
    return status;
}

double cli_epsilon_holds(const dp2dp_model_info *info) {
    const unsigned none = DP2DP_NOT_PRIVATE_NO_NOISE | DP2DP_NOT_PRIVATE_NO_BOUND |
                          DP2DP_NOT_PRIVATE_CLASSIFIER_NOT_PRIVATE;
    return info->not_private_because & none ? NAN : info->epsilon;
}

static void describe(const dp2dp_model_info *info, cli_run *out) {
    out->not_private_because = info->not_private_because;
    out->epsilon = cli_epsilon_holds(info);
    out->delta = isnan(out->epsilon) ? NAN : info->delta;
    out->warnings |= info->warnings;
    for (size_t i = 0; i < info->cover_count && i < 2; i++) {
        out->covers[out->cover_count++] = info->covers[i];
        out->covers[i].people =
            NULL; /* the name belongs to the model, which cli_pipeline_run frees */
    }
}

static size_t count_left_out(const cli_pipeline *p, const cli_trial *t) {
    size_t count = 0;
    for (size_t i = 0; p->people && i < p->count; i++) {
        count += t->parts[i] == CLI_PART_TEST && cli_people_is_left_out(p->people, i);
    }
    return count;
}

void cli_pipeline_run(const cli_pipeline *pipeline, uint64_t index, cli_run *out) {
    cli_trial t = {0};
    dp2dp_pool *pool = NULL;
    dp2dp_model *model = NULL;
    dp2dp_status status = DP2DP_STATUS_OK;
    *out = (cli_run) {.noise = NAN};
    CLI_TRY_OR_DONE(cli_trial_train(pipeline, index, &t, &out->error));
    memcpy(out->sizes, t.sizes, sizeof out->sizes);
    out->left_out = count_left_out(pipeline, &t);
    CLI_TRY_OR_DONE(cli_trial_score(pipeline, &t, &out->error));
    CLI_TRY_OR_DONE(cli_trial_pool(pipeline, &t, &pool, &out->error));
    CLI_TRY_OR_DONE(cli_trial_fit(pipeline, &t, pool, &model, &out->error));
    CLI_TRY_OR_DONE(measure(pipeline, &t, model, out));
    if (pipeline->keep) {
        CLI_TRY_OR_DONE(keep_rows(pipeline, &t, model, out));
    }
    describe(dp2dp_model_view(model), out);
    out->noise = dp2dp_model_view(t.classifier)->classifier_noise;
    out->phases[0] = cli_epsilon_holds(dp2dp_model_view(t.classifier));
    int noiseless =
        (dp2dp_model_view(model)->not_private_because & DP2DP_NOT_PRIVATE_NO_NOISE) != 0;
    out->phases[1] = noiseless ? NAN : dp2dp_model_view(model)->options->epsilon;
done:
    out->status = status;
    if (status != DP2DP_STATUS_OK) {
        cli_run_drop_rows(out);
    }
    dp2dp_model_free(model);
    dp2dp_pool_free(pool);
    cli_trial_free(&t);
}
