#include "privacy/privacy.h"

#include <math.h>

#include "common/number.h"

/* Copies a ledger to memory. If `from` is NULL, makes an empty ledger. */
static dp2dp_status copy(const dp2dp_ledger *from, dp2dp_ledger **out, dp2dp_error *error) {
    char *text = NULL;
    size_t length = 0;
    if (from == NULL) {
        return dp2dp_ledger_new(DP2DP_REPLACE_ONE, out, error);
    }
    CLI_TRY(dp2dp_ledger_to_json(from, &text, &length, error));
    dp2dp_status status = dp2dp_ledger_from_json(text, length, out, error);
    dp2dp_text_free(text);
    return status;
}

dp2dp_status cli_dry_open(const cli_args *args, cli_dry *dry, dp2dp_error *error) {
    dp2dp_ledger *file = NULL;
    int has_budget = 0;
    double epsilon, delta;
    dp2dp_status status = DP2DP_STATUS_OK;
    *dry = (cli_dry) {0};
    if (cli_option_find(args->verb, "ledger")) {
        CLI_TRY(cli_spend_open(args, &file, &dry->before, error));
    }
    CLI_TRY_OR_DONE(copy(file, &dry->ledger, error));
    dry->held = dp2dp_ledger_size(dry->ledger);
    if (file) {
        CLI_TRY_OR_DONE(dp2dp_ledger_budget(file, &has_budget, &epsilon, &delta, error));
    }
    if (has_budget) {
        CLI_TRY_OR_DONE(dp2dp_ledger_set_budget_with_charge(dry->ledger, epsilon, delta, error));
    }
    CLI_TRY_OR_DONE(cli_spend_total(args, dry->ledger, &dry->before, error));
done:
    dp2dp_ledger_free(file);
    return status;
}

/* The cost of the command, and the state of the file of --ledger after the command. */
typedef struct outlook {
    cli_entries planned;
    size_t charges;
    double epsilon;  /* cost of the command alone; NAN if no noise is added */
    cli_spent after; /* the file of --ledger after the command */
} outlook;

static unsigned warnings_of(const cli_args *args, const cli_dry *dry, const outlook *o) {
    return dry->warnings |
           (isnan(o->epsilon) ? 0
                              : dp2dp_warn_of_budget(cli_real(args, "epsilon"),
                                                     cli_real(args, "delta"), dry->records));
}

static void print_json(const cli_args *args, const cli_dry *dry, const outlook *o, cli_out *out) {
    cli_json json = cli_json_begin(out->stream);
    cli_json_truth(&json, "dry_run", 1);
    cli_cost_json(o->epsilon, cli_real(args, "delta"), DP2DP_REPLACE_ONE, &json);
    cli_spent_json(&dry->before, &json);
    cli_json_real(&json, "spent_after", dry->before.path ? o->after.epsilon : NAN);
    cli_json_truth(&json, "allowed", 1); /* a command that is refused has already failed */
    if (dry->before.path) {
        cli_json_truth(&json, "exposed_after",
                       dry->exposes || cli_marks_of(&o->after.entries).exposed > 0);
    }
    if (dry->reach && !isnan(dry->reach->least)) {
        cli_reach_json(dry->reach, &json);
    }
    cli_warnings_json_with(warnings_of(args, dry, o), dry->no_sensitive ? CLI_NO_SENSITIVE : 0U,
                           &json);
    cli_planned_json(&o->planned, &json);
    cli_json_end(&json);
}

/* Returns whether external weights (train --weights) come with a declared cost. */
static int is_declared(const cli_args *args) {
    return cli_option_find(args->verb, "weights") && cli_given(args, "weights") &&
           cli_given(args, "epsilon");
}

static void cost_text(const cli_args *args, const outlook *o, cli_out *out) {
    if (isnan(o->epsilon)) {
        cli_out_row(out, "would charge", "nothing: no noise is added%s",
                    is_declared(args) ? "" : ", and nothing is promised");
    } else if (isinf(o->epsilon)) {
        cli_out_row(out, "would charge",
                    "an infinite epsilon, because no noise is added; the ledger would record the "
                    "people as exposed");
    } else {
        cli_out_row(out, "would charge", "epsilon %s at delta %s",
                    cli_number_up(o->epsilon, 4).text,
                    cli_number_up(cli_real(args, "delta"), 4).text);
    }
}

static void print_text(const cli_args *args, const cli_dry *dry, const outlook *o, cli_out *out) {
    const cli_spent *after = &o->after;
    fprintf(out->stream, "%sDry run%s: nothing was charged, drawn or written\n", cli_bold(out),
            cli_plain(out));
    cost_text(args, o, out);
    cli_spent_text(&dry->before, out);
    if (dry->before.path && isinf(after->epsilon) && after->wider.delta > 0 && !dry->exposes) {
        cli_out_row(out, "afterwards",
                    "no epsilon holds at delta %s, which is too small for the declared releases; "
                    "at delta %s, the total would be epsilon %s",
                    cli_number_up(after->delta, 4).text, cli_number_up(after->wider.delta, 4).text,
                    cli_number_up(after->wider.epsilon, 4).text);
    } else if (dry->before.path && isinf(after->epsilon)) {
        cli_out_row(out, "afterwards", "the total would have no finite epsilon");
    } else if (dry->before.path) {
        cli_out_row(out, "afterwards", "the total would be epsilon %s%s%s: allowed",
                    cli_number_up(after->epsilon, 4).text,
                    after->has_budget ? ", within the budget of " : "",
                    after->has_budget ? cli_number_exact(after->budget).text : "");
    }
    if (o->charges > 0) {
        cli_planned_text(&o->planned, out);
    }
    char text[CLI_REACH_SIZE];
    if (dry->reach && cli_reach_caution(dry->reach, text)) {
        cli_out_prose(out, "%s", text);
    }
    cli_warnings_text(warnings_of(args, dry, o), out);
    cli_no_sensitive_text(dry->no_sensitive, out);
}

dp2dp_status cli_dry_print(const cli_args *args, const cli_dry *dry, cli_out *out,
                           dp2dp_error *error) {
    outlook o = {.planned = {.ledger = dry->ledger, .first = dry->held},
                 .epsilon = NAN,
                 .after = {.path = dry->before.path}};
    o.charges = cli_marks_of(&o.planned).charges;
    if (o.charges > 0) {
        CLI_TRY(cli_spend_of(&o.planned, cli_real(args, "delta"), &o.epsilon, error));
    }
    CLI_TRY(cli_spend_total(args, dry->ledger, &o.after, error));
    o.after.epsilon = dry->exposes ? INFINITY : o.after.epsilon;
    (cli_given(args, "json") ? print_json : print_text)(args, dry, &o, out);
    return DP2DP_STATUS_OK;
}
