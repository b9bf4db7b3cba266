#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/utf8.h"
#include "num/elementary.h"
#include "schema/schema.h"

typedef struct work {
    dp2dp_schema *schema;
    dp2dp_schema_column *column;
    dp2dpi_lookup *lookup, *by_value;
    dp2dp_status status;
    dp2dp_error *error;
} work;

static void refuse(work *w, const char *what) {
    const char *name = w->column->name;
    char shown[DP2DPI_SHOWN_SIZE];
    if (w->status == DP2DP_STATUS_OK) {
        w->status =
            dp2dpi_fail_at(w->error, DP2DP_STATUS_DATA, &(dp2dpi_place) {.column = name},
                           "column \"%s\": %s", dp2dpi_utf8_show(name, strlen(name), shown), what);
    }
}

/* Allocates memory that lives as long as the schema. Returns NULL if the allocation or an earlier
 * step failed. */
static void *keep(work *w, size_t count, size_t size) {
    void *memory = NULL;
    if (w->status == DP2DP_STATUS_OK) {
        w->status = dp2dpi_schema_keep(w->schema, count, size, &memory, w->error);
    }
    return memory;
}

dp2dp_status dp2dpi_schema_index_markers(dp2dp_schema *schema, const char **markers,
                                         dp2dp_error *error) {
    size_t count = schema->info.marker_count;
    void *memory = NULL, *copy = NULL;
    DP2DPI_TRY(dp2dpi_schema_keep(schema, count, sizeof(dp2dpi_meaning), &memory, error));
    dp2dpi_meaning *meanings = memory;
    for (size_t i = 0; i < count; i++) {
        const char *text = markers[i];
        size_t length = strlen(text);
        dp2dpi_trim(&text, &length);
        DP2DPI_TRY(dp2dpi_schema_keep(schema, length + 1, 1, &copy, error));
        markers[i] = memcpy(copy, text, length);
        meanings[i] = (dp2dpi_meaning) {markers[i], length, 0};
    }
    schema->markers = (dp2dpi_lookup) {meanings, count};
    (void)dp2dpi_lookup_sort(&schema->markers);
    return DP2DP_STATUS_OK;
}

int32_t dp2dpi_schema_cut(const dp2dp_schema_column *column, double x) {
    size_t low = 0, high = column->cut_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (column->cuts[middle] < x) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return (int32_t)low;
}

/* Refuses a level or alias that no row could match, or that would have two meanings. */
static void check_text(work *w, const char *text) {
    size_t length = strlen(text), trimmed = length;
    const char *start = text;
    dp2dpi_trim(&start, &trimmed);
    if (w->schema->info.trim && trimmed != length) {
        refuse(w, "a level or alias begins or ends with a blank, but trim removes such blanks from "
                  "the rows; remove the blank in the schema too");
    }
    if (strcmp(text, DP2DPI_SCHEMA_UNKNOWN) == 0 || strcmp(text, DP2DPI_SCHEMA_MISSING) == 0) {
        refuse(w, "(unknown) and (missing) cannot be declared as levels or aliases");
    }
    if (dp2dpi_lookup_find(&w->schema->markers, start, trimmed) >= 0) {
        refuse(w, "a level or alias is also listed as a marker of missing values");
    }
}

static void sort_lookup(work *w) {
    if (!dp2dpi_lookup_sort(w->lookup)) {
        refuse(w, "a level or alias is declared twice");
    }
}

/* Refuses two levels that are the same number, such as 1 and 1.0, because rows may use either
 * spelling. */
static void check_numbers(work *w) {
    const dp2dp_schema_column *c = w->column;
    const char *first = NULL, *second = NULL;
    if (w->status == DP2DP_STATUS_OK) {
        w->status =
            dp2dpi_names_same_number(c->levels, c->declared_count, &first, &second, w->error);
    }
    if (first) {
        char text[256];
        (void)snprintf(text, sizeof text,
                       "levels \"%.40s\" and \"%.40s\" are the same number; declare it once, since "
                       "rows may use either spelling",
                       first, second);
        refuse(w, text);
    }
}

