/* Reads a ledger from JSON. The reader refuses every field that it does not know, because ignoring
 * a field could understate the privacy cost. */
#include <string.h>

#include "base/hash.h"
#include "base/json.h"
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

typedef struct reading {
    int version;
    dp2dp_ledger *ledger;
} reading;

/* Returns the name of a field in a version of the format; NULL if the version lacks the field. */
static const char *name_of(const dp2dpi_field *field, int version) {
    return version == 1 ? field->first : field->name;
}

static const dp2dpi_field *find_field(const char *name, int version) {
    const dp2dpi_field *field = dp2dpi_ledger_fields;
    while (field->name &&
           (name_of(field, version) == NULL || strcmp(name_of(field, version), name) != 0)) {
        field++;
    }
    return field->name ? field : NULL;
}

/* Returns 1 if `key` says how the entry was made, such as its time, and is not a field of the
 * event. */
static int is_stamp(const char *key, const reading *r) {
    const dp2dpi_stamp *stamp = dp2dpi_ledger_stamps;
    if (r->version == 1) {
        return 0;
    }
    while (stamp->name && strcmp(stamp->name, key) != 0) {
        stamp++;
    }
    return strcmp(key, "entry") == 0 ||
           (!r->ledger->of_model && (stamp->name || strcmp(key, "from_version") == 0 ||
                                     strcmp(key, "previous") == 0 || strcmp(key, "hash") == 0));
}

static dp2dp_status unknown_field(size_t i, const char *key, dp2dp_error *error) {
    char name[DP2DPI_JSON_PRINTABLE_SIZE];
    return dp2dpi_fail(error, DP2DP_STATUS_DATA, "entries[%zu].%s: unknown field", i,
                       dp2dpi_json_printable(key, name));
}

static dp2dp_status check_charge_keys(const reading *r, json_t *object, size_t i,
                                      dp2dp_mechanism mechanism, dp2dp_error *error) {
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value) {
        const dp2dpi_field *field = find_field(key, r->version);
        if (strcmp(key, "mechanism") == 0 || strcmp(key, "rng") == 0 || is_stamp(key, r)) {
            continue;
        }
        if (field == NULL) {
            return unknown_field(i, key, error);
        }
        if (!dp2dpi_field_is_used(field, mechanism)) {
            return dp2dpi_fail(error, DP2DP_STATUS_DATA,
                               "entries[%zu].%s: the mechanism '%s' does not use this field", i,
                               key, dp2dp_mechanism_name(mechanism));
        }
    }
    return DP2DP_STATUS_OK;
}

static dp2dp_status read_charge(const reading *r, json_t *object, size_t i, dp2dpi_entry *entry,
                                dp2dp_error *error) {
    dp2dp_event *event = &entry->event;
    const char *word = json_string_value(json_object_get(object, "mechanism"));
    int rng;
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
    DP2DPI_TRY(check_charge_keys(r, object, i, event->mechanism, error));
    for (const dp2dpi_field *field = dp2dpi_ledger_fields; field->name; field++) {
        const char *key = name_of(field, r->version);
        json_t *value = key ? json_object_get(object, key) : NULL;
        if (value == NULL && dp2dpi_field_is_used(field, event->mechanism) && !field->optional) {
            return dp2dpi_fail(error, DP2DP_STATUS_DATA, "entries[%zu].%s: missing", i,
                               field->name);
        }
        if (value && !field_from_json(field, value, event)) {
            return dp2dpi_fail(error, DP2DP_STATUS_DATA,
                               "entries[%zu].%s: wrong type or outside its range", i, key);
        }
    }
    if (!word_from_json(DP2DP_WORDS_RNG, json_object_get(object, "rng"), &rng)) {
        return dp2dpi_fail(error, DP2DP_STATUS_DATA,
                           "entries[%zu].rng: must be \"secure\" or \"insecure\"", i);
    }
    entry->rng = (dp2dp_rng_kind)rng;
    return DP2DP_STATUS_OK;
}

/* Turns the set train, pool or certificate into a role: version 1 of a model's own ledger stored
 * roles as sets. */
static void set_becomes_role(const reading *r, dp2dp_event *event) {
    if (r->version == 1 && r->ledger->of_model && dp2dpi_is_role(event->set)) {
        event->role = event->set;
        event->set = NULL;
    }
}

