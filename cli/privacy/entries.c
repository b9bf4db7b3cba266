/* Shows the entries of a ledger, and what its total assumes, as text and JSON. */
#include "privacy/privacy.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "common/number.h"

enum {
    NAMES_MAX = 64
};

static size_t end_of(const cli_entries *entries) {
    return entries->end ? entries->end : dp2dp_ledger_size(entries->ledger);
}

static dp2dp_entry_info info_of(const dp2dp_ledger *ledger, size_t i) {
    dp2dp_entry_info info = DP2DP_ENTRY_INFO_INIT;
    (void)!dp2dp_ledger_entry_info(ledger, i, &info, NULL);
    return info;
}

/* Lists the names of the sets of people, in the order in which they first appear; the names belong
 * to the ledger. Returns the number of names, at most NAMES_MAX. */
static size_t find_names(const cli_entries *entries, const char *names[NAMES_MAX]) {
    size_t count = 0;
    for (size_t i = entries->first; i < end_of(entries) && count < NAMES_MAX; i++) {
        dp2dp_event event = cli_entry(entries->ledger, i, NULL);
        const char *set = cli_entry_set(&event);
        size_t known = 0;
        while (known < count && strcmp(names[known], set) != 0) {
            known++;
        }
        if (*set && known == count) {
            names[count++] = set;
        }
    }
    return count;
}

/* Returns whether the name of a set of people is only a role, such as "train". In a model's own
 * ledger, the role stands in for the name of people who have no name. */
static int is_role(const char *name) {
    return cli_list_has("train|pool|certificate", name);
}

dp2dp_status cli_assumes(const dp2dp_ledger *ledger, char out[CLI_ASSUMES_SIZE],
                         dp2dp_error *error) {
    dp2dp_explain_options options = DP2DP_EXPLAIN_OPTIONS_INIT;
    char *text = NULL;
    size_t length;
    options.part = DP2DP_EXPLAIN_ASSUMES;
    options.ledger = ledger;
    CLI_TRY(dp2dp_explain(NULL, &options, &text, &length, error));
    snprintf(out, CLI_ASSUMES_SIZE, "%s", text);
    dp2dp_text_free(text);
    return DP2DP_STATUS_OK;
}

void cli_marks_json(const cli_entries *entries, int exposed, const char *assumes, cli_json *json) {
    const char *names[NAMES_MAX];
    size_t count = find_names(entries, names);
    cli_marks marks = cli_marks_of(entries);
    cli_json_truth(json, "exposed", exposed || marks.exposed > 0);
    cli_json_count(json, "insecure_entries", marks.insecure);
    cli_json_count(json, "exposed_entries", marks.exposed);
    cli_json_open_array(json, "named_people");
    for (size_t i = 0; i < count; i++) {
        if (!is_role(names[i])) {
            cli_json_text(json, NULL, names[i]);
        }
    }
    cli_json_close_array(json);
    cli_json_text(json, "assumes", assumes);
}

static void alarm_text(size_t count, size_t charges, const char *what, const char *indent,
                       cli_out *out) {
    if (count > 0) {
        fprintf(out->stream, "%s%sNOT PRIVATE%s: %zu of %zu entries %s\n", indent, cli_alarm(out),
                cli_plain(out), count, charges, what);
    }
}

void cli_alarms_text(const cli_entries *entries, const char *indent, cli_out *out) {
    cli_marks marks = cli_marks_of(entries);
    alarm_text(marks.insecure, marks.charges, "used the insecure test generator", indent, out);
    alarm_text(marks.exposed, marks.charges, "had no noise, so the total has no finite epsilon",
               indent, out);
}

void cli_spent_json(const cli_spent *spent, cli_json *json) {
    if (spent->path == NULL) {
        cli_json_text(json, "ledger", NULL);
        return;
    }
    cli_json_open_object(json, "ledger");
    cli_json_text(json, "file", spent->path);
    cli_json_truth(json, "new", spent->is_new);
    cli_json_real(json, "spent", spent->epsilon);
    cli_json_real(json, "delta", spent->delta);
    cli_json_real(json, "budget", spent->has_budget ? spent->budget : NAN);
    if (spent->wider.delta > 0) {
        cli_json_open_object(json, "at_larger_delta");
        cli_json_real(json, "epsilon", spent->wider.epsilon);
        cli_json_real(json, "delta", spent->wider.delta);
        cli_json_close_object(json);
    }
    cli_marks_json(&spent->entries, 0, spent->assumes, json);
    cli_json_close_object(json);
}

