/* Tests the published JSON schema of a model: models conform to it, it refuses what the reader
 * refuses, and its words and bounds are those of the tables in the code. */
#include "unit/model/data.h"

static const char schema_path[] = DP2DP_TEST_DIR "/../docs/model.schema.json";

TEST(models_conform_to_the_schema) {
    json_t *schema = load_schema(schema_path);
    for (size_t i = 0; i < GOLDENS; i++) {
        json_t *golden = json_in(goldens[i]);
        assert_true(conforms(schema, golden));
        json_decref(golden);
    }
    for (int i = 0; i < SAMPLES; i++) {
        size_t length;
        TEXT_FREED char *text = sample_text((sample)i, &length);
        json_t *fresh = json_loads(text, 0, NULL);
        assert_true(conforms(schema, fresh));
        json_decref(fresh);
    }
    json_decref(schema);
}

/* In every object of the value, adds an unknown member, and removes each member or changes its
 * type. Returns how many of the changes were refused. */
static size_t refuse_changes(json_t *schema, json_t *root, json_t *value) {
    /* in an entry of the ledger */
    static const char *const optional[] = {"label",       "role",        "people",
                                           "release_id",  "sensitivity", "sigma",
                                           "coordinates", "scale",       NULL};
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
        if (strcmp(key, "schema") != 0) { /* the schema has its own JSON schema */
            refused += refuse_changes(schema, root, member);
        }
        assert_int_equal(json_object_set_new(value, key, json_pack("{si}", "wrong", 1)), 0);
        assert_false(conforms(schema, root));
        assert_int_equal(json_object_del(value, key), 0);
        int may_lack = json_object_get(copy, "mechanism") && is_listed(key, optional);
        if (conforms(schema, root) != may_lack) {
            fail_msg("without %s", key);
        }
        assert_int_equal(json_object_set(value, key, member), 0);
        refused++;
    }
    json_decref(copy);
    return refused;
}

TEST(the_schema_refuses_what_the_reader_refuses) {
    json_t *schema = load_schema(schema_path);
    for (size_t i = 0; i < GOLDENS; i++) {
        json_t *golden = json_in(goldens[i]);
        assert_true(refuse_changes(schema, golden, golden) > 40);
        assert_true(conforms(schema, golden));
        json_decref(golden);
    }
    json_decref(schema);
}

/* Returns the JSON schema of a property of an object; the object is in $defs or a member of the
 * model. */
static json_t *property(json_t *schema, const char *object, const char *name) {
    json_t *at = json_object_get(json_object_get(schema, "$defs"), object);
    at = at ? at : json_object_get(json_object_get(schema, "properties"), object);
    at = json_object_get(json_object_get(at, "properties"), name);
    if (at == NULL) {
        fail_msg("the schema has no %s.%s", object, name);
    }
    return at;
}

/* Ownership: takes the reference to value. */
static int takes_value(json_t *schema, json_t *value) {
    int taken = conforms(schema, value);
    json_decref(value);
    return taken;
}

static int takes(json_t *schema, double value) {
    return takes_value(schema, json_real(value));
}

static int takes_count(json_t *schema, double value) {
    return takes_value(schema, json_integer((json_int_t)value));
}

static void assert_number(json_t *schema, int may_be_null, double least, double most) {
    assert_true(takes(schema, least));
    assert_false(takes(schema, least - 1e-9));
    assert_true(isinf(most) || takes(schema, most));
    assert_true(isinf(most) || !takes(schema, most + 1));
    assert_int_equal(conforms(schema, json_null()), may_be_null);
}

static void assert_count(json_t *schema, double least, double most) {
    assert_true(takes_count(schema, least));
    assert_true(takes_count(schema, most));
    assert_false(takes_count(schema, least - 1));
    assert_false(takes_count(schema, most + 1));
}

static size_t properties_of(json_t *schema, const char *object) {
    json_t *at = json_object_get(json_object_get(schema, "$defs"), object);
    return json_object_size(json_object_get(at, "properties"));
}

static void assert_options(json_t *schema, const char *object, dp2dp_struct which, size_t others) {
    size_t count;
    const dp2dp_option *options = dp2dp_options(which, &count);
    for (const dp2dp_option *o = options; o < options + count; o++) {
        json_t *at = property(schema, object, o->name);
        if (o->type == DP2DP_OPTION_COUNT) {
            assert_count(at, o->min, o->max);
        } else {
            assert_number(at, isnan(o->default_value), o->min, o->max);
        }
    }
    assert_int_equal(properties_of(schema, object), count + others);
}

/* The words of a table; of the warnings, only those that a file can have. */
static void assert_words(json_t *schema, dp2dp_word_table table) {
    size_t count;
    const dp2dp_word *words = dp2dp_words(table, &count);
    while (table == DP2DP_WORDS_WARNING &&
           (unsigned)words[count - 1].value >= DP2DP_WARNING_MEASURED) {
        count--;
    }
    const json_t *listed = json_object_get(schema, "enum");
    /* The last warning is not in the file: it follows from the rest of the model. */
    count -= table == DP2DP_WORDS_WARNING && words[count - 1].value == DP2DP_WARNING_RATES_NOISY;
    assert_int_equal(json_array_size(listed), count);
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(json_string_value(json_array_get(listed, i)), words[i].word);
    }
}

/* The JSON schema repeats the tables of the code, so this test compares them. */
TEST(the_schema_has_the_words_and_bounds_of_the_tables) {
    json_t *schema = load_schema(schema_path);
    assert_options(schema, "options", DP2DP_STRUCT_FIT_OPTIONS, 1);
    assert_options(schema, "training", DP2DP_STRUCT_TRAIN_OPTIONS, 0);
    assert_words(property(schema, "options", "solver"), DP2DP_WORDS_SOLVER);
    assert_words(property(schema, "phase1", "method"), DP2DP_WORDS_METHOD);
    assert_words(json_object_get(json_object_get(schema, "$defs"), "reason"),
                 DP2DP_WORDS_NOT_PRIVATE);
    json_t *warnings = json_object_get(json_object_get(schema, "properties"), "warnings");
    assert_words(json_object_get(warnings, "items"), DP2DP_WORDS_WARNING);
    json_decref(schema);
}
