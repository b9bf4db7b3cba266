#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "interrupt.h"
#include "kind.h"
#include "list.h"
#include "rule.h"
#include "scores.h"
#include "sink.h"
#include "spend.h"

/* Everything a fit holds, freed in one place. */
typedef struct fit {
    cli_list scores, groups, classes;
    cli_sink sink;
    dp2dp_pool *pool;
    dp2dp_ledger *ledger;
    dp2dp_model *model;
    dp2dp_fit_options options;
} fit;

static dp2dp_status read_names(const cli_args *args, fit *f, dp2dp_error *error) {
    dp2dp_status status = cli_list_read(args, "scores", &f->scores, error);
    if (status == DP2DP_STATUS_OK) {
        status = cli_list_read(args, "groups", &f->groups, error);
    }
    if (status == DP2DP_STATUS_OK && cli_given(args, "classes")) {
        status = cli_list_read(args, "classes", &f->classes, error);
    }
    if (status != DP2DP_STATUS_OK) {
        return status;
    }
    const char *few = f->scores.count < 2 ? "scores" : f->groups.count < 2 ? "groups" : NULL;
    if (few) {
        return cli_fail(error, DP2DP_STATUS_ARGUMENT, "--%s has one name: there must be at least 2",
                        few);
    }
    if (f->classes.items && f->classes.count != f->scores.count) {
        return cli_fail(error, DP2DP_STATUS_ARGUMENT,
                        "--classes has %zu names but --scores %zu: there must be as many",
                        f->classes.count, f->scores.count);
    }
    for (size_t k = 0; k < f->scores.count; k++) {
        if (strcmp(f->scores.items[k], cli_word(args, "sensitive")) == 0) {
            return cli_fail(error, DP2DP_STATUS_ARGUMENT,
                            "--sensitive %.60s: the column is in --scores too",
                            cli_word(args, "sensitive"));
        }
    }
    f->options.names = (dp2dp_names) {
        .events = (const char *const *)f->groups.items,
        .classes = (const char *const *)f->classes.items,
        .scores = (const char *const *)f->scores.items,
        .event_column = cli_word(args, "sensitive"),
    };
    return DP2DP_STATUS_OK;
}

/* The value of a number of <dp2dp/fit.def>, by its C name; *value is left alone where it has none.
 */
static void read_setting(const cli_args *args, const char *name, double *value) {
    char dashed[32];
    size_t i = 0;
    for (; name[i] != '\0' && i + 1 < sizeof dashed; i++) {
        dashed[i] = name[i] == '_' ? '-' : name[i];
    }
    dashed[i] = '\0';
    if (cli_has(args, dashed)) {
        *value = cli_real(args, dashed);
    }
}