static dp2dp_status check_other_keys(const reading *r, json_t *object, size_t i,
                                     const char *const *allowed, dp2dp_error *error) {
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value) {
        size_t k = 0;
        while (allowed[k] && strcmp(allowed[k], key) != 0) {
            k++;
        }
        if (!allowed[k] && !is_stamp(key, r)) {
            return unknown_field(i, key, error);
        }
    }
    return DP2DP_STATUS_OK;
}

static dp2dp_status read_budget(json_t *object, double *epsilon, double *delta,
                                dp2dp_error *error) {
    dp2dp_error inner = {.message = "must hold the two numbers epsilon and delta and nothing else"};
    return !json_is_object(object) ||
                   !dp2dpi_json_number(json_object_get(object, "epsilon"), epsilon) ||
                   !dp2dpi_json_number(json_object_get(object, "delta"), delta) ||
                   dp2dpi_ledger_check_budget(*epsilon, *delta, &inner) != DP2DP_STATUS_OK
               ? dp2dpi_fail(error, DP2DP_STATUS_DATA, "budget: %.250s", inner.message)
               : DP2DP_STATUS_OK;
}

static dp2dp_status read_published(json_t *object, size_t i, dp2dpi_entry *entry,
                                   dp2dp_error *error) {
    entry->event.release_id = json_string_value(json_object_get(object, "release_id"));
    return dp2dpi_is_hex(entry->info.checksum, DP2DPI_HASH_SIZE - 1) &&
                   (json_object_get(object, "release_id") == NULL ||
                    dp2dpi_is_hex(entry->event.release_id, DP2DPI_RELEASE_ID_DIGITS))
               ? DP2DP_STATUS_OK
               : dp2dpi_fail(error, DP2DP_STATUS_DATA,
                             "entries[%zu]: checksum must have 64 hexadecimal digits, and "
                             "release_id must have 32",
                             i);
}

static dp2dp_status read_stamps(json_t *object, size_t i, dp2dp_entry_info *info,
                                dp2dp_error *error) {
    json_t *from = json_object_get(object, "from_version");
    for (const dp2dpi_stamp *stamp = dp2dpi_ledger_stamps; stamp->name; stamp++) {
        json_t *value = json_object_get(object, stamp->name);
        const char **text = dp2dpi_stamp_of(stamp, info);
        *text = json_string_value(value);
        if ((value && *text == NULL) ||
            dp2dpi_ledger_check_text(stamp->name, *text, NULL) != DP2DP_STATUS_OK) {
            return dp2dpi_fail(error, DP2DP_STATUS_DATA,
                               "entries[%zu].%s: must be UTF-8 of at most %d bytes", i, stamp->name,
                               (int)DP2DPI_LEDGER_STRING_MAX);
        }
    }
    if (from && (!json_is_integer(from) || json_integer_value(from) != 1)) {
        return dp2dpi_fail(error, DP2DP_STATUS_DATA, "entries[%zu].from_version: must be 1", i);
    }
    info->from_version = from ? 1 : 0;
    return DP2DP_STATUS_OK;
}

static dp2dp_status read_entry(const reading *r, json_t *object, size_t i, dp2dpi_entry *entry,
                               dp2dp_error *error) {
    static const char *const budget[] = {"epsilon", "delta", NULL};
    static const char *const published[] = {"release_id", NULL};
    int kind = DP2DP_ENTRY_CHARGE;
    if (r->version == 1) {
        entry->info.from_version = !r->ledger->of_model;
    } else if (!word_from_json(DP2DP_WORDS_ENTRY, json_object_get(object, "entry"), &kind) ||
               (r->ledger->of_model && kind != DP2DP_ENTRY_CHARGE)) {
        return dp2dpi_fail(error, DP2DP_STATUS_DATA, "entries[%zu].entry: must be \"charge\"%s", i,
                           r->ledger->of_model ? "" : ", \"budget\" or \"published\"");
    } else {
        DP2DPI_TRY(read_stamps(object, i, &entry->info, error));
    }
    entry->info.kind = (dp2dp_entry_kind)kind;
    if (kind == DP2DP_ENTRY_CHARGE) {
        DP2DPI_TRY(read_charge(r, object, i, entry, error));
        set_becomes_role(r, &entry->event);
        return entry->info.checksum ? unknown_field(i, "checksum", error) : DP2DP_STATUS_OK;
    }
    DP2DPI_TRY(
        check_other_keys(r, object, i, kind == DP2DP_ENTRY_BUDGET ? budget : published, error));
    if (kind == DP2DP_ENTRY_PUBLISHED) {
        return read_published(object, i, entry, error);
    }
    DP2DPI_TRY(read_budget(object, &entry->info.epsilon, &entry->info.delta, error));
    if (r->ledger->has_budget &&
        (entry->info.epsilon > r->ledger->epsilon || entry->info.delta != r->ledger->delta)) {
        return dp2dpi_fail_at(error, DP2DP_STATUS_DATA,
                              &(dp2dpi_place) {.reason = DP2DP_REASON_LEDGER_CHANGED},
                              "entries[%zu]: the entry raises the budget or changes its delta; no "
                              "command does that, so something else changed the ledger",
                              i);
    }
    return DP2DP_STATUS_OK;
}

