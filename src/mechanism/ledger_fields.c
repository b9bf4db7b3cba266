/* The only table of entry fields. The reader, the writer and the checks all use it. */
#include "mechanism/ledger.h"

#include <stddef.h>
#include <string.h>

#include "accountant/event.h"
#include "base/json.h"

#define BIT(name) (1u << DP2DP_##name)
#define SUM (BIT(GAUSSIAN) | BIT(POISSON) | BIT(WITHOUT_REPLACEMENT) | BIT(WITH_REPLACEMENT))
#define ANY (SUM | BIT(DECLARED))
#define AT(member) offsetof(dp2dp_event, member)

const dp2dpi_field dp2dpi_ledger_fields[] = {
    {"label", DP2DPI_FIELD_TEXT, AT(label), ANY, 1},
    {"set", DP2DPI_FIELD_TEXT, AT(set), ANY, 1},
    {"sensitivity", DP2DPI_FIELD_REAL, AT(sensitivity), SUM, 0},
    {"sigma", DP2DPI_FIELD_REAL, AT(sigma), SUM, 0},
    {"rate", DP2DPI_FIELD_REAL, AT(rate), BIT(POISSON) | BIT(WITHOUT_REPLACEMENT), 0},
    {"population", DP2DPI_FIELD_REAL, AT(population), BIT(WITH_REPLACEMENT), 0},
    {"draws", DP2DPI_FIELD_COUNT, AT(draws), BIT(WITH_REPLACEMENT), 0},
    {"count", DP2DPI_FIELD_COUNT, AT(count), ANY, 0},
    {"coordinates", DP2DPI_FIELD_COUNT, AT(coordinates), SUM, 1},
    {"rows_per_person", DP2DPI_FIELD_COUNT, AT(rows_per_person), ANY, 0},
    {"sampling_unit", DP2DPI_FIELD_UNIT, AT(sampling_unit), BIT(POISSON), 0},
    {"scale", DP2DPI_FIELD_WHOLE, AT(scale), SUM, 1},
    {"epsilon", DP2DPI_FIELD_REAL, AT(epsilon), BIT(DECLARED), 0},
    {"delta", DP2DPI_FIELD_REAL, AT(delta), BIT(DECLARED), 0},
    {NULL, DP2DPI_FIELD_TEXT, 0, 0, 0},
};

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

/* Refuses values that JSON would not return unchanged: a value in a field that the mechanism does
 * not use, because the writer omits the field, and text that JSON cannot hold. dp2dpi_event_read
 * bounds every number that the mechanism uses so that JSON holds it exactly. */
static dp2dp_status check_field(const dp2dpi_field *field, const dp2dp_event *event,
                                dp2dp_error *error) {
    if (!dp2dpi_field_is_used(field, event->mechanism)) {
        return dp2dpi_field_is_zero(field, event)
                   ? DP2DP_STATUS_OK
                   : dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "%s is not used by %s and must be 0",
                                 field->name, dp2dp_mechanism_name(event->mechanism));
    }
    const char *text = field->kind == DP2DPI_FIELD_TEXT ? dp2dpi_field_text(field, event) : NULL;
    if (text && (strlen(text) > DP2DPI_LEDGER_STRING_MAX || !dp2dpi_json_is_utf8(text))) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "%s must be UTF-8 of at most %d bytes",
                           field->name, (int)DP2DPI_LEDGER_STRING_MAX);
    }
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dpi_ledger_take_event(const dp2dp_event *event, dp2dp_adjacency adjacency,
                                      dp2dp_event *taken, dp2dp_error *error) {
    DP2DPI_TRY(dp2dpi_event_read(event, adjacency, taken, error));
    for (const dp2dpi_field *field = dp2dpi_ledger_fields; field->name; field++) {
        DP2DPI_TRY(check_field(field, taken, error));
    }
    return DP2DP_STATUS_OK;
}
