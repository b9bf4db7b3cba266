#include "sweep/sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/number.h"

/* Reads the words of an option as enum values. Returns the number of words. */
static size_t read_words(const cli_args *args, const char *name, dp2dp_word_table table,
                         int values[CLI_SWEEP_WORDS_MAX]) {
    char word[CLI_ITEM_SIZE];
    size_t count = 0;
    for (const char *rest = cli_word(args, name); rest && count < CLI_SWEEP_WORDS_MAX;) {
        rest = cli_item_next(rest, word);
        values[count++] = cli_word_value(table, word);
    }
    return count;
}

static dp2dp_status read_numbers(const cli_args *args, const char *name, double **out,
                                 size_t *count, dp2dp_error *error) {
    char item[CLI_ITEM_SIZE];
    *count = 0;
    *out = calloc(cli_item_count(args, name) + 1, sizeof **out);
    CLI_TRY(cli_check_memory(*out, "the settings", error));
    for (const char *rest = cli_word(args, name); rest; ++*count) {
        rest = cli_item_next(rest, item);
        (*out)[*count] = strcmp(item, "inf") == 0 ? INFINITY : strtod(item, NULL);
    }
    return DP2DP_STATUS_OK;
}

/* Refuses the method probabilities-as-published with any solver but sgd-as-published: noise on
 * probabilities protects nobody, so it must not be combined with a private solver. */
static dp2dp_status check_as_published(const cli_grid *g, dp2dp_error *error) {
    for (size_t i = 0; i < g->solver_count; i++) {
        if (g->solvers[i] != DP2DP_SOLVER_SGD_AS_PUBLISHED) {
            return cli_refuse(
                error, "--method " CLI_SWEEP_AS_PUBLISHED
                       " is only for --solver sgd-as-published: this method only repeats the "
                       "paper's experiments, and noise on each probability gives no privacy");
        }
    }
    return DP2DP_STATUS_OK;
}

static dp2dp_status read_methods(const cli_args *args, cli_grid *g, dp2dp_error *error) {
    int words[CLI_SWEEP_WORDS_MAX];
    char word[CLI_ITEM_SIZE];
    if (!cli_given(args, "schema")) {
        g->method_count = 1;
        return DP2DP_STATUS_OK;
    }
    g->method_count = read_words(args, "method", DP2DP_WORDS_METHOD, words);
    const char *rest = cli_word(args, "method");
    for (size_t i = 0; i < g->method_count; i++) {
        rest = cli_item_next(rest, word);
        g->methods[i] = (dp2dp_train_method)words[i];
        if (strcmp(word, CLI_SWEEP_AS_PUBLISHED) == 0) {
            g->methods[i] = DP2DP_TRAIN_NONE;
            g->as_published[i] = 1;
            CLI_TRY(check_as_published(g, error));
        }
        if (g->methods[i] == DP2DP_TRAIN_EXTERNAL) {
            return cli_refuse(error, "sweep trains the classifiers itself, so it cannot take "
                                     "--method external: sweep over a table of scores instead");
        }
    }
    return DP2DP_STATUS_OK;
}

static dp2dp_status read_criteria(const cli_args *args, cli_grid *g, dp2dp_error *error) {
    int criteria[CLI_SWEEP_WORDS_MAX], rates = 0;
    g->criterion_count = read_words(args, "criterion", DP2DP_WORDS_CRITERION, criteria);
    for (size_t i = 0; i < g->criterion_count; i++) {
        for (size_t j = 0; j < i; j++) {
            if (criteria[i] == criteria[j]) {
                return cli_refuse(error, "--criterion: %s is given twice, under two names",
                                  dp2dp_criterion_name((dp2dp_criterion)criteria[i]));
            }
        }
        for (size_t j = 0; j < g->solver_count; j++) {
            CLI_TRY(cli_criterion_choose(args, dp2dp_criterion_name((dp2dp_criterion)criteria[i]),
                                         dp2dp_solver_name(g->solvers[j]), &g->criteria[i], error));
        }
        rates += cli_criterion_is_rate(&g->criteria[i]);
    }
    return cli_given(args, "positive") && rates == 0
               ? cli_refuse(error,
                            "--positive is only for --criterion true_positive_rate_parity or "
                            "false_positive_rate_parity: other criteria compare every class")
               : DP2DP_STATUS_OK;
}

static int is_noiseless(const cli_grid *g, size_t method, size_t solver) {
    return (g->methods[method] == 0 || g->methods[method] == DP2DP_TRAIN_NONE) &&
           g->solvers[solver] == DP2DP_SOLVER_EXACT;
}

static dp2dp_status check_budget(const cli_args *args, const cli_grid *g, dp2dp_error *error) {
    int needed = 0, finite = 0;
    for (size_t i = 0; i < g->method_count * g->solver_count; i++) {
        needed |= !is_noiseless(g, i / g->solver_count, i % g->solver_count);
    }
    for (size_t i = 0; i < g->epsilon_count; i++) {
        finite |= !isinf(g->epsilons[i]);
    }
    if (needed && g->epsilon_count == 0) {
        return cli_refuse(error,
                          "--epsilon E,F,... is needed: it limits how much may be learned about "
                          "any one person (for a result without privacy, use %s--solver exact "
                          "or --epsilon inf)",
                          g->methods[0] ? "--method none " : "");
    }
    return needed && finite && !cli_given(args, "delta")
               ? cli_refuse(error,
                            "--delta D is needed: a small number such as 1e-5, far below 1 / "
                            "(number of people)")
               : DP2DP_STATUS_OK;
}

