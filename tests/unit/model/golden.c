/* Tests model files kept from earlier versions: they load, and save to the same bytes. */
#include "unit/model/data.h"

static const char document_path[] = DP2DP_TEST_DIR "/../docs/model.md";

/* Freed with free. */
static char *text_in(const char *path) {
    FILE *stream = fopen(path, "r");
    char *text = calloc(1, 65536);
    assert_non_null(stream);
    assert_non_null(text);
    assert_true(fread(text, 1, 65535, stream) < 65535);
    (void)fclose(stream);
    return text;
}

/* Loads the model at `path` and checks that it is written as the text at `golden`. */
static void expect_text(const char *path, const char *golden) {
    size_t length;
    FREED char *text = text_in(golden);
    HANDLE(dp2dp_model) *model = NULL;
    assert_ok(dp2dp_model_load(path, &model, &test_error));
    TEXT_FREED char *again = text_of(model, &length);
    assert_string_equal(again, text);
}

TEST(goldens_load_and_save_to_the_same_bytes) {
    for (size_t i = 0; i < GOLDENS; i++) {
        expect_text(goldens[i], goldens[i]);
    }
}

/* Models of version 1 are marked and written as version 2.0. */
TEST(goldens_of_version_1_become_those_of_today) {
    for (size_t i = 0; i < GOLDENS; i++) {
        HANDLE(dp2dp_model) *model = NULL;
        expect_text(goldens_1_1[i], goldens[i]);
        assert_ok(dp2dp_model_load(goldens_1_1[i], &model, &test_error));
        assert_int_equal(dp2dp_model_view(model)->from_version, 1);
    }
    for (size_t i = 0; i < GOLDENS_1_0; i++) {
        expect_text(goldens_1_0[i], goldens[i]);
    }
}

TEST(version_1_0_has_no_members_of_later_ones) {
    static const edit_case refused[] = {
        {"\"records\"", "\"phase1\": null, \"records\"",
         "phase1: must be absent, because a model of this version does not have this member"},
        {"\"solver\"", "\"scores_epsilon\": null, \"solver\"",
         "scores_epsilon: must be absent, because a model of this version does not have this "
         "member"},
        {"\"rule\": {", "\"rule\": null, \"x\": {", "x: unknown member of a model"},
    };
    FREED char *text = text_in(goldens_1_0[0]);
    REFUSE_EDITS(text, refused);
}

TEST(version_1_1_has_no_members_of_version_2) {
    static const edit_case refused[] = {
        {"\"records\"", "\"warnings\": [], \"records\"", "warnings: must be absent"},
        {"\"records\"", "\"leaves_out\": true, \"records\"", "leaves_out: must be absent"},
        {"\"records\"", "\"from_version\": 1, \"records\"", "from_version: must be absent"},
        {"\"claimed\"", "\"covers\": [], \"claimed\"", "covers: must be absent"},
        {"\"set\": \"train\"", "\"role\": \"train\"", "entries[0].role: unknown field"},
        {"\"set\": \"train\"", "\"set\": \"spring\"", "ledger: must be"},
        {"\"minor\": 1", "\"minor\": 1, \"x\": 1", "version.x: unknown member"},
    };
    FREED char *text = text_in(goldens_1_1[5]);
    REFUSE_EDITS(text, refused);
}

TEST(what_a_golden_says_is_understood) {
    HANDLE(dp2dp_model) *model = NULL;
    assert_ok(dp2dp_model_load(goldens[1], &model, NULL));
    const dp2dp_model_info *info = dp2dp_model_view(model);
    assert_int_equal(info->strata, 2);
    assert_int_equal(info->classes, 3);
    assert_string_equal(info->names.groups[0], "a \"quoted\" group");
    assert_string_equal(info->names.group_column, "s");
    assert_int_equal(info->row_sums, DP2DP_ROW_SUMS_NORMALIZE);
    assert_true(info->rng == DP2DP_RNG_INSECURE && info->insecure_seed == UINT64_MAX);
    assert_int_equal(info->not_private_because, DP2DP_NOT_PRIVATE_INSECURE_NOISE |
                                                    DP2DP_NOT_PRIVATE_LABELS_FROM_DATA |
                                                    DP2DP_NOT_PRIVATE_SCORES_FROM_POOL);
    assert_true(info->records == 300 && info->options->steps == 80);
    assert_true(info->epsilon > 0.99 && info->epsilon <= 1 && info->delta == 1e-5);
}

TEST(a_golden_with_dither_is_understood) {
    static const char path[] = GOLDEN("2.3-dithered");
    HANDLE(dp2dp_model) *model = NULL;
    expect_text(path, path);
    assert_ok(dp2dp_model_load(path, &model, NULL));
    const dp2dp_model_info *info = dp2dp_model_view(model);
    assert_true(info->dither.width == 0.001 && info->dither.seed == UINT64_MAX - 1);
}

/* Its decisions would be others than those of the library that made the file. */
TEST(the_dither_of_earlier_versions_is_refused) {
    static const char *const paths[] = {GOLDEN("1.0-dithered"), GOLDEN("1.1-dithered"),
                                        GOLDEN("2.0-dithered")};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        dp2dp_model *model = NULL;
        assert_int_equal(dp2dp_model_load(paths[i], &model, &test_error), DP2DP_STATUS_DATA);
        assert_null(model);
        assert_says(test_error.message, "fit the rule again");
    }
}

TEST(the_kind_says_whether_there_is_dither) {
    static const edit_case refused[] = {
        {"\"width\": 0.001", "\"width\": 0.0", "dither.width: must be above 0, because the kind"},
        {"offset-dithered", "offset-dithered-", "rule.kind: 'offset-dithered-' is not known"},
        {"offset-dithered", "offset-grid-dithered", "rule.kind: 'offset-grid-dithered' is not"},
    };
    FREED char *text = text_in(GOLDEN("2.3-dithered"));
    REFUSE_EDITS(text, refused);
}

/* Runs the command that the document gives. */
TEST(the_documented_command_gives_the_checksum) {
    static const char command[] = "grep -v '^  \"checksum\": ' model.json | sha256sum";
    FREED char *document = text_in(document_path);
    assert_says(document, command);
    for (size_t i = 0; i < GOLDENS; i++) {
        char line[512], hex[65] = "";
        (void)snprintf(line, sizeof line, "grep -v '^  \"checksum\": ' '%s' | sha256sum",
                       goldens[i]);
        FILE *stream = popen(line, "r");
        assert_non_null(stream);
        assert_int_equal(fread(hex, 1, 64, stream), 64);
        (void)pclose(stream);
        json_t *root = json_in(goldens[i]);
        assert_string_equal(json_string_value(json_object_get(root, "checksum")), hex);
        json_decref(root);
    }
}
