/* The published schema: models conform to it, it refuses what the reader refuses, and it has the
 * words and bounds of the tables in the code. */
#include <regex.h>

#include "unit/model_file_data.h"

static const char schema_path[] = DP2DP_TEST_DIR "/../docs/model.schema.json";

/* JSON Schema, as much of it as our schema uses; a keyword that is not here fails the test. */
static const json_t *definitions;
static int conforms(json_t *schema, json_t *value);

static int has_type(const char *type, const json_t *value) {
    return (strcmp(type, "object") == 0 && json_is_object(value)) ||
           (strcmp(type, "array") == 0 && json_is_array(value)) ||
           (strcmp(type, "string") == 0 && json_is_string(value)) ||
           (strcmp(type, "number") == 0 && json_is_number(value)) ||
           (strcmp(type, "integer") == 0 && json_is_integer(value)) ||
           (strcmp(type, "boolean") == 0 && json_is_boolean(value)) ||
           (strcmp(type, "null") == 0 && json_is_null(value));
}

static int is_among(const json_t *array, const json_t *value) {
    size_t i = 0;
    while (i < json_array_size(array) && !json_equal(json_array_get(array, i), value)) {
        i++;
    }
    return i < json_array_size(array);
}

static int matches(const char *pattern, const char *text) {
    regex_t regex;
    assert_int_equal(regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB), 0);
    int found = regexec(&regex, text, 0, NULL, 0) == 0;
    regfree(&regex);
    return found;
}

static int is_any_of(const json_t *schemas, json_t *value) {
    size_t i = 0;
    while (i < json_array_size(schemas) && !conforms(json_array_get(schemas, i), value)) {
        i++;
    }
    return i < json_array_size(schemas);
}

static int object_conforms(const char *keyword, json_t *rule, const json_t *schema, json_t *value) {
    const char *name;
    json_t *member;
    if (strcmp(keyword, "required") == 0) {
        for (size_t i = 0; i < json_array_size(rule); i++) {
            if (!json_object_get(value, json_string_value(json_array_get(rule, i)))) {
                return 0;
            }
        }
    }
    json_object_foreach(value, name, member) {
        json_t *known = json_object_get(json_object_get(schema, "properties"), name);
        if (known ? strcmp(keyword, "properties") == 0 && !conforms(known, member)
                  : strcmp(keyword, "additionalProperties") == 0) {
            return 0;
        }
    }
    return 1;
}

static int array_conforms(const char *keyword, json_t *rule, const json_t *value) {
    for (size_t i = 0; i < json_array_size(value); i++) {
        json_t *item = json_array_get(value, i);
        if (strcmp(keyword, "items") == 0 && !conforms(rule, item)) {
            return 0;
        }
        for (size_t j = 0; j < i && strcmp(keyword, "uniqueItems") == 0; j++) {
            if (json_equal(json_array_get(value, j), item)) {
                return 0;
            }
        }
    }
    return 1;
}

static int bound_holds(const char *keyword, double bound, const json_t *value) {
    double number = json_number_value(value), size = (double)json_array_size(value);
    double length = (double)json_string_length(value);
    int is_number = json_is_number(value);
    return !((strcmp(keyword, "minimum") == 0 && is_number && number < bound) ||
             (strcmp(keyword, "maximum") == 0 && is_number && number > bound) ||
             (strcmp(keyword, "exclusiveMinimum") == 0 && is_number && number <= bound) ||
             (strcmp(keyword, "exclusiveMaximum") == 0 && is_number && number >= bound) ||
             (strcmp(keyword, "minItems") == 0 && json_is_array(value) && size < bound) ||
             (strcmp(keyword, "maxItems") == 0 && size > bound) ||
             (strcmp(keyword, "minLength") == 0 && json_is_string(value) && length < bound) ||
             (strcmp(keyword, "maxLength") == 0 && length > bound));
}

