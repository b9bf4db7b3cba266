/* Writes a ledger as JSON; docs/ledger.md lists the fields. */
#include "base/alloc.h"
#include "base/json.h"
#include "mechanism/ledger.h"
#include "mechanism/ledger_json.h"

static json_t *field_to_json(const dp2dpi_field *field, const dp2dp_event *event) {
    switch (field->kind) {
    case DP2DPI_FIELD_TEXT:
        return json_string(dp2dpi_field_text(field, event));
    case DP2DPI_FIELD_REAL:
        return json_real(dp2dpi_field_number(field, event));
    case DP2DPI_FIELD_WHOLE:
        return json_integer((json_int_t)dp2dpi_field_number(field, event));
    case DP2DPI_FIELD_COUNT:
        return json_integer((json_int_t)dp2dpi_field_count(field, event));
    case DP2DPI_FIELD_UNIT:
        return json_string(dp2dp_word_name(DP2DP_WORDS_SAMPLING_UNIT, (int)event->sampling_unit));
    }
    return NULL;
}

/* Returns NULL if memory runs out. jansson has no other reason to fail, because every value was
 * checked when it was charged. */
static json_t *entry_to_json(const dp2dpi_entry *entry) {
    const dp2dp_event *event = &entry->event;
    json_t *object = json_object();
    int failed = json_object_set_new(object, "mechanism",
                                     json_string(dp2dp_mechanism_name(event->mechanism)));
    for (const dp2dpi_field *field = dp2dpi_ledger_fields; field->name; field++) {
        int left_out = !dp2dpi_field_is_used(field, event->mechanism) ||
                       (field->optional && dp2dpi_field_is_zero(field, event));
        if (!left_out) {
            failed |= json_object_set_new(object, field->name, field_to_json(field, event));
        }
    }
    failed |= json_object_set_new(object, "rng",
                                  json_string(dp2dp_word_name(DP2DP_WORDS_RNG, (int)entry->rng)));
    return dp2dpi_json_finish(object, failed);
}

static json_t *entries_to_json(const dp2dp_ledger *ledger) {
    json_t *entries = json_array();
    int failed = 0;
    for (size_t i = 0; i < ledger->size && !failed; i++) {
        failed = json_array_append_new(entries, entry_to_json(&ledger->entries[i]));
    }
    return dp2dpi_json_finish(entries, failed);
}

static json_t *ledger_to_json(const dp2dp_ledger *ledger) {
    json_t *root =
        DP2DPI_JSON_OBJECT({"format", json_string(DP2DPI_LEDGER_FORMAT)},
                           {"version", json_integer(DP2DPI_LEDGER_VERSION)},
                           {"adjacency", json_string(dp2dp_adjacency_name(ledger->adjacency))});
    int failed = 0;
    if (ledger->has_budget) {
        failed |= json_object_set_new(root, "budget",
                                      DP2DPI_JSON_OBJECT({"epsilon", json_real(ledger->epsilon)},
                                                         {"delta", json_real(ledger->delta)}));
    }
    failed |= json_object_set_new(root, "entries", entries_to_json(ledger));
    return dp2dpi_json_finish(root, failed);
}

dp2dp_status dp2dpi_ledger_to_value(const dp2dp_ledger *ledger, json_t **out, dp2dp_error *error) {
    *out = ledger_to_json(ledger);
    return *out ? DP2DP_STATUS_OK
                : dp2dpi_fail(error, DP2DP_STATUS_MEMORY, "out of memory while writing a ledger");
}

dp2dp_status dp2dp_ledger_to_json(const dp2dp_ledger *ledger, char **text, size_t *length,
                                  dp2dp_error *error) {
    if (text) {
        *text = NULL;
    }
    if (ledger == NULL || text == NULL || length == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "ledger, text and length must not be NULL");
    }
    *length = 0;
    json_t *root = NULL;
    DP2DPI_TRY(dp2dpi_ledger_to_value(ledger, &root, error));
    dp2dp_status status = dp2dpi_json_dump("ledger", root, text, length, error);
    json_decref(root);
    return status;
}

void dp2dp_text_free(char *text) {
    dp2dpi_free(text);
}
