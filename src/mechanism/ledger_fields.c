#include "mechanism/ledger.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "accountant/event.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/options.h"

#define BIT(name) (1u << DP2DP_##name)
#define SUM (BIT(GAUSSIAN) | BIT(POISSON) | BIT(WITHOUT_REPLACEMENT) | BIT(WITH_REPLACEMENT))
#define ANY (SUM | BIT(DECLARED) | BIT(EXPOSED))
#define AT(member) offsetof(dp2dp_event, member)

const dp2dpi_field dp2dpi_ledger_fields[] = {
    {"label", DP2DPI_FIELD_TEXT, AT(label), ANY, 1, "label"},
    {"role", DP2DPI_FIELD_TEXT, AT(role), ANY, 1, NULL},
    {"people", DP2DPI_FIELD_TEXT, AT(set), ANY, 1, "set"},
    {"release_id", DP2DPI_FIELD_TEXT, AT(release_id), ANY, 1, NULL},
    {"sensitivity", DP2DPI_FIELD_REAL, AT(sensitivity), SUM, 0, "sensitivity"},
    {"sigma", DP2DPI_FIELD_REAL, AT(sigma), SUM, 0, "sigma"},
    {"rate", DP2DPI_FIELD_REAL, AT(rate), BIT(POISSON) | BIT(WITHOUT_REPLACEMENT), 0, "rate"},
    {"population", DP2DPI_FIELD_REAL, AT(population), BIT(WITH_REPLACEMENT), 0, "population"},
    {"draws", DP2DPI_FIELD_COUNT, AT(draws), BIT(WITH_REPLACEMENT), 0, "draws"},
    {"count", DP2DPI_FIELD_COUNT, AT(count), ANY, 0, "count"},
    {"coordinates", DP2DPI_FIELD_COUNT, AT(coordinates), SUM, 1, "coordinates"},
    {"rows_per_person", DP2DPI_FIELD_COUNT, AT(rows_per_person), ANY, 0, "rows_per_person"},
    {"sampling_unit", DP2DPI_FIELD_UNIT, AT(sampling_unit), BIT(POISSON), 0, "sampling_unit"},
    {"scale", DP2DPI_FIELD_WHOLE, AT(scale), SUM, 1, "scale"},
    {"epsilon", DP2DPI_FIELD_REAL, AT(epsilon), BIT(DECLARED), 0, "epsilon"},
    {"delta", DP2DPI_FIELD_REAL, AT(delta), BIT(DECLARED), 0, "delta"},
    {NULL, DP2DPI_FIELD_TEXT, 0, 0, 0, NULL},
};

const dp2dpi_stamp dp2dpi_ledger_stamps[] = {
    {"checksum", offsetof(dp2dp_entry_info, checksum)},
    {"time", offsetof(dp2dp_entry_info, time)},
    {"library", offsetof(dp2dp_entry_info, library_version)},
    {"verb", offsetof(dp2dp_entry_info, verb)},
    {"note", offsetof(dp2dp_entry_info, note)},
    {NULL, 0},
};

const char **dp2dpi_stamp_of(const dp2dpi_stamp *stamp, dp2dp_entry_info *info) {
    return (const char **)((char *)info + stamp->offset);
}

int dp2dpi_is_role(const char *set) {
    return set && (strcmp(set, DP2DPI_ROLE_TRAIN) == 0 || strcmp(set, DP2DPI_ROLE_POOL) == 0 ||
                   strcmp(set, DP2DPI_ROLE_CERTIFICATE) == 0);
}

static const void *member(const dp2dpi_field *field, const dp2dp_event *event) {
    return (const char *)event + field->offset;
}

int dp2dpi_field_is_used(const dp2dpi_field *field, dp2dp_mechanism mechanism) {
    return (field->mechanisms >> mechanism & 1u) != 0;
}

const char *dp2dpi_field_text(const dp2dpi_field *field, const dp2dp_event *event) {
    return *(const char *const *)member(field, event);
}

double dp2dpi_field_number(const dp2dpi_field *field, const dp2dp_event *event) {
    return *(const double *)member(field, event);
}