/* If all levels are numbers, makes a lookup of levels by value. A text such as 1.0 then matches the
 * level "1". */
static void make_lookup_by_value(work *w) {
    const dp2dp_schema_column *c = w->column;
    if (w->status != DP2DP_STATUS_OK || !dp2dpi_all_numbers(c->levels, c->declared_count)) {
        return;
    }
    dp2dpi_meaning *meanings = keep(w, w->lookup->count, sizeof *meanings);
    char(*keys)[DP2DPI_NUMBER_KEY_SIZE] = keep(w, w->lookup->count, sizeof *keys);
    if (keys) {
        dp2dpi_lookup_by_value(w->lookup, meanings, keys, w->by_value);
    }
}

/* Makes the lookup of levels and aliases. Sorts the levels first, because the function looks up the
 * level of each alias among the levels. */
static void make_lookup(work *w) {
    dp2dp_schema_column *c = w->column;
    dp2dpi_lookup *lookup = w->lookup;
    lookup->meanings = keep(w, c->declared_count + c->alias_count, sizeof(dp2dpi_meaning));
    if (lookup->meanings == NULL) {
        return;
    }
    for (size_t i = 0; i < c->declared_count; i++) {
        check_text(w, c->levels[i]);
        lookup->meanings[lookup->count++] =
            (dp2dpi_meaning) {c->levels[i], strlen(c->levels[i]), (int32_t)i};
    }
    sort_lookup(w);
    size_t first = lookup->count;
    for (size_t i = 0; i < c->alias_count; i++) {
        dp2dpi_lookup levels = {lookup->meanings, first};
        const dp2dp_alias *alias = &c->aliases[i];
        int32_t level = dp2dpi_lookup_find(&levels, alias->level, strlen(alias->level));
        check_text(w, alias->text);
        if (level < 0) {
            refuse(w, "an alias refers to a level that is not declared");
        }
        lookup->meanings[lookup->count++] =
            (dp2dpi_meaning) {alias->text, strlen(alias->text), level};
    }
    sort_lookup(w);
}

static void make_levels(work *w) {
    dp2dp_schema_column *c = w->column;
    const char **levels = keep(w, c->declared_count + 2, sizeof(char *));
    if (levels == NULL) {
        return;
    }
    for (size_t i = 0; i < c->declared_count; i++) {
        levels[i] = c->levels[i];
    }
    c->level_count = c->declared_count;
    if (c->unknown == DP2DP_POLICY_LEVEL) {
        levels[c->level_count++] = DP2DPI_SCHEMA_UNKNOWN;
    }
    if (c->missing == DP2DP_POLICY_LEVEL) {
        levels[c->level_count++] = DP2DPI_SCHEMA_MISSING;
    }
    c->levels = levels;
}

/* Writes x with the fewest digits that read back as x; writes whole numbers below 1e15 without an
 * exponent. */
static void write_number(double x, char out[32]) {
    if (x == floor(x) && fabs(x) < 1e15) {
        (void)snprintf(out, 32, "%.0f", x);
        return;
    }
    for (int digits = 1; digits <= 17; digits++) {
        (void)snprintf(out, 32, "%.*g", digits, x);
        if (strtod(out, NULL) == x) {
            return;
        }
    }
}

static void name_interval(const dp2dp_schema_column *c, size_t i, char *out, size_t size) {
    char low[32] = "", high[32] = "";
    if (i > 0) {
        write_number(c->cuts[i - 1], low);
    }
    if (i < c->cut_count) {
        write_number(c->cuts[i], high);
    }
    if (i == 0) {
        (void)snprintf(out, size, "<= %s", high);
    } else if (i == c->cut_count) {
        (void)snprintf(out, size, "> %s", low);
    } else {
        (void)snprintf(out, size, "(%s, %s]", low, high);
    }
}