static void read_settings(const cli_args *args, dp2dp_fit_options *options) {
#define DP2DP_FIT_NUMBER(name, standard, least, most, meaning) \
    read_setting(args, #name, &options->name);
#define DP2DP_FIT_COUNT(name, standard, least, most, meaning) \
    {                                                         \
        double value = (double)options->name;                 \
        read_setting(args, #name, &value);                    \
        options->name = (uint64_t)value;                      \
    }
#include <dp2dp/fit.def>
#undef DP2DP_FIT_NUMBER
#undef DP2DP_FIT_COUNT
#define DP2DP_SOLVER(name, value, word)                \
    if (strcmp(cli_word(args, "solver"), word) == 0) { \
        options->solver = DP2DP_SOLVER_##name;         \
    }
#include <dp2dp/solver.def>
#undef DP2DP_SOLVER
    if (cli_given(args, "insecure-seed")) {
        options->rng = DP2DP_RNG_INSECURE;
        options->insecure_seed = cli_count(args, "insecure-seed");
    }
    options->leaks = cli_given(args, "scores-from-pool") ? DP2DP_LEAK_SCORES_FROM_POOL : 0;
}

/* Numbers that only some solvers use are refused with the others, which would ignore them. */
static dp2dp_status check_solver(const cli_args *args, dp2dp_solver solver, dp2dp_error *error) {
    static const char *const of_sgd[] = {"beta", "batch", "lambda-max", "group-least"};
    int published = solver == DP2DP_SOLVER_SGD_AS_PUBLISHED;
    for (size_t i = 0; i < sizeof of_sgd / sizeof of_sgd[0]; i++) {
        int only_published = strcmp(of_sgd[i], "group-least") == 0;
        if (cli_given(args, of_sgd[i]) && !published &&
            (only_published || solver != DP2DP_SOLVER_SGD)) {
            return cli_fail(error, DP2DP_STATUS_ARGUMENT,
                            "--%s is only for --solver %ssgd-as-published, not for %s", of_sgd[i],
                            only_published ? "" : "sgd or ", cli_word(args, "solver"));
        }
    }
    return DP2DP_STATUS_OK;
}

/* What the options must say about privacy, each solver in its own way. */
static dp2dp_status check_budget(const cli_args *args, const dp2dp_fit_options *options,
                                 dp2dp_error *error) {
    int exact = options->solver == DP2DP_SOLVER_EXACT;
    int noiseless = exact || isinf(options->epsilon);
    if (!exact && !cli_given(args, "epsilon")) {
        return cli_fail(error, DP2DP_STATUS_ARGUMENT,
                        "--epsilon E is needed: how much may be learnt about any one person "
                        "(--solver exact or --epsilon inf: no privacy)");
    }
    if (!noiseless && !cli_given(args, "delta")) {
        return cli_fail(error, DP2DP_STATUS_ARGUMENT,
                        "--delta D is needed: the small probability with which the factor "
                        "e^epsilon may be exceeded");
    }
    if (!noiseless && options->epsilon == 0) {
        return cli_fail(error, DP2DP_STATUS_ARGUMENT, "--epsilon 0 is not above its bound 0");
    }
    if (!noiseless && (options->delta == 0 || options->delta == 1)) {
        return cli_fail(error, DP2DP_STATUS_ARGUMENT, "--delta %g is not %s its bound %g",
                        options->delta, options->delta == 0 ? "above" : "below", options->delta);
    }
    if (noiseless && cli_given(args, "ledger")) {
        return cli_fail(error, DP2DP_STATUS_ARGUMENT,
                        "--ledger does not go with %s: what has no noise cannot be charged",
                        exact ? "--solver exact" : "--epsilon inf");
    }
    if (cli_given(args, "ledger") &&
        cli_kind_same(cli_word(args, "ledger"), cli_word(args, "out"))) {
        return cli_fail(error, DP2DP_STATUS_ARGUMENT,
                        "--ledger and --out are the same file: the model would replace the ledger");
    }
    if (cli_given(args, "dither-seed") && cli_real(args, "dither") == 0) {
        return cli_fail(error, DP2DP_STATUS_ARGUMENT, "--dither-seed needs --dither W");
    }
    return DP2DP_STATUS_OK;
}

static dp2dp_status read_pool(const cli_args *args, fit *f, dp2dp_error *error) {
    cli_columns columns = {.path = args->operands[0],
                           .scores = f->options.names.scores,
                           .classes = f->scores.count,
                           .group = f->options.names.event_column,
                           .group_names = f->options.names.events,
                           .groups = f->groups.count,
                           .row_sums = cli_given(args, "normalize") ? DP2DP_ROW_SUMS_NORMALIZE
                                                                    : DP2DP_ROW_SUMS_CHECK};
    dp2dp_pool_options options = DP2DP_POOL_OPTIONS_INIT;
    options.events = f->groups.count;
    options.threads = (unsigned)cli_count(args, "threads");
    options.dither.width = cli_real(args, "dither");
    options.dither.seed = cli_count(args, "dither-seed");
    options.row_sums = columns.row_sums;
    return cli_scores_pool(&columns, &options, &f->pool, error);
}

/* A line for people who watch; the numbers of steps are public. */
static int on_step(void *context, uint64_t step, uint64_t total) {
    const int *watched = context;
    if (*watched && (step == total || step % (total / 100 + 1) == 0)) {
        fprintf(stderr, "\rstep %" PRIu64 " of %" PRIu64, step, total);
    }
    return cli_interrupted();
}

static dp2dp_status solve(const cli_args *args, fit *f, dp2dp_error *error) {
    dp2dp_source source = dp2dp_pool_source(f->pool);
    int watched = isatty(STDERR_FILENO);
    f->options.ledger = f->ledger;
    f->options.progress = on_step;
    f->options.progress_context = &watched;
    cli_interrupt_hold();
    dp2dp_status status = dp2dp_fit(&source, &f->options, &f->model, error);
    cli_interrupt_release();
    if (watched) {
        fputs("\r\033[K", stderr);
    }
    return cli_spend_failure(args, status, error);
}

static dp2dp_status save(fit *f, dp2dp_error *error) {
    char *text = NULL;
    size_t length = 0;
    dp2dp_status status = dp2dp_model_to_json(f->model, &text, &length, error);
    if (status == DP2DP_STATUS_OK) {
        fwrite(text, 1, length, f->sink.stream);
        status = cli_sink_commit(&f->sink, error);
    }
    dp2dp_text_free(text);
    return status;
}

static dp2dp_status print(const cli_args *args, const fit *f, cli_out *out, dp2dp_error *error) {
    const dp2dp_model_info *info = dp2dp_model_view(f->model);
    cli_spent spent = {0};
    dp2dp_status status =
        f->ledger ? cli_spend_total(args, f->ledger, &spent, error) : DP2DP_STATUS_OK;
    if (status != DP2DP_STATUS_OK || cli_sink_is_stdout(&f->sink)) {
        return status;
    }
    if (cli_given(args, "json")) {
        cli_json json = cli_json_begin(out->stream);
        cli_json_text(&json, "model", cli_word(args, "out"));
        cli_rule_json(info, &json);
        cli_spent_json(&spent, &json);
        cli_json_end(&json);
        return DP2DP_STATUS_OK;
    }
    cli_leaks_text(info, out);
    fprintf(out->stream, "%sFair rule, written to ", cli_bold(out));
    cli_print_safely(out->stream, cli_word(args, "out"));
    fprintf(out->stream, "%s\n", cli_plain(out));
    cli_spent_text(&spent, out);
    cli_rule_text(info, out);
    return DP2DP_STATUS_OK;
}

dp2dp_status cmd_fit(const cli_args *args, cli_out *out, dp2dp_error *error) {
    fit f = {.sink.to = -1};
    dp2dp_fit_options_init(&f.options);
    read_settings(args, &f.options);
    dp2dp_status status = read_names(args, &f, error);
    if (status == DP2DP_STATUS_OK && (status = check_budget(args, &f.options, error)) == 0 &&
        (status = check_solver(args, f.options.solver, error)) == 0 &&
        /* Nothing is spent before it is clear that the model can be kept. */
        (status = cli_sink_open(args, &f.sink, error)) == 0 &&
        (status = read_pool(args, &f, error)) == 0 &&
        (status = cli_spend_open(args, &f.ledger, error)) == 0 &&
        (status = solve(args, &f, error)) == 0 && (status = save(&f, error)) == 0) {
        status = print(args, &f, out, error);
    }
    dp2dp_model_free(f.model);
    dp2dp_ledger_free(f.ledger);
    dp2dp_pool_free(f.pool);
    cli_sink_close(&f.sink);
    cli_list_free(&f.classes);
    cli_list_free(&f.groups);
    cli_list_free(&f.scores);
    return status;
}
