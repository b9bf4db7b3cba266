#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/cmd.h"
#include "common/json.h"
#include "common/out.h"
#include "input/absent.h"
#include "input/kind.h"
#include "input/labels.h"
#include "input/odd_scores.h"
#include "input/outside.h"
#include "input/scores.h"
#include "output/sink.h"
#include "privacy/privacy.h"

/* The people of --test. The matrix and columns are views of `rows`. */
typedef struct test {
    cli_columns columns;
    cli_watch watch;
    cli_rows rows;
    dp2dp_matrix scores, weights;
    dp2dp_column groups, labels;
    char **cautions; /* cautions about columns of the table, which the page shows */
    size_t caution_count;
    unsigned cut; /* result of cli_rows_are_cut: a dp2dp_warning bit, or 0 */
} test;

/* What the command tells the user about the page. */
typedef struct page {
    int exact;      /* 1: the page holds exact counts about people */
    int is_private; /* 1: apart from exact counts, everything on the page is private */
    size_t bytes;
    int to_stdout;            /* 1: the page was written to standard output */
    unsigned warnings;        /* dp2dp_warning bits about the people of --test and --sweep */
    const char *test_as_many; /* the part of the model that was learned from exactly as many
                                 people as --test has, for a message; NULL: no part */
    int unchecked;            /* 1: nobody has checked that the sweep is about the model's data */
    int sweep_as_many; /* 1: the sweep has exactly as many rows as the rule was learned from */
} page;

static dp2dp_status check_needs(const cli_args *args, const char *option, const char *needed,
                                dp2dp_error *error) {
    return cli_given(args, option) && cli_missing(args, needed)
               ? cli_refuse(error, "--%s needs --%s %s", option, needed,
                            cli_option_find(args->verb, needed)->value)
               : DP2DP_STATUS_OK;
}

static dp2dp_status check_people(const cli_args *args, dp2dp_error *error) {
    return cli_given(args, "sweep") && cli_missing(args, "sweep-people")
               ? cli_refuse(error, "--sweep needs --sweep-people other, public or exposed: the "
                                   "sweep shows exact numbers about its people, so say who they "
                                   "are")
               : DP2DP_STATUS_OK;
}

static dp2dp_status check_json(const cli_args *args, dp2dp_error *error) {
    return cli_word(args, "out") ? cli_sink_check_json(args, "page", error) : DP2DP_STATUS_OK;
}

void cli_report_check(const cli_args *args) {
    static const cli_args_rule rules[] = {check_people, check_json, NULL};
    static const char *const needs[][2] = {{"label", "test"},
                                           {"group-scores", "test"},
                                           {"id", "test"},
                                           {"sweep-people", "sweep"},
                                           {"name", "sweep"}};
    dp2dp_error error;
    for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++) {
        cli_faults_note(args->faults, check_needs(args, needs[i][0], needs[i][1], &error), &error);
    }
    cli_args_check_rules(args, rules);
}

static dp2dp_status read_test(const cli_args *args, const dp2dp_model *model, test *t,
                              dp2dp_error *error) {
    const char *path = cli_word(args, "test");
    CLI_TRY(cli_columns_of_test(args, model, path, &t->columns, error));
    if (t->columns.classifier == NULL && t->columns.label == NULL) {
        return cli_refuse(error, "--test needs labels, to count errors: give --label, the column "
                                 "with each person's true class");
    }
    t->columns.watch = &t->watch;
    t->watch.hides_group = cli_model_hides_group(model);
    CLI_TRY(cli_outside_count(t->columns.schema, &t->watch, error));
    CLI_TRY(cli_scores_read(&t->columns, &t->rows, error));
    if (t->rows.count == 0) {
        return cli_fail(error, DP2DP_STATUS_DATA, "there are no rows: %.120s", path);
    }
    t->scores = cli_rows_scores(&t->rows);
    t->groups = t->labels = cli_rows_groups(&t->rows);
    t->labels.data = t->rows.labels;
    return DP2DP_STATUS_OK;
}

static dp2dp_status add_caution(test *t, const char *text, dp2dp_error *error) {
    t->cautions[t->caution_count] = strdup(text);
    return cli_check_memory(t->cautions[t->caution_count++], "the cautions", error);
}

/* Collects the cautions about the table, without the word CAUTION. Also compares the labels with
 * the scores: the library compares the labels only with the decisions. */
