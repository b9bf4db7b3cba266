#include <math.h>
#include <string.h>

#include "cmd/cmd.h"
#include "common/number.h"
#include "input/kind.h"
#include "privacy/privacy.h"
#include "show/show.h"

typedef struct ledger_view {
    const char *path;
    dp2dp_model *model; /* the model that holds the ledger; NULL: the file is a ledger */
    const dp2dp_model_info *info;
    const dp2dp_ledger *ledger;
    dp2dp_ledger *owned; /* the same, unless the model owns it */
    dp2dp_accountant *accountant;
    cli_answer answer;
    uint64_t rows_per_person; /* the smallest over all entries: what every entry protects */
    size_t insecure;          /* entries whose noise was predictable */
    int has_budget;
    double budget_epsilon;
    double budget_delta;
    double spent; /* total epsilon of all entries at the budget's delta */
} ledger_view;

static dp2dp_status load(ledger_view *view, dp2dp_error *error) {
    if (cli_kind_is_model(view->path)) {
        CLI_TRY(dp2dp_model_load(view->path, &view->model, error));
        view->info = dp2dp_model_view(view->model);
        view->ledger = view->info->ledger;
    } else {
        CLI_TRY(cli_kind_ledger(view->path, &view->owned, error));
        view->ledger = view->owned;
    }
    return DP2DP_STATUS_OK;
}

static dp2dp_status open_view(const cli_args *args, ledger_view *view, dp2dp_error *error) {
    CLI_TRY(cli_args_check_mode(args, "ledger", NULL, error));
    CLI_TRY(load(view, error));
    CLI_TRY(dp2dp_ledger_budget(view->ledger, &view->has_budget, &view->budget_epsilon,
                                &view->budget_delta, error));
    const char *adjacency = dp2dp_adjacency_name(dp2dp_ledger_adjacency(view->ledger));
    if (cli_given(args, "adjacency") && strcmp(cli_word(args, "adjacency"), adjacency) != 0) {
        return cli_refuse(error, "--adjacency %s: this ledger uses %s", cli_word(args, "adjacency"),
                          adjacency);
    }
    if (view->info && !view->has_budget) {
        view->budget_delta = view->info->delta;
    } else if (!view->has_budget && !cli_given(args, "delta") && !cli_given(args, "epsilon")) {
        return cli_refuse(error, "--delta D is needed: the ledger has no budget to take it from");
    }
    return dp2dp_ledger_account(view->ledger, &view->accountant, error);
}

static dp2dp_status compute(const cli_args *args, ledger_view *view, dp2dp_error *error) {
    uint64_t least = 0; /* rows per person; 0: not known */
    CLI_TRY(cli_answer_compute(args, view->accountant, dp2dp_ledger_adjacency(view->ledger),
                               view->budget_delta, &view->answer, error));
    if (view->has_budget) {
        CLI_TRY(dp2dp_accountant_epsilon(view->accountant, view->budget_delta, DP2DP_BACKEND_AUTO,
                                         &view->spent, NULL, error));
    }
    for (size_t i = 0; i < dp2dp_ledger_size(view->ledger); i++) {
        dp2dp_rng_kind rng;
        dp2dp_event event = cli_entry(view->ledger, i, &rng);
        view->insecure += rng != DP2DP_RNG_SECURE;
        if (event.mechanism != DP2DP_DECLARED && (least == 0 || event.rows_per_person < least)) {
            least = event.rows_per_person;
        }
    }
    view->rows_per_person = least ? least : 1;
    return DP2DP_STATUS_OK;
}

static void print_json(const ledger_view *view, cli_out *out) {
    cli_json json = cli_json_begin(out->stream);
    cli_json_text(&json, view->info ? "model" : "ledger", view->path);
    cli_answer_json(&view->answer, &json);
    if (view->info) {
        cli_claimed_json(view->info, &json);
        cli_model_reasons_json(view->info, &json);
    } else {
        cli_json_truth(&json, "private", view->insecure == 0);
    }
    if (view->has_budget) {
        cli_json_open_object(&json, "budget");
        cli_json_real(&json, "epsilon", view->budget_epsilon);
        cli_json_real(&json, "delta", view->budget_delta);
        cli_json_real(&json, "spent", view->spent);
        cli_json_close_object(&json);
    } else {
        cli_json_text(&json, "budget", NULL);
    }
    cli_entries_json(view->ledger, &json);
    cli_json_end(&json);
}

static void print_text(const ledger_view *view, cli_out *out) {
    size_t size = dp2dp_ledger_size(view->ledger);
    if (view->info) {
        cli_reasons_text(view->info->not_private_because, out);
    } else if (view->insecure > 0) {
        fprintf(out->stream,
                "%sNOT PRIVATE%s: %zu of %zu entries used the insecure test generator\n",
                cli_alarm(out), cli_plain(out), view->insecure, size);
    }
    fprintf(out->stream, "%sPrivacy spent by ", cli_bold(out));
    cli_print_safely(out->stream, view->path);
    fprintf(out->stream, "%s\n", cli_plain(out));
    cli_out_row(out, "entries", "%zu", size);
    if (view->info) {
        cli_claimed_text(view->info, out);
    }
    cli_protects_text(view->answer.adjacency, view->rows_per_person, out);
    cli_answer_text(&view->answer, out);
    if (view->has_budget) {
        cli_out_row(out, "budget", "%s of epsilon %s spent, at delta %s%s",
                    cli_number_up(view->spent, 4).text, cli_number_exact(view->budget_epsilon).text,
                    cli_number_exact(view->budget_delta).text,
                    view->spent > view->budget_epsilon ? ": OVERSPENT" : "");
    }
    cli_entries_text(view->ledger, out);
    if (view->insecure == 0 && !(view->info && view->info->not_private_because)) {
        cli_answer_explain(&view->answer, view->accountant, out);
    }
}

/* An empty ledger costs nothing; a model made without noise has no finite cost. */
static void print_nothing_promised(const cli_args *args, const ledger_view *view, cli_out *out) {
    if (cli_given(args, "json")) {
        cli_json json = cli_json_begin(out->stream);
        cli_json_text(&json, "model", view->path);
        cli_json_text(&json, "epsilon", NULL);
        cli_json_text(&json, "delta", NULL);
        cli_claimed_json(view->info, &json);
        cli_model_reasons_json(view->info, &json);
        cli_json_end(&json);
        return;
    }
    cli_reasons_text(view->info->not_private_because, out);
    cli_claimed_text(view->info, out);
    cli_out_prose(out, "No epsilon holds for this model: nothing is promised.");
}

dp2dp_status cli_account_ledger(const cli_args *args, cli_out *out, dp2dp_error *error) {
    ledger_view view = {.path = args->operands[0]};
    dp2dp_status status = DP2DP_STATUS_OK;
    CLI_TRY_OR_DONE(open_view(args, &view, error));
    if (view.info && !cli_rule_has_epsilon(view.info)) {
        print_nothing_promised(args, &view, out);
    } else {
        CLI_TRY_OR_DONE(compute(args, &view, error));
        (cli_given(args, "json") ? print_json : print_text)(&view, out);
    }
done:
    dp2dp_accountant_free(view.accountant);
    dp2dp_ledger_free(view.owned);
    dp2dp_model_free(view.model);
    return status;
}
