#include <math.h>
#include <string.h>

#include "cmd/cmd.h"
#include "common/number.h"
#include "input/kind.h"
#include "privacy/privacy.h"
#include "show/show.h"

typedef struct ledger_view {
    const char *path;
    dp2dp_model *model; /* the model that holds the ledger; NULL if the file is a ledger */
    const dp2dp_model_info *info; /* the contents of `model`, or NULL */
    const dp2dp_ledger *ledger;
    dp2dp_ledger *owned; /* the ledger to free; NULL if the model owns it */
    dp2dp_accountant *accountant;
    int promises; /* 1: the cost is computed; 0: the file is a model for which no epsilon holds */
    cli_answer answer;
    uint64_t rows_per_person; /* the largest rows_per_person of any entry */
    cli_entries entries;
    cli_marks marks;
    int has_budget;
    double budget_epsilon;
    double budget_delta;
    double spent; /* epsilon of all entries together, computed at delta = budget_delta */
    char assumes[CLI_ASSUMES_SIZE];
} ledger_view;

static dp2dp_status open_view(const cli_args *args, ledger_view *view, dp2dp_error *error) {
    if (cli_kind_is_model(view->path)) {
        CLI_TRY(dp2dp_model_load(view->path, &view->model, error));
        view->info = dp2dp_model_view(view->model);
    } else {
        CLI_TRY(cli_kind_ledger(view->path, &view->owned, error));
    }
    view->ledger = view->info ? view->info->ledger : view->owned;
    view->entries = (cli_entries) {.ledger = view->ledger};
    view->marks = cli_marks_of(&view->entries);
    CLI_TRY(cli_assumes(view->ledger, view->assumes, error));
    CLI_TRY(dp2dp_ledger_budget(view->ledger, &view->has_budget, &view->budget_epsilon,
                                &view->budget_delta, error));
    const char *adjacency = dp2dp_adjacency_name(dp2dp_ledger_adjacency(view->ledger));
    if (cli_given(args, "adjacency") && strcmp(cli_word(args, "adjacency"), adjacency) != 0) {
        return cli_refuse(error,
                          "--adjacency %s cannot be used: this ledger was made with adjacency %s",
                          cli_word(args, "adjacency"), adjacency);
    }
    if (view->info && !view->has_budget) {
        view->budget_delta = view->info->delta;
    } else if (!view->has_budget && view->marks.exposed == 0 && !cli_given(args, "delta") &&
               !cli_given(args, "epsilon")) {
        return cli_refuse(error, "--delta D is needed: the ledger has no budget to take a delta "
                                 "from");
    }
    return dp2dp_ledger_account(view->ledger, &view->accountant, error);
}

/* Returns the largest rows_per_person of any charge. dp2dp_ledger_account assumes that value for
 * all charges. Only ledger files of format version 1 can have several values. */
static uint64_t find_rows(const dp2dp_ledger *ledger) {
    uint64_t rows = 1;
    for (size_t i = 0; i < dp2dp_ledger_size(ledger); i++) {
        dp2dp_event event = cli_entry(ledger, i, NULL);
        int has_unit = event.mechanism && event.mechanism != DP2DP_DECLARED &&
                       event.mechanism != DP2DP_EXPOSED;
        rows = has_unit && event.rows_per_person > rows ? event.rows_per_person : rows;
    }
    return rows;
}

/* Returns the size of the smallest set of people that the model was made from, or 0 if no size is
 * known. A model may be made from several sets, such as one for training and one for the rule. */
static uint64_t find_people(const dp2dp_model_info *info) {
    uint64_t least = info && info->strata > 0 ? info->records : 0;
    for (size_t i = 0; info && i < info->cover_count; i++) {
        uint64_t records = info->covers[i].records;
        least = records > 0 && (least == 0 || records < least) ? records : least;
    }
    return least;
}

/* Computes the cost. If a release in the ledger had no noise, every epsilon is infinite. */
static dp2dp_status compute(const cli_args *args, ledger_view *view, dp2dp_error *error) {
    view->rows_per_person = find_rows(view->ledger);
    if (view->marks.exposed > 0) {
        view->answer = (cli_answer) {.adjacency = dp2dp_ledger_adjacency(view->ledger),
                                     .epsilon = INFINITY,
                                     .delta = view->has_budget           ? view->budget_delta
                                              : cli_given(args, "delta") ? cli_real(args, "delta")
                                                                         : NAN};
        view->spent = INFINITY;
        return DP2DP_STATUS_OK;
    }
    CLI_TRY(cli_answer_compute(args, view->accountant, dp2dp_ledger_adjacency(view->ledger),
                               view->budget_delta, &view->answer, error));
    view->answer.warnings =
        cli_answer_warn(args, view->answer.epsilon, view->answer.delta, find_people(view->info));
    if (view->has_budget) {
        CLI_TRY(dp2dp_accountant_epsilon(view->accountant, view->budget_delta, DP2DP_BACKEND_AUTO,
                                         &view->spent, NULL, error));
    }
    return DP2DP_STATUS_OK;
}

