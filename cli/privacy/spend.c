#include "privacy/privacy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/sink.h"

dp2dp_status cli_spend_check_budget(const cli_args *args, const char *no_privacy,
                                    dp2dp_error *error) {
    if (cli_missing(args, "epsilon")) {
        cli_faults_note(args->faults,
                        cli_refuse(error,
                                   "--epsilon E is needed: epsilon limits how much may be learned "
                                   "about any one person (for a result without privacy, use %s or "
                                   "--epsilon inf)",
                                   no_privacy),
                        error);
    }
    if (!isinf(cli_real(args, "epsilon")) && cli_missing(args, "delta")) {
        cli_faults_note(args->faults,
                        cli_refuse(error, "--delta D is needed: a small number such as 1e-5, far "
                                          "below 1 / (number of people)"),
                        error);
    }
    return cli_faults_refuse(args->faults, error);
}

dp2dp_status cli_spend_check_ledger(const cli_args *args, dp2dp_error *error) {
    static const char *const of_ledgers[] = {"budget", "note", "new-ledger"};
    const char *path = cli_word(args, "ledger");
    const char *model = cli_option_find(args->verb, "out") ? cli_word(args, "out") : NULL;
    int missing = cli_missing(args, "ledger");
    for (size_t i = 0; missing && i < sizeof of_ledgers / sizeof of_ledgers[0]; i++) {
        if (cli_option_find(args->verb, of_ledgers[i]) && cli_given(args, of_ledgers[i])) {
            cli_faults_note(
                args->faults,
                cli_refuse(error,
                           "--%s needs --ledger FILE: without a ledger, this option does "
                           "nothing",
                           of_ledgers[i]),
                error);
        }
    }
    if (path == NULL) {
        return cli_faults_refuse(args->faults, error);
    }
    if (strcmp(path, "-") == 0) {
        return cli_refuse(error, "--ledger must be the name of a file, not standard output (-)");
    }
    static const char *const beside[] = {"", ".lock", ".tmp"};
    for (size_t i = 0; model && i < sizeof beside / sizeof beside[0]; i++) {
        char taken[PATH_MAX];
        snprintf(taken, sizeof taken, "%s%s", path, beside[i]);
        if (strcmp(taken, model) == 0 || cli_place_same(taken, model)) {
            return cli_refuse(
                error, "--out must not be the ledger, its .lock file or its .tmp file: %.200s",
                taken);
        }
    }
    return DP2DP_STATUS_OK;
}

dp2dp_status cli_spend_open(const cli_args *args, dp2dp_ledger **out, cli_spent *spent,
                            dp2dp_error *error) {
    const char *path = cli_word(args, "ledger");
    dp2dp_status status = DP2DP_STATUS_OK;
    *out = NULL;
    *spent = (cli_spent) {.path = path};
    CLI_TRY(cli_spend_check_ledger(args, error));
    if (path == NULL) {
        return DP2DP_STATUS_OK;
    }
    CLI_TRY_OR_DONE((cli_given(args, "new-ledger") ? dp2dp_ledger_create : dp2dp_ledger_open)(
        path, DP2DP_REPLACE_ONE, out, error));
    spent->is_new = dp2dp_ledger_size(*out) == 0;
    cli_people_tell(args, *out);
    CLI_TRY_OR_DONE(dp2dp_ledger_describe(*out, args->verb->name, cli_word(args, "note"), error));
    if (cli_option_find(args->verb, "budget") && cli_given(args, "budget")) {
        CLI_TRY_OR_DONE(dp2dp_ledger_set_budget_with_charge(*out, cli_real(args, "budget"),
                                                            cli_real(args, "delta"), error));
    }
    return DP2DP_STATUS_OK;
done:
    if (error->reason == DP2DP_REASON_WRONG_FILE) {
        cli_error_add(error, "; give --ledger an existing ledger, or a new file name to begin a "
                             "ledger");
    }
    dp2dp_ledger_free(*out);
    *out = NULL;
    return status;
}

/* Returns whether the command costs an infinite epsilon, because it adds no noise or, like run,
 * also shows exact results. */
static int is_exposing(const cli_args *args) {
    return strcmp(args->verb->name, "run") == 0 ||
           (cli_option_find(args->verb, "solver") &&
            strcmp(cli_word(args, "solver"), "exact") == 0) ||
           (cli_option_find(args->verb, "method") &&
            strcmp(cli_word(args, "method"), "none") == 0) ||
           (cli_option_find(args->verb, "epsilon") && cli_given(args, "epsilon") &&
            isinf(cli_real(args, "epsilon")));
}

