/* Writes a schema as JSON. Every default is written out, so that the text keeps its meaning if a
 * later version changes a default. */
#include <math.h>

#include "base/alloc.h"
#include "schema/schema.h"

static json_t *number(double x) {
    return x == floor(x) && fabs(x) < 0x1p53 ? json_integer((json_int_t)x) : json_real(x);
}

static json_t *word(dp2dp_word_table table, int value) {
    return json_string(dp2dp_word_name(table, value));
}

static json_t *cuts(const dp2dp_schema_column *c) {
    json_t *array = json_array();
    int failed = 0;
    for (size_t i = 0; i < c->cut_count && !failed; i++) {
        failed = json_array_append_new(array, number(c->cuts[i]));
    }
    return dp2dpi_json_finish(array, failed);
}

static json_t *aliases(const dp2dp_schema_column *c) {
    json_t *object = json_object();
    int failed = 0;
    for (size_t i = 0; i < c->alias_count && !failed; i++) {
        failed = json_object_set_new(object, c->aliases[i].text, json_string(c->aliases[i].level));
    }
    return dp2dpi_json_finish(object, failed);
}

static int set_numeric(json_t *object, const dp2dp_schema_column *c) {
    if (c->cuts) {
        return json_object_set_new(object, "cuts", cuts(c)) ||
               json_object_set_new(object, "levels",
                                   dp2dpi_json_texts(c->levels, c->declared_count));
    }
    return json_object_set_new(object, "lower", number(c->lower)) ||
           json_object_set_new(object, "upper", number(c->upper)) ||
           json_object_set_new(object, "log1p", json_boolean(c->log1p)) ||
           json_object_set_new(object, "centre", number(c->centre)) ||
           json_object_set_new(object, "scale", number(c->scale));
}

static int set_categorical(json_t *object, const dp2dp_schema_column *c) {
    return json_object_set_new(object, "levels", dp2dpi_json_texts(c->levels, c->declared_count)) ||
           json_object_set_new(object, "aliases", aliases(c)) ||
           json_object_set_new(object, "unknown", word(DP2DP_WORDS_POLICY, (int)c->unknown));
}

static json_t *column(const dp2dp_schema_column *c) {
    json_t *object = json_object();
    int failed = json_object_set_new(object, "name", json_string(c->name)) ||
                 json_object_set_new(object, "role", word(DP2DP_WORDS_ROLE, (int)c->role));
    if (!failed && c->role != DP2DP_ROLE_IGNORE) {
        failed = json_object_set_new(object, "kind", word(DP2DP_WORDS_KIND, (int)c->kind)) ||
                 (c->kind == DP2DP_KIND_NUMERIC ? set_numeric : set_categorical)(object, c) ||
                 json_object_set_new(object, "missing", word(DP2DP_WORDS_POLICY, (int)c->missing));
    }
    return dp2dpi_json_finish(object, failed);
}

static json_t *columns(const dp2dp_schema_info *info) {
    json_t *array = json_array();
    int failed = 0;
    for (size_t i = 0; i < info->column_count && !failed; i++) {
        failed = json_array_append_new(array, column(&info->columns[i]));
    }
    return dp2dpi_json_finish(array, failed);
}

static json_t *schema_to_json(const dp2dp_schema_info *info) {
    return DP2DPI_JSON_OBJECT(
        {"format", json_string(DP2DPI_SCHEMA_FORMAT)},
        {"version", dp2dpi_json_version(DP2DPI_SCHEMA_MAJOR, DP2DPI_SCHEMA_MINOR)},
        {"name", json_string(info->name)}, {"origin", word(DP2DP_WORDS_ORIGIN, (int)info->origin)},
        {"norm", number(info->norm)}, {"trim", json_boolean(info->trim)},
        {"missing", dp2dpi_json_texts(info->markers, info->marker_count)},
        {"columns", columns(info)});
}

dp2dp_status dp2dpi_schema_write(dp2dp_schema *schema, dp2dp_error *error) {
    json_t *root = schema_to_json(&schema->info);
    dp2dp_status status =
        dp2dpi_json_dump("schema", root, &schema->text, &schema->info.text_length, error);
    schema->info.text = schema->text;
    json_decref(root);
    return status;
}
