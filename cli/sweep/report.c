#include "sweep/sweep.h"

#include <inttypes.h>
#include <math.h>

#include "common/json.h"
#include "common/number.h"
#include "input/outside.h"
#include "privacy/privacy.h"
#include "show/show.h"

/* Only the first measures of cli_sweep_value are summarised, up to the unfairness before the rule.
 */
enum {
    SUMMARISED = CLI_SWEEP_UNFAIRNESS_BEFORE + 1
};
static const char *const names[SUMMARISED] = {"error", "unfairness", "error_before",
                                              "unfairness_before"};

typedef struct summary {
    double mean[SUMMARISED], deviation[SUMMARISED]; /* sample standard deviation; NAN for one run */
} summary;

/* Summarises `runs` points that differ only in the run. If a measure is NAN in some run, its mean
 * and standard deviation are NAN. */
static summary summarise(const cli_point *points, size_t runs) {
    summary s;
    for (int k = 0; k < SUMMARISED; k++) {
        double sum = 0, squares = 0;
        for (size_t i = 0; i < runs; i++) {
            sum += points[i].values[k];
        }
        s.mean[k] = sum / (double)runs;
        for (size_t i = 0; i < runs; i++) {
            double away = points[i].values[k] - s.mean[k];
            squares += away * away;
        }
        s.deviation[k] = runs > 1 ? sqrt(squares / (double)(runs - 1)) : NAN;
    }
    return s;
}

/* Returns the warnings that at least one of the points has. */
static unsigned warnings_of(const cli_point *points, size_t count) {
    unsigned bits = 0;
    for (size_t i = 0; i < count; i++) {
        bits |= (unsigned)points[i].values[CLI_SWEEP_WARNINGS];
    }
    return bits;
}

static double largest_rho(const cli_grid *g) {
    double rho = 0;
    for (size_t i = 0; i < g->rho_count; i++) {
        rho = fmax(rho, g->rhos[i]);
    }
    return rho;
}

static double noise_of(const cli_point *points, size_t count) {
    double noise = NAN;
    for (size_t i = 0; i < count; i++) {
        noise = fmax(noise, points[i].values[CLI_SWEEP_NOISE]); /* fmax ignores a NAN */
    }
    return noise;
}

static void measures_json(cli_json *json, const char *key, const double values[SUMMARISED]) {
    cli_json_open_object(json, key);
    for (int k = 0; k < SUMMARISED; k++) {
        cli_json_real(json, names[k], values[k]);
    }
    cli_json_close_object(json);
}

static void epsilon_json(cli_json *json, double epsilon, double delta) {
    if (isinf(epsilon)) {
        cli_json_text(json, "epsilon", "inf");
    } else {
        cli_json_real(json, "epsilon", epsilon);
    }
    cli_json_real(json, "delta", isfinite(epsilon) ? delta : NAN);
}

static void point_json(const cli_sweep_input *input, const cli_grid *g, const cli_point *point,
                       cli_json *json) {
    const summary s = summarise(point, g->runs);
    const cli_criterion *c = &g->criteria[point->criterion];
    cli_json_open_object(json, NULL);
    cli_json_text(json, "criterion", dp2dp_criterion_name(c->criterion));
    cli_json_text(json, "method", cli_grid_method(g, point));
    cli_json_text(json, "solver", dp2dp_solver_name(g->solvers[point->solver]));
    cli_json_real(json, "rho", g->rhos[point->rho]);
    epsilon_json(json, cli_grid_epsilon(g, point), input->pipeline.fit.delta);
    cli_json_real(json, "epsilon_holds", point->values[CLI_SWEEP_EPSILON_HOLDS]);
    cli_json_real(json, "epsilon_claimed", point->values[CLI_SWEEP_EPSILON_CLAIMED]);
    cli_json_real(json, "dither", c->dither.width);
    measures_json(json, "mean", s.mean);
    measures_json(json, "std", s.deviation);
    cli_json_real(json, "noise", noise_of(point, g->runs));
    cli_warnings_json_with(warnings_of(point, g->runs), cli_rho_warning(g->rhos[point->rho]), json);
    cli_json_close_object(json);
}

