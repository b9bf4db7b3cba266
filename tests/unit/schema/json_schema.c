/* Tests the published JSON schema of a schema. Everything that the reader accepts conforms to it,
 * and it refuses every malformed member that the reader refuses. */
#include "unit/schema/data.h"

#include "unit/json_schema.h"

static const char *const built_in[] = {"adult", "adult-cut", "credit", "parkinsons"};

static const char schema_path[] = DP2DP_TEST_DIR "/../docs/schema.schema.json";

static json_t *parsed(const char *text) {
    json_t *value = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(value);
    return value;
}

TEST(built_in_schemas_conform_as_written_and_as_spelled_out) {
    json_t *schema = load_schema(schema_path);
    for (size_t i = 0; i < sizeof built_in / sizeof built_in[0]; i++) {
        char path[256];
        (void)snprintf(path, sizeof path, DP2DP_TEST_DIR "/../schemas/%s.json", built_in[i]);
        HANDLE(dp2dp_schema) *read = schema_of(built_in[i]);
        json_t *written = json_in(path), *spelled_out = parsed(dp2dp_schema_view(read)->text);
        assert_true(conforms(schema, written));
        assert_true(conforms(schema, spelled_out));
        json_decref(spelled_out);
        json_decref(written);
    }
    json_decref(schema);
}

static int is_read(json_t *value) {
    HANDLE(dp2dp_schema) *schema = NULL;
    FREED char *text = json_dumps(value, JSON_ENCODE_ANY);
    assert_non_null(text);
    int status = dp2dpi_schema_from_json(text, strlen(text), &schema, NULL);
    assert_int_equal(schema != NULL, status == OK);
    return status == OK;
}

/* Checks that the JSON schema and the reader agree about the root, except where only the reader can
 * tell. */
static void expect_agreement(json_t *schema, json_t *root, const char *change, const char *key) {
    int takes = conforms(schema, root), reads = is_read(root);
    if (takes != reads) {
        fail_msg("%s %s: the schema says %d, the reader %d", change, key, takes, reads);
    }
}

/* In every object, adds an unknown member, and removes each member or changes its type. Returns how
 * many of the changes were refused. */
static size_t change_members(json_t *schema, json_t *root, json_t *value) {
    size_t refused = 0;
    const char *key;
    json_t *member, *copy = json_copy(value);
    for (size_t i = 0; i < json_array_size(value); i++) {
        refused += change_members(schema, root, json_array_get(value, i));
    }
    if (json_is_object(value)) {
        assert_int_equal(json_object_set_new(value, "another", json_null()), 0);
        expect_agreement(schema, root, "with", "another");
        refused += !is_read(root);
        assert_int_equal(json_object_del(value, "another"), 0);
    }
    json_object_foreach(copy, key, member) {
        refused += change_members(schema, root, member);
        assert_int_equal(json_object_set_new(value, key, json_pack("[[]]")), 0);
        expect_agreement(schema, root, "a wrong type of", key);
        refused += !is_read(root);
        assert_int_equal(json_object_del(value, key), 0);
        expect_agreement(schema, root, "without", key);
        refused += !is_read(root);
        assert_int_equal(json_object_set(value, key, member), 0);
    }
    json_decref(copy);
    return refused;
}

TEST(members_are_refused_by_the_schema_as_by_the_reader) {
    json_t *schema = load_schema(schema_path), *sample = parsed(sample_schema);
    assert_true(conforms(schema, sample));
    assert_true(change_members(schema, sample, sample) > 80);
    assert_true(conforms(schema, sample));
    json_decref(sample);
    json_decref(schema);
}

TEST(values_are_refused_by_the_schema_as_by_the_reader) {
    static const struct {
        const char *from, *to;
        int is_taken;
    } edits[] = {
        {"dp2dp-schema", "dp2dp-model", 0},
        {"\"major\": 1", "\"major\": 2", 0},
        {"\"origin\": \"public\"", "\"origin\": \"from-data\"", 1},
        {"\"origin\": \"public\"", "\"origin\": \"private\"", 0},
        {"\"norm\": 2", "\"norm\": 0.001", 1},
        {"\"norm\": 2", "\"norm\": 0.00099", 0},
        {"\"norm\": 2", "\"norm\": 1e6", 1},
        {"\"norm\": 2", "\"norm\": 1000001", 0},
        {"\"name\": \"sample\"", "\"name\": \"\"", 1},
        {"\"name\": \"age\"", "\"name\": \"\"", 0},
        {"\"role\": \"feature\"", "\"role\": \"features\"", 0},
        {"\"role\": \"feature\"", "\"role\": \"label\"", 0},
        {"\"kind\": \"numeric\"", "\"kind\": \"number\"", 0},
        {"\"scale\": 20", "\"scale\": 0", 0},
        {"\"cuts\": [20, 40.5]", "\"cuts\": []", 0},
        {"\"cuts\": [20, 40.5]", "\"cuts\": [20, \"x\"]", 0},
        {"\"clerk\", \"smith\"", "\"clerk\", \"clerk\"", 0},
        {"\"clerk\", \"smith\"", "\"clerk\", \"\"", 0},
        {"\"Clerk.\"", "\"\"", 0},
        {"\"Clerk.\": \"clerk\"", "\"Clerk.\": 1", 0},
        {"\"unknown\": \"refuse\"", "\"unknown\": \"drop\"", 0},
        {"\"missing\": \"drop\"", "\"missing\": \"refuse\"", 1},
        {"\"missing\": \"drop\"", "\"missing\": \"dropped\"", 0},
        {"\"role\": \"ignore\"", "\"role\": \"ignore\", \"kind\": \"numeric\"", 0},
    };
    json_t *schema = load_schema(schema_path);
    for (size_t i = 0; i < sizeof edits / sizeof edits[0]; i++) {
        FREED char *text = edited(sample_schema, edits[i].from, edits[i].to);
        json_t *value = parsed(text);
        expect_agreement(schema, value, edits[i].from, edits[i].to);
        if (is_read(value) != edits[i].is_taken) {
            fail_msg("%s instead of %s", edits[i].to, edits[i].from);
        }
        json_decref(value);
    }
    json_decref(schema);
}

static void expect_word(const json_t *words, size_t i, const char *word) {
    assert_string_equal(json_string_value(json_array_get(words, i)), word);
}

/* The JSON schema repeats the table of words, so this test compares the two. */
TEST(the_schema_has_the_words_of_the_table) {
    json_t *schema = load_schema(schema_path);
    const json_t *roles = json_object_get(json_object_get(definitions, "role"), "enum");
    const json_t *policies = json_object_get(json_object_get(definitions, "missing"), "enum");
    const json_t *origins =
        json_object_get(json_object_get(json_object_get(schema, "properties"), "origin"), "enum");
#define DP2DP_ROLE(name, value, word)                \
    if (DP2DP_ROLE_##name != DP2DP_ROLE_IGNORE) {    \
        expect_word(roles, (size_t)(value)-1, word); \
    }
#define DP2DP_POLICY(name, value, word) expect_word(policies, (size_t)(value)-1, word);
#define DP2DP_ORIGIN(name, value, word) expect_word(origins, (size_t)(value)-1, word);
#include <dp2dp/schema.def>
#undef DP2DP_ROLE
#undef DP2DP_POLICY
#undef DP2DP_ORIGIN
    assert_int_equal(json_array_size(roles), DP2DP_ROLE_IGNORE - 1);
    json_decref(schema);
}
