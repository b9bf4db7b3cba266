#include "explain/explain.h"

#include <stdio.h>
#include <string.h>

#include "mechanism/ledger.h"

enum {
    NAMES_MAX = 64
};

static const char *set_of(const dp2dp_event *event) {
    return event->set && *event->set ? event->set : event->role ? event->role : "";
}

/* Lists the names of sets of people in the order of the ledger. Returns their number, at most
 * NAMES_MAX. */
static size_t find_names(const dp2dp_ledger *ledger, const char *names[NAMES_MAX]) {
    size_t count = 0;
    for (size_t i = 0; i < ledger->size && count < NAMES_MAX; i++) {
        const char *set = set_of(&ledger->entries[i].event);
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

/* Returns 1 if at least one charge names no people, and so counts for everybody. */
static int has_everybody(const dp2dp_ledger *ledger) {
    for (size_t i = 0; i < ledger->size; i++) {
        const dp2dpi_entry *entry = &ledger->entries[i];
        if (entry->info.kind == DP2DP_ENTRY_CHARGE && *set_of(&entry->event) == '\0') {
            return 1;
        }
    }
    return 0;
}

/* The total of a ledger assumes that nobody is in two of the ledger's sets of people. Only the user
 * can know whether this is true. */
void dp2dpi_explain_assumes(const dp2dp_ledger *ledger, char out[DP2DPI_ASSUMES_SIZE]) {
    const char *names[NAMES_MAX] = {0};
    char list[DP2DPI_ASSUMES_SIZE / 2];
    size_t count = find_names(ledger, names);
    int everybody = has_everybody(ledger);
    (void)dp2dpi_layout_list(names, count, " and ", list, sizeof list);
    if (count == 0) {
        (void)snprintf(out, DP2DPI_ASSUMES_SIZE, "all entries count for everybody");
    } else if (count == 1 && dp2dpi_is_role(names[0])) {
        (void)snprintf(out, DP2DPI_ASSUMES_SIZE, "%s",
                       everybody ? "the entries of a fit that replaced an earlier rule count for "
                                   "everybody, including the people of all other entries"
                                 : "all entries count for the same people");
    } else if (count == 1) {
        (void)snprintf(out, DP2DPI_ASSUMES_SIZE, "%s the people called %s",
                       everybody ? "entries without a name count for everybody, including"
                                 : "all entries count for",
                       list);
    } else {
        (void)snprintf(
            out, DP2DPI_ASSUMES_SIZE,
            "nobody is in two of the sets %s (%s), so the costs of these sets are not added%s",
            list, ledger->of_model ? "as stated when the model was made" : "as you stated",
            everybody ? "; entries without a name count for every set" : "");
    }
}
