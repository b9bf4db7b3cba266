#include <string.h>

#include "arrow/column_names.h"
#include "base/alloc.h"
#include "base/utf8.h"
#include "schema/schema.h"

/* Refuses two columns with the same name or, if `groups` is not NULL, two groups with the same
 * name. Group names can collide: the levels "a × b" and "c" give the same name as "a" and "b ×
 * c". */
static dp2dp_status check_names(const dp2dp_schema_info *info, const char *const *groups,
                                dp2dp_error *error) {
    size_t count = groups ? info->group_count : info->column_count;
    dp2dpi_name *names = NULL;
    char shown[DP2DPI_SHOWN_SIZE];
    DP2DPI_TRY(DP2DPI_ALLOC(names, count, "names", error));
    for (size_t i = 0; i < count; i++) {
        const char *name = groups ? groups[i] : info->columns[i].name;
        names[i] = (dp2dpi_name) {name, strlen(name), i};
    }
    dp2dpi_names_sort(names, count);
    const dp2dpi_name *twice = dp2dpi_names_twice(names, count);
    dp2dp_status status =
        twice ? dp2dpi_fail(error, DP2DP_STATUS_DATA, "columns: %s\"%s\" occurs twice",
                            groups ? "the group " : "",
                            dp2dpi_utf8_show(twice->text, twice->length, shown))
              : DP2DP_STATUS_OK;
    dp2dpi_free(names);
    return status;
}

static dp2dp_status place_features(dp2dp_schema *schema, dp2dp_error *error) {
    dp2dp_schema_info *info = &schema->info;
    for (size_t i = 0; i < info->column_count; i++) {
        dp2dp_schema_column *c = &schema->columns[i];
        if (c->role == DP2DP_ROLE_FEATURE && c->kind == DP2DP_KIND_NUMERIC && c->cuts == NULL) {
            c->number = info->numbers++;
        }
    }
    info->width = info->numbers;
    for (size_t i = 0; i < info->column_count; i++) {
        dp2dp_schema_column *c = &schema->columns[i];
        if (c->role == DP2DP_ROLE_FEATURE && c->level_count > 0) {
            c->first = info->width;
            info->width += c->level_count;
            info->categories++;
        }
    }
    if (info->width < 1 || info->width > DP2DPI_SCHEMA_WIDTH_MAX) {
        return dp2dpi_fail(error, DP2DP_STATUS_DATA,
                           "columns: there are %zu features, but there must be from 1 to %d",
                           info->width, (int)DP2DPI_SCHEMA_WIDTH_MAX);
    }
    return DP2DP_STATUS_OK;
}

static dp2dp_status find_classes(dp2dp_schema *schema, dp2dp_error *error) {
    dp2dp_schema_info *info = &schema->info;
    for (size_t i = 0; i < info->column_count; i++) {
        const dp2dp_schema_column *c = &schema->columns[i];
        if (c->role != DP2DP_ROLE_LABEL) {
            continue;
        }
        if (info->class_count) {
            return dp2dpi_fail(error, DP2DP_STATUS_DATA,
                               "columns: two columns have the role label");
        }
        info->classes = c->levels;
        info->class_count = c->level_count;
        if (c->level_count < 2 || c->level_count > DP2DPI_CODES_MAX) {
            return dp2dpi_fail(error, DP2DP_STATUS_DATA,
                               "columns: the label has %zu levels; it must have 2 to %d",
                               c->level_count, (int)DP2DPI_CODES_MAX);
        }
    }
    return DP2DP_STATUS_OK;
}

static dp2dp_status count_groups(dp2dp_schema *schema, size_t *longest, dp2dp_error *error) {
    size_t groups = 0;
    *longest = 0;
    for (size_t i = 0; i < schema->info.column_count && groups <= DP2DPI_CODES_MAX; i++) {
        const dp2dp_schema_column *c = &schema->columns[i];
        if (c->role != DP2DP_ROLE_SENSITIVE) {
            continue;
        }
        size_t most = 0;
        for (size_t j = 0; j < c->level_count; j++) {
            size_t length = strlen(c->levels[j]);
            most = length > most ? length : most;
        }
        *longest += most + (groups ? strlen(DP2DPI_SCHEMA_TIMES) : 0);
        /* The product cannot overflow: groups is at most 2^12 and level_count at most 2^20 + 2. */
        groups = groups ? groups * c->level_count : c->level_count;
    }
    if (groups == 1 || groups > DP2DPI_CODES_MAX || *longest > DP2DPI_SCHEMA_NAME_MAX) {
        return dp2dpi_fail(error, DP2DP_STATUS_DATA,
                           "columns: there are %zu groups with names of up to %zu bytes; there "
                           "must be 2 to %d groups with names of at most %d bytes",
                           groups, *longest, (int)DP2DPI_CODES_MAX, (int)DP2DPI_SCHEMA_NAME_MAX);
    }
    schema->info.group_count = groups;
    return DP2DP_STATUS_OK;
}

/* Writes the name of group g. Every combination of levels is a group. As g counts up, the level of
 * the first sensitive column changes slowest. */
static void name_group(const dp2dp_schema *schema, size_t g, char *out) {
    size_t rest = schema->info.group_count;
    for (size_t i = 0; i < schema->info.column_count; i++) {
        const dp2dp_schema_column *c = &schema->columns[i];
        if (c->role != DP2DP_ROLE_SENSITIVE) {
            continue;
        }
        if (rest != schema->info.group_count) {
            memcpy(out, DP2DPI_SCHEMA_TIMES, sizeof DP2DPI_SCHEMA_TIMES);
            out += strlen(DP2DPI_SCHEMA_TIMES);
        }
        rest /= c->level_count;
        const char *level = c->levels[g / rest % c->level_count];
        size_t length = strlen(level);
        memcpy(out, level, length + 1);
        out += length;
    }
}

static dp2dp_status name_groups(dp2dp_schema *schema, dp2dp_error *error) {
    void *names = NULL, *room = NULL;
    size_t longest, groups;
    DP2DPI_TRY(count_groups(schema, &longest, error));
    groups = schema->info.group_count;
    if (groups == 0) {
        return DP2DP_STATUS_OK;
    }
    DP2DPI_TRY(dp2dpi_schema_keep(schema, groups, sizeof(char *), &names, error));
    DP2DPI_TRY(dp2dpi_schema_keep(schema, groups, longest + 1, &room, error));
    for (size_t g = 0; g < groups; g++) {
        char *name = (char *)room + g * (longest + 1);
        name_group(schema, g, name);
        ((char **)names)[g] = name;
    }
    schema->info.groups = names;
    return check_names(&schema->info, schema->info.groups, error);
}

dp2dp_status dp2dpi_schema_lay_out(dp2dp_schema *schema, dp2dp_error *error) {
    DP2DPI_TRY(check_names(&schema->info, NULL, error));
    for (size_t i = 0; i < schema->info.column_count; i++) {
        const dp2dp_schema_column *c = &schema->columns[i];
        schema->info.leaves_out |=
            c->missing == DP2DP_POLICY_DROP ? dp2dpi_schema_part(c->role) : 0;
    }
    DP2DPI_TRY(place_features(schema, error));
    DP2DPI_TRY(find_classes(schema, error));
    return name_groups(schema, error);
}
