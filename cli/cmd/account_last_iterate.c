#include <inttypes.h>
#include <string.h>

#include "cmd/account.h"
#include "common/json.h"
#include "common/number.h"
#include "privacy/answer.h"
#include "privacy/release.h"

static dp2dp_status read_run(const cli_args *args, dp2dp_last_iterate *run, dp2dp_error *error) {
    CLI_TRY(cli_args_check_mode(args, "last-iterate", NULL, error));
    if (strcmp(cli_word(args, "adjacency"), "replace-one") != 0) {
        return cli_fail(error, DP2DP_STATUS_ARGUMENT,
                        "--mechanism last-iterate is defined for --adjacency replace-one only: it "
                        "divides by the "
                        "public number of records");
    }
    if (!cli_given(args, "delta")) {
        return cli_fail(error, DP2DP_STATUS_ARGUMENT, "--mechanism last-iterate needs --delta D");
    }
    *run = (dp2dp_last_iterate) {
        .struct_size = sizeof *run,
        .sensitivity = cli_real(args, "sensitivity"),
        .sigma = cli_real(args, "sigma"),
        .population = cli_real(args, "population"),
        .step_size = cli_real(args, "step-size"),
        .smoothing = cli_real(args, "smoothing"),
        .share_min = cli_real(args, "share-min"),
        .diameter = cli_real(args, "diameter"),
        .steps = cli_count(args, "steps"),
        .batch = cli_count(args, cli_given(args, "batch") ? "batch" : "population"),
        .clipped = cli_given(args, "clipped"),
        .intermediate_released = cli_given(args, "intermediate-released"),
    };
    return DP2DP_STATUS_OK;
}

static void print_json(const dp2dp_last_iterate *run, double epsilon, double delta, cli_out *out) {
    cli_json json = cli_json_begin(out->stream);
    cli_json_real(&json, "epsilon", epsilon);
    cli_json_real(&json, "delta", delta);
    cli_json_text(&json, "adjacency", dp2dp_adjacency_name(DP2DP_REPLACE_ONE));
    cli_json_text(&json, "accountant", "last-iterate");
    cli_json_text(&json, "mechanism", "last-iterate");
    cli_json_real(&json, "sigma", run->sigma);
    cli_json_real(&json, "sensitivity", run->sensitivity);
    cli_json_real(&json, "population", run->population);
    cli_json_real(&json, "step_size", run->step_size);
    cli_json_real(&json, "smoothing", run->smoothing);
    cli_json_real(&json, "share_min", run->share_min);
    cli_json_real(&json, "diameter", run->diameter);
    cli_json_count(&json, "steps", run->steps);
    cli_json_end(&json);
}

static void print_text(const dp2dp_last_iterate *run, double epsilon, double delta, cli_out *out) {
    fprintf(out->stream, "%sPrivacy cost of the last iterate alone%s\n", cli_bold(out),
            cli_plain(out));
    cli_out_row(
        out, "mechanism", "full-batch noisy descent on %s records, %" PRIu64 " steps of size %s",
        cli_number_exact(run->population).text, run->steps, cli_number_exact(run->step_size).text);
    cli_out_row(out, "noise", "sigma %s on a sum that one person moves by at most %s",
                cli_number_exact(run->sigma).text, cli_number_exact(run->sensitivity).text);
    cli_protects_text(DP2DP_REPLACE_ONE, 1, out);
    cli_out_row(out, "epsilon", "%s", cli_number_up(epsilon, 4).text);
    cli_out_row(out, "delta", "%s", cli_number_up(delta, 4).text);
    cli_out_row(
        out, "holds if",
        "every step uses all records and the same step size, no gradient is clipped, "
        "iterates are projected on the domain, and nobody ever sees an iterate but the last");
    fprintf(out->stream, "\n%sWhat it means%s\n", cli_bold(out), cli_plain(out));
    cli_explain_odds(epsilon, delta, out);
}

dp2dp_status cli_account_last_iterate(const cli_args *args, cli_out *out, dp2dp_error *error) {
    dp2dp_last_iterate run = {.struct_size = sizeof run};
    double epsilon = 0;
    CLI_TRY(read_run(args, &run, error));
    CLI_TRY(dp2dp_last_iterate_epsilon(&run, cli_real(args, "delta"), &epsilon, error));
    (cli_given(args, "json") ? print_json : print_text)(&run, epsilon, cli_real(args, "delta"),
                                                        out);
    return DP2DP_STATUS_OK;
}
