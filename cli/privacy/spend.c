#include "privacy/privacy.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/number.h"
#include "output/sink.h"

dp2dp_status cli_spend_check_budget(const cli_args *args, const char *no_privacy,
                                    dp2dp_error *error) {
    if (!cli_given(args, "epsilon")) {
        return cli_refuse(error,
                          "--epsilon E is needed: how much may be learned about any one person "
                          "(for no privacy: %s or --epsilon inf)",
                          no_privacy);
    }
    return isinf(cli_real(args, "epsilon")) || cli_given(args, "delta")
               ? DP2DP_STATUS_OK
               : cli_refuse(error, "--delta D is needed: the small probability that the factor "
                                   "e^epsilon is exceeded");
}

dp2dp_status cli_spend_check_ledger(const cli_args *args, const char *noiseless,
                                    dp2dp_error *error) {
    if (!cli_given(args, "ledger")) {
        return DP2DP_STATUS_OK;
    }
    if (noiseless) {
        return cli_refuse(
            error, "--ledger cannot be used with %s: without noise there is no cost to charge",
            noiseless);
    }
    return cli_word(args, "out") && cli_place_same(cli_word(args, "ledger"), cli_word(args, "out"))
               ? cli_refuse(error,
                            "--ledger and --out are the same file: the model would replace the "
                            "ledger")
               : DP2DP_STATUS_OK;
}

int cli_spend_is_new(const cli_args *args) {
    return cli_given(args, "ledger") && access(cli_word(args, "ledger"), F_OK) != 0 &&
           errno == ENOENT;
}

/* Loads the ledger file into memory; if there is no file yet, makes an empty ledger. */
static dp2dp_status load_copy(const cli_args *args, dp2dp_ledger **out, dp2dp_error *error) {
    const char *path = cli_word(args, "ledger");
    if (cli_spend_is_new(args)) {
        CLI_TRY(cli_place_check_folder(path, error));
        return dp2dp_ledger_new(DP2DP_REPLACE_ONE, out, error);
    }
    CLI_TRY(dp2dp_ledger_load(path, out, error));
    return dp2dp_ledger_adjacency(*out) == DP2DP_REPLACE_ONE
               ? DP2DP_STATUS_OK
               : cli_refuse(error, "the ledger does not use replace-one: %.200s", path);
}

dp2dp_status cli_spend_open(const cli_args *args, cli_spend_way way, dp2dp_ledger **out,
                            dp2dp_error *error) {
    *out = NULL;
    if (!cli_given(args, "ledger")) {
        return cli_given(args, "budget")
                   ? cli_refuse(error, "--budget needs --ledger FILE to store it")
                   : DP2DP_STATUS_OK;
    }
    const char *path = cli_word(args, "ledger");
    dp2dp_status status = way == CLI_SPEND_FILE
                              ? dp2dp_ledger_open(path, DP2DP_REPLACE_ONE, out, error)
                              : load_copy(args, out, error);
    if (status == DP2DP_STATUS_OK && cli_given(args, "budget")) {
        status =
            dp2dp_ledger_set_budget(*out, cli_real(args, "budget"), cli_real(args, "delta"), error);
    }
    if (status != DP2DP_STATUS_OK) {
        dp2dp_ledger_free(*out);
        *out = NULL;
    }
    return status;
}

dp2dp_status cli_spend_failure(const cli_args *args, dp2dp_status status, dp2dp_error *error) {
    const char *ledger = cli_word(args, "ledger");
    if (status == DP2DP_STATUS_CANCELLED) {
        (void)cli_fail(error, status, "interrupted: no model was written%s%.120s%s",
                       ledger ? "; what was charged to " : "", ledger ? ledger : "",
                       ledger ? " stays charged" : "");
    }
    if (status == DP2DP_STATUS_BUDGET && ledger) {
        dp2dp_error found = *error;
        (void)cli_fail(error, status,
                       "%.150s: %.120s; --dry-run shows what a smaller --epsilon would cost",
                       found.message, ledger);
    }
    return status;
}

dp2dp_event cli_entry(const dp2dp_ledger *ledger, size_t i, dp2dp_rng_kind *rng) {
    dp2dp_event event = DP2DP_EVENT_INIT;
    dp2dp_rng_kind ignored;
    if (dp2dp_ledger_entry(ledger, i, &event, rng ? rng : &ignored, NULL) != DP2DP_STATUS_OK) {
        abort(); /* a mistake of the caller: there is no entry i */
    }
    return event;
}

/* Is the release about people of this set? set NULL: always. */
static int touches(const dp2dp_event *event, const char *set) {
    return set == NULL || event->set == NULL || *event->set == '\0' || strcmp(event->set, set) == 0;
}

dp2dp_status cli_spend_of(const cli_entries *entries, const dp2dp_ledger *more, double delta,
                          double *epsilon, dp2dp_error *error) {
    dp2dp_accountant *accountant = NULL;
    dp2dp_status status = DP2DP_STATUS_OK;
    size_t end = entries->end ? entries->end : dp2dp_ledger_size(entries->ledger);
    CLI_TRY(dp2dp_accountant_new(dp2dp_ledger_adjacency(entries->ledger), &accountant, error));
    for (size_t i = entries->first; i < end + (more ? dp2dp_ledger_size(more) : 0); i++) {
        dp2dp_event event =
            i < end ? cli_entry(entries->ledger, i, NULL) : cli_entry(more, i - end, NULL);
        if (touches(&event, entries->set)) {
            CLI_TRY_OR_DONE(dp2dp_accountant_add(accountant, &event, error));
        }
    }
    status = dp2dp_accountant_epsilon(accountant, delta, DP2DP_BACKEND_AUTO, epsilon, NULL, error);
done:
    dp2dp_accountant_free(accountant);
    return status;
}

