/* The second half of a run: makes the pool, learns the rule, decides and measures. */
#include "run/run.h"

#include <stdlib.h>

static dp2dp_column column_of(const int32_t *codes, size_t rows) {
    return (dp2dp_column) {
        .data = codes, .type = DP2DP_INT32, .rows = rows, .stride = sizeof(int32_t)};
}

dp2dp_status cli_trial_pool(const cli_pipeline *p, const cli_trial *t, dp2dp_pool **out,
                            dp2dp_error *error) {
    dp2dp_pool_options options = DP2DP_POOL_OPTIONS_INIT;
    cli_criterion_pool(&p->criterion, p->groups, p->classes, &options);
    options.threads = p->train.threads;
    options.leaves_out = p->people && p->people->fields > CLI_FIELD_LEFT_OUT;
    options.row_sums = p->row_sums;
    return cli_rows_pool(&t->pool, &options, out, error);
}

dp2dp_status cli_trial_fit(const cli_pipeline *p, const cli_trial *t, const dp2dp_pool *pool,
                           dp2dp_model **out, dp2dp_error *error) {
    dp2dp_source source = dp2dp_pool_source(pool);
    dp2dp_fit_options options = p->fit;
    options.insecure_seed =
        options.rng == DP2DP_RNG_INSECURE ? cli_trial_seed(p, t->index, "fit") : 0;
    options.progress = cli_progress_cancel;
    options.base = t->classifier;
    options.names.groups = p->group_names;
    return dp2dp_fit(&source, &options, out, error);
}

dp2dp_status cli_trial_decide(const cli_pipeline *p, const dp2dp_model *model, const cli_rows *rows,
                              int32_t *out, dp2dp_error *error) {
    dp2dp_predict_options options = DP2DP_PREDICT_OPTIONS_INIT;
    dp2dp_matrix scores = cli_rows_scores(rows), weights;
    dp2dp_column groups = cli_rows_groups(rows);
    if (model == NULL) {
        cli_rows_argmax(rows, out);
        return DP2DP_STATUS_OK;
    }
    cli_rows_predict(rows, &weights, &options);
    options.unknown = DP2DP_UNKNOWN_BASE; /* rows that are left out have no group */
    options.threads = p->train.threads;
    return dp2dp_model_predict(model, &scores, &groups, &options, out, error);
}

dp2dp_status cli_trial_test(const cli_pipeline *p, const cli_trial *t, const dp2dp_model *model,
                            dp2dp_evaluation **out, dp2dp_error *error) {
    const cli_rows *test = &t->test;
    dp2dp_evaluate_options options = DP2DP_EVALUATE_OPTIONS_INIT;
    dp2dp_status status = DP2DP_STATUS_OK;
    int32_t *decisions = calloc(test->count, sizeof *decisions);
    CLI_TRY_OR_DONE(cli_check_memory(decisions, "the decisions", error));
    CLI_TRY_OR_DONE(cli_trial_decide(p, model, test, decisions, error));
    dp2dp_column predictions = column_of(decisions, test->count);
    dp2dp_column groups = column_of(test->groups, test->count);
    dp2dp_column labels = column_of(test->labels, test->count);
    options.strata = p->groups;
    options.classes = p->classes;
    options.positive = p->positive;
    options.bootstrap_draws = 0;
    status = dp2dp_evaluate(&predictions, &groups, &labels, &options, out, error);
done:
    free(decisions);
    return status;
}
