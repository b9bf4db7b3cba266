#include "model/verify.h"

#include <string.h>

int dp2dpi_entry_is_training(const dp2dpi_entry *entry) {
    return dp2dpi_is_same_text(entry->event.role, DP2DPI_ROLE_TRAIN);
}

int dp2dpi_released_has(const dp2dpi_released *r, const dp2dpi_entry *entry) {
    return entry->info.kind == DP2DP_ENTRY_CHARGE && entry->event.mechanism != DP2DP_EXPOSED &&
           dp2dpi_entry_is_training(entry) == r->training &&
           dp2dpi_is_same_text(entry->event.release_id, r->id);
}

/* Returns 1 if two charges can be about the same people. `own` is from a model or certificate.
 * `charged` has no role; it is from a ledger that records all charges for a set of people. The
 * people can be the same in three cases: `own` does not name its people, `charged` is about
 * everybody, or both name the same people. */
static int are_same_people(const dp2dp_event *own, const dp2dp_event *charged) {
    int named = own->set && !dp2dpi_is_role(own->set);
    return !named || charged->set == NULL || strcmp(own->set, charged->set) == 0;
}

/* Returns the first field in which a document's charge differs from a charge in the ledger for a
 * set of people; NULL if the two charges are equal. */
static const char *difference(const dp2dpi_entry *own, const dp2dpi_entry *charged) {
    if (own->event.mechanism != charged->event.mechanism) {
        return "mechanism";
    }
    for (const dp2dpi_field *f = dp2dpi_ledger_fields; f->name; f++) {
        int is_whose = strcmp(f->name, "role") == 0 || strcmp(f->name, "people") == 0;
        if (!is_whose && !dp2dpi_field_is_same(f, &own->event, &charged->event)) {
            return f->name;
        }
    }
    return own->rng != charged->rng                         ? "rng"
           : !are_same_people(&own->event, &charged->event) ? "name of the people"
                                                            : NULL;
}

/* Returns how many charges of a ledger equal the charge `entry`. If part is not NULL, counts only
 * charges of the release *part. */
static size_t count_equal(const dp2dp_ledger *ledger, const dp2dpi_entry *entry,
                          const dp2dpi_released *part) {
    size_t found = 0;
    for (size_t i = 0; i < ledger->size; i++) {
        const dp2dpi_entry *other = &ledger->entries[i];
        found += other->info.kind == DP2DP_ENTRY_CHARGE &&
                 (!part || dp2dpi_released_has(part, other)) && difference(entry, other) == NULL;
    }
    return found;
}

int dp2dpi_released_is_in(const dp2dpi_released *r, const dp2dp_ledger *ledger) {
    for (size_t i = 0; i < r->own->size; i++) {
        const dp2dpi_entry *entry = &r->own->entries[i];
        if (dp2dpi_released_has(r, entry) &&
            count_equal(ledger, entry, NULL) < count_equal(r->own, entry, r)) {
            return 0;
        }
    }
    return 1;
}

const char *dp2dpi_released_differs(const dp2dpi_released *r, const dp2dp_ledger *ledger) {
    for (size_t i = 0; r->id && i < r->own->size; i++) {
        const dp2dpi_entry *own = &r->own->entries[i];
        for (size_t k = 0; k < ledger->size && dp2dpi_released_has(r, own); k++) {
            const dp2dpi_entry *entry = &ledger->entries[k];
            if (entry->info.kind == DP2DP_ENTRY_CHARGE &&
                dp2dpi_is_same_text(entry->event.release_id, r->id) &&
                dp2dpi_is_same_text(entry->event.label, own->event.label) &&
                difference(own, entry)) {
                return difference(own, entry);
            }
        }
    }
    return NULL;
}