dp2dp_status cli_grid_read(const cli_args *args, cli_grid *out, dp2dp_error *error) {
    int solvers[CLI_SWEEP_WORDS_MAX];
    *out = (cli_grid) {.runs = (size_t)cli_count(args, "runs")};
    out->solver_count = read_words(args, "solver", DP2DP_WORDS_SOLVER, solvers);
    for (size_t i = 0; i < out->solver_count; i++) {
        out->solvers[i] = (dp2dp_solver)solvers[i];
    }
    CLI_TRY(cli_args_check_solvers(args, error));
    CLI_TRY(read_methods(args, out, error));
    CLI_TRY(read_criteria(args, out, error));
    CLI_TRY(read_numbers(args, "epsilon", &out->epsilons, &out->epsilon_count, error));
    CLI_TRY(read_numbers(args, "rho", &out->rhos, &out->rho_count, error));
    CLI_TRY(check_budget(args, out, error));
    double points = (double)out->criterion_count * (double)out->method_count *
                    (double)out->solver_count * fmax(1, (double)out->epsilon_count) *
                    (double)out->rho_count * (double)out->runs;
    return points > CLI_SWEEP_POINTS_MAX
               ? cli_refuse(error, "the sweep would have %s points, but at most %d are allowed",
                            cli_number_exact(points).text, (int)CLI_SWEEP_POINTS_MAX)
               : DP2DP_STATUS_OK;
}

void cli_grid_free(cli_grid *grid) {
    free(grid->epsilons);
    free(grid->rhos);
    free(grid->points);
    free(grid->order);
    free(grid->starts);
    *grid = (cli_grid) {0};
}

/* Returns the unit of a point. Points of a unit share a split and a classifier. If training adds
 * noise, or if noise is added to the probabilities of the classifier, each epsilon has its own
 * unit. Otherwise points of different epsilons may be in the same unit. */
static size_t unit_of(const cli_grid *g, const cli_point *point) {
    size_t budgets = g->epsilon_count > 0 ? g->epsilon_count : 1;
    int noiseless =
        g->methods[point->method] == DP2DP_TRAIN_NONE && !g->as_published[point->method];
    size_t budget = point->epsilon < 0 || noiseless ? 0 : (size_t)point->epsilon;
    return (point->run * g->method_count + (size_t)point->method) * budgets + budget;
}

/* Adds the points of one criterion, method and solver. */
static void add_points(cli_grid *g, size_t criterion, size_t method, size_t solver) {
    int bare = is_noiseless(g, method, solver);
    size_t budgets = bare ? 1 : g->epsilon_count;
    for (size_t i = 0; i < budgets * g->rho_count * g->runs; i++) {
        cli_point *point = &g->points[g->count++];
        *point = (cli_point) {
            .criterion = (int)criterion,
            .method = (int)method,
            .solver = (int)solver,
            .epsilon = bare ? CLI_SWEEP_NO_EPSILON : (int)(i / (g->rho_count * g->runs)),
            .rho = (int)(i / g->runs % g->rho_count),
            .run = i % g->runs,
        };
        point->unit = unit_of(g, point);
    }
}

/* Sorts the points by unit, and keeps their order within a unit. */
static dp2dp_status sort_units(cli_grid *g, dp2dp_error *error) {
    g->units = g->runs * g->method_count * (g->epsilon_count > 0 ? g->epsilon_count : 1);
    g->starts = calloc(g->units + 2, sizeof *g->starts);
    g->order = calloc(g->count, sizeof *g->order);
    CLI_TRY(cli_check_memory(g->starts && g->order, "the points", error));
    for (size_t i = 0; i < g->count; i++) {
        g->starts[g->points[i].unit + 2]++;
    }
    for (size_t u = 0; u < g->units; u++) {
        g->starts[u + 2] += g->starts[u + 1];
    }
    for (size_t i = 0; i < g->count; i++) {
        g->order[g->starts[g->points[i].unit + 1]++] = i;
    }
    return DP2DP_STATUS_OK;
}

dp2dp_status cli_grid_fill(cli_grid *grid, dp2dp_error *error) {
    size_t budgets = grid->epsilon_count > 0 ? grid->epsilon_count : 1;
    size_t settings = grid->criterion_count * grid->method_count * grid->solver_count;
    grid->points = calloc(settings * budgets * grid->rho_count * grid->runs, sizeof *grid->points);
    CLI_TRY(cli_check_memory(grid->points, "the points", error));
    for (size_t i = 0; i < settings; i++) {
        add_points(grid, i / (grid->method_count * grid->solver_count),
                   i / grid->solver_count % grid->method_count, i % grid->solver_count);
    }
    return sort_units(grid, error);
}

const char *cli_grid_method(const cli_grid *grid, const cli_point *point) {
    dp2dp_train_method method = grid->methods[point->method];
    return grid->as_published[point->method] ? CLI_SWEEP_AS_PUBLISHED
           : method                          ? dp2dp_train_method_name(method)
                                             : "scores";
}

double cli_grid_epsilon(const cli_grid *grid, const cli_point *point) {
    return point->epsilon < 0 ? NAN : grid->epsilons[point->epsilon];
}