static void print_json(const cli_args *args, const cli_sweep_input *input, const cli_grid *g,
                       size_t resumed, const cli_spent *spent, cli_out *out) {
    const cli_pipeline *p = &input->pipeline;
    cli_json json = cli_json_begin(out->stream);
    cli_json_text(&json, "sweep", cli_word(args, "out"));
    cli_json_truth(&json, "private", 0);
    cli_json_text(&json, "not_private", CLI_SWEEP_NOT_PRIVATE);
    cli_json_text(&json, "data", input->data);
    if (p->table) {
        cli_labelled_json(p->table, &json);
        cli_outside_json(p->schema, &p->table->watch, &json);
    } else {
        cli_json_text(&json, "data_set", NULL);
    }
    cli_json_count(&json, "records", p->count);
    cli_json_open_object(&json, "sizes");
    cli_json_count(&json, "train", cli_part_size(p, CLI_PART_TRAIN));
    cli_json_count(&json, "pool", cli_part_size(p, CLI_PART_POOL));
    cli_json_count(&json, "test", p->sizes[CLI_PART_TEST]);
    cli_json_close_object(&json);
    cli_pool_json(p, &json);
    cli_persons_json(args, p, &json);
    cli_json_text(&json, "rows_assumption", cli_persons_assumption(p));
    cli_json_count(&json, "runs", g->runs);
    cli_json_count(&json, "seed", p->seed);
    cli_json_truth(&json, "sees_group", !g->criteria[0].unaware);
    const cli_positive positive = cli_sweep_positive(input, g);
    cli_positive_json(&positive, &json);
    cli_json_count(&json, "rows_per_person", p->fit.rows_per_person);
    cli_json_count(&json, "rows", g->count);
    cli_json_count(&json, "resumed", resumed);
    cli_warnings_json_with(input->warnings | warnings_of(g->points, g->count),
                           cli_rho_warning(largest_rho(g)), &json);
    cli_spent_json(spent, &json);
    cli_json_open_array(&json, "points");
    for (size_t i = 0; i < g->count; i += g->runs) {
        point_json(input, g, &g->points[i], &json);
    }
    cli_json_close_array(&json);
    cli_json_end(&json);
}

/* Prints a line of a curve: mean error and unfairness and, if there are several runs, their
 * standard deviations. `at` is the index of the error among the measures; the unfairness has the
 * index at + 1. */
static void line_text(const char *name, const summary *s, int at, cli_out *out) {
    fprintf(out->stream, "  %-10s", name);
    for (int k = at; k < at + 2; k++) {
        if (isnan(s->mean[k])) {
            fprintf(out->stream, "%12s", "-");
        } else {
            fprintf(out->stream, "%12.4f", s->mean[k]);
        }
        if (!isnan(s->deviation[k])) {
            fprintf(out->stream, "%9.4f", s->deviation[k]);
        }
    }
    fputc('\n', out->stream);
}

/* Prints the epsilon that a model with the settings of this curve would have. This epsilon may
 * differ from the epsilon in the title of the curve. */
static void promise_text(const cli_sweep_input *input, const cli_grid *g, const cli_point *first,
                         cli_out *out) {
    double holds = first->values[CLI_SWEEP_EPSILON_HOLDS];
    double claimed = first->values[CLI_SWEEP_EPSILON_CLAIMED];
    if (!isfinite(cli_grid_epsilon(g, first))) {
        return;
    }
    cli_number paper = cli_number_up(isnan(claimed) ? 0 : claimed, 4);
    const char *claim = isnan(claimed) ? "" : "; the paper claims ";
    if (isnan(holds)) {
        cli_out_prose(out,
                      "A model with these settings has no epsilon that holds for all people%s%s.",
                      claim, isnan(claimed) ? "" : paper.text);
    } else {
        cli_out_prose(out,
                      "With secure noise, a model with these settings has epsilon %s for %s%s%s.",
                      cli_number_up(holds, 4).text,
                      cli_persons_exceed(&input->pipeline)
                          ? "each person with at most --rows-per-person rows, but somebody has "
                            "more rows and is not covered"
                          : "each person",
                      claim, isnan(claimed) ? "" : paper.text);
    }
}

/* Prints the curve that begins at `first`: a line for the decisions without a rule, then one line
 * per rho. */
