/* Reads a schema from JSON. Refuses every unknown member, except in a text that states a newer
 * minor version of the format. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json_reader.h"
#include "base/utf8.h"
#include "schema/schema.h"

/* Allocates memory that lives as long as the schema. Returns NULL if the allocation or an earlier
 * step failed. */
static void *keep(dp2dpi_reader *r, dp2dp_schema *schema, size_t count, size_t size) {
    void *memory = NULL;
    if (r->status == DP2DP_STATUS_OK) {
        r->status = dp2dpi_schema_keep(schema, count, size, &memory, r->error);
    }
    return memory;
}

static double take_number(dp2dpi_reader *r, const json_t *object, const char *key,
                          double standard) {
    const json_t *value = json_object_get(object, key);
    double number = standard;
    dp2dpi_reader_require(r, value == NULL || dp2dpi_json_number(value, &number), key, "a number");
    return number;
}

static int take_truth(dp2dpi_reader *r, const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    dp2dpi_reader_require(r, value == NULL || json_is_boolean(value), key, "true or false");
    return json_is_true(value);
}

static int take_word(dp2dpi_reader *r, const json_t *object, const char *key,
                     dp2dp_word_table table, int standard) {
    return json_object_get(object, key) ? dp2dpi_reader_word(r, object, key, table) : standard;
}

/* Returns the text of a JSON value, or "" after refusing it. A text must have from `least` to 512
 * bytes and must not contain U+0000, which JSON can hold as an escape, but a table cannot hold. */
static const char *take_text(dp2dpi_reader *r, const json_t *value, const char *key, size_t least) {
    const char *text = json_string_value(value);
    size_t length = json_string_length(value);
    if (text == NULL || strlen(text) != length || length < least ||
        length > DP2DPI_SCHEMA_NAME_MAX) {
        dp2dpi_reader_refuse(r, key,
                             least ? "text of 1 to 512 bytes" : "text of at most 512 bytes");
        return "";
    }
    return text;
}

static const char **take_texts(dp2dpi_reader *r, dp2dp_schema *schema, const json_t *object,
                               const char *key, size_t least, size_t *count) {
    const json_t *array = json_object_get(object, key);
    *count = 0;
    if (array == NULL) {
        return NULL;
    }
    size_t n = json_array_size(array);
    dp2dpi_reader_require(r, json_is_array(array) && n <= DP2DPI_SCHEMA_LEVELS_MAX, key,
                          "an array of at most 1048576 texts");
    const char **texts = keep(r, schema, n, sizeof(char *));
    for (size_t i = 0; texts && i < n; i++) {
        texts[i] = take_text(r, json_array_get(array, i), key, least);
    }
    *count = texts ? n : 0;
    return texts;
}

static void take_cuts(dp2dpi_reader *r, dp2dp_schema *schema, const json_t *object,
                      dp2dp_schema_column *column) {
    const json_t *array = json_object_get(object, "cuts");
    size_t n = json_array_size(array);
    if (array == NULL) {
        return;
    }
    dp2dpi_reader_require(r, json_is_array(array) && n > 0 && n < DP2DPI_SCHEMA_LEVELS_MAX, "cuts",
                          "an array of 1 to 1048575 numbers");
    double *cuts = keep(r, schema, n, sizeof *cuts);
    for (size_t i = 0; cuts && i < n; i++) {
        if (!dp2dpi_json_number(json_array_get(array, i), &cuts[i])) {
            dp2dpi_reader_refuse(r, "cuts", "numbers");
        } else if (i > 0 && !(cuts[i - 1] < cuts[i])) {
            dp2dpi_reader_refuse(r, "cuts", "in ascending order");
        }
    }
    column->cuts = cuts;
    column->cut_count = n;
}

