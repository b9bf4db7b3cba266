/* Reads a ledger from JSON. The reader refuses every field that it does not know, because ignoring
 * a field could understate the privacy cost. */
#include <string.h>

#include "base/json_reader.h"
#include "mechanism/ledger.h"
#include "mechanism/ledger_json.h"

static int word_from_json(dp2dp_word_table words, const json_t *value, int *out) {
    const char *word = json_string_value(value);
    return word && dp2dpi_word_find(words, word, out);
}

/* Reads a JSON value into a field of *event. Returns 1 if the value has the field's type and range.
 */
static int field_from_json(const dp2dpi_field *field, const json_t *value, dp2dp_event *event) {
    void *member = (char *)event + field->offset;
    double number;
    int unit;
    switch (field->kind) {
    case DP2DPI_FIELD_TEXT:
        *(const char **)member = json_string_value(value);
        return json_is_string(value);
    case DP2DPI_FIELD_REAL:
        return dp2dpi_json_number(value, member);
    case DP2DPI_FIELD_WHOLE:
        if (!json_is_integer(value) || !dp2dpi_json_number(value, &number)) {
            return 0;
        }
        *(double *)member = number;
        return 1;
    case DP2DPI_FIELD_COUNT:
        *(uint64_t *)member = (uint64_t)json_integer_value(value);
        return json_is_integer(value) && json_integer_value(value) >= 0;
    case DP2DPI_FIELD_UNIT:
        if (!word_from_json(DP2DP_WORDS_SAMPLING_UNIT, value, &unit)) {
            return 0;
        }
        event->sampling_unit = (dp2dp_sampling_unit)unit;
        return 1;
    }
    return 0;
}

static const dp2dpi_field *find_field(const char *name) {
    const dp2dpi_field *field = dp2dpi_ledger_fields;
    while (field->name && strcmp(field->name, name) != 0) {
        field++;
    }
    return field->name ? field : NULL;
}

static dp2dp_status check_entry_keys(json_t *object, size_t i, dp2dp_mechanism mechanism,
                                     dp2dp_error *error) {
    const char *key;
    json_t *value;
    char name[DP2DPI_JSON_PRINTABLE_SIZE];
    json_object_foreach(object, key, value) {
        const dp2dpi_field *field = find_field(key);
        if (strcmp(key, "mechanism") == 0 || strcmp(key, "rng") == 0) {
            continue;
        }
        if (field == NULL) {
            return dp2dpi_fail(error, DP2DP_STATUS_DATA, "entries[%zu].%s: unknown field", i,
                               dp2dpi_json_printable(key, name));
        }
        if (!dp2dpi_field_is_used(field, mechanism)) {
            return dp2dpi_fail(error, DP2DP_STATUS_DATA,
                               "entries[%zu].%s: not used by mechanism %s", i, field->name,
                               dp2dp_mechanism_name(mechanism));
        }
    }
    return DP2DP_STATUS_OK;
}

static dp2dp_status entry_event_from_json(json_t *object, size_t i, dp2dp_event *event,
                                          dp2dp_error *error) {
    const char *word = json_string_value(json_object_get(object, "mechanism"));
    if (word == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_DATA,
                           "entries[%zu].mechanism: missing or not a string", i);
    }
    if (dp2dp_mechanism_parse(word, &event->mechanism, NULL) != DP2DP_STATUS_OK) {
        char name[DP2DPI_JSON_PRINTABLE_SIZE];
        return dp2dpi_fail(error, DP2DP_STATUS_DATA,
                           "entries[%zu].mechanism: unknown mechanism '%s'", i,
                           dp2dpi_json_printable(word, name));
    }
    DP2DPI_TRY(check_entry_keys(object, i, event->mechanism, error));
    for (const dp2dpi_field *field = dp2dpi_ledger_fields; field->name; field++) {
        json_t *value = json_object_get(object, field->name);
        if (value == NULL && dp2dpi_field_is_used(field, event->mechanism) && !field->optional) {
            return dp2dpi_fail(error, DP2DP_STATUS_DATA, "entries[%zu].%s: missing", i,
                               field->name);
        }
        if (value && !field_from_json(field, value, event)) {
            return dp2dpi_fail(error, DP2DP_STATUS_DATA,
                               "entries[%zu].%s: wrong type or outside its range", i, field->name);
        }
    }
    return DP2DP_STATUS_OK;
}

static dp2dp_status entry_from_json(json_t *object, size_t i, dp2dp_ledger *ledger,
                                    dp2dp_error *error) {
    dp2dp_event event = DP2DP_EVENT_INIT;
    dp2dp_error inner;
    int rng;
    DP2DPI_TRY(entry_event_from_json(object, i, &event, error));
    if (!word_from_json(DP2DP_WORDS_RNG, json_object_get(object, "rng"), &rng)) {
        return dp2dpi_fail(error, DP2DP_STATUS_DATA,
                           "entries[%zu].rng: must be \"secure\" or \"insecure\"", i);
    }
    dp2dp_status status = dp2dpi_ledger_append(ledger, &event, (dp2dp_rng_kind)rng, &inner);
    if (status != DP2DP_STATUS_OK) {
        status = status == DP2DP_STATUS_MEMORY ? status : DP2DP_STATUS_DATA;
        return dp2dpi_fail(error, status, "entries[%zu]: %.250s", i, inner.message);
    }
    return DP2DP_STATUS_OK;
}