static void curve_text(const cli_sweep_input *input, const cli_grid *g, const cli_point *first,
                       cli_out *out) {
    double epsilon = cli_grid_epsilon(g, first);
    const summary before = summarise(first, g->runs);
    fprintf(out->stream, "\n%s%s, %s, %s", cli_bold(out),
            dp2dp_criterion_name(g->criteria[first->criterion].criterion),
            cli_grid_method(g, first), dp2dp_solver_name(g->solvers[first->solver]));
    fprintf(out->stream, "%s%s%s\n", isnan(epsilon) ? "" : ", epsilon ",
            isnan(epsilon) ? "" : cli_number_exact(epsilon).text, cli_plain(out));
    promise_text(input, g, first, out);
    fprintf(out->stream, g->runs > 1 ? "  %-10s%12s%9s%12s%9s\n" : "  %-10s%12s%.0s%12s\n", "rho",
            "error", "std", "unfairness", "std");
    line_text("before", &before, CLI_SWEEP_ERROR_BEFORE, out);
    for (size_t r = 0; r < g->rho_count; r++) {
        const summary after = summarise(first + r * g->runs, g->runs);
        line_text(cli_number_exact(g->rhos[r]).text, &after, CLI_SWEEP_ERROR, out);
    }
}

static void print_text(const cli_args *args, const cli_sweep_input *input, const cli_grid *g,
                       size_t resumed, const cli_spent *spent, cli_out *out) {
    const cli_pipeline *p = &input->pipeline;
    fprintf(out->stream, "%sNOT PRIVATE%s: %s\n", cli_alarm(out), cli_plain(out),
            CLI_SWEEP_NOT_PRIVATE);
    cli_sink_report(args, out, "%sSweep%s of %zu points, %zu %s each", cli_bold(out),
                    cli_plain(out), g->count / g->runs, g->runs, cli_noun(g->runs, "run", "runs"));
    if (p->table) {
        cli_labelled_text(p->table, out);
    }
    if (p->people) {
        const size_t sizes[CLI_PARTS] = {cli_part_size(p, CLI_PART_TRAIN),
                                         cli_part_size(p, CLI_PART_POOL), p->sizes[CLI_PART_TEST]};
        cli_parts_text(p, p->people->person ? "about " : "", sizes, out);
    } else {
        cli_out_row(out, "rows", "%zu to learn the rule from, %zu to test on",
                    p->sizes[CLI_PART_POOL], p->sizes[CLI_PART_TEST]);
    }
    cli_persons_text(args, p, out);
    cli_out_row(out, "seed", "%" PRIu64 "%s", p->seed,
                cli_given(args, "insecure-seed") ? "" : ", drawn at random");
    const cli_positive positive = cli_sweep_positive(input, g);
    cli_positive_text(&positive, out);
    if (resumed > 0) {
        cli_out_row(out, "resumed", "%zu of %zu rows of the result were finished earlier", resumed,
                    g->count);
    }
    cli_spent_text(spent, out);
    for (size_t i = 0; i < g->count; i += g->runs * g->rho_count) {
        curve_text(input, g, &g->points[i], out);
    }
    cli_out_section(out, "What it means");
    cli_out_prose(out, "Before: each person gets the most likely class. Unfairness is the largest "
                       "difference between two groups in any rate that the criterion compares. All "
                       "numbers are measured on the test part without noise: not private.");
    cli_out_prose(out, "All points of a run share their split and their random numbers, so that "
                       "curves can be compared. If you fit a model with one of these settings, "
                       "its epsilon holds only for people who are not in this table.");
    unsigned warnings = warnings_of(g->points, g->count);
    double noise = noise_of(g->points, g->count);
    if (warnings || cli_classifier_is_weak(noise)) {
        cli_out_prose(out,
                      "The following cautions apply to some points (to see which, use --json):");
    }
    cli_warnings_text(warnings, out);
    cli_warnings_text(input->warnings & ~warnings, out);
    cli_rho_text(largest_rho(g), out);
    if (p->table) {
        cli_outside_text(p->schema, &p->table->watch, out);
    }
    cli_persons_caution(p, out);
    cli_classifier_caution(noise, out);
}

void cli_sweep_report(const cli_args *args, const cli_sweep_input *input, const cli_grid *grid,
                      size_t resumed, const cli_spent *spent, cli_out *out) {
    (cli_given(args, "json") ? print_json : print_text)(args, input, grid, resumed, spent, out);
}