uint64_t dp2dpi_field_count(const dp2dpi_field *field, const dp2dp_event *event) {
    return *(const uint64_t *)member(field, event);
}

int dp2dpi_is_same_text(const char *a, const char *b) {
    return a && b ? strcmp(a, b) == 0 : a == b;
}

int dp2dpi_field_is_same(const dp2dpi_field *field, const dp2dp_event *a, const dp2dp_event *b) {
    switch (field->kind) {
    case DP2DPI_FIELD_TEXT:
        return dp2dpi_is_same_text(dp2dpi_field_text(field, a), dp2dpi_field_text(field, b));
    case DP2DPI_FIELD_REAL:
    case DP2DPI_FIELD_WHOLE:
        return dp2dpi_field_number(field, a) == dp2dpi_field_number(field, b);
    case DP2DPI_FIELD_COUNT:
        return dp2dpi_field_count(field, a) == dp2dpi_field_count(field, b);
    case DP2DPI_FIELD_UNIT:
        return a->sampling_unit == b->sampling_unit;
    }
    return 0;
}

int dp2dpi_field_is_zero(const dp2dpi_field *field, const dp2dp_event *event) {
    switch (field->kind) {
    case DP2DPI_FIELD_TEXT:
        return dp2dpi_field_text(field, event) == NULL;
    case DP2DPI_FIELD_REAL:
    case DP2DPI_FIELD_WHOLE:
        return dp2dpi_field_number(field, event) == 0;
    case DP2DPI_FIELD_COUNT:
        return dp2dpi_field_count(field, event) == 0;
    case DP2DPI_FIELD_UNIT:
        return event->sampling_unit == DP2DP_SAMPLE_ROWS;
    }
    return 0;
}

dp2dp_status dp2dpi_ledger_check_text(const char *name, const char *text, dp2dp_error *error) {
    if (text && (strlen(text) > DP2DPI_LEDGER_STRING_MAX || !dp2dpi_json_is_utf8(text))) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "%s must be UTF-8 of at most %d bytes",
                           name, (int)DP2DPI_LEDGER_STRING_MAX);
    }
    return DP2DP_STATUS_OK;
}

/* Refuses a value in a field that the mechanism does not use, because this field is not written to
 * the JSON and the value would be lost. Numbers need no check: JSON can represent exactly every
 * number that dp2dp_event_check allows. */
static dp2dp_status check_field(const dp2dpi_field *field, const dp2dp_event *event,
                                dp2dp_error *error) {
    if (!dp2dpi_field_is_used(field, event->mechanism)) {
        return dp2dpi_field_is_zero(field, event)
                   ? DP2DP_STATUS_OK
                   : dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                                 "%s is not used by mechanism %s and must be 0", field->name,
                                 dp2dp_mechanism_name(event->mechanism));
    }
    return field->kind == DP2DPI_FIELD_TEXT
               ? dp2dpi_ledger_check_text(field->name, dp2dpi_field_text(field, event), error)
               : DP2DP_STATUS_OK;
}

dp2dp_status dp2dpi_ledger_take_event(const dp2dp_ledger *ledger, const dp2dp_event *event,
                                      dp2dp_event *taken, dp2dp_error *error) {
    dp2dp_event copy;
    DP2DPI_TRY(dp2dpi_event_read(event, ledger->adjacency, &copy, error));
    for (const dp2dpi_field *field = dp2dpi_ledger_fields; field->name; field++) {
        DP2DPI_TRY(check_field(field, &copy, error));
    }
    if (copy.release_id && !dp2dpi_is_hex(copy.release_id, DP2DPI_RELEASE_ID_DIGITS)) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "release_id must have 32 digits of lower-case hexadecimal");
    }
    if (copy.role && !dp2dpi_is_role(copy.role)) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "role must be train, pool or certificate");
    }
    if (!ledger->of_model) {
        copy.role = NULL;
        copy.set = dp2dpi_is_role(copy.set) ? NULL : copy.set;
    }
    *taken = copy;
    return DP2DP_STATUS_OK;
}
