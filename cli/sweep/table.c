#include "sweep/sweep.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "common/number.h"

cli_positive cli_sweep_positive(const cli_sweep_input *input, const cli_grid *grid) {
    dp2dp_criterion criterion = DP2DP_DEMOGRAPHIC_PARITY;
    for (size_t i = 0; i < grid->criterion_count; i++) {
        criterion =
            cli_criterion_is_rate(&grid->criteria[i]) ? grid->criteria[i].criterion : criterion;
    }
    return cli_positive_of(criterion, input->pipeline.positive, input->class_names,
                           input->pipeline.classes);
}

/* Writes a comma, then the number. For NAN, writes only the comma. */
static void put_number(FILE *stream, double x) {
    fprintf(stream, ",%s", isnan(x) ? "" : cli_number_exact(x).text);
}

static void put_text(FILE *stream, const char *text) {
    fputc(',', stream);
    cli_csv_cell(stream, text);
}

/* Settings of the solvers. Each word names a field of dp2dp_fit_options and a column of the table.
 */
static const char *const settings[] = {"steps", "batch", "tail", "lambda_max", "group_least"};
enum {
    CLI_SWEEP_SETTINGS = sizeof settings / sizeof settings[0]
};

/* Writes a comma, then the setting. Writes only the comma if the solver does not use the setting.
 */
static void put_setting(FILE *stream, const dp2dp_fit_options *fit, const char *solver,
                        const char *name) {
    size_t count;
    const dp2dp_option *options = dp2dp_options(DP2DP_STRUCT_FIT_OPTIONS, &count);
    double x = NAN;
    for (size_t i = 0; i < count; i++) {
        const char *at = (const char *)fit + options[i].offset;
        if (strcmp(options[i].name, name) == 0 && cli_list_has(options[i].used_by, solver)) {
            x = options[i].type == DP2DP_OPTION_COUNT ? (double)*(const uint64_t *)at
                                                      : *(const double *)at;
        }
    }
    put_number(stream, x);
}

static void put_header(int one_set, FILE *stream) {
    fputs("criterion,method,solver,rho,epsilon,delta,epsilon_holds,epsilon_claimed,run,error,"
          "unfairness,error_before,unfairness_before,positive,sees_group,records_train,"
          "records_pool,records_test,balanced_accuracy,disparate_impact",
          stream);
    for (int i = 0; i < CLI_CRITERIA; i++) {
        fprintf(stream, ",unfairness_%s", dp2dp_criterion_name((dp2dp_criterion)i));
    }
    fputs(",data,records,rows_per_person,rows_of_one_person,protects,split,dither", stream);
    for (size_t i = 0; i < CLI_SWEEP_SETTINGS; i++) {
        fprintf(stream, ",%s", settings[i]);
    }
    fputs(one_set ? ",pool,train_share" : "", stream);
    fputs(",seed,version,not_private\n", stream);
}

static void put_point(const cli_sweep_input *input, const cli_grid *g, const cli_point *point,
                      FILE *stream) {
    const cli_pipeline *p = &input->pipeline;
    const cli_criterion *c = &g->criteria[point->criterion];
    const double *v = point->values;
    double epsilon = cli_grid_epsilon(g, point);
    fprintf(stream, "%s,%s,%s", dp2dp_criterion_name(c->criterion), cli_grid_method(g, point),
            dp2dp_solver_name(g->solvers[point->solver]));
    put_number(stream, g->rhos[point->rho]);
    put_number(stream, epsilon);
    put_number(stream, isfinite(epsilon) ? p->fit.delta : NAN);
    put_number(stream, v[CLI_SWEEP_EPSILON_HOLDS]);
    put_number(stream, v[CLI_SWEEP_EPSILON_CLAIMED]);
    fprintf(stream, ",%zu", point->run);
    for (int i = CLI_SWEEP_ERROR; i <= CLI_SWEEP_UNFAIRNESS_BEFORE; i++) {
        put_number(stream, v[i]);
    }
    const cli_positive positive = cli_sweep_positive(input, g);
    put_text(stream, positive.name ? positive.name : "");
    fprintf(stream, ",%s", c->unaware ? "false" : "true");
    for (int i = 0; i < CLI_PARTS; i++) {
        put_number(stream, v[CLI_SWEEP_RECORDS + i]);
    }
    for (int i = CLI_SWEEP_BALANCED_ACCURACY; i < CLI_SWEEP_MEASURES; i++) {
        put_number(stream, v[i]);
    }
    put_text(stream, input->data);
    fprintf(stream, ",%zu,%" PRIu64, p->count, p->fit.rows_per_person);
    int counted = p->people && p->people->person;
    put_number(stream, counted ? (double)p->people->rows_of_one_person : NAN);
    put_text(stream, !counted ? "" : cli_persons_exceed(p) ? "rows" : "person");
    put_text(stream, input->split);
    put_number(stream, c->dither.width);
    for (size_t i = 0; i < CLI_SWEEP_SETTINGS; i++) {
        put_setting(stream, &p->fit, dp2dp_solver_name(g->solvers[point->solver]), settings[i]);
    }
    if (p->one_set) {
        put_text(stream, "same");
        put_number(stream, p->train.train_share);
    }
    fprintf(stream, ",%" PRIu64 ",%s,", p->seed, dp2dp_version());
    cli_csv_cell(stream, CLI_SWEEP_NOT_PRIVATE);
    fputc('\n', stream);
}

void cli_sweep_table(const cli_sweep_input *input, const cli_grid *grid, FILE *stream) {
    put_header(input->pipeline.one_set, stream);
    for (size_t i = 0; i < grid->count && !ferror(stream); i++) {
        put_point(input, grid, &grid->points[i], stream);
    }
}