static int is_listed(const char *keyword, const char *const *list) {
    while (*list && strcmp(keyword, *list) != 0) {
        list++;
    }
    return *list != NULL;
}

static int keyword_holds(const char *keyword, json_t *rule, const json_t *schema, json_t *value) {
    static const char *const objects[] = {"required", "properties", "additionalProperties", NULL};
    static const char *const arrays[] = {"items", "uniqueItems", NULL};
    static const char *const bounds[] = {"minimum",   "maximum",   "exclusiveMinimum",
                                         "minItems",  "maxItems",  "exclusiveMaximum",
                                         "minLength", "maxLength", NULL};
    static const char *const notes[] = {"$schema", "$id", "title", "description", "$defs", NULL};
    const char *text = json_string_value(rule);
    if (is_listed(keyword, objects)) {
        return object_conforms(keyword, rule, schema, value);
    }
    if (is_listed(keyword, arrays)) {
        return array_conforms(keyword, rule, value);
    }
    if (is_listed(keyword, bounds)) {
        return bound_holds(keyword, json_number_value(rule), value);
    }
    if (strcmp(keyword, "type") == 0) {
        return has_type(text, value);
    }
    if (strcmp(keyword, "const") == 0) {
        return json_equal(rule, value);
    }
    if (strcmp(keyword, "enum") == 0) {
        return is_among(rule, value);
    }
    if (strcmp(keyword, "anyOf") == 0) {
        return is_any_of(rule, value);
    }
    if (strcmp(keyword, "pattern") == 0) {
        return json_is_string(value) && matches(text, json_string_value(value));
    }
    if (strcmp(keyword, "$ref") == 0) {
        json_t *target = json_object_get(definitions, text + strlen("#/$defs/"));
        assert_non_null(target);
        return conforms(target, value);
    }
    if (!is_listed(keyword, notes)) {
        fail_msg("the test does not know the keyword %s", keyword);
    }
    return 1;
}

static int conforms(json_t *schema, json_t *value) {
    const char *keyword;
    json_t *rule;
    json_object_foreach(schema, keyword, rule) {
        if (!keyword_holds(keyword, rule, schema, value)) {
            return 0;
        }
    }
    return 1;
}

static json_t *load_schema(void) {
    json_t *schema = json_in(schema_path);
    definitions = json_object_get(schema, "$defs");
    return schema;
}

static void models_conform_to_the_schema(void **state) {
    (void)state;
    json_t *schema = load_schema();
    for (size_t i = 0; i < GOLDENS; i++) {
        json_t *golden = json_in(goldens[i]);
        assert_true(conforms(schema, golden));
        json_decref(golden);
    }
    for (int i = 0; i < SAMPLES; i++) {
        size_t length;
        char *text = sample_text((sample)i, &length);
        json_t *fresh = json_loads(text, 0, NULL);
        assert_true(conforms(schema, fresh));
        json_decref(fresh);
        dp2dp_text_free(text);
    }
    json_decref(schema);
}

/* In every object of the value: an unknown member, and each member missing or of another type.
 * Returns how many were refused. */
static size_t refuse_changes(json_t *schema, json_t *root, json_t *value) {
    static const char *const optional[] = {"label",       "set",   "sensitivity", "sigma",
                                           "coordinates", "scale", NULL};
    size_t refused = 0;
    const char *key;
    json_t *member, *copy = json_copy(value);
    for (size_t i = 0; i < json_array_size(value); i++) {
        refused += refuse_changes(schema, root, json_array_get(value, i));
    }
    if (json_is_object(value)) {
        assert_int_equal(json_object_set_new(value, "unknown", json_null()), 0);
        assert_false(conforms(schema, root));
        assert_int_equal(json_object_del(value, "unknown"), 0);
        refused++;
    }
    json_object_foreach(copy, key, member) {
        refused += refuse_changes(schema, root, member);
        assert_int_equal(json_object_set_new(value, key, json_pack("{si}", "wrong", 1)), 0);
        assert_false(conforms(schema, root));
        assert_int_equal(json_object_del(value, key), 0);
        if (conforms(schema, root) != is_listed(key, optional)) {
            fail_msg("without %s", key);
        }
        assert_int_equal(json_object_set(value, key, member), 0);
        refused++;
    }
    json_decref(copy);
    return refused;
}

