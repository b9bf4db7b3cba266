#include "privacy/privacy.h"

#include <math.h>

#include "common/number.h"

/* The cost of the command, and its effect on the file of --ledger. */
typedef struct outlook {
    double epsilon;   /* cost of this command alone; NAN: no noise is added */
    cli_spent before; /* the file as it is; path NULL: --ledger is not given */
    double after;     /* epsilon of the file after this command */
    int allowed;      /* the file's budget allows this command */
} outlook;

/* Charges a copy of the file in memory, to see whether its budget refuses. */
static dp2dp_status ask_ledger(const cli_args *args, const dp2dp_ledger *dry, outlook *out,
                               dp2dp_error *error) {
    dp2dp_ledger *copy = NULL;
    dp2dp_status status = DP2DP_STATUS_OK;
    CLI_TRY(cli_spend_open(args, CLI_SPEND_COPY, &copy, error));
    if (copy == NULL) {
        return DP2DP_STATUS_OK;
    }
    CLI_TRY_OR_DONE(cli_spend_total(args, copy, &out->before, error));
    CLI_TRY_OR_DONE(
        cli_spend_of(&(cli_entries) {.ledger = copy}, dry, out->before.delta, &out->after, error));
    for (size_t i = 0; i < dp2dp_ledger_size(dry) && out->allowed; i++) {
        dp2dp_rng_kind rng;
        dp2dp_event event = cli_entry(dry, i, &rng);
        status = dp2dp_ledger_charge(copy, &event, rng, error);
        out->allowed = status != DP2DP_STATUS_BUDGET;
        CLI_TRY_OR_DONE(out->allowed ? status : DP2DP_STATUS_OK);
    }
done:
    dp2dp_ledger_free(copy);
    return status;
}

static void print_json(const cli_args *args, const dp2dp_ledger *dry, const outlook *o,
                       cli_out *out) {
    cli_json json = cli_json_begin(out->stream);
    cli_json_truth(&json, "dry_run", 1);
    cli_cost_json(o->epsilon, cli_real(args, "delta"), DP2DP_REPLACE_ONE, &json);
    cli_spent_json(&o->before, &json);
    cli_json_real(&json, "spent_after", o->before.path ? o->after : NAN);
    cli_json_truth(&json, "allowed", o->allowed);
    cli_entries_json(dry, &json);
    cli_json_end(&json);
}

/* Do external weights (train --weights) come with a declared cost? */
static int is_declared(const cli_args *args) {
    return cli_option_find(args->verb, "weights") && cli_given(args, "weights") &&
           cli_given(args, "epsilon");
}

static void print_text(const cli_args *args, const dp2dp_ledger *dry, const outlook *o,
                       cli_out *out) {
    fprintf(out->stream, "%sDry run%s: nothing was charged, drawn or written\n", cli_bold(out),
            cli_plain(out));
    if (dp2dp_ledger_size(dry) == 0) {
        cli_out_row(out, "would charge", "nothing: no noise is added%s",
                    is_declared(args) ? "" : ", and nothing is promised");
        return;
    }
    cli_out_row(out, "would charge", "epsilon %s at delta %s", cli_number_up(o->epsilon, 4).text,
                cli_number_up(cli_real(args, "delta"), 4).text);
    cli_spent_text(&o->before, out);
    if (o->before.path) {
        cli_out_row(out, "afterwards", "epsilon %s%s%s in all: %s", cli_number_up(o->after, 4).text,
                    o->before.has_budget ? " of " : "",
                    o->before.has_budget ? cli_number_exact(o->before.budget).text : "",
                    o->allowed ? "allowed"
                               : "NOT allowed by the budget: the command would exit with 3");
    }
    cli_entries_text(dry, out);
}

dp2dp_status cli_dry_print(const cli_args *args, const dp2dp_ledger *dry, cli_out *out,
                           dp2dp_error *error) {
    outlook o = {.epsilon = NAN, .allowed = 1};
    if (dp2dp_ledger_size(dry) > 0) {
        CLI_TRY(cli_spend_of(&(cli_entries) {.ledger = dry}, NULL, cli_real(args, "delta"),
                             &o.epsilon, error));
    }
    if (cli_option_find(args->verb, "ledger")) {
        CLI_TRY(ask_ledger(args, dry, &o, error));
    }
    (cli_given(args, "json") ? print_json : print_text)(args, dry, &o, out);
    return DP2DP_STATUS_OK;
}
