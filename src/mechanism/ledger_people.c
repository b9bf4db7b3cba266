/* Whose data the charges of a ledger are about. */
#include <string.h>

#include "mechanism/ledger.h"

static int counts_for(const dp2dpi_entry *entry, const char *set) {
    const char *own = entry->event.set;
    return entry->info.kind == DP2DP_ENTRY_CHARGE &&
           (own == NULL || *own == '\0' || (set && strcmp(own, set) == 0));
}

/* What somebody declared for a release covers only what is declared and not larger. */
static int is_of_release(const dp2dpi_entry *entry, const dp2dp_event *event, const char *set) {
    const char *id = entry->event.release_id;
    return counts_for(entry, set) && id && strcmp(id, event->release_id) == 0;
}

/* A declared guarantee is nominal: what was charged may be lower by rounding. */
static const double nominal = 1.0 - 1e-4;

/* 1 if all charges of the release together cost at least the declared ε at the declared δ. If that
 * cannot be computed, they do not. */
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
    return status == DP2DP_STATUS_OK && epsilon >= declared->epsilon * nominal;
}

int dp2dpi_ledger_holds(const dp2dp_ledger *ledger, const dp2dp_event *event, const char *set) {
    int declared = event->mechanism == DP2DP_DECLARED;
    for (size_t i = 0; event->release_id && i < ledger->size; i++) {
        const dp2dp_event *held = &ledger->entries[i].event;
        if (!is_of_release(&ledger->entries[i], event, set)) {
            continue;
        }
        if (held->mechanism == DP2DP_DECLARED
                ? declared && held->epsilon >= event->epsilon && held->delta >= event->delta
                : !declared || reaches(ledger, event, set)) {
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