void cli_spent_text(const cli_spent *spent, cli_out *out) {
    if (spent->path == NULL) {
        return;
    }
    const char *is_new = spent->is_new ? " (a new ledger)" : "";
    if (isinf(spent->epsilon) && spent->wider.delta > 0) {
        cli_out_row(out, "ledger",
                    "%.400s%s: no epsilon holds at delta %s, which is too small for the declared "
                    "releases; the total spent is epsilon %s at delta %s",
                    spent->path, is_new, cli_number_up(spent->delta, 4).text,
                    cli_number_up(spent->wider.epsilon, 4).text,
                    cli_number_up(spent->wider.delta, 4).text);
    } else if (isinf(spent->epsilon)) {
        cli_out_row(out, "ledger", "%.400s: the total spent has no finite epsilon%s", spent->path,
                    is_new);
    } else {
        cli_out_row(out, "ledger", "%.400s%s: epsilon %s%s%s spent in total, at delta %s",
                    spent->path, is_new, cli_number_up(spent->epsilon, 4).text,
                    spent->has_budget ? " of " : "",
                    spent->has_budget ? cli_number_exact(spent->budget).text : "",
                    cli_number_up(spent->delta, 4).text);
    }
    cli_alarms_text(&spent->entries, "  ", out);
    cli_out_row(out, "assumes", "%s", spent->assumes);
}

void cli_no_ledger_text(const cli_spent *spent, cli_out *out) {
    if (spent->path == NULL) {
        cli_out_row(out, "ledger", "not kept; use --ledger FILE to record this release");
    }
}

static void charge_json(const dp2dp_event *event, dp2dp_rng_kind rng, cli_json *json) {
    const char *set = cli_entry_set(event);
    cli_json_text(json, "label", event->label);
    cli_json_text(json, "set", *set ? set : NULL);
    cli_json_text(json, "role", event->role);
    cli_json_text(json, "people", event->set);
    cli_event_json(event, json);
    cli_json_count(json, "coordinates", event->coordinates);
    cli_json_real(json, "scale", event->scale);
    cli_json_text(json, "rng", rng == DP2DP_RNG_SECURE ? "secure" : "insecure");
}

static void stamps_json(const dp2dp_entry_info *info, cli_json *json) {
    cli_json_text(json, "time", info->time);
    cli_json_text(json, "verb", info->verb);
    cli_json_text(json, "note", info->note);
    cli_json_text(json, "library_version", info->library_version);
    cli_json_text(json, "hash", info->hash);
    if (info->from_version > 0) {
        cli_json_count(json, "from_version", (uint64_t)info->from_version);
    }
}

static void entry_json(const dp2dp_ledger *ledger, size_t i, cli_json *json) {
    dp2dp_rng_kind rng;
    dp2dp_event event = cli_entry(ledger, i, &rng);
    dp2dp_entry_info info = info_of(ledger, i);
    cli_json_open_object(json, NULL);
    cli_json_text(json, "kind", dp2dp_entry_kind_name(info.kind));
    if (info.kind == DP2DP_ENTRY_CHARGE) {
        charge_json(&event, rng, json);
    } else if (info.kind == DP2DP_ENTRY_BUDGET) {
        cli_json_real(json, "epsilon", info.epsilon);
        cli_json_real(json, "delta", info.delta);
    } else {
        cli_json_text(json, "checksum", info.checksum);
    }
    if (info.kind != DP2DP_ENTRY_BUDGET) {
        cli_json_text(json, "release_id", event.release_id);
    }
    if (info.hash) {
        stamps_json(&info, json);
    }
    cli_json_close_object(json);
}

void cli_entries_json(const dp2dp_ledger *ledger, cli_json *json) {
    cli_json_open_array(json, "entries");
    for (size_t i = 0; i < dp2dp_ledger_size(ledger); i++) {
        entry_json(ledger, i, json);
    }
    cli_json_close_array(json);
}