static dp2dp_status find_cautions(test *t, dp2dp_error *error) {
    char text[CLI_OUTSIDE_SIZE];
    size_t columns = t->columns.schema ? dp2dp_schema_view(t->columns.schema)->column_count : 0;
    t->cautions = calloc(columns + 2, sizeof *t->cautions);
    CLI_TRY(cli_check_memory(t->cautions, "the cautions", error));
    for (size_t at = 0; cli_outside_next(t->columns.schema, &t->watch, &at, text);) {
        CLI_TRY(add_caution(t, text + strlen("CAUTION: "), error));
    }
    t->cut = cli_rows_are_cut(&t->rows);
    if (t->cut && t->watch.right < t->watch.labelled) {
        const dp2dp_word *word = dp2dp_word_find(DP2DP_WORDS_WARNING, (int)t->cut);
        snprintf(text, sizeof text, "%s", word->help);
        text[0] = (char)toupper((unsigned char)text[0]);
        CLI_TRY(add_caution(t, text, error));
    }
    return DP2DP_STATUS_OK;
}

static void free_test(test *t) {
    for (size_t i = 0; i < t->caution_count; i++) {
        free(t->cautions[i]);
    }
    free(t->cautions);
    cli_outside_free(&t->watch);
    cli_rows_free(&t->rows);
    cli_columns_free(&t->columns);
}

static void use_test(const cli_args *args, test *t, dp2dp_report_options *options) {
    dp2dp_predict_options predict = DP2DP_PREDICT_OPTIONS_INIT;
    cli_rows_predict(&t->rows, &t->weights, &predict);
    options->scores = &t->scores;
    options->groups = &t->groups;
    options->labels = &t->labels;
    options->weights = predict.weights;
    options->ids = predict.ids;
    options->test_name = cli_word(args, "test");
    options->label_name = t->columns.label;
    options->test_cautions = (const char *const *)t->cautions;
    options->test_caution_count = t->caution_count;
    options->test_left_out = t->watch.outside.left_out;
}

/* Writes the page. A page with exact counts gets permissions that let only the user read it. */
static dp2dp_status write_page(const cli_args *args, page *p, const char *text,
                               dp2dp_error *error) {
    cli_sink sink = {.to = -1};
    dp2dp_status status = DP2DP_STATUS_OK;
    mode_t before = umask(0);
    (void)umask(p->exact ? S_IRWXG | S_IRWXO : before);
    status = cli_sink_open(args, CLI_SINK_WHOLE, &sink, error);
    (void)umask(before);
    CLI_TRY_OR_DONE(status);
    sink.mode = p->exact ? S_IRUSR | S_IWUSR : sink.mode;
    p->to_stdout = cli_sink_is_stdout(&sink);
    fwrite(text, 1, p->bytes, sink.stream);
    status = cli_sink_commit(&sink, error);
done:
    cli_sink_close(&sink);
    return status;
}

/* Sets p->is_private and p->warnings by the same rules that the library uses for the text of the
 * page. */
static dp2dp_status find_private(const cli_args *args, const dp2dp_model_info *info, const test *t,
                                 page *p, dp2dp_error *error) {
    dp2dp_certificate_file *certificate = NULL;
    p->sweep_as_many = (p->warnings & DP2DP_WARNING_AS_MANY_PEOPLE) != 0;
    p->test_as_many = dp2dp_warn_of_people(info, t->rows.count) == 0 ? NULL
                      : t->rows.count == info->records               ? "the rule"
                                                       : "the classifier or an earlier rule";
    const char *people = cli_word(args, "sweep-people");
    p->is_private = info->not_private_because == 0 && !(people && strcmp(people, "exposed") == 0);
    if (cli_given(args, "certificate")) {
        CLI_TRY(dp2dp_certificate_load(cli_word(args, "certificate"), &certificate, error));
        p->is_private = p->is_private && certificate->certificate->is_private;
        dp2dp_certificate_file_free(certificate);
    }
    p->warnings |= t->cut;
    p->warnings |= p->test_as_many ? (unsigned)DP2DP_WARNING_AS_MANY_PEOPLE : 0U;
    return DP2DP_STATUS_OK;
}

static void print_json(const cli_args *args, const test *t, const page *p, cli_out *out) {
    cli_json json = cli_json_begin(out->stream);
    cli_json_text(&json, "model", args->operands[0]);
    cli_json_text(&json, "out", cli_word(args, "out"));
    cli_json_count(&json, "bytes", p->bytes);
    cli_json_truth(&json, "exact", p->exact);
    cli_json_truth(&json, "private", p->is_private);
    cli_json_truth(&json, "publishable", p->is_private && !p->exact);
    cli_warnings_json(p->warnings, &json);
    if (p->unchecked) {
        cli_json_truth(&json, "sweep_unchecked", 1);
    }
    cli_absent_json(t->columns.schema, &t->watch, &json);
    cli_outside_json(t->columns.schema, &t->watch, &json);
    cli_odd_scores_json(&t->columns, &json);
    cli_json_end(&json);
}

static const char as_many[] =
    "CAUTION: the table of --test has exactly as many people as %s was learned from. If these are "
    "the same people, the rule looks better on the page than it is, and the page shows exact "
    "counts about these people.%s";

