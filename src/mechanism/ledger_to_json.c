/* Writes a ledger as JSON; docs/ledger.md lists the fields. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
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

static int add_text(json_t *object, const char *name, const char *text) {
    return text && json_object_set_new(object, name, json_string(text));
}

static int add_event(json_t *object, const dp2dpi_entry *entry) {
    const dp2dp_event *event = &entry->event;
    int failed = add_text(object, "mechanism", dp2dp_mechanism_name(event->mechanism));
    for (const dp2dpi_field *field = dp2dpi_ledger_fields; field->name && !failed; field++) {
        int left_out = !dp2dpi_field_is_used(field, event->mechanism) ||
                       (field->optional && dp2dpi_field_is_zero(field, event));
        if (!left_out) {
            failed = json_object_set_new(object, field->name, field_to_json(field, event));
        }
    }
    return failed || add_text(object, "rng", dp2dp_rng_kind_name(entry->rng));
}

/* Makes the JSON of an entry without its own hash; NULL if memory runs out. Jansson cannot fail for
 * another reason, because every value was checked before. */
static json_t *entry_to_json(const dp2dpi_entry *entry) {
    dp2dp_entry_info info = entry->info;
    json_t *object = json_object();
    int failed = add_text(object, "entry", dp2dp_entry_kind_name(info.kind));
    if (info.kind == DP2DP_ENTRY_CHARGE) {
        failed = failed || add_event(object, entry);
    } else if (info.kind == DP2DP_ENTRY_BUDGET) {
        failed = failed || json_object_set_new(object, "epsilon", json_real(info.epsilon)) ||
                 json_object_set_new(object, "delta", json_real(info.delta));
    } else {
        failed = failed || add_text(object, "release_id", entry->event.release_id);
    }
    for (const dp2dpi_stamp *stamp = dp2dpi_ledger_stamps; stamp->name && !failed; stamp++) {
        failed = add_text(object, stamp->name, *dp2dpi_stamp_of(stamp, &info));
    }
    failed = failed ||
             (info.from_version &&
              json_object_set_new(object, "from_version", json_integer(info.from_version))) ||
             add_text(object, "previous", info.previous);
    return dp2dpi_json_finish(object, failed);
}

dp2dp_status dp2dpi_entry_seal(dp2dpi_entry *entry, const dp2dpi_entry *before,
                               dp2dp_error *error) {
    static const char opening[] = ",\"hash\":\"", closing[] = "\"}";
    char hash[DP2DPI_HASH_SIZE], *text = NULL, *copy = NULL;
    size_t length = 0;
    dp2dp_status status = DP2DP_STATUS_OK;
    DP2DPI_TRY(dp2dpi_strdup(before ? before->info.hash : NULL, &copy, error));
    entry->info.previous = copy;
    json_t *object = entry_to_json(entry);
    DP2DPI_TRY_OR_DONE(dp2dpi_json_dump_line("an entry", object, &text, &length, error));
    dp2dpi_hash(&(dp2dpi_piece) {text, length}, 1, hash);
    DP2DPI_TRY_OR_DONE(DP2DPI_ALLOC(
        entry->line, length + sizeof opening + sizeof hash + sizeof closing, "an entry", error));
    memcpy(entry->line, text, length - 1); /* copies the JSON without its closing brace */
    (void)stpcpy(stpcpy(stpcpy(entry->line + length - 1, opening), hash), closing);
    DP2DPI_TRY_OR_DONE(dp2dpi_strdup(hash, &copy, error));
    entry->info.hash = copy;
done:
    dp2dpi_free(text);
    json_decref(object);
    return status;
}

