/* Tests texts that are not models: they are refused with the reason. */
#include "unit/model/data.h"

TEST(every_truncation_is_refused_as_such) {
    size_t length;
    TEXT_FREED char *text = sample_text(SAMPLE_NAMED, &length);
    for (size_t n = 0; n < length; n++) {
        dp2dp_model *model = (dp2dp_model *)&model;
        dp2dp_error error = {0};
        assert_status(dp2dp_model_from_json(text, n, &model, &error), DATA);
        assert_null(model);
        int is_whole = n + 1 == length; /* only the last line end is missing */
        const char *words = n == 0 ? "has 0 bytes" : is_whole ? "" : "ends too early";
        if (strstr(error.message, words) == NULL) {
            fail_msg("cut at %zu: %s", n, error.message);
        }
    }
}

/* Flips two bits of every byte, one at a time: bit i % 8, and the bit that changes the case of a
 * letter. */
TEST(a_flipped_bit_anywhere_is_refused) {
    size_t length, of_checksum = 0;
    TEXT_FREED char *text = sample_text(SAMPLE_PRIVATE, &length);
    for (size_t i = 0; i < 2 * length; i++) {
        dp2dp_model *model = (dp2dp_model *)&model;
        dp2dp_error error = {0};
        char bit = (char)(1 << (i % 2 ? 5 : i / 2 % 8));
        text[i / 2] ^= bit;
        dp2dp_status status = dp2dp_model_from_json(text, length, &model, &error);
        if (status != DP2DP_STATUS_DATA) {
            fail_msg("byte %zu, bit %d: status %d", i / 2, bit, (int)status);
        }
        assert_null(model);
        of_checksum += strncmp(error.message, "checksum: ", 10) == 0;
        text[i / 2] ^= bit;
    }
    assert_true(of_checksum > length / 4); /* the others are not JSON, or not a model */
}

TEST(the_message_says_that_the_checksum_is_wrong) {
    static const edit_case changes[] = {
        {"\"rho\": 0.0", "\"rho\": 0.1", "checksum: wrong; the text is damaged or was changed"},
        {"\n  \"rule\"", "\r\n  \"rule\"", "checksum: wrong"},
        {"\"\n}\n", "\"}\n", "checksum: the second-to-last line must hold the checksum"},
        {"\"checksum\"", "\"checksun\"",
         "checksum: the second-to-last line must hold the checksum"},
    };
    size_t length;
    TEXT_FREED char *text = sample_text(SAMPLE_PRIVATE, &length);
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        FREED char *changed = edited(text, changes[i].from, changes[i].to); /* not sealed again */
        assert_refused(changed, changes[i].because);
    }
    assert_refused("{\"format\":\"dp2dp-model\",\"version\":{\"major\":1,\"minor\":0}}",
                   "checksum: the second-to-last line must hold the checksum");
}

TEST(versions_are_told_apart) {
    static const edit_case refused[] = {
        {"\"dp2dp-model\"", "\"dp2dp-ledger\"", "this is a ledger, not a model"},
        {"\"dp2dp-model\"", "\"other\"", "format: must be \"dp2dp-model\"; this is not a model"},
        {"\"major\": 2", "\"major\": 3", "version: 3.0 is newer than 2"},
        {"\"major\": 2", "\"major\": 0", "version.major: must be at least 1"},
        {"\"major\": 2", "\"major\": \"2\"", "version.major: must be an integer"},
        {"\"minor\": 0", "\"minor\": -1", "version.minor: must be an integer of at least 0"},
        {"\"minor\": 0", "\"minor\": 0, \"patch\": 1", "version.patch: unknown member"},
        {"\"records\"", "\"phase2\": null, \"records\"", "phase2: unknown member of a model"},
        {"\"kind\": \"offset\"", "\"kind\": \"curved\"", "rule.kind: 'curved' is not known"},
    };
    REFUSE_ALL(SAMPLE_PRIVATE, refused);
    /* A newer major version is refused before its checksum is checked, because it may compute the
     * checksum differently. */
    size_t length;
    TEXT_FREED char *text = sample_text(SAMPLE_PRIVATE, &length);
    FREED char *changed = edited(text, "\"major\": 2", "\"major\": 7");
    assert_refused(
        changed, "version: 7.0 is newer than 2, the newest major version that this library reads");
}