void cli_planned_json(const cli_entries *entries, cli_json *json) {
    cli_json_open_array(json, "entries");
    for (size_t i = entries->first; i < end_of(entries); i++) {
        dp2dp_rng_kind rng;
        dp2dp_event event = cli_entry(entries->ledger, i, &rng);
        if (event.mechanism) {
            cli_json_open_object(json, NULL);
            cli_json_text(json, "kind", dp2dp_entry_kind_name(DP2DP_ENTRY_CHARGE));
            charge_json(&event, rng, json);
            cli_json_close_object(json);
        }
    }
    cli_json_close_array(json);
}

static void charge_text(const dp2dp_event *event, dp2dp_rng_kind rng, cli_out *out) {
    char mechanism[64];
    double rate = cli_event_rate(event);
    double noise = event->sigma / event->sensitivity;
    const char *set = cli_entry_set(event);
    snprintf(mechanism, sizeof mechanism, "%s%s%s", dp2dp_mechanism_name(event->mechanism),
             rate > 0 ? " at " : "", rate > 0 ? cli_number_up(rate, 3).text : "");
    fprintf(out->stream, "%-28s %-9" PRIu64 "%-10s", mechanism, event->count,
            event->mechanism == DP2DP_DECLARED  ? cli_number_up(event->epsilon, 4).text
            : event->mechanism == DP2DP_EXPOSED ? "none"
                                                : cli_number_down(noise, 4).text);
    cli_print_safely(out->stream, event->label ? event->label : "");
    if (*set) {
        fputs(" [", out->stream);
        cli_print_safely(out->stream, set);
        fputc(']', out->stream);
    }
    if (rng != DP2DP_RNG_SECURE) {
        fprintf(out->stream, " %sinsecure noise%s", cli_alarm(out), cli_plain(out));
    }
    fputc('\n', out->stream);
}

/* Prints the second line of an entry: its time and verb, its release and its note. */
static void stamps_text(const dp2dp_entry_info *info, const dp2dp_event *event, cli_out *out) {
    fprintf(out->stream, "       %s %s", info->time ? info->time : "(time not recorded)",
            info->verb ? info->verb : "");
    if (event->release_id) {
        fprintf(out->stream, ", release %s", event->release_id);
    }
    if (info->note) {
        fputs(": ", out->stream);
        cli_print_safely(out->stream, info->note);
    }
    fputc('\n', out->stream);
}

static void entry_text(const dp2dp_ledger *ledger, size_t i, cli_out *out) {
    dp2dp_rng_kind rng;
    dp2dp_event event = cli_entry(ledger, i, &rng);
    dp2dp_entry_info info = info_of(ledger, i);
    fprintf(out->stream, "  %-5zu", i + 1);
    if (info.kind == DP2DP_ENTRY_CHARGE) {
        charge_text(&event, rng, out);
    } else if (info.kind == DP2DP_ENTRY_BUDGET) {
        fprintf(out->stream, "budget: epsilon %s at delta %s\n",
                cli_number_exact(info.epsilon).text, cli_number_exact(info.delta).text);
    } else {
        fprintf(out->stream, "published: a model with checksum %.16s...\n", info.checksum);
    }
    if (info.hash) {
        stamps_text(&info, &event, out);
    }
}

static void title_text(cli_out *out) {
    fprintf(out->stream,
            "\n%sEntries%s (the column \"noise\" shows sigma divided by the sensitivity or, for a "
            "declared entry, epsilon)\n  %-5s%-28s %-9s%-10s%s\n",
            cli_bold(out), cli_plain(out), "", "mechanism", "times", "noise", "label [people]");
}

void cli_entries_text(const dp2dp_ledger *ledger, cli_out *out) {
    size_t size = dp2dp_ledger_size(ledger);
    if (size > 0) {
        title_text(out);
    }
    for (size_t i = 0; i < size; i++) {
        entry_text(ledger, i, out);
    }
}

void cli_planned_text(const cli_entries *entries, cli_out *out) {
    size_t shown = 0;
    title_text(out);
    for (size_t i = entries->first; i < end_of(entries); i++) {
        dp2dp_rng_kind rng;
        dp2dp_event event = cli_entry(entries->ledger, i, &rng);
        if (event.mechanism) {
            fprintf(out->stream, "  %-5zu", ++shown);
            charge_text(&event, rng, out);
        }
    }
}