dp2dp_status dp2dpi_ledger_derive_id(const dp2dp_event *events, size_t n, uint64_t seed,
                                     const char *subject, char id[DP2DPI_RELEASE_ID_DIGITS + 1],
                                     dp2dp_error *error) {
    char hash[DP2DPI_HASH_SIZE], *text = NULL;
    size_t length = 0;
    int failed = 0;
    json_t *array = json_array();
    for (size_t i = 0; i < n && !failed; i++) {
        const dp2dpi_entry entry = {
            .info.kind = DP2DP_ENTRY_CHARGE, .event = events[i], .rng = DP2DP_RNG_INSECURE};
        failed = json_array_append_new(array, entry_to_json(&entry));
    }
    array = dp2dpi_json_finish(array, failed);
    dp2dp_status status = dp2dpi_json_dump_line("a release", array, &text, &length, error);
    if (status == DP2DP_STATUS_OK) {
        char digits[24];
        int size = snprintf(digits, sizeof digits, "%" PRIu64, seed);
        const dp2dpi_piece pieces[] = {
            {digits, (size_t)size}, {text, length}, {subject, subject ? strlen(subject) : 0}};
        dp2dpi_hash(pieces, subject ? 3 : 2, hash);
        memcpy(id, hash, DP2DPI_RELEASE_ID_DIGITS);
        id[DP2DPI_RELEASE_ID_DIGITS] = '\0';
    }
    dp2dpi_free(text);
    json_decref(array);
    return status;
}

static json_t *heading_to_json(const dp2dp_ledger *ledger, json_t *entries) {
    return DP2DPI_JSON_OBJECT(
        {"format", json_string(DP2DPI_LEDGER_FORMAT)},
        {"version", json_integer(DP2DPI_LEDGER_VERSION)},
        {"kind", json_string(ledger->of_model ? DP2DPI_LEDGER_OF_MODEL : DP2DPI_LEDGER_OF_PEOPLE)},
        {"adjacency", json_string(dp2dp_adjacency_name(ledger->adjacency))}, {"entries", entries});
}

dp2dp_status dp2dpi_ledger_to_value(const dp2dp_ledger *ledger, json_t **out, dp2dp_error *error) {
    json_t *entries = json_array();
    int failed = 0;
    for (size_t i = 0; i < ledger->size && !failed; i++) {
        failed = json_array_append_new(entries, entry_to_json(&ledger->entries[i]));
    }
    *out = heading_to_json(ledger, dp2dpi_json_finish(entries, failed));
    return *out ? DP2DP_STATUS_OK
                : dp2dpi_fail(error, DP2DP_STATUS_MEMORY, "out of memory while writing a ledger");
}

/* Inserts the entries, one on each line, into `heading`, a JSON text with an empty list of
 * entries. */
static dp2dp_status insert_lines(const dp2dp_ledger *ledger, const char *heading, char **text,
                                 size_t *length, dp2dp_error *error) {
    static const char indent[] = "\n    ", brackets[] = "[]";
    size_t needed = strlen(heading) + sizeof indent;
    for (size_t i = 0; i < ledger->size; i++) {
        needed += strlen(ledger->entries[i].line) + sizeof indent;
    }
    if (needed > DP2DPI_JSON_TEXT_MAX) {
        return dp2dpi_fail(error, DP2DP_STATUS_IO, "the ledger would be longer than %d bytes",
                           (int)DP2DPI_JSON_TEXT_MAX);
    }
    DP2DPI_TRY(DP2DPI_ALLOC(*text, needed, "a ledger's text", error));
    size_t opening = (size_t)(strstr(heading, brackets) - heading) + 1;
    memcpy(*text, heading, opening);
    char *at = *text + opening;
    for (size_t i = 0; i < ledger->size; i++) {
        at = stpcpy(stpcpy(at, i ? "," : ""), indent);
        at = stpcpy(at, ledger->entries[i].line);
    }
    at = stpcpy(stpcpy(at, ledger->size > 0 ? "\n  " : ""), heading + opening);
    *length = (size_t)(at - *text);
    return DP2DP_STATUS_OK;
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
    char *heading = NULL;
    dp2dp_status status = DP2DP_STATUS_OK;
    if (ledger->of_model) {
        DP2DPI_TRY(dp2dpi_ledger_to_value(ledger, &root, error));
        DP2DPI_TRY_OR_DONE(dp2dpi_json_dump("ledger", root, text, length, error));
    } else {
        root = heading_to_json(ledger, json_array());
        DP2DPI_TRY_OR_DONE(dp2dpi_json_dump("ledger", root, &heading, length, error));
        DP2DPI_TRY_OR_DONE(insert_lines(ledger, heading, text, length, error));
    }
done:
    dp2dpi_free(heading);
    json_decref(root);
    return status;
}

void dp2dp_text_free(char *text) {
    dp2dpi_free(text);
}
