#include <unistd.h>

#include "cmd/cmd.h"
#include "common/json.h"
#include "common/out.h"
#include "input/kind.h"
#include "output/sink.h"

/* The column names in --scores and in --group-scores. */
typedef struct lists {
    cli_list scores, weights;
} lists;

static dp2dp_status check_format(const cli_args *args, dp2dp_error *error) {
    int formats =
        !cli_missing(args, "sql") + !cli_missing(args, "onnx") + !cli_missing(args, "c-header");
    return formats == 1 ? DP2DP_STATUS_OK
                        : cli_refuse(error, "give one of --sql, --onnx and --c-header");
}

static dp2dp_status check_json(const cli_args *args, dp2dp_error *error) {
    return cli_sink_check_json(args, "rule", error);
}

void cli_export_check(const cli_args *args) {
    static const char *const of_sql[] = {"table", "scores", "sensitive", "group-scores",
                                         "prediction"};
    static const cli_args_rule rules[] = {check_format, check_json, NULL};
    int other =
        cli_missing(args, "sql") && (!cli_missing(args, "onnx") || !cli_missing(args, "c-header"));
    dp2dp_error error;
    for (size_t i = 0; other && i < sizeof of_sql / sizeof of_sql[0]; i++) {
        if (cli_given(args, of_sql[i])) {
            cli_faults_note(args->faults, cli_refuse(&error, "--%s is only for --sql", of_sql[i]),
                            &error);
        }
    }
    cli_args_check_rules(args, rules);
}

/* Reads the list of column names in an option. Refuses a list that has more or fewer columns than
 * the model needs. */
static dp2dp_status read_list(const cli_args *args, const char *option, size_t needed,
                              cli_list *list, const char *const **out, dp2dp_error *error) {
    if (!cli_given(args, option)) {
        return DP2DP_STATUS_OK;
    }
    CLI_TRY(cli_list_read(args, option, list, error));
    if (list->count != needed) {
        return cli_refuse(error, "--%s has %zu columns but the model needs %zu", option,
                          list->count, needed);
    }
    *out = (const char *const *)list->items;
    return DP2DP_STATUS_OK;
}

static dp2dp_status read_names(const cli_args *args, const dp2dp_model_info *info, lists *l,
                               dp2dp_export_options *options, dp2dp_error *error) {
    int weighted = info->strata > 0 && info->rule == DP2DP_RULE_WEIGHTED;
    if (!weighted && cli_given(args, "group-scores")) {
        return cli_refuse(error, "--group-scores is only for rules that do not see the group; this "
                                 "rule needs the group itself");
    }
    if (weighted && cli_given(args, "sensitive")) {
        return cli_refuse(error, "--sensitive is only for rules that see the group; leave it out "
                                 "for this rule");
    }
    options->table = cli_word(args, "table");
    options->group_column = cli_word(args, "sensitive");
    options->prediction = cli_word(args, "prediction");
    CLI_TRY(read_list(args, "scores", info->classes, &l->scores, &options->scores, error));
    return read_list(args, "group-scores", info->weight_columns, &l->weights, &options->weights,
                     error);
}

static dp2dp_status write_bytes(const cli_args *args, dp2dp_export_format format, const char *bytes,
                                size_t length, int *to_stdout, dp2dp_error *error) {
    cli_sink sink = {.to = -1};
    dp2dp_status status = DP2DP_STATUS_OK;
    CLI_TRY_OR_DONE(cli_sink_open(args, CLI_SINK_WHOLE, &sink, error));
    *to_stdout = cli_sink_is_stdout(&sink);
    if (*to_stdout && format == DP2DP_EXPORT_ONNX && isatty(STDOUT_FILENO)) {
        CLI_TRY_OR_DONE(cli_refuse(error, "an ONNX file is not text, so it cannot be printed to a "
                                          "terminal: give --out FILE"));
    }
    fwrite(bytes, 1, length, sink.stream);
    status = cli_sink_commit(&sink, error);
done:
    cli_sink_close(&sink);
    return status;
}

static void print(const cli_args *args, dp2dp_export_format format, const dp2dp_model_info *info,
                  size_t length, cli_out *out) {
    int is_private = info->not_private_because == 0;
    if (!cli_given(args, "json")) {
        cli_sink_report(args, out, "The rule for %s",
                        format == DP2DP_EXPORT_ONNX       ? "ONNX"
                        : format == DP2DP_EXPORT_C_HEADER ? "C"
                                                          : cli_word(args, "sql"));
        if (!is_private) {
            fprintf(out->stream, "  %sNOT PRIVATE%s: dp2dp show %.120s says why\n", cli_alarm(out),
                    cli_plain(out), args->operands[0]);
        }
        return;
    }
    cli_json json = cli_json_begin(out->stream);
    cli_json_text(&json, "model", args->operands[0]);
    cli_json_text(&json, "out", cli_word(args, "out"));
    cli_json_text(&json, "format", dp2dp_export_format_name(format));
    cli_json_count(&json, "bytes", length);
    cli_json_truth(&json, "private", is_private);
    cli_json_end(&json);
}

dp2dp_status cmd_export(const cli_args *args, cli_out *out, dp2dp_error *error) {
    dp2dp_export_options options = DP2DP_EXPORT_OPTIONS_INIT;
    dp2dp_model *model = NULL;
    lists l = {0};
    char *bytes = NULL;
    size_t length = 0;
    int to_stdout = 0;
    dp2dp_status status = DP2DP_STATUS_OK;
    options.format = cli_given(args, "sql")
                         ? (dp2dp_export_format)cli_enum(args, "sql", DP2DP_WORDS_EXPORT)
                     : cli_given(args, "onnx") ? DP2DP_EXPORT_ONNX
                                               : DP2DP_EXPORT_C_HEADER;
    CLI_TRY(cli_kind_model(args, &model, error));
    CLI_TRY_OR_DONE(read_names(args, dp2dp_model_view(model), &l, &options, error));
    CLI_TRY_OR_DONE(dp2dp_export(model, &options, &bytes, &length, error));
    CLI_TRY_OR_DONE(write_bytes(args, options.format, bytes, length, &to_stdout, error));
    if (!to_stdout) {
        print(args, options.format, dp2dp_model_view(model), length, out);
    }
done:
    dp2dp_text_free(bytes);
    cli_list_free(&l.scores);
    cli_list_free(&l.weights);
    dp2dp_model_free(model);
    return status;
}