static void name_intervals(work *w) {
    enum {
        SIZE = 72
    };
    dp2dp_schema_column *c = w->column;
    size_t n = c->cut_count + 1;
    dp2dpi_c_locale scope = {0};
    const char **names = keep(w, n, sizeof(char *));
    char *room = keep(w, n, SIZE);
    if (room == NULL) {
        return;
    }
    w->status = dp2dpi_c_locale_enter(&scope, w->error);
    if (w->status != DP2DP_STATUS_OK) {
        return;
    }
    for (size_t i = 0; i < n; i++) {
        names[i] = room + i * SIZE;
        name_interval(c, i, room + i * SIZE, SIZE);
    }
    dp2dpi_c_locale_leave(&scope);
    c->levels = names;
    c->declared_count = n;
}

static void check_cuts(work *w) {
    dp2dp_schema_column *c = w->column;
    c->unknown = DP2DP_POLICY_REFUSE;
    if (c->levels == NULL) {
        name_intervals(w);
    } else if (c->declared_count != c->cut_count + 1) {
        refuse(w, "levels: there must be one more level than there are cuts");
    }
    make_lookup(w); /* this call checks that the names differ; nothing else uses the lookup */
}

static void check_number(work *w) {
    dp2dp_schema_column *c = w->column;
    c->unknown = DP2DP_POLICY_REFUSE;
    if (c->role != DP2DP_ROLE_FEATURE) {
        refuse(w, "a label or sensitive column that is numeric needs cuts");
        return;
    }
    if (!(c->lower < c->upper) || !isfinite(c->lower) || !isfinite(c->upper)) {
        refuse(w, "lower and upper are needed, and lower must be below upper");
        return;
    }
    if (c->log1p && !(c->lower > -1)) {
        refuse(w, "lower: must be above -1, because log1p is true");
        return;
    }
    double low = c->log1p ? dp2dpi_log1p(c->lower) : c->lower;
    double high = c->log1p ? dp2dpi_log1p(c->upper) : c->upper;
    c->centre = isnan(c->centre) ? low / 2 + high / 2 : c->centre;
    c->scale = isnan(c->scale) ? high / 2 - low / 2 : c->scale;
    if (!(c->scale > 0) || !isfinite(c->scale) || !isfinite(c->centre)) {
        refuse(w, "scale: must be above 0");
    } else if (!(fabs((low - c->centre) / c->scale) <= DP2DPI_SCHEMA_VALUE_MAX &&
                 fabs((high - c->centre) / c->scale) <= DP2DPI_SCHEMA_VALUE_MAX)) {
        refuse(w,
               "scale: |(x - centre) / scale| must be at most 1e6 for x between lower and upper");
    }
}

static void check_policies(work *w) {
    const dp2dp_schema_column *c = w->column;
    if (c->unknown == DP2DP_POLICY_DROP) {
        refuse(w, "unknown: must be \"level\" or \"refuse\"");
    }
    if (c->role == DP2DP_ROLE_LABEL &&
        (c->unknown != DP2DP_POLICY_REFUSE || c->missing == DP2DP_POLICY_LEVEL)) {
        refuse(w,
               "an unknown or missing value of the label cannot be a class of its own; set unknown "
               "to \"refuse\", and missing to \"refuse\" or \"drop\"");
    }
}

dp2dp_status dp2dpi_schema_complete(dp2dp_schema *schema, size_t i, dp2dp_error *error) {
    dp2dp_schema_column *c = &schema->columns[i];
    work w = {schema, c, &schema->lookups[i], &schema->by_value[i], DP2DP_STATUS_OK, error};
    c->type = DP2DP_TABLE_TEXT;
    c->number = SIZE_MAX;
    if (c->role == DP2DP_ROLE_IGNORE) {
        return DP2DP_STATUS_OK;
    }
    check_policies(&w);
    if (c->kind == DP2DP_KIND_CATEGORICAL) {
        if (c->declared_count == 0) {
            refuse(&w, "levels: must be an array of at least one text");
        }
        make_lookup(&w);
        check_numbers(&w);
        make_lookup_by_value(&w);
    } else {
        c->type = DP2DP_TABLE_NUMBER;
        if (c->cuts) {
            check_cuts(&w);
        } else {
            check_number(&w);
        }
    }
    make_levels(&w);
    return w.status;
}