/* Completes the message with which a ledger refused a charge: adds the path of the ledger file, and
 * advice. If the message already ends with advice, moves this advice behind the path. */
static void refuse_budget(const cli_args *args, const char *ledger, dp2dp_error *error) {
    const dp2dp_error found = *error;
    const dp2dp_word *reason = dp2dp_word_find(DP2DP_WORDS_REASON, (int)found.reason);
    const char *advice = reason ? reason->help : NULL;
    const char *at = advice ? strstr(found.message, advice) : NULL;
    int length = at ? (int)(at - found.message) - 2 : 150; /* cuts off "; " and the advice */
    const char *more =
        is_exposing(args) ? "no value of --epsilon helps: the result of this command is not "
                            "private, and a ledger with a budget never allows that"
        : at              ? advice
        : cli_option_find(args->verb, "dry-run") == NULL || cli_given(args, "dry-run")
            ? ""
            : "--dry-run shows what a smaller --epsilon would cost";
    (void)cli_fail(error, DP2DP_STATUS_BUDGET, "%.*s: %.120s%s%s", length, found.message, ledger,
                   *more ? "; " : "", more);
    error->reason = found.reason;
}

/* Replaces the library's name of an option (same_people) in the message by its name on the command
 * line. */
static void respell(dp2dp_error *error) {
    static const char name[] = "set same_people", option[] = "use --same-people";
    const dp2dp_error found = *error;
    const char *at = strstr(found.message, name);
    if (at) {
        snprintf(error->message, sizeof error->message, "%.*s%s%s", (int)(at - found.message),
                 found.message, option, at + strlen(name));
    }
}

dp2dp_status cli_spend_failure(const cli_args *args, dp2dp_status status, dp2dp_error *error) {
    const char *ledger = cli_word(args, "ledger");
    if (status == DP2DP_STATUS_ARGUMENT) {
        respell(error);
    }
    if (status == DP2DP_STATUS_CANCELLED) {
        (void)cli_fail(error, status, "interrupted: no model was written%s%.120s%s",
                       ledger ? "; what was charged to " : "", ledger ? ledger : "",
                       ledger ? " stays charged" : "");
    }
    if (status == DP2DP_STATUS_BUDGET && ledger) {
        refuse_budget(args, ledger, error);
    }
    return status;
}

/* Returns the id of the last release in the model, or NULL if this release had no noise. */
static const char *release_of(const dp2dp_model_info *info) {
    dp2dp_event last;
    int noiseless =
        info->strata > 0 && (info->solver == DP2DP_SOLVER_EXACT || isinf(info->options->epsilon));
    return !noiseless && cli_last_event(info->ledger, &last) ? last.release_id : NULL;
}

dp2dp_status cli_spend_publish(dp2dp_ledger *ledger, const dp2dp_model *model, cli_sink *sink,
                               dp2dp_error *error) {
    char *text = NULL;
    char checksum[CLI_CHECKSUM_SIZE];
    size_t length = 0;
    dp2dp_status status = DP2DP_STATUS_OK;
    CLI_TRY_OR_DONE(dp2dp_model_to_json(model, &text, &length, error));
    CLI_TRY_OR_DONE(cli_sink_sealed(sink, text, length, checksum, error));
    if (ledger) {
        status = dp2dp_ledger_publish(ledger, release_of(dp2dp_model_view(model)), checksum, error);
    }
done:
    dp2dp_text_free(text);
    return status;
}

dp2dp_event cli_entry(const dp2dp_ledger *ledger, size_t i, dp2dp_rng_kind *rng) {
    dp2dp_event event = DP2DP_EVENT_INIT;
    dp2dp_rng_kind ignored;
    if (dp2dp_ledger_entry(ledger, i, &event, rng ? rng : &ignored, NULL) != DP2DP_STATUS_OK) {
        abort(); /* the caller asked for an entry that does not exist */
    }
    return event;
}

const char *cli_entry_set(const dp2dp_event *event) {
    return event->set && *event->set ? event->set : event->role ? event->role : "";
}