static void take_aliases(dp2dpi_reader *r, dp2dp_schema *schema, const json_t *object,
                         dp2dp_schema_column *column) {
    json_t *aliases = json_object_get(object, "aliases");
    const char *key;
    json_t *value;
    if (aliases == NULL) {
        return;
    }
    dp2dpi_reader_require(
        r, json_is_object(aliases) && json_object_size(aliases) <= DP2DPI_SCHEMA_LEVELS_MAX,
        "aliases", "an object of at most 1048576 texts");
    dp2dp_alias *out = keep(r, schema, json_object_size(aliases), sizeof *out);
    if (out == NULL) {
        return;
    }
    json_object_foreach(aliases, key, value) {
        dp2dpi_reader_require(r, *key != '\0' && strlen(key) <= DP2DPI_SCHEMA_NAME_MAX, "aliases",
                              "text of 1 to 512 bytes");
        out[column->alias_count++] =
            (dp2dp_alias) {.text = key, .level = take_text(r, value, "aliases", 1)};
    }
    column->aliases = out;
}

/* Refuses a member that has no effect on a column of this role and kind, because the author of the
 * schema expects an effect. */
static void check_column_members(dp2dpi_reader *r, json_t *object,
                                 const dp2dp_schema_column *column) {
    static const char *const ignored[] = {"name", "role", NULL};
    static const char *const number[] = {"name",   "role",  "kind",  "lower",   "upper",
                                         "centre", "scale", "log1p", "missing", NULL};
    static const char *const cut[] = {"name", "role", "kind", "cuts", "levels", "missing", NULL};
    static const char *const text[] = {"name",    "role",    "kind",    "levels",
                                       "aliases", "unknown", "missing", NULL};
    if (column->role == DP2DP_ROLE_IGNORE) {
        dp2dpi_reader_keys(r, object, ignored,
                           "an ignored column, which has only a name and a role");
    } else if (column->kind == DP2DP_KIND_CATEGORICAL) {
        dp2dpi_reader_keys(r, object, text, "a categorical column");
    } else if (json_object_get(object, "cuts")) {
        dp2dpi_reader_keys(r, object, cut, "a column with cuts");
    } else {
        dp2dpi_reader_keys(r, object, number, "a numeric column");
    }
}

static void take_values(dp2dpi_reader *r, dp2dp_schema *schema, const json_t *object,
                        dp2dp_schema_column *column) {
    int is_feature = column->role == DP2DP_ROLE_FEATURE;
    column->unknown =
        (dp2dp_policy)take_word(r, object, "unknown", DP2DP_WORDS_POLICY,
                                is_feature ? DP2DP_POLICY_LEVEL : DP2DP_POLICY_REFUSE);
    column->missing =
        (dp2dp_policy)take_word(r, object, "missing", DP2DP_WORDS_POLICY, DP2DP_POLICY_REFUSE);
    column->lower = take_number(r, object, "lower", NAN);
    column->upper = take_number(r, object, "upper", NAN);
    column->centre = take_number(r, object, "centre", NAN);
    column->scale = take_number(r, object, "scale", NAN);
    column->log1p = take_truth(r, object, "log1p");
    take_cuts(r, schema, object, column);
    take_aliases(r, schema, object, column);
    column->levels = take_texts(r, schema, object, "levels", 1, &column->declared_count);
}

static void take_column(dp2dpi_reader *r, dp2dp_schema *schema, json_t *object, size_t i) {
    dp2dp_schema_column *column = &schema->columns[i];
    char shown[DP2DPI_SHOWN_SIZE], where[DP2DPI_SHOWN_SIZE + 16];
    if (!json_is_object(object)) {
        dp2dpi_reader_refuse(r, "columns", "an array of objects");
        return;
    }
    r->where = "columns.";
    column->name = take_text(r, json_object_get(object, "name"), "name", 1);
    (void)snprintf(where, sizeof where,
                   "column \"%s\": ", dp2dpi_utf8_show(column->name, strlen(column->name), shown));
    r->where = where;
    column->role = (dp2dp_role)dp2dpi_reader_word(r, object, "role", DP2DP_WORDS_ROLE);
    if (column->role != DP2DP_ROLE_IGNORE) {
        column->kind = (dp2dp_kind)dp2dpi_reader_word(r, object, "kind", DP2DP_WORDS_KIND);
    }
    check_column_members(r, object, column);
    if (r->status == DP2DP_STATUS_OK) {
        take_values(r, schema, object, column);
    }
    if (r->status == DP2DP_STATUS_OK) {
        r->status = dp2dpi_schema_complete(schema, i, r->error);
    }
    r->where = "";
}

