#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "mechanism/ledger.h"

static int is_blank(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static char lower(char c) {
    return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

static int is_spelled_alike(const char *a, const char *b) {
    while (*a && lower(*a) == lower(*b)) {
        a++;
        b++;
    }
    return lower(*a) == lower(*b);
}

dp2dp_status dp2dpi_ledger_check_people(const char *name, dp2dp_error *error) {
    DP2DPI_TRY(dp2dpi_ledger_check_text("the name of the people", name, error));
    if (name && (*name == '\0' || dp2dpi_is_role(name))) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "'%s' cannot name people: choose a name that is not empty and not "
                           "train, pool or certificate",
                           name);
    }
    if (name && is_spelled_alike(name, "everybody")) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "'%s' cannot name people: to charge everybody, give no name", name);
    }
    return name && (is_blank(name[0]) || is_blank(name[strlen(name) - 1]))
               ? dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                             "'%s' cannot name people: a name must not begin or end with a blank",
                             name)
               : DP2DP_STATUS_OK;
}

dp2dp_status dp2dpi_ledger_check_spelling(const dp2dp_ledger *ledger, const char *name,
                                          dp2dp_error *error) {
    if (name == NULL || dp2dpi_ledger_names(ledger, name)) {
        return DP2DP_STATUS_OK;
    }
    for (size_t i = 0; i < ledger->size; i++) {
        const char *set = ledger->entries[i].event.set;
        if (set && is_spelled_alike(set, name)) {
            return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                               "there are people called '%s' already, and the new name differs "
                               "only in upper and lower case. If you mean these people, write "
                               "'%s'; if not, choose a name other than '%s'",
                               set, set, name);
        }
    }
    return DP2DP_STATUS_OK;
}

static int counts_for(const dp2dpi_entry *entry, const char *set) {
    const char *own = entry->event.set;
    return entry->info.kind == DP2DP_ENTRY_CHARGE &&
           (own == NULL || *own == '\0' || (set && strcmp(own, set) == 0));
}

static int is_of_release(const dp2dpi_entry *entry, const dp2dp_event *event, const char *set) {
    const char *id = entry->event.release_id;
    return counts_for(entry, set) && id && strcmp(id, event->release_id) == 0;
}

/* Charges cover a declared ε if their ε is at least `nominal` times the declared ε. People often
 * declare the ε that they asked for, and rounding may have made the charged ε a little smaller. */
static const double nominal = 1.0 - 1e-4;

/* Returns 1 if all charges of the declared event's release together cost at least the declared ε at
 * the declared δ. Returns 0 if the cost of the charges cannot be computed, or if the guarantee was
 * declared for several releases. */
static int reaches(const dp2dp_ledger *ledger, const dp2dp_event *declared, const char *set) {
    dp2dp_accountant *accountant = NULL;
    double epsilon = 0;
    dp2dp_status status = dp2dp_accountant_new(ledger->adjacency, &accountant, NULL);
    for (size_t i = 0; status == DP2DP_STATUS_OK && i < ledger->size; i++) {
        if (is_of_release(&ledger->entries[i], declared, set)) {
            status = dp2dp_accountant_add(accountant, &ledger->entries[i].event, NULL);
        }
    }
    if (status == DP2DP_STATUS_OK) {
        status = dp2dp_accountant_epsilon(accountant, declared->delta, DP2DP_BACKEND_AUTO, &epsilon,
                                          NULL, NULL);
    }
    dp2dp_accountant_free(accountant);
    return status == DP2DP_STATUS_OK && declared->count == 1 &&
           epsilon >= declared->epsilon * nominal;
}

/* Returns 1 if two charges have the same mechanism and the same numbers, and so cost the same. */
static int is_same_charge(const dp2dp_event *a, const dp2dp_event *b) {
    int same = a->mechanism == b->mechanism;
    for (const dp2dpi_field *f = dp2dpi_ledger_fields; f->name && same; f++) {
        same = f->kind == DP2DPI_FIELD_TEXT || !dp2dpi_field_is_used(f, a->mechanism) ||
               dp2dpi_field_is_same(f, a, b);
    }
    return same;
}