static void the_schema_refuses_what_the_reader_refuses(void **state) {
    (void)state;
    json_t *schema = load_schema();
    for (size_t i = 0; i < GOLDENS; i++) {
        json_t *golden = json_in(goldens[i]);
        assert_true(refuse_changes(schema, golden, golden) > 50);
        assert_true(conforms(schema, golden));
        json_decref(golden);
    }
    json_decref(schema);
}

static json_t *property(json_t *schema, const char *object, const char *name) {
    json_t *at = json_object_get(json_object_get(schema, "properties"), object);
    at = json_object_get(json_object_get(at, "properties"), name);
    if (at == NULL) {
        fail_msg("the schema has no %s.%s", object, name);
    }
    return at;
}

static int takes(json_t *schema, double value) {
    json_t *number = json_real(value);
    int taken = conforms(schema, number);
    json_decref(number);
    return taken;
}

static int takes_count(json_t *schema, double value) {
    json_t *number = json_integer((json_int_t)value);
    int taken = conforms(schema, number);
    json_decref(number);
    return taken;
}

/* One fact, one place: the schema repeats the tables, so a table that changes must change it. */
static void the_schema_has_the_words_and_bounds_of_the_tables(void **state) {
    (void)state;
    json_t *schema = load_schema();
    size_t options = 1, solvers = 0, leaks = 0;
#define DP2DP_FIT_NUMBER(name, standard, least, most, meaning)                                    \
    assert_true(takes(property(schema, "options", #name), least));                                \
    assert_false(takes(property(schema, "options", #name), (least)-1e-9));                        \
    assert_true(isinf((double)(most)) || takes(property(schema, "options", #name), most));        \
    assert_true(isinf((double)(most)) || !takes(property(schema, "options", #name), (most) + 1)); \
    assert_true(conforms(property(schema, "options", #name), json_null()) ==                      \
                isnan((double)(standard)));                                                       \
    options++;
#define DP2DP_FIT_COUNT(name, standard, least, most, meaning)                   \
    assert_true(takes_count(property(schema, "options", #name), least));        \
    assert_true(takes_count(property(schema, "options", #name), most));         \
    assert_false(takes_count(property(schema, "options", #name), (least)-1.));  \
    assert_false(takes_count(property(schema, "options", #name), (most) + 1.)); \
    options++;
#include <dp2dp/fit.def>
#undef DP2DP_FIT_NUMBER
#undef DP2DP_FIT_COUNT
    const json_t *solver_words = json_object_get(property(schema, "options", "solver"), "enum");
    const json_t *leak_words = json_object_get(
        json_object_get(property(schema, "privacy", "not_private_because"), "items"), "enum");
#define DP2DP_SOLVER(name, value, word) \
    assert_string_equal(json_string_value(json_array_get(solver_words, solvers++)), word);
#include <dp2dp/solver.def>
#undef DP2DP_SOLVER
#define DP2DP_LEAK(name, bit, word, meaning) \
    assert_string_equal(json_string_value(json_array_get(leak_words, leaks++)), word);
#include <dp2dp/leak.def>
#undef DP2DP_LEAK
    json_t *all = json_object_get(json_object_get(schema, "properties"), "options");
    assert_int_equal(json_object_size(json_object_get(all, "properties")), options);
    assert_int_equal(json_array_size(solver_words), solvers);
    assert_int_equal(json_array_size(leak_words), leaks);
    json_decref(schema);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_conform_to_the_schema),
        cmocka_unit_test(the_schema_refuses_what_the_reader_refuses),
        cmocka_unit_test(the_schema_has_the_words_and_bounds_of_the_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