static void take_columns(dp2dpi_reader *r, dp2dp_schema *schema) {
    const json_t *array = json_object_get(schema->root, "columns");
    size_t n = json_array_size(array);
    dp2dpi_reader_require(r, json_is_array(array) && n >= 1 && n <= DP2DPI_SCHEMA_COLUMNS_MAX,
                          "columns", "an array of 1 to 100000 objects");
    schema->columns = keep(r, schema, n, sizeof(dp2dp_schema_column));
    schema->lookups = keep(r, schema, n, sizeof(dp2dpi_lookup));
    schema->by_value = keep(r, schema, n, sizeof(dp2dpi_lookup));
    schema->info.columns = schema->columns;
    schema->info.column_count = n;
    for (size_t i = 0; i < n && r->status == DP2DP_STATUS_OK; i++) {
        take_column(r, schema, json_array_get(array, i), i);
    }
}

static void take_markers(dp2dpi_reader *r, dp2dp_schema *schema) {
    const char **markers =
        take_texts(r, schema, schema->root, "missing", 0, &schema->info.marker_count);
    dp2dpi_reader_require(r, schema->info.marker_count <= DP2DPI_SCHEMA_MARKERS_MAX, "missing",
                          "an array of at most 1024 texts");
    if (r->status == DP2DP_STATUS_OK) {
        r->status = dp2dpi_schema_index_markers(schema, markers, r->error);
    }
    schema->info.markers = markers;
}

static dp2dp_status take_schema(dp2dpi_reader *r, dp2dp_schema *schema) {
    static const char *const known[] = {"format", "version", "name",    "origin", "norm",
                                        "trim",   "missing", "columns", NULL};
    json_t *root = schema->root;
    dp2dp_schema_info *info = &schema->info;
    const json_t *name = json_object_get(root, "name");
    (void)dp2dpi_reader_heading(r, root, DP2DPI_SCHEMA_FORMAT, "a schema", DP2DPI_SCHEMA_MAJOR,
                                DP2DPI_SCHEMA_MINOR);
    DP2DPI_TRY(r->status);
    dp2dpi_reader_keys(r, root, known, "a schema");
    info->struct_size = sizeof *info;
    info->name = name ? take_text(r, name, "name", 0) : "";
    info->origin = (dp2dp_origin)dp2dpi_reader_word(r, root, "origin", DP2DP_WORDS_ORIGIN);
    info->norm = take_number(r, root, "norm", DP2DPI_SCHEMA_NORM);
    dp2dpi_reader_require(r, info->norm >= 1e-3 && info->norm <= 1e6, "norm", "from 0.001 to 1e6");
    info->trim = take_truth(r, root, "trim");
    take_markers(r, schema);
    take_columns(r, schema);
    DP2DPI_TRY(r->status);
    DP2DPI_TRY(dp2dpi_schema_lay_out(schema, r->error));
    return dp2dpi_schema_write(schema, r->error);
}

dp2dp_status dp2dpi_schema_from_value(json_t *root, dp2dp_schema **out, dp2dp_error *error) {
    dp2dpi_reader r = {.error = error, .where = ""};
    dp2dp_schema *schema = NULL;
    *out = NULL;
    dp2dp_status status = DP2DPI_ALLOC(schema, 1, "a schema", error);
    if (status != DP2DP_STATUS_OK) {
        json_decref(root);
        return status;
    }
    schema->root = root;
    status = take_schema(&r, schema);
    if (status != DP2DP_STATUS_OK) {
        dp2dp_schema_free(schema);
        return status;
    }
    *out = schema;
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dpi_schema_from_json(const char *text, size_t length, dp2dp_schema **out,
                                     dp2dp_error *error) {
    json_t *root = NULL;
    *out = NULL;
    DP2DPI_TRY(dp2dpi_json_parse("schema", text, length, &root, error));
    return dp2dpi_schema_from_value(root, out, error);
}
