/* Does a JSON value conform to a JSON schema? */
#ifndef DP2DP_TESTS_UNIT_JSON_SCHEMA_H
#define DP2DP_TESTS_UNIT_JSON_SCHEMA_H

#include "support.h"

#include <regex.h>

#include <jansson.h>

/* JSON Schema, as much of it as our schemas use; a keyword that is not here fails the test. */
static const json_t *definitions; /* its $defs */
static inline int conforms(json_t *schema, json_t *value);

static inline int has_type(const char *type, const json_t *value) {
    return (strcmp(type, "object") == 0 && json_is_object(value)) ||
           (strcmp(type, "array") == 0 && json_is_array(value)) ||
           (strcmp(type, "string") == 0 && json_is_string(value)) ||
           (strcmp(type, "number") == 0 && json_is_number(value)) ||
           (strcmp(type, "integer") == 0 && json_is_integer(value)) ||
           (strcmp(type, "boolean") == 0 && json_is_boolean(value)) ||
           (strcmp(type, "null") == 0 && json_is_null(value));
}

static inline int is_among(const json_t *array, const json_t *value) {
    size_t i = 0;
    while (i < json_array_size(array) && !json_equal(json_array_get(array, i), value)) {
        i++;
    }
    return i < json_array_size(array);
}

static inline int matches(const char *pattern, const char *text) {
    regex_t regex;
    assert_int_equal(regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB), 0);
    int found = regexec(&regex, text, 0, NULL, 0) == 0;
    regfree(&regex);
    return found;
}

static inline size_t count_conforming(const json_t *schemas, json_t *value) {
    size_t count = 0;
    for (size_t i = 0; i < json_array_size(schemas); i++) {
        count += conforms(json_array_get(schemas, i), value) != 0;
    }
    return count;
}

/* A rule that is false takes nothing. */
static inline int takes_others(json_t *rule, json_t *member) {
    return json_is_object(rule) ? conforms(rule, member) : json_is_true(rule);
}

static inline int names_conform(json_t *rule, const char *name) {
    json_t *text = json_string(name);
    int holds = conforms(rule, text);
    json_decref(text);
    return holds;
}

static inline int object_conforms(const char *keyword, json_t *rule, const json_t *schema,
                                  json_t *value) {
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
        if ((known && strcmp(keyword, "properties") == 0 && !conforms(known, member)) ||
            (!known && strcmp(keyword, "additionalProperties") == 0 &&
             !takes_others(rule, member)) ||
            (strcmp(keyword, "propertyNames") == 0 && !names_conform(rule, name))) {
            return 0;
        }
    }
    return 1;
}

static inline int array_conforms(const char *keyword, json_t *rule, const json_t *value) {
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

static inline int bound_holds(const char *keyword, double bound, const json_t *value) {
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

static inline int is_listed(const char *keyword, const char *const *list) {
    while (*list && strcmp(keyword, *list) != 0) {
        list++;
    }
    return *list != NULL;
}

static inline int keyword_holds(const char *keyword, json_t *rule, const json_t *schema,
                                json_t *value) {
    static const char *const objects[] = {"required", "properties", "additionalProperties",
                                          "propertyNames", NULL};
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
        return count_conforming(rule, value) > 0;
    }
    if (strcmp(keyword, "oneOf") == 0) {
        return count_conforming(rule, value) == 1;
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

static inline int conforms(json_t *schema, json_t *value) {
    const char *keyword;
    json_t *rule;
    json_object_foreach(schema, keyword, rule) {
        if (!keyword_holds(keyword, rule, schema, value)) {
            return 0;
        }
    }
    return 1;
}

static inline json_t *json_in(const char *path) {
    json_error_t error;
    json_t *value = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    if (value == NULL) {
        fail_msg("%s: %s", path, error.text);
    }
    return value;
}

/* Loads a JSON schema, whose definitions `conforms` looks up from then on. */
static inline json_t *load_schema(const char *path) {
    json_t *schema = json_in(path);
    definitions = json_object_get(schema, "$defs");
    return schema;
}

#endif