int dp2dpi_ledger_holds(const dp2dp_ledger *ledger, const dp2dp_event *event, const char *set) {
    int declared = event->mechanism == DP2DP_DECLARED;
    for (size_t i = 0; event->release_id && i < ledger->size; i++) {
        const dp2dp_event *held = &ledger->entries[i].event;
        if (!is_of_release(&ledger->entries[i], event, set)) {
            continue;
        }
        if (held->mechanism == DP2DP_DECLARED
                ? declared && held->epsilon >= event->epsilon && held->delta >= event->delta &&
                      held->count >= event->count
            : declared ? reaches(ledger, event, set)
                       : is_same_charge(held, event)) {
            return 1;
        }
    }
    return 0;
}

int dp2dpi_ledger_names(const dp2dp_ledger *ledger, const char *name) {
    for (size_t i = 0; name && i < ledger->size; i++) {
        const char *set = ledger->entries[i].event.set;
        if (set && strcmp(set, name) == 0) {
            return 1;
        }
    }
    return 0;
}

static int is_for_everybody(const dp2dp_event *event) {
    return event->set == NULL || *event->set == '\0';
}

int dp2dpi_ledger_name_in_vain(const dp2dp_ledger *ledger, const dp2dpi_line *lines, size_t n) {
    int named = 0, unnamed = 0;
    for (size_t i = 0; i < n; i++) {
        named |= !is_for_everybody(&lines[i].event);
    }
    for (size_t i = 0; i < ledger->size; i++) {
        const dp2dpi_entry *entry = &ledger->entries[i];
        unnamed |= entry->info.kind == DP2DP_ENTRY_CHARGE && is_for_everybody(&entry->event);
    }
    return named && unnamed;
}

const char *dp2dpi_ledger_other_name(const dp2dp_ledger *ledger, const char *name) {
    const char *other = NULL;
    for (size_t i = 0; name && i < ledger->size; i++) {
        const char *set = ledger->entries[i].event.set;
        other = other || set == NULL || dp2dpi_is_role(set) ? other : set;
    }
    return dp2dpi_ledger_names(ledger, name) ? NULL : other;
}

int dp2dpi_ledger_is_exposed(const dp2dp_ledger *ledger, const char *set) {
    for (size_t i = 0; i < ledger->size; i++) {
        const dp2dpi_entry *entry = &ledger->entries[i];
        if (entry->event.mechanism == DP2DP_EXPOSED && counts_for(entry, set)) {
            return 1;
        }
    }
    return 0;
}

int dp2dpi_ledger_has_cost(const dp2dp_ledger *ledger) {
    for (size_t i = 0; i < ledger->size; i++) {
        const dp2dpi_entry *entry = &ledger->entries[i];
        if (entry->info.kind == DP2DP_ENTRY_CHARGE && entry->event.mechanism != DP2DP_EXPOSED) {
            return 1;
        }
    }
    return 0;
}

dp2dp_status dp2dpi_ledger_find_unpaid(const dp2dp_ledger *ledger, const dp2dp_ledger *costs,
                                       const char *set, int exposed, dp2dpi_line **lines, size_t *n,
                                       dp2dp_error *error) {
    size_t size = costs ? costs->size : 0;
    *n = 0;
    DP2DPI_TRY(DP2DPI_ALLOC(*lines, size + 1, "the costs of a model", error));
    for (size_t i = 0; i < size; i++) {
        dp2dpi_line line = {costs->entries[i].event, costs->entries[i].rng};
        line.event.set = set;
        if (line.event.mechanism != DP2DP_EXPOSED &&
            !dp2dpi_ledger_holds(ledger, &line.event, set)) {
            (*lines)[(*n)++] = line;
        }
    }
    if (exposed && !dp2dpi_ledger_is_exposed(ledger, set)) {
        dp2dpi_line line = {DP2DP_EVENT_INIT, DP2DP_RNG_SECURE};
        line.event.mechanism = DP2DP_EXPOSED;
        line.event.label = "the model behind the scores, made without noise";
        line.event.set = set;
        (*lines)[(*n)++] = line;
    }
    return DP2DP_STATUS_OK;
}