static int is_same_text(const char *a, const char *b) {
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static dp2dp_status check_hashes(const reading *r, json_t *object, size_t i, dp2dp_error *error) {
    const dp2dp_entry_info *info = &r->ledger->entries[r->ledger->size - 1].info;
    if (r->version == 1 || r->ledger->of_model) {
        return DP2DP_STATUS_OK;
    }
    const char *previous = json_string_value(json_object_get(object, "previous"));
    const char *hash = json_string_value(json_object_get(object, "hash"));
    if (!is_same_text(previous, info->previous)) {
        return dp2dpi_fail_at(error, DP2DP_STATUS_DATA,
                              &(dp2dpi_place) {.reason = DP2DP_REASON_LEDGER_CHANGED},
                              "entries[%zu].previous: not the hash of the previous entry; an entry "
                              "was removed, moved or changed",
                              i);
    }
    if (!is_same_text(hash, info->hash)) {
        return dp2dpi_fail_at(error, DP2DP_STATUS_DATA,
                              &(dp2dpi_place) {.reason = DP2DP_REASON_LEDGER_CHANGED},
                              "entries[%zu].hash: not the hash of this entry; the entry was "
                              "changed after it was written",
                              i);
    }
    return DP2DP_STATUS_OK;
}

static dp2dp_status entry_from_json(const reading *r, json_t *object, size_t i,
                                    dp2dp_error *error) {
    dp2dpi_entry entry = {.info = DP2DP_ENTRY_INFO_INIT, .event = DP2DP_EVENT_INIT};
    dp2dp_error inner;
    DP2DPI_TRY(read_entry(r, object, i, &entry, error));
    dp2dp_status status = dp2dpi_ledger_append(r->ledger, &entry, &inner);
    if (status != DP2DP_STATUS_OK) {
        status = status == DP2DP_STATUS_MEMORY ? status : DP2DP_STATUS_DATA;
        return dp2dpi_fail(error, status, "entries[%zu]: %.250s", i, inner.message);
    }
    return check_hashes(r, object, i, error);
}

/* Reads the budget of a ledger of version 1, which stored it outside the entries. */
static dp2dp_status old_budget(const reading *r, json_t *object, dp2dp_error *error) {
    dp2dpi_entry entry = {.info = DP2DP_ENTRY_INFO_INIT, .event = DP2DP_EVENT_INIT};
    entry.info.kind = DP2DP_ENTRY_BUDGET;
    entry.info.from_version = 1;
    DP2DPI_TRY(read_budget(object, &entry.info.epsilon, &entry.info.delta, error));
    if (json_object_size(object) != 2) {
        return dp2dpi_fail(error, DP2DP_STATUS_DATA,
                           "budget: must have epsilon, delta and no other member");
    }
    return dp2dpi_ledger_append(r->ledger, &entry, error);
}

static int is_known_key(const char *key, int version) {
    static const char *const known[] = {"format", "version", "adjacency", "entries", NULL};
    size_t i = 0;
    while (known[i] && strcmp(key, known[i]) != 0) {
        i++;
    }
    return known[i] || strcmp(key, version == 1 ? "budget" : "kind") == 0;
}

/* Checks format and version first: a newer version may have fields that this library does not know.
 */
static dp2dp_status read_heading(json_t *root, int *version, dp2dp_error *error) {
    const char *format = json_string_value(json_object_get(root, "format"));
    const json_t *number = json_object_get(root, "version");
    const char *key;
    json_t *value;
    if (format == NULL || strcmp(format, DP2DPI_LEDGER_FORMAT) != 0) {
        return dp2dpi_fail_format(format, DP2DPI_LEDGER_FORMAT, "a ledger", error);
    }
    if (!json_is_integer(number) || json_integer_value(number) < 1) {
        return dp2dpi_fail(error, DP2DP_STATUS_DATA, "version: must be an integer of at least 1");
    }
    if (json_integer_value(number) > DP2DPI_LEDGER_VERSION) {
        return dp2dpi_fail(error, DP2DP_STATUS_DATA,
                           "version: %lld is newer than %d, the newest version that this library "
                           "reads; update dp2dp",
                           (long long)json_integer_value(number), (int)DP2DPI_LEDGER_VERSION);
    }
    *version = (int)json_integer_value(number);
    json_object_foreach(root, key, value) {
        char name[DP2DPI_JSON_PRINTABLE_SIZE];
        if (!is_known_key(key, *version)) {
            return dp2dpi_fail(error, DP2DP_STATUS_DATA, "%s: unknown field of a ledger",
                               dp2dpi_json_printable(key, name));
        }
    }
    return DP2DP_STATUS_OK;
}

/* Sets *of_model to 1 if this is a model's own ledger. A ledger of version 1 does not say its kind:
 * it counts as a model's own ledger if it stands inside a model (in_model is 1). */
static dp2dp_status read_kind(json_t *root, int version, int in_model, int *of_model,
                              dp2dp_error *error) {
    const char *kind = json_string_value(json_object_get(root, "kind"));
    if (version == 1) {
        *of_model = in_model;
        return DP2DP_STATUS_OK;
    }
    *of_model = kind && strcmp(kind, DP2DPI_LEDGER_OF_MODEL) == 0;
    if (kind == NULL || (!*of_model && strcmp(kind, DP2DPI_LEDGER_OF_PEOPLE) != 0)) {
        return dp2dpi_fail(error, DP2DP_STATUS_DATA, "kind: must be \"%s\" or \"%s\"",
                           DP2DPI_LEDGER_OF_PEOPLE, DP2DPI_LEDGER_OF_MODEL);
    }
    return in_model && !*of_model
               ? dp2dpi_fail(error, DP2DP_STATUS_DATA,
                             "kind: must be \"%s\" for the ledger inside a model",
                             DP2DPI_LEDGER_OF_MODEL)
               : DP2DP_STATUS_OK;
}

static dp2dp_status read_entries(const reading *r, json_t *root, dp2dp_error *error) {
    json_t *budget = json_object_get(root, "budget");
    json_t *entries = json_object_get(root, "entries");
    if (!json_is_array(entries) || json_array_size(entries) > DP2DPI_LEDGER_ENTRIES_MAX) {
        return dp2dpi_fail(error, DP2DP_STATUS_DATA,
                           "entries: must be an array of at most %d objects",
                           (int)DP2DPI_LEDGER_ENTRIES_MAX);
    }
    if (budget) {
        DP2DPI_TRY(old_budget(r, budget, error));
    }
    for (size_t i = 0; i < json_array_size(entries); i++) {
        DP2DPI_TRY(entry_from_json(r, json_array_get(entries, i), i, error));
    }
    return DP2DP_STATUS_OK;
}

static dp2dp_status from_value(json_t *root, int in_model, dp2dp_ledger **out, dp2dp_error *error) {
    dp2dp_adjacency adjacency = DP2DP_REPLACE_ONE;
    reading r = {0};
    int of_model;
    *out = NULL;
    DP2DPI_TRY(read_heading(root, &r.version, error));
    DP2DPI_TRY(read_kind(root, r.version, in_model, &of_model, error));
    const char *word = json_string_value(json_object_get(root, "adjacency"));
    if (word == NULL || dp2dp_adjacency_parse(word, &adjacency, NULL) != DP2DP_STATUS_OK) {
        return dp2dpi_fail(error, DP2DP_STATUS_DATA, "adjacency: must be \"%s\" or \"%s\"",
                           dp2dp_adjacency_name(DP2DP_REPLACE_ONE),
                           dp2dp_adjacency_name(DP2DP_ADD_REMOVE));
    }
    DP2DPI_TRY(dp2dp_ledger_new(adjacency, &r.ledger, error));
    r.ledger->of_model = of_model;
    dp2dp_status status = read_entries(&r, root, error);
    if (status != DP2DP_STATUS_OK) {
        dp2dp_ledger_free(r.ledger);
        return status;
    }
    *out = r.ledger;
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dpi_ledger_from_value(json_t *root, dp2dp_ledger **out, dp2dp_error *error) {
    return from_value(root, 1, out, error);
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
    dp2dp_status status = from_value(root, 0, out, error);
    json_decref(root);
    return status;
}
