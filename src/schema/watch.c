#include "schema/watch.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/missing.h"

dp2dp_status dp2dpi_watch_open(dp2dpi_watch *t, dp2dp_error *error) {
    static const char what[] = "an encoder";
    if (t->told) {
        DP2DPI_TRY(DP2DPI_ALLOC(t->spreads, t->count, what, error));
        DP2DPI_TRY(DP2DPI_ALLOC(t->groups, t->count, what, error));
        DP2DPI_TRY(DP2DPI_ALLOC(t->labels, t->count, what, error));
        DP2DPI_TRY(DP2DPI_ALLOC(t->marks, t->count, what, error));
        DP2DPI_TRY(DP2DPI_ALLOC(t->ids, t->count, what, error));
        DP2DPI_TRY(DP2DPI_ALLOC(t->samples, DP2DPI_IDS_SAMPLES, what, error));
    }
    return t->rows_repeated ? DP2DPI_ALLOC(t->repeats, 1, what, error) : DP2DP_STATUS_OK;
}

void dp2dpi_watch_close(dp2dpi_watch *t) {
    dp2dpi_free(t->spreads);
    dp2dpi_free(t->groups);
    dp2dpi_free(t->labels);
    dp2dpi_free(t->marks);
    dp2dpi_free(t->ids);
    dp2dpi_free(t->samples);
    dp2dpi_free(t->repeats);
}

/* Returns the hash that continues `hash` with a text. */
static uint64_t mix_text(uint64_t hash, const char *text, size_t length) {
    hash = dp2dpi_repeats_mix(hash, (uint32_t)length);
    for (size_t i = 0; i < length; i += sizeof(uint32_t)) {
        uint32_t bits = 0;
        memcpy(&bits, text + i, length - i < sizeof bits ? length - i : sizeof bits);
        hash = dp2dpi_repeats_mix(hash, bits);
    }
    return hash;
}

/* Returns the hash that continues `hash` with a number. dp2dpi_repeats_mix takes only 32 bits, so
 * the number is mixed in as two halves. The lower half alone would not tell numbers apart, because
 * it is 0 for most numbers. */
static uint64_t mix_number(uint64_t hash, double number) {
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return dp2dpi_repeats_mix(dp2dpi_repeats_mix(hash, (uint32_t)bits), (uint32_t)(bits >> 32));
}

/* Returns a hash of all values in a row. */
static uint64_t hash_of(const dp2dpi_watch *t, const dp2dpi_cell *cells) {
    uint64_t hash = 1;
    for (size_t w = 0; w < t->count; w++) {
        const dp2dp_schema_column *c = &t->schema->columns[t->columns[w]];
        const dp2dpi_cell *value = &cells[w];
        hash = value->is_missing               ? dp2dpi_repeats_mix(hash, UINT32_MAX)
               : c->type == DP2DP_TABLE_NUMBER ? mix_number(hash, value->number)
                                               : mix_text(hash, value->text, value->length);
    }
    return hash;
}

/* Adds the values of a row to t->spreads and t->ids, the summaries of each column. Stops looking up
 * the texts of a column once the column is known to have different levels. */
static void add_values(const dp2dpi_watch *t, const dp2dpi_cell *cells) {
    for (size_t w = 0; w < t->count && t->spreads; w++) {
        const dp2dp_schema_column *c = &t->schema->columns[t->columns[w]];
        const dp2dpi_cell *value = &cells[w];
        if (value->is_missing) {
            continue;
        }
        if (c->type == DP2DP_TABLE_NUMBER && c->role == DP2DP_ROLE_FEATURE) {
            dp2dpi_ids_add(value->number, t->samples, &t->ids[w]);
        }
        if (c->type == DP2DP_TABLE_NUMBER) {
            dp2dpi_spread_add(c, value->number, &t->spreads[w]);
        } else if (!t->spreads[w].is_mixed) {
            dp2dpi_spread_add_level(
                dp2dpi_schema_level(t->schema, t->columns[w], value->text, value->length),
                &t->spreads[w]);
        }
    }
}

void dp2dpi_watch_row(const dp2dpi_watch *t, const dp2dpi_cell *cells) {
    if (t->repeats) {
        dp2dpi_repeats_add(hash_of(t, cells), t->repeats);
    }
    add_values(t, cells);
}

/* Returns what a classifier sees of a feature: a level, or a number within the bounds. Returns
 * -INFINITY for a missing number, because -INFINITY differs from every level and every number
 * within the bounds. */
static double seen_of(const dp2dp_schema_column *c, const dp2dpi_cell *value) {
    return c->number == SIZE_MAX ? value->level
           : value->is_missing   ? -INFINITY
                                 : fmin(fmax(value->number, c->lower), c->upper);
}

