#include <string.h>

#include "cmd/account.h"
#include "cmd/cmd.h"
#include "privacy/answer.h"
#include "privacy/release.h"

static void print(const cli_args *args, const cli_release *release, const cli_answer *answer,
                  const dp2dp_accountant *accountant, cli_out *out) {
    if (cli_given(args, "json")) {
        cli_json json = cli_json_begin(out->stream);
        cli_answer_json(answer, &json);
        cli_release_json(release, &json);
        cli_json_end(&json);
        return;
    }
    fprintf(out->stream, "%sPrivacy cost%s\n", cli_bold(out), cli_plain(out));
    cli_release_text(release, out);
    cli_answer_text(answer, out);
    cli_answer_explain(answer, accountant, out);
}

static dp2dp_status account_mechanism(const cli_args *args, cli_out *out, dp2dp_error *error) {
    cli_release release;
    cli_answer answer;
    dp2dp_accountant *accountant = NULL;
    dp2dp_status status = DP2DP_STATUS_OK;
    CLI_TRY_OR_DONE(cli_release_read(args, NULL, &release, error));
    if (!cli_given(args, "delta") && !cli_given(args, "epsilon")) {
        CLI_TRY_OR_DONE(cli_fail(error, DP2DP_STATUS_ARGUMENT,
                                 "--delta D is needed (or --epsilon E, to ask for delta)"));
    }
    CLI_TRY_OR_DONE(dp2dp_accountant_new(release.adjacency, &accountant, error));
    CLI_TRY_OR_DONE(dp2dp_accountant_add(accountant, &release.event, error));
    CLI_TRY_OR_DONE(cli_answer_compute(args, accountant, release.adjacency, 0, &answer, error));
    print(args, &release, &answer, accountant, out);
done:
    dp2dp_accountant_free(accountant);
    return status;
}

dp2dp_status cmd_account(const cli_args *args, cli_out *out, dp2dp_error *error) {
    const char *mechanism = cli_word(args, "mechanism");
    if (args->operand_count > 0) {
        return cli_account_ledger(args, out, error);
    }
    if (mechanism == NULL) {
        return cli_fail(error, DP2DP_STATUS_ARGUMENT,
                        "give a ledger or model FILE or --mechanism: gaussian for noise on a sum "
                        "over all records; one of %s",
                        cli_option_find(args->verb, "mechanism")->value);
    }
    if (strcmp(mechanism, "last-iterate") == 0) {
        return cli_account_last_iterate(args, out, error);
    }
    return account_mechanism(args, out, error);
}
