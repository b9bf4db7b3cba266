#include <inttypes.h>
#include <string.h>

#include "cmd/cmd.h"
#include "common/json.h"
#include "common/number.h"
#include "privacy/privacy.h"

static void read_run(const cli_args *args, dp2dp_last_iterate *run) {
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
}

static void print_json(const dp2dp_last_iterate *run, const cli_answer *answer, cli_out *out) {
    cli_json json = cli_json_begin(out->stream);
    cli_cost_json(answer->epsilon, answer->delta, DP2DP_REPLACE_ONE, &json);
    cli_json_text(&json, "accountant", "last-iterate");
    cli_warnings_json(answer->warnings, &json);
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

static void print_text(const dp2dp_last_iterate *run, const cli_answer *answer, cli_out *out) {
    fprintf(out->stream, "%sPrivacy cost of the last iterate alone%s\n", cli_bold(out),
            cli_plain(out));
    cli_out_row(
        out, "mechanism", "full-batch noisy descent on %s records, %" PRIu64 " steps of size %s",
        cli_number_exact(run->population).text, run->steps, cli_number_exact(run->step_size).text);
    cli_out_row(out, "noise", "sigma %s on a sum that one person can change by at most %s",
                cli_number_exact(run->sigma).text, cli_number_exact(run->sensitivity).text);
    cli_protects_text(DP2DP_REPLACE_ONE, 1, out);
    cli_out_row(out, "epsilon", "%s", cli_number_up(answer->epsilon, 4).text);
    cli_out_row(out, "delta", "%s", cli_number_up(answer->delta, 4).text);
    cli_out_row(out, "holds if",
                "every step uses all records and the same step size, no gradient is clipped, "
                "iterates are projected on the domain, and only the last iterate is ever visible");
    cli_out_section(out, "What it means");
    cli_explain_epsilon(answer->epsilon, answer->delta, answer->warnings, out);
}

static dp2dp_status account_last_iterate(const cli_args *args, cli_out *out, dp2dp_error *error) {
    dp2dp_last_iterate run = {.struct_size = sizeof run};
    cli_answer answer = {.adjacency = DP2DP_REPLACE_ONE, .delta = cli_real(args, "delta")};
    read_run(args, &run);
    CLI_TRY(dp2dp_last_iterate_epsilon(&run, answer.delta, &answer.epsilon, error));
    answer.warnings =
        cli_answer_warn(args, answer.epsilon, answer.delta, cli_count(args, "population"));
    (cli_given(args, "json") ? print_json : print_text)(&run, &answer, out);
    return DP2DP_STATUS_OK;
}

static dp2dp_status account_mechanism(const cli_args *args, cli_out *out, dp2dp_error *error) {
    cli_release release;
    cli_answer answer;
    dp2dp_accountant *accountant = NULL;
    dp2dp_status status = DP2DP_STATUS_OK;
    CLI_TRY(cli_release_read(args, NULL, &release, error));
    CLI_TRY(dp2dp_accountant_new(release.adjacency, &accountant, error));
    CLI_TRY_OR_DONE(dp2dp_accountant_add(accountant, &release.event, error));
    CLI_TRY_OR_DONE(cli_answer_compute(args, accountant, release.adjacency, 0, &answer, error));
    answer.warnings = cli_answer_warn(args, answer.epsilon, answer.delta, release.population);
    if (cli_given(args, "json")) {
        cli_json json = cli_json_begin(out->stream);
        cli_answer_json(&answer, &json);
        cli_release_json(&release, &json);
        cli_json_end(&json);
    } else {
        fprintf(out->stream, "%sPrivacy cost%s\n", cli_bold(out), cli_plain(out));
        cli_release_text(&release, out);
        cli_answer_text(&answer, out);
        cli_answer_explain(&answer, accountant, out);
    }
done:
    dp2dp_accountant_free(accountant);
    return status;
}

static dp2dp_status check_subject(const cli_args *args, dp2dp_error *error) {
    return args->operand_count == 0 && !args->unsure && cli_missing(args, "mechanism")
               ? cli_refuse(error,
                            "give a ledger or model FILE, or --mechanism with one of %s (use "
                            "gaussian for noise on a sum over all records)",
                            cli_option_find(args->verb, "mechanism")->value)
               : DP2DP_STATUS_OK;
}

static dp2dp_status check_mode(const cli_args *args, dp2dp_error *error) {
    const char *mechanism = cli_word_if_sure(args, "mechanism");
    const char *mode = args->operand_count > 0 ? "ledger" : mechanism;
    return mode ? cli_args_check_mode(args, mode, NULL, error) : DP2DP_STATUS_OK;
}

/* Refuses a mechanism if both --delta and --epsilon are missing. Checks neither last-iterate, whose
 * mode requires --delta anyway, nor a ledger file, which may hold a delta. */
static dp2dp_status check_delta(const cli_args *args, dp2dp_error *error) {
    const char *mechanism = cli_word_if_sure(args, "mechanism");
    return args->operand_count == 0 && mechanism && strcmp(mechanism, "last-iterate") != 0 &&
                   cli_missing(args, "delta") && cli_missing(args, "epsilon")
               ? cli_refuse(error, "--delta D is needed; or give --epsilon E to compute delta")
               : DP2DP_STATUS_OK;
}

static dp2dp_status check_adjacency(const cli_args *args, dp2dp_error *error) {
    const char *mechanism = cli_word_if_sure(args, "mechanism");
    const char *adjacency = cli_word_if_sure(args, "adjacency");
    return mechanism && adjacency && strcmp(mechanism, "last-iterate") == 0 &&
                   strcmp(adjacency, "replace-one") != 0
               ? cli_refuse(error,
                            "--mechanism last-iterate works only with --adjacency replace-one: the "
                            "bound needs a fixed, public number of records")
               : DP2DP_STATUS_OK;
}

void cli_account_check(const cli_args *args) {
    static const cli_args_rule rules[] = {check_subject, check_mode, check_delta, check_adjacency,
                                          NULL};
    cli_args_check_rules(args, rules);
}

dp2dp_status cmd_account(const cli_args *args, cli_out *out, dp2dp_error *error) {
    const char *mechanism = cli_word(args, "mechanism");
    if (args->operand_count > 0) {
        return cli_account_ledger(args, out, error);
    }
    if (strcmp(mechanism, "last-iterate") == 0) {
        return account_last_iterate(args, out, error);
    }
    return account_mechanism(args, out, error);
}