/* Notes the values of the features in a row, to find features that reveal the group or
 * the label. `code` is the row's group if `tells` is t->groups, and its label otherwise. */
static void note_values(const dp2dpi_watch *t, const dp2dpi_cell *cells, int32_t code,
                        dp2dpi_tells *tells) {
    for (size_t w = 0; w < t->count && tells; w++) {
        const dp2dp_schema_column *c = &t->schema->columns[t->columns[w]];
        if (c->role == DP2DP_ROLE_FEATURE && !tells[w].is_over) {
            dp2dpi_tells_add(seen_of(c, &cells[w]), code, &tells[w]);
        }
    }
}

/* Notes the values of the features in a row, to find features that belong to one class or whose
 * ranges differ between classes. Does nothing if there is no label. */
static void note_marks(const dp2dpi_watch *t, const dp2dpi_cell *cells, int32_t label,
                       size_t classes) {
    for (size_t w = 0; w < t->count && classes > 0; w++) {
        const dp2dp_schema_column *c = &t->schema->columns[t->columns[w]];
        if (c->role == DP2DP_ROLE_FEATURE && !t->marks[w].is_over) {
            dp2dpi_marks_add(seen_of(c, &cells[w]), c->number != SIZE_MAX, label, classes,
                             &t->marks[w]);
        }
    }
}

/* Notes the texts of a row that are not in the list of their column. A hash of 53 bits, which a
 * double holds exactly, tells the texts apart. */
static void note_unlisted(const dp2dpi_watch *t, const dp2dpi_cell *cells) {
    for (size_t w = 0; w < t->count; w++) {
        const dp2dp_schema_column *c = &t->schema->columns[t->columns[w]];
        const dp2dpi_cell *value = &cells[w];
        if (c->kind != DP2DP_KIND_NUMERIC && !value->is_missing &&
            value->level == (int32_t)c->declared_count) {
            dp2dpi_spread_add_unlisted((double)(mix_text(1, value->text, value->length) >> 11),
                                       dp2dpi_looks_missing(value->text, value->length),
                                       &t->spreads[w]);
        }
    }
}

static void sum_up_labels(const dp2dpi_watch *t, size_t w, dp2dp_spread *out) {
    const dp2dp_schema_column *c = &t->schema->columns[t->columns[w]];
    dp2dpi_marked found = dp2dpi_marks_find(&t->marks[w], c->number != SIZE_MAX);
    out->tells_label = dp2dpi_tells_all(&t->labels[w]) || found.is_apart;
    out->marks_label = found.kind;
    out->marked = found.label;
}

void dp2dpi_watch_levels(const dp2dpi_watch *t, const dp2dpi_cell *cells) {
    int32_t group = 0, label = 0;
    size_t classes = 0;
    for (size_t w = 0; w < t->count && t->told; w++) {
        const dp2dp_schema_column *c = &t->schema->columns[t->columns[w]];
        int32_t level = cells[w].level;
        group = c->role == DP2DP_ROLE_SENSITIVE ? group * (int32_t)c->level_count + level : group;
        if (c->role == DP2DP_ROLE_LABEL) {
            label = level;
            classes = c->level_count;
        }
    }
    note_values(t, cells, group, t->groups);
    note_values(t, cells, label, t->labels);
    if (t->told) {
        note_marks(t, cells, label, classes);
        note_unlisted(t, cells);
    }
}

/* Reports columns with only a few numbers that are all tiny, if there are at least two such
 * columns. */
static void tell_tiny(const dp2dpi_watch *t) {
    size_t count = 0;
    for (size_t w = 0; w < t->count && t->spreads; w++) {
        count += (size_t)dp2dpi_spread_is_tiny(&t->spreads[w]);
    }
    for (size_t w = 0; w < t->count && count >= 2; w++) {
        if (dp2dpi_spread_is_tiny(&t->spreads[w])) {
            dp2dpi_spread_tell_tiny(&t->schema->columns[t->columns[w]], &t->told[t->columns[w]]);
        }
    }
}

void dp2dpi_watch_sum_up(const dp2dpi_watch *t) {
    if (t->repeats) {
        *t->rows_repeated = dp2dpi_repeats_are_many(t->repeats);
    }
    for (size_t w = 0; w < t->count && t->spreads; w++) {
        dp2dpi_spread_sum_up(&t->schema->columns[t->columns[w]], &t->spreads[w],
                             &t->told[t->columns[w]]);
        t->told[t->columns[w]].tells_group = dp2dpi_tells_all(&t->groups[w]);
        t->told[t->columns[w]].are_ids = dp2dpi_ids_are(&t->ids[w]);
        sum_up_labels(t, w, &t->told[t->columns[w]]);
    }
    tell_tiny(t);
}