enum {
    MANY_TIMES = 10
};

/* Returns whether epsilon was computed at a delta that is much larger than the budget's. Such an
 * epsilon looks much smaller than the one that the budget limits. */
static int is_above_budget(const ledger_view *view) {
    return !view->info && view->has_budget && view->marks.exposed == 0 &&
           view->answer.epsilon < view->spent &&
           view->answer.delta > MANY_TIMES * view->budget_delta;
}

static void print_json(const ledger_view *view, cli_out *out) {
    cli_json json = cli_json_begin(out->stream);
    cli_json_text(&json, view->info ? "model" : "ledger", view->path);
    if (view->promises) {
        cli_answer_json(&view->answer, &json);
    } else {
        cli_json_real(&json, "epsilon", NAN);
        cli_json_real(&json, "delta", NAN);
    }
    if (view->info) {
        unsigned reasons = view->info->not_private_because;
        cli_claimed_json(view->info, &json);
        cli_reasons_json(reasons == 0, reasons, &json);
    } else {
        cli_json_truth(&json, "private", view->marks.insecure + view->marks.exposed == 0);
    }
    cli_marks_json(&view->entries, view->info && cli_is_exposed(view->info), view->assumes, &json);
    if (view->has_budget && view->promises) {
        cli_json_open_object(&json, "budget");
        cli_json_real(&json, "epsilon", view->budget_epsilon);
        cli_json_real(&json, "delta", view->budget_delta);
        cli_json_real(&json, "spent", view->spent);
        if (is_above_budget(view)) {
            cli_json_truth(&json, "delta_is_larger", 1);
        }
        cli_json_close_object(&json);
    } else if (view->promises) {
        cli_json_text(&json, "budget", NULL);
    }
    if (view->promises) {
        cli_entries_json(view->ledger, &json);
    }
    cli_json_end(&json);
}

static void print_text(const ledger_view *view, cli_out *out) {
    size_t size = dp2dp_ledger_size(view->ledger);
    if (view->info) {
        cli_reasons_text(view->info->not_private_because, out);
    } else {
        cli_alarms_text(&view->entries, "", out);
    }
    if (!view->promises) {
        cli_claimed_text(view->info, out);
        cli_out_prose(out, "No epsilon holds for this model: nothing is promised.");
        return;
    }
    fprintf(out->stream, "%sPrivacy spent by ", cli_bold(out));
    cli_print_safely(out->stream, view->path);
    fprintf(out->stream, "%s\n", cli_plain(out));
    cli_out_row(out, "entries", "%zu", size);
    if (view->info) {
        cli_claimed_text(view->info, out);
    }
    cli_protects_text(view->answer.adjacency, view->rows_per_person, out);
    cli_out_row(out, "assumes", "%s", view->assumes);
    if (isinf(view->answer.epsilon)) {
        cli_out_row(out, "epsilon", "none: a release without noise has no finite epsilon");
    } else {
        cli_answer_text(&view->answer, out);
    }
    if (view->has_budget) {
        cli_out_row(out, "budget", "%s of epsilon %s spent, at delta %s%s",
                    cli_number_up(view->spent, 4).text, cli_number_exact(view->budget_epsilon).text,
                    cli_number_exact(view->budget_delta).text,
                    view->spent > view->budget_epsilon ? ": OVERSPENT" : "");
    }
    cli_entries_text(view->ledger, out);
    if (view->marks.insecure + view->marks.exposed == 0 &&
        !(view->info && view->info->not_private_because)) {
        cli_answer_explain(&view->answer, view->accountant, out);
    }
    if (is_above_budget(view)) {
        cli_out_prose(out,
                      "CAUTION: delta, %s, is far above the delta of the ledger's budget, %s. A "
                      "larger delta makes epsilon smaller without protecting anybody better. Quote "
                      "the epsilon of the budget.",
                      cli_number_up(view->answer.delta, 4).text,
                      cli_number_exact(view->budget_delta).text);
    }
}

dp2dp_status cli_account_ledger(const cli_args *args, cli_out *out, dp2dp_error *error) {
    ledger_view view = {.path = args->operands[0]};
    dp2dp_status status = DP2DP_STATUS_OK;
    CLI_TRY_OR_DONE(open_view(args, &view, error));
    /* A ledger file always has a cost: 0 if the ledger is empty, infinity if a release had no
     * noise. A model has no cost if no epsilon holds for it, for example because its rule has no
     * noise. */
    view.promises = view.info == NULL || dp2dp_model_has_epsilon(view.info);
    if (view.promises) {
        CLI_TRY_OR_DONE(compute(args, &view, error));
    }
    (cli_given(args, "json") ? print_json : print_text)(&view, out);
done:
    dp2dp_accountant_free(view.accountant);
    dp2dp_ledger_free(view.owned);
    dp2dp_model_free(view.model);
    return status;
}
