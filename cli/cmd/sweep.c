#include <string.h>
#include <sys/stat.h>

#include <sodium.h>

#include "cmd/cmd.h"
#include "common/workers.h"
#include "sweep/sweep.h"

/* Everything that a sweep allocates; cmd_sweep frees it. */
typedef struct sweep {
    cli_grid grid;
    cli_sweep_input input;
    cli_sink sink;
    cli_part_file part;
    dp2dp_ledger *ledger;
    cli_spent spent;
} sweep;

static dp2dp_status check_mode(const cli_args *args, dp2dp_error *error) {
    int raw = !cli_missing(args, "schema"), scores = !cli_missing(args, "scores");
    if (raw || scores) {
        return cli_args_check_mode(args, raw ? "schema" : "scores", NULL, error);
    }
    int built_in = args->operand_count > 0 && cli_data_set_of_schema(args->operands[0]);
    return cli_refuse(error,
                      "give --schema SCHEMA for a table of raw rows, or --scores p0,p1,... for a "
                      "table of scores%s%s%s",
                      built_in ? "; did you mean --schema " : "", built_in ? args->operands[0] : "",
                      built_in ? "?" : "");
}

static dp2dp_status check_table(const cli_args *args, dp2dp_error *error) {
    return cli_missing(args, "schema") && args->operand_count == 0 && !args->unsure
               ? cli_refuse(error, "TABLE is missing: it may be left out only with a built-in "
                                   "schema")
               : DP2DP_STATUS_OK;
}

static dp2dp_status check_out(const cli_args *args, dp2dp_error *error) {
    return cli_word(args, "out") && strcmp(cli_word(args, "out"), "-") == 0
               ? cli_refuse(error, "--out must be a file: the sweep keeps its finished points in "
                                   "FILE.part, in the same folder")
               : DP2DP_STATUS_OK;
}

static dp2dp_status check_grid(const cli_args *args, dp2dp_error *error) {
    cli_grid grid = {0};
    if (!cli_word_if_sure(args, "solver") || !cli_word_if_sure(args, "method") ||
        !cli_word_if_sure(args, "criterion")) {
        return DP2DP_STATUS_OK;
    }
    dp2dp_status status = cli_grid_read(args, &grid, error);
    cli_grid_free(&grid);
    if (status == DP2DP_STATUS_OK || !cli_missing(args, "epsilon") || !cli_missing(args, "delta")) {
        return status;
    }
    cli_faults_note(args->faults, status, error);
    return cli_refuse(error, "--delta D is needed: a small number such as 1e-5, far below 1 / "
                             "(number of people)");
}

void cli_sweep_check(const cli_args *args) {
    static const cli_args_rule rules[] = {
        check_mode, check_table, check_out, check_grid, cli_spend_check_ledger, NULL};
    cli_args_check_rules(args, rules);
}

/* Opens --out, with permissions that let only the user read the file. */
static dp2dp_status open_out(const cli_args *args, cli_sink *sink, dp2dp_error *error) {
    mode_t before = umask(S_IRWXG | S_IRWXO);
    dp2dp_status status = cli_sink_open(args, CLI_SINK_WHOLE, sink, error);
    (void)umask(before);
    CLI_TRY(status);
    sink->mode = S_IRUSR | S_IWUSR;
    return sink->path
               ? DP2DP_STATUS_OK
               : cli_refuse(error, "--out must be a file: the sweep keeps its finished points "
                                   "in FILE.part, in the same folder");
}

/* Appends to the error message the path of the file that keeps the finished points of an unfinished
 * sweep. If no point is finished, removes that file. */
static void name_part(const sweep *s, dp2dp_error *error) {
    size_t done = 0;
    for (size_t i = 0; i < s->grid.count; i++) {
        done += s->grid.points[i].done != 0;
    }
    if (done > 0) {
        cli_error_add(error,
                      "; %zu of %zu points are kept in %.100s, and the same command goes on "
                      "from there",
                      done, s->grid.count, s->part.path);
    } else if (s->part.fd >= 0) {
        cli_part_remove(&s->part);
    }
}

/* Returns whether an earlier process of this sweep has already recorded in the ledger that these
 * people are exposed: results about them were computed without noise. */
static int is_exposed(const cli_args *args, const sweep *s) {
    const char *people = cli_given(args, "people") ? cli_word(args, "people") : "";
    int found = 0;
    for (size_t i = 0; s->part.resumed && i < dp2dp_ledger_size(s->ledger); i++) {
        dp2dp_event event = cli_entry(s->ledger, i, NULL);
        found |= event.mechanism == DP2DP_EXPOSED && event.release_id &&
                 strcmp(event.release_id, s->part.id) == 0 &&
                 strcmp(cli_entry_set(&event), people) == 0;
    }
    return found;
}