int cli_last_event(const dp2dp_ledger *ledger, dp2dp_event *out) {
    *out = DP2DP_EVENT_INIT;
    for (size_t i = dp2dp_ledger_size(ledger); i > 0; i--) {
        *out = cli_entry(ledger, i - 1, NULL);
        if (out->mechanism) {
            return 1;
        }
    }
    return 0;
}

/* Returns whether an entry is a charge that counts for the people named `set`. If `set` is NULL,
 * returns whether the entry is a charge. */
static int touches(const dp2dp_event *event, const char *set) {
    const char *own = cli_entry_set(event);
    return event->mechanism && (set == NULL || *own == '\0' || strcmp(own, set) == 0);
}

dp2dp_status cli_spend_of(const cli_entries *entries, double delta, double *epsilon,
                          dp2dp_error *error) {
    dp2dp_accountant *accountant = NULL;
    dp2dp_status status = DP2DP_STATUS_OK;
    size_t end = entries->end ? entries->end : dp2dp_ledger_size(entries->ledger);
    if (cli_marks_of(entries).exposed > 0) {
        *epsilon = INFINITY;
        return DP2DP_STATUS_OK;
    }
    CLI_TRY(dp2dp_accountant_new(dp2dp_ledger_adjacency(entries->ledger), &accountant, error));
    for (size_t i = entries->first; i < end; i++) {
        dp2dp_event event = cli_entry(entries->ledger, i, NULL);
        if (touches(&event, entries->set)) {
            CLI_TRY_OR_DONE(dp2dp_accountant_add(accountant, &event, error));
        }
    }
    status = dp2dp_accountant_epsilon(accountant, delta, DP2DP_BACKEND_AUTO, epsilon, NULL, error);
done:
    dp2dp_accountant_free(accountant);
    return status;
}

cli_marks cli_marks_of(const cli_entries *entries) {
    cli_marks marks = {0};
    size_t end = entries->end ? entries->end : dp2dp_ledger_size(entries->ledger);
    for (size_t i = entries->first; i < end; i++) {
        dp2dp_rng_kind rng;
        dp2dp_event event = cli_entry(entries->ledger, i, &rng);
        if (touches(&event, entries->set)) {
            marks.charges++;
            marks.insecure += rng != DP2DP_RNG_SECURE;
            marks.exposed += event.mechanism == DP2DP_EXPOSED;
        }
    }
    return marks;
}

cli_bound cli_bound_wider(const dp2dp_accountant *accountant, double delta) {
    cli_bound found = {INFINITY, delta * 10};
    dp2dp_error ignored;
    while (found.delta < 0.1 &&
           dp2dp_accountant_epsilon(accountant, found.delta, DP2DP_BACKEND_AUTO, &found.epsilon,
                                    NULL, &ignored) != DP2DP_STATUS_OK) {
        found = (cli_bound) {INFINITY, found.delta * 10};
    }
    return isinf(found.epsilon) ? (cli_bound) {0} : found;
}

dp2dp_status cli_spend_total(const cli_args *args, const dp2dp_ledger *ledger, cli_spent *spent,
                             dp2dp_error *error) {
    dp2dp_accountant *accountant = NULL;
    dp2dp_status status = DP2DP_STATUS_OK;
    if (spent->path == NULL) {
        return DP2DP_STATUS_OK;
    }
    CLI_TRY(dp2dp_ledger_budget(ledger, &spent->has_budget, &spent->budget, &spent->delta, error));
    spent->delta = spent->has_budget ? spent->delta : cli_real(args, "delta");
    spent->entries = (cli_entries) {.ledger = ledger, .end = dp2dp_ledger_size(ledger)};
    spent->epsilon = INFINITY;
    CLI_TRY(cli_assumes(ledger, spent->assumes, error));
    if (cli_marks_of(&spent->entries).exposed > 0) {
        return DP2DP_STATUS_OK;
    }
    CLI_TRY_OR_DONE(dp2dp_ledger_account(ledger, &accountant, error));
    status = dp2dp_accountant_epsilon(accountant, spent->delta, DP2DP_BACKEND_AUTO, &spent->epsilon,
                                      NULL, error);
    if (status == DP2DP_STATUS_NO_BOUND) {
        spent->wider = cli_bound_wider(accountant, spent->delta);
    }
done:
    dp2dp_accountant_free(accountant);
    return status == DP2DP_STATUS_NO_BOUND ? DP2DP_STATUS_OK : status;
}