int cli_last_event(const dp2dp_ledger *ledger, dp2dp_event *out) {
    size_t size = dp2dp_ledger_size(ledger);
    *out = size > 0 ? cli_entry(ledger, size - 1, NULL) : DP2DP_EVENT_INIT;
    return size > 0;
}

/* Lists the sets whose costs are not added to those of the last entry's set. Only the user knows
 * whether a person is in two sets. */
static void find_others(const dp2dp_ledger *ledger, char others[CLI_OTHERS_SIZE]) {
    size_t used = 0;
    dp2dp_event last;
    (void)cli_last_event(ledger, &last);
    for (size_t i = 0; i < dp2dp_ledger_size(ledger) && last.set && *last.set; i++) {
        dp2dp_event event = cli_entry(ledger, i, NULL);
        if (!touches(&event, last.set) && !cli_list_has(others, event.set) &&
            used + strlen(event.set) + 2 < CLI_OTHERS_SIZE) {
            used += (size_t)snprintf(others + used, CLI_OTHERS_SIZE - used, "%s%s", used ? "|" : "",
                                     event.set);
        }
    }
}

dp2dp_status cli_spend_total(const cli_args *args, const dp2dp_ledger *ledger, cli_spent *out,
                             dp2dp_error *error) {
    *out = (cli_spent) {.path = cli_word(args, "ledger")};
    if (out->path == NULL) {
        return DP2DP_STATUS_OK;
    }
    CLI_TRY(dp2dp_ledger_budget(ledger, &out->has_budget, &out->budget, &out->delta, error));
    if (!out->has_budget) {
        out->delta = cli_real(args, "delta");
    }
    find_others(ledger, out->others);
    return cli_spend_of(&(cli_entries) {.ledger = ledger}, NULL, out->delta, &out->epsilon, error);
}

void cli_spent_json(const cli_spent *spent, cli_json *json) {
    if (spent->path == NULL) {
        cli_json_text(json, "ledger", NULL);
        return;
    }
    cli_json_open_object(json, "ledger");
    cli_json_text(json, "file", spent->path);
    cli_json_real(json, "spent", spent->epsilon);
    cli_json_real(json, "delta", spent->delta);
    cli_json_real(json, "budget", spent->has_budget ? spent->budget : NAN);
    cli_json_close_object(json);
}

void cli_spent_text(const cli_spent *spent, cli_out *out) {
    if (spent->path) {
        cli_out_row(out, "ledger", "%.400s: epsilon %s%s%s spent in all, at delta %s", spent->path,
                    cli_number_up(spent->epsilon, 4).text, spent->has_budget ? " of " : "",
                    spent->has_budget ? cli_number_exact(spent->budget).text : "",
                    cli_number_up(spent->delta, 4).text);
    }
    if (spent->others[0]) {
        char others[CLI_WORDS_SIZE];
        cli_list_words(spent->others, others);
        cli_out_row(out, "assumes",
                    "that nobody in this table is among the people the ledger calls %s: the costs "
                    "of different people are not added",
                    others);
    }
}

void cli_entries_json(const dp2dp_ledger *ledger, cli_json *json) {
    cli_json_open_array(json, "entries");
    for (size_t i = 0; i < dp2dp_ledger_size(ledger); i++) {
        dp2dp_rng_kind rng;
        dp2dp_event event = cli_entry(ledger, i, &rng);
        cli_json_open_object(json, NULL);
        cli_json_text(json, "label", event.label);
        cli_json_text(json, "set", event.set);
        cli_event_json(&event, json);
        cli_json_count(json, "coordinates", event.coordinates);
        cli_json_real(json, "scale", event.scale);
        cli_json_text(json, "rng", rng == DP2DP_RNG_SECURE ? "secure" : "insecure");
        cli_json_close_object(json);
    }
    cli_json_close_array(json);
}

static void entry_text(size_t i, const dp2dp_event *event, dp2dp_rng_kind rng, cli_out *out) {
    char mechanism[64];
    double rate = cli_event_rate(event);
    double noise = event->sigma / event->sensitivity;
    snprintf(mechanism, sizeof mechanism, "%s%s%s", dp2dp_mechanism_name(event->mechanism),
             rate > 0 ? " at " : "", rate > 0 ? cli_number_up(rate, 3).text : "");
    fprintf(out->stream, "  %-5zu%-28s %-9" PRIu64 "%-10s", i + 1, mechanism, event->count,
            event->mechanism == DP2DP_DECLARED ? cli_number_up(event->epsilon, 4).text
                                               : cli_number_down(noise, 4).text);
    cli_print_safely(out->stream, event->label ? event->label : "");
    if (event->set && *event->set) {
        fputs(" [", out->stream);
        cli_print_safely(out->stream, event->set);
        fputc(']', out->stream);
    }
    if (rng != DP2DP_RNG_SECURE) {
        fprintf(out->stream, " %sinsecure noise%s", cli_alarm(out), cli_plain(out));
    }
    fputc('\n', out->stream);
}

void cli_entries_text(const dp2dp_ledger *ledger, cli_out *out) {
    size_t size = dp2dp_ledger_size(ledger);
    if (size > 0) {
        fprintf(out->stream,
                "\n%sEntries%s (noise relative to sensitivity; a declared entry: its epsilon)\n"
                "  %-5s%-28s %-9s%-10s%s\n",
                cli_bold(out), cli_plain(out), "", "mechanism", "times", "noise", "label [set]");
    }
    for (size_t i = 0; i < size; i++) {
        dp2dp_rng_kind rng;
        dp2dp_event event = cli_entry(ledger, i, &rng);
        entry_text(i, &event, rng, out);
    }
}