static const char sweep_as_many[] =
    "the sweep is about exactly as many people as the rule was learned from; if these are the same "
    "people, the model is NOT PRIVATE";

static const char unchecked[] =
    "the model does not name its data, so nobody has checked that the sweep is about the same kind "
    "of data, with the same groups and classes. To have it checked, give "
    "dp2dp sweep and this command the same --name";

static void warnings_text(const page *p, cli_out *out) {
    cli_warnings_text(p->warnings & ~(unsigned)DP2DP_WARNING_AS_MANY_PEOPLE, out);
    if (p->test_as_many) {
        cli_out_prose(out, as_many, p->test_as_many, "");
    }
    if (p->sweep_as_many) {
        cli_out_prose(out, "CAUTION: %s.", sweep_as_many);
    }
    if (p->unchecked) {
        cli_out_prose(out, "CAUTION: %s.", unchecked);
    }
}

/* Prints the cautions to stderr, since stdout has the page. */
static void tell(const test *t, const page *p) {
    cli_outside_tell(t->columns.schema, &t->watch);
    cli_odd_scores_tell(&t->columns);
    cli_warnings_tell(p->warnings & ~(unsigned)DP2DP_WARNING_AS_MANY_PEOPLE, "");
    if (p->test_as_many) {
        fprintf(stderr, as_many, p->test_as_many, "\n");
    }
    if (p->sweep_as_many) {
        fprintf(stderr, "CAUTION: %s.\n", sweep_as_many);
    }
    if (p->unchecked) {
        fprintf(stderr, "CAUTION: %s.\n", unchecked);
    }
}

static void print_text(const cli_args *args, const test *t, const page *p, cli_out *out) {
    cli_sink_report(args, out, "A page about the model");
    if (p->exact) {
        cli_out_row(
            out, "keep it",
            "to yourself: the page holds exact counts about real people. Do not publish it");
    }
    if (!p->is_private) {
        fprintf(out->stream, "  %sNOT PRIVATE%s: the page says why\n", cli_alarm(out),
                cli_plain(out));
    }
    cli_out_row(out, "open it", "with any browser; it needs no network");
    cli_absent_text(t->columns.schema, &t->watch, "left out", out);
    cli_outside_text(t->columns.schema, &t->watch, out);
    cli_odd_scores_text(&t->columns, out);
    warnings_text(p, out);
}

dp2dp_status cmd_report(const cli_args *args, cli_out *out, dp2dp_error *error) {
    dp2dp_report_options options = DP2DP_REPORT_OPTIONS_INIT;
    dp2dp_model *model = NULL;
    test t = {0};
    char *text = NULL;
    page p = {.exact = cli_given(args, "test") || cli_given(args, "sweep")};
    dp2dp_status status = DP2DP_STATUS_OK;
    CLI_TRY_OR_DONE(cli_place_check(args, "out", cli_word(args, "out"), error));
    CLI_TRY_OR_DONE(cli_kind_model(args, &model, error));
    if (dp2dp_model_view(model)->strata == 0) {
        CLI_TRY_OR_DONE(cli_refuse(
            error, "the model has no fair rule yet: learn one with dp2dp fit TABLE --model %.120s",
            args->operands[0]));
    }
    if (cli_given(args, "test")) {
        CLI_TRY_OR_DONE(read_test(args, model, &t, error));
        CLI_TRY_OR_DONE(find_cautions(&t, error));
        use_test(args, &t, &options);
    }
    options.model_name = args->operands[0];
    options.certificate = cli_word(args, "certificate");
    options.sweep = cli_word(args, "sweep");
    options.data_name = cli_word(args, "name");
    options.confidence = cli_real(args, "confidence");
    options.threads = (unsigned)cli_count(args, "threads");
    options.warnings = &p.warnings;
    options.sweep_unchecked = &p.unchecked;
    if (options.sweep) {
        options.sweep_people =
            (dp2dp_sweep_people)cli_enum(args, "sweep-people", DP2DP_WORDS_SWEEP_PEOPLE);
    }
    status = dp2dp_report(model, &options, &text, &p.bytes, error);
    if (status == DP2DP_STATUS_DATA && error->reason == DP2DP_REASON_WRONG_FILE) {
        cli_error_add(error, "; dp2dp certify --out makes a certificate");
    }
    CLI_TRY_OR_DONE(status);
    CLI_TRY_OR_DONE(find_private(args, dp2dp_model_view(model), &t, &p, error));
    CLI_TRY_OR_DONE(write_page(args, &p, text, error));
    if (!p.to_stdout) {
        (cli_given(args, "json") ? print_json : print_text)(args, &t, &p, out);
    } else {
        tell(&t, &p);
    }
done:
    free_test(&t);
    dp2dp_text_free(text);
    dp2dp_model_free(model);
    return status;
}