static dp2dp_status budget_from_json(json_t *object, dp2dp_ledger *ledger, dp2dp_error *error) {
    dp2dp_error inner = {.message = "must hold the two numbers epsilon and delta and nothing else"};
    if (!json_is_object(object) || json_object_size(object) != 2 ||
        !dp2dpi_json_number(json_object_get(object, "epsilon"), &ledger->epsilon) ||
        !dp2dpi_json_number(json_object_get(object, "delta"), &ledger->delta) ||
        dp2dpi_ledger_check_budget(ledger->epsilon, ledger->delta, &inner) != DP2DP_STATUS_OK) {
        return dp2dpi_fail(error, DP2DP_STATUS_DATA, "budget: %.250s", inner.message);
    }
    ledger->has_budget = 1;
    return DP2DP_STATUS_OK;
}

/* Checks format and version first: a newer version may have fields that this library does not know.
 */
static dp2dp_status check_heading(json_t *root, dp2dp_error *error) {
    static const char *const known[] = {"format", "version", "adjacency",
                                        "budget", "entries", NULL};
    const char *format = json_string_value(json_object_get(root, "format"));
    const json_t *version = json_object_get(root, "version");
    dp2dpi_reader reader = {.error = error, .where = ""};
    if (format == NULL || strcmp(format, DP2DPI_LEDGER_FORMAT) != 0) {
        return dp2dpi_fail(error, DP2DP_STATUS_DATA, "format: must be \"%s\"; this is not a ledger",
                           DP2DPI_LEDGER_FORMAT);
    }
    if (!json_is_integer(version) || json_integer_value(version) < 1) {
        return dp2dpi_fail(error, DP2DP_STATUS_DATA, "version: must be an integer of at least 1");
    }
    if (json_integer_value(version) > DP2DPI_LEDGER_VERSION) {
        return dp2dpi_fail(error, DP2DP_STATUS_DATA,
                           "version: %lld is newer than %d, the newest this library reads",
                           (long long)json_integer_value(version), (int)DP2DPI_LEDGER_VERSION);
    }
    dp2dpi_reader_keys(&reader, root, known, "a ledger");
    return reader.status;
}

static dp2dp_status fill_from_json(json_t *root, dp2dp_ledger *ledger, dp2dp_error *error) {
    json_t *budget = json_object_get(root, "budget");
    json_t *entries = json_object_get(root, "entries");
    if (!json_is_array(entries) || json_array_size(entries) > DP2DPI_LEDGER_ENTRIES_MAX) {
        return dp2dpi_fail(error, DP2DP_STATUS_DATA,
                           "entries: must be an array of at most %d objects",
                           (int)DP2DPI_LEDGER_ENTRIES_MAX);
    }
    if (budget) {
        DP2DPI_TRY(budget_from_json(budget, ledger, error));
    }
    for (size_t i = 0; i < json_array_size(entries); i++) {
        DP2DPI_TRY(entry_from_json(json_array_get(entries, i), i, ledger, error));
    }
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dpi_ledger_from_value(json_t *root, dp2dp_ledger **out, dp2dp_error *error) {
    dp2dp_adjacency adjacency = DP2DP_REPLACE_ONE;
    *out = NULL;
    DP2DPI_TRY(check_heading(root, error));
    const char *word = json_string_value(json_object_get(root, "adjacency"));
    if (word == NULL || dp2dp_adjacency_parse(word, &adjacency, NULL) != DP2DP_STATUS_OK) {
        return dp2dpi_fail(error, DP2DP_STATUS_DATA, "adjacency: must be \"%s\" or \"%s\"",
                           dp2dp_adjacency_name(DP2DP_REPLACE_ONE),
                           dp2dp_adjacency_name(DP2DP_ADD_REMOVE));
    }
    DP2DPI_TRY(dp2dp_ledger_new(adjacency, out, error));
    dp2dp_status status = fill_from_json(root, *out, error);
    if (status != DP2DP_STATUS_OK) {
        dp2dp_ledger_free(*out);
        *out = NULL;
    }
    return status;
}

dp2dp_status dp2dp_ledger_from_json(const char *text, size_t length, dp2dp_ledger **out,
                                    dp2dp_error *error) {
    json_t *root = NULL;
    if (out) {
        *out = NULL;
    }
    if (text == NULL || out == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "text and out must not be NULL");
    }
    DP2DPI_TRY(dp2dpi_json_parse("ledger", text, length, &root, error));
    dp2dp_status status = dp2dpi_ledger_from_value(root, out, error);
    json_decref(root);
    return status;
}
