#include "sweep/sweep.h"

#include <string.h>

#include "input/labels.h"
#include "input/odd_scores.h"

static dp2dp_status read_raw(const cli_args *args, cli_sweep_input *in, dp2dp_error *error) {
    CLI_TRY(cli_pipeline_read(args, &in->table, &in->people, &in->pipeline, error));
    in->class_names = in->table.info->classes;
    in->data = in->table.info->name ? in->table.info->name : "";
    return DP2DP_STATUS_OK;
}

/* Sets in->warnings, from a pool of all rows of the table. */
static dp2dp_status check_rows(const cli_args *args, const cli_columns *columns,
                               cli_sweep_input *in, dp2dp_error *error) {
    dp2dp_pool_options options = DP2DP_POOL_OPTIONS_INIT;
    dp2dp_pool *pool = NULL;
    options.strata = columns->groups;
    options.threads = (unsigned)cli_count(args, "threads");
    options.row_sums = columns->row_sums;
    CLI_TRY(cli_rows_pool(&in->rows, &options, &pool, error));
    in->warnings = cli_pool_warnings(columns, pool, in->pipeline.fit.rows_per_person, NULL);
    dp2dp_pool_free(pool);
    return DP2DP_STATUS_OK;
}

static dp2dp_status read_scores(const cli_args *args, const cli_grid *grid, cli_sweep_input *in,
                                dp2dp_error *error) {
    cli_pipeline *p = &in->pipeline;
    int labelled = 1;
    for (size_t i = 0; i < grid->criterion_count; i++) {
        labelled &= grid->criteria[i].labelled;
    }
    CLI_TRY(cli_names_read(args, cli_given(args, "unaware"), labelled, &in->names, error));
    CLI_TRY(cli_names_check(args, &in->names, error));
    cli_names_tell(args, &in->names);
    cli_columns columns = cli_names_columns(args, &in->names);
    CLI_TRY(cli_names_check_order(&columns, error));
    cli_watch watch = {0};
    columns.label = cli_word(args, "label");
    columns.watch = &watch;
    CLI_TRY(cli_scores_read(&columns, &in->rows, error));
    cli_odd_scores_tell(&columns);
    CLI_TRY(check_rows(args, &columns, in, error));
    in->class_names = columns.class_names;
    p->scored = &in->rows;
    p->count = in->rows.count;
    p->groups = columns.groups;
    p->classes = columns.classes;
    p->group_names = columns.group_names;
    p->row_sums = columns.row_sums;
    return DP2DP_STATUS_OK;
}

static dp2dp_status read_criteria(const cli_args *args, const cli_sweep_input *in, cli_grid *grid,
                                  dp2dp_error *error) {
    for (size_t i = 0; i < grid->criterion_count; i++) {
        dp2dp_fit_options options = DP2DP_FIT_OPTIONS_INIT;
        cli_criterion *c = &grid->criteria[i];
        CLI_TRY(
            cli_criterion_options(args, in->class_names, in->pipeline.classes, c, &options, error));
        grid->positives[i] =
            cli_criterion_is_rate(c) ? options.positive : (int32_t)DP2DP_POSITIVE_DEFAULT;
        c->dither.width = cli_given(args, "dither") ? cli_real(args, "dither") : c->dither.width;
    }
    return DP2DP_STATUS_OK;
}

/* Refuses a table in which all labels are the same, because it has no trade-off between error and
 * fairness. */
static dp2dp_status check_labels(const cli_sweep_input *in, dp2dp_error *error) {
    const cli_pipeline *p = &in->pipeline;
    const int32_t *labels = p->people ? p->people->values[CLI_FIELD_LABEL] : in->rows.labels;
    int32_t first = -1;
    int several = 0;
    for (size_t i = 0; i < p->count && !several; i++) {
        if (p->people && cli_people_is_left_out(p->people, i)) {
            continue;
        }
        several = first >= 0 && labels[i] != first;
        first = labels[i];
    }
    return several ? DP2DP_STATUS_OK
                   : cli_fail(error, DP2DP_STATUS_DATA,
                              "all rows have the same label, so there is no trade-off to measure");
}

static dp2dp_status read_settings(const cli_args *args, cli_pipeline *p, dp2dp_error *error) {
    p->train = DP2DP_TRAIN_OPTIONS_INIT;
    p->fit = DP2DP_FIT_OPTIONS_INIT;
    cli_set_options(args, DP2DP_STRUCT_FIT_OPTIONS, &p->fit); /* each point sets rho and epsilon */
    p->train.delta = p->fit.delta;
    p->train.rows_per_person = p->fit.rows_per_person;
    p->train.target = cli_given(args, "unaware") ? DP2DP_TARGET_GROUP_LABEL : DP2DP_TARGET_LABEL;
    return cli_pool_read(args, p, error);
}

dp2dp_status cli_sweep_read(const cli_args *args, cli_grid *grid, cli_sweep_input *out,
                            dp2dp_error *error) {
    int raw = cli_given(args, "schema");
    double shares[CLI_PARTS] = {0};
    cli_pipeline *p = &out->pipeline;
    *out = (cli_sweep_input) {.data = "", .split = cli_word(args, "split")};
    out->split = out->split ? out->split : raw ? "0.55,0.20,0.25" : "0.5,0.5";
    CLI_TRY(cli_split_read(out->split, raw ? CLI_PARTS : CLI_PARTS - 1, shares, error));
    CLI_TRY(read_settings(args, p, error));
    CLI_TRY(raw ? read_raw(args, out, error) : read_scores(args, grid, out, error));
    out->data = cli_given(args, "name") ? cli_word(args, "name") : out->data;
    if (!raw) {
        p->fit.people = DP2DP_PEOPLE_OTHER; /* there is no train part */
    }
    CLI_TRY(cli_split_size(out->split, shares, p, error));
    CLI_TRY(check_labels(out, error));
    CLI_TRY(read_criteria(args, out, grid, error));
    p->positive = DP2DP_POSITIVE_DEFAULT;
    for (size_t i = 0; i < grid->criterion_count; i++) {
        p->positive = cli_criterion_is_rate(&grid->criteria[i]) ? grid->positives[i] : p->positive;
    }
    return DP2DP_STATUS_OK;
}

void cli_sweep_input_free(cli_sweep_input *input) {
    cli_people_free(&input->people);
    cli_labelled_close(&input->table);
    cli_rows_free(&input->rows);
    cli_names_free(&input->names);
}
