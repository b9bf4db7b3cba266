#include <inttypes.h>
#include <string.h>

#include "cmd/cmd.h"
#include "common/number.h"
#include "privacy/privacy.h"

static dp2dp_unknown unknown_of(const char *find) {
    return strcmp(find, "rate") == 0    ? DP2DP_FIND_RATE
           : strcmp(find, "steps") == 0 ? DP2DP_FIND_COUNT
                                        : DP2DP_FIND_SIGMA;
}

/* Finds sigma, the rate or the number of steps, then computes the epsilon of the release with that
 * value. */
static dp2dp_status solve(const cli_args *args, dp2dp_accountant *accountant, cli_release *release,
                          cli_answer *answer, dp2dp_error *error) {
    dp2dp_unknown unknown = unknown_of(cli_word(args, "find"));
    dp2dp_backend backend = (dp2dp_backend)cli_enum(args, "accountant", DP2DP_WORDS_BACKEND);
    *answer = (cli_answer) {.adjacency = release->adjacency, .delta = cli_real(args, "delta")};
    CLI_TRY(dp2dp_accountant_calibrate(accountant, backend, unknown, cli_real(args, "epsilon"),
                                       answer->delta, &release->event, NULL, error));
    if (unknown == DP2DP_FIND_RATE) {
        CLI_TRY(cli_release_floor_batch(release, error));
    }
    CLI_TRY(dp2dp_accountant_add(accountant, &release->event, error));
    answer->warnings =
        cli_answer_warn(args, cli_real(args, "epsilon"), answer->delta, release->population);
    return dp2dp_accountant_epsilon(accountant, answer->delta, backend, &answer->epsilon,
                                    &answer->used, error);
}

static void print_text(const cli_args *args, const cli_release *release, const cli_answer *answer,
                       const dp2dp_accountant *accountant, cli_out *out) {
    const dp2dp_event *event = &release->event;
    fprintf(out->stream, "%sCalibrated to epsilon %s, delta %s%s\n", cli_bold(out),
            cli_word(args, "epsilon"), cli_word(args, "delta"), cli_plain(out));
    switch (unknown_of(cli_word(args, "find"))) {
    case DP2DP_FIND_SIGMA:
        cli_out_row(out, "sigma",
                    "%s (smallest within the budget; the standard deviation of the noise is sigma "
                    "times the bound on a record's norm)",
                    cli_number_up(event->sigma, 6).text);
        break;
    case DP2DP_FIND_RATE:
        cli_out_row(out, "rate", "%s (largest sampling rate within the budget)",
                    cli_number_down(event->rate, 6).text);
        break;
    case DP2DP_FIND_COUNT:
        cli_out_row(out, "steps", "%" PRIu64 " (largest number within the budget)", event->count);
        break;
    }
    cli_release_text(release, out);
    cli_answer_text(answer, out);
    cli_answer_explain(answer, accountant, out);
}

static dp2dp_status check_mechanism(const cli_args *args, dp2dp_error *error) {
    return cli_missing(args, "mechanism")
               ? cli_refuse(error,
                            "--mechanism is needed: one of %s (use gaussian for noise on a sum "
                            "over all records)",
                            cli_option_find(args->verb, "mechanism")->value)
               : DP2DP_STATUS_OK;
}

static dp2dp_status check_mode(const cli_args *args, dp2dp_error *error) {
    const char *mechanism = cli_word_if_sure(args, "mechanism");
    const char *find = cli_word_if_sure(args, "find");
    return mechanism && find ? cli_args_check_mode(args, mechanism, find, error) : DP2DP_STATUS_OK;
}

/* Refuses a command that has neither --mechanism nor the option `name`, which is "epsilon" or
 * "delta". If --mechanism is given, check_mode checks the option. */
static dp2dp_status check_budget(const cli_args *args, const char *name, dp2dp_error *error) {
    const cli_option *option = cli_option_find(args->verb, name);
    return cli_missing(args, "mechanism") && cli_missing(args, name)
               ? cli_refuse(error, "--%s %s is needed: %s", name, option->value, option->help)
               : DP2DP_STATUS_OK;
}

static dp2dp_status check_epsilon(const cli_args *args, dp2dp_error *error) {
    return check_budget(args, "epsilon", error);
}

static dp2dp_status check_delta(const cli_args *args, dp2dp_error *error) {
    return check_budget(args, "delta", error);
}

void cli_calibrate_check(const cli_args *args) {
    static const cli_args_rule rules[] = {check_mechanism, check_epsilon, check_delta, check_mode,
                                          NULL};
    cli_args_check_rules(args, rules);
}

dp2dp_status cmd_calibrate(const cli_args *args, cli_out *out, dp2dp_error *error) {
    cli_release release;
    cli_answer answer;
    dp2dp_accountant *accountant = NULL;
    dp2dp_status status = DP2DP_STATUS_OK;
    CLI_TRY(cli_release_read(args, cli_word(args, "find"), &release, error));
    CLI_TRY(dp2dp_accountant_new(release.adjacency, &accountant, error));
    CLI_TRY_OR_DONE(solve(args, accountant, &release, &answer, error));
    if (cli_given(args, "json")) {
        cli_json json = cli_json_begin(out->stream);
        cli_json_text(&json, "find", cli_word(args, "find"));
        cli_answer_json(&answer, &json);
        cli_json_real(&json, "epsilon_target", cli_real(args, "epsilon"));
        cli_release_json(&release, &json);
        cli_json_end(&json);
    } else {
        print_text(args, &release, &answer, accountant, out);
    }
done:
    dp2dp_accountant_free(accountant);
    return status;
}