static dp2dp_status perform(const cli_args *args, sweep *s, dp2dp_error *error) {
    size_t threads = cli_workers_threads(cli_count(args, "threads"));
    dp2dp_status status = DP2DP_STATUS_OK;
    CLI_TRY_OR_DONE(cli_spend_open(args, &s->ledger, &s->spent, error));
    if (s->ledger && !is_exposed(args, s)) {
        CLI_TRY_OR_DONE(cli_run_expose(args, s->ledger, s->part.id, error));
    }
    CLI_TRY_OR_DONE(cli_sweep_work(&s->input.pipeline, &s->grid, &s->part, threads, error));
    cli_sweep_table(&s->input, &s->grid, s->sink.stream);
    CLI_TRY_OR_DONE(cli_sink_commit(&s->sink, error));
    cli_part_remove(&s->part);
    return cli_spend_total(args, s->ledger, &s->spent, error);
done:
    name_part(s, error);
    return status;
}

static size_t count_classifiers(const sweep *s) {
    size_t count = 0;
    for (size_t unit = 0; s->input.pipeline.people && unit < s->grid.units; unit++) {
        count += s->grid.starts[unit + 1] > s->grid.starts[unit];
    }
    return count;
}

static void dry_json(const sweep *s, const cli_spent *spent, cli_out *out) {
    cli_json json = cli_json_begin(out->stream);
    cli_json_truth(&json, "dry_run", 1);
    cli_json_truth(&json, "allowed", 1); /* a sweep that is refused has already failed */
    cli_json_count(&json, "rows", s->grid.count);
    cli_json_count(&json, "runs", s->grid.runs);
    cli_json_count(&json, "classifiers", count_classifiers(s));
    cli_spent_json(spent, &json);
    if (spent->path) {
        cli_json_truth(&json, "exposed_after", 1);
    }
    cli_json_end(&json);
}

static void dry_text(const sweep *s, const cli_spent *spent, cli_out *out) {
    size_t classifiers = count_classifiers(s), runs = s->grid.runs;
    fprintf(out->stream, "%sDry run%s: nothing was charged, drawn or written\n", cli_bold(out),
            cli_plain(out));
    cli_out_row(out, "would measure", "%zu points, %zu %s each", s->grid.count / runs, runs,
                cli_noun(runs, "run", "runs"));
    cli_out_row(out, "would train", "%zu %s", classifiers,
                cli_noun(classifiers, "classifier", "classifiers"));
    cli_spent_text(spent, out);
    cli_out_row(out, spent->path ? "would record" : "would expose",
                "%severybody in TABLE: exact numbers have no finite epsilon",
                spent->path ? "an exposure of " : "");
}

/* Prints what the sweep would do. Records in a copy of the ledger that the people are exposed, so
 * that the budget of the ledger can refuse the sweep. */
static dp2dp_status rehearse(const cli_args *args, sweep *s, cli_out *out, dp2dp_error *error) {
    cli_dry dry = {0};
    dp2dp_status status = DP2DP_STATUS_OK;
    CLI_TRY_OR_DONE(cli_dry_open(args, &dry, error));
    if (dry.before.path) {
        CLI_TRY_OR_DONE(cli_run_expose(args, dry.ledger, NULL, error));
    }
    (cli_given(args, "json") ? dry_json : dry_text)(s, &dry.before, out);
done:
    dp2dp_ledger_free(dry.ledger);
    return status;
}

static dp2dp_status measure(const cli_args *args, sweep *s, cli_out *out, dp2dp_error *error) {
    CLI_TRY(cli_part_open(args, s->sink.path, &s->input.pipeline, &s->grid, &s->part, error));
    CLI_TRY(perform(args, s, error));
    cli_sweep_report(args, &s->input, &s->grid, s->part.found, &s->spent, out);
    return DP2DP_STATUS_OK;
}

dp2dp_status cmd_sweep(const cli_args *args, cli_out *out, dp2dp_error *error) {
    sweep s = {.sink.to = -1, .part.fd = -1};
    int dry = cli_given(args, "dry-run");
    dp2dp_status status = DP2DP_STATUS_OK;
    if (sodium_init() < 0) {
        return cli_fail(error, DP2DP_STATUS_ENTROPY, "the system provided no random numbers");
    }
    CLI_TRY_OR_DONE(cli_grid_read(args, &s.grid, error));
    if (!dry) {
        CLI_TRY_OR_DONE(open_out(args, &s.sink, error));
    }
    CLI_TRY_OR_DONE(cli_sweep_read(args, &s.grid, &s.input, error));
    CLI_TRY_OR_DONE(cli_grid_fill(&s.grid, error));
    status = (dry ? rehearse : measure)(args, &s, out, error);
done:
    dp2dp_ledger_free(s.ledger);
    cli_part_close(&s.part);
    cli_sink_close(&s.sink);
    cli_sweep_input_free(&s.input);
    cli_grid_free(&s.grid);
    return status;
}