TEST(a_newer_minor_may_have_members_of_its_own) {
    static const edit_case additions[] = {
        {"\"records\"", "\"phase3\": {\"weights\": []}, \"records\"", ""},
        {"\"kind\"", "\"trained_on\": 3, \"kind\"", ""},
        {"\"solver\"", "\"momentum\": 0.9, \"solver\"", ""},
        {"\"private\"", "\"unit\": \"row\", \"private\"", ""},
        {"\"width\"", "\"law\": \"uniform\", \"width\"", ""},
        {"\"scores\"", "\"label\": \"y\", \"scores\"", ""},
        {"\"major\"", "\"name\": \"next\", \"major\"", ""},
    };
    size_t length;
    TEXT_FREED char *text = sample_text(SAMPLE_PRIVATE, &length);
    for (size_t i = 0; i < sizeof additions / sizeof additions[0]; i++) {
        FREED char *same_minor = edit(text, additions[i].from, additions[i].to);
        FREED char *newer = edit(same_minor, "\"minor\": 0", "\"minor\": 9");
        assert_refused(same_minor, "unknown member of ");
        HANDLE(dp2dp_model) *model = model_of(newer);
        TEXT_FREED char *again = text_of(model, &length); /* without the unknown members */
        assert_string_equal(again, text);
    }
}

/* Removes each member of the object, and of the objects in it, one at a time. */
static size_t refuse_without_each(json_t *root, json_t *object) {
    size_t refused = 0;
    const char *key;
    json_t *value;
    json_t *copy = json_copy(object);
    json_object_foreach(copy, key, value) {
        /* The ledger has its own tests and optional members. A text without a checksum cannot be
         * sealed. */
        if (strcmp(key, "checksum") == 0 || strcmp(key, "ledger") == 0) {
            continue;
        }
        if (json_is_object(value)) {
            refused += refuse_without_each(root, value);
        }
        json_object_del(object, key);
        FREED char *text = seal_json(root);
        assert_refused(text, strcmp(key, "kind") == 0 ? "kind" : key);
        json_object_clear(object);
        json_object_update(object, copy);
        refused++;
    }
    json_decref(copy);
    return refused;
}

TEST(every_member_is_required) {
    size_t length;
    TEXT_FREED char *text = sample_text(SAMPLE_EXACT, &length);
    json_t *root = json_loads(text, 0, NULL);
    FREED char *untouched = seal_json(root);
    assert_string_equal(untouched, text);
    assert_true(refuse_without_each(root, root) > 40);
    json_object_del(root, "ledger");
    /* the checksum is still the last member */
    FREED char *without = seal_json(root);
    assert_refused(without, "ledger: must be an object");
    json_decref(root);
}

TEST(deep_double_and_huge_texts_are_refused) {
    static const edit_case refused[] = {
        {"\"claimed\": null", "\"claimed\": [[[[[[[[[[1]]]]]]]]]]", "nested"},
        {"\"claimed\": null", "\"claimed\": null, \"claimed\": null", "duplicate"},
        {"\"rho\": 0.0", "\"rho\": 1e999", "real number overflow"},
        {"\"batch\": 128", "\"batch\": 123456789012345678901234567890", "too big integer"},
    };
    REFUSE_ALL(SAMPLE_PRIVATE, refused);
    const size_t size = (size_t)64 * 1024 * 1024 + 1;
    FREED char *spaces = malloc(size);
    dp2dp_model *model = (dp2dp_model *)&model;
    assert_non_null(spaces);
    memset(spaces, ' ', size);
    assert_status(dp2dp_model_from_json(spaces, size, &model, &test_error), DATA);
    assert_string_equal(test_error.message,
                        "model: the text has 67108865 bytes; it must have from 1 to 67108864");
    assert_null(model);
    assert_refused("[]", "this is not a model");
    assert_refused("{} {}", "model");
}
