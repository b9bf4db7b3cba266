/* Tests the model file of a rule with a grid: libraries that do not know the grid must refuse it.
 */
#include "unit/model/data.h"

static dp2dp_model *gridded_model(void) {
    OWNED(people) p = people_favoured(300, 3, 2, 5);
    dp2dp_pool_options pooled = DP2DP_POOL_OPTIONS_INIT;
    pooled.grid_bits = 16;
    HANDLE(dp2dp_pool) *pool = pool_with(&p, pooled);
    dp2dp_source source = dp2dp_pool_source(pool);
    dp2dp_fit_options options = seeded(1, 1);
    dp2dp_model *model = fit_source(&source, &options);
    return model;
}

TEST(a_grid_is_a_kind_of_its_own_and_is_read_back) {
    size_t length;
    HANDLE(dp2dp_model) *model = gridded_model();
    TEXT_FREED char *text = text_of(model, &length);
    HANDLE(dp2dp_model) *again = model_of(text);
    TEXT_FREED char *same = text_of(again, &length);
    json_t *schema = load_schema(DP2DP_TEST_DIR "/../docs/model.schema.json");
    json_t *root = json_loads(text, 0, NULL);
    assert_non_null(strstr(text, "\"kind\": \"offset-grid\""));
    assert_non_null(strstr(text, "\"minor\": 2"));
    assert_int_equal(dp2dp_model_view(again)->grid_bits, 16);
    assert_string_equal(same, text);
    assert_true(conforms(schema, root));
    json_decref(root);
    json_decref(schema);
}

TEST(a_model_without_a_grid_is_written_as_before) {
    size_t length;
    TEXT_FREED char *text = sample_text(SAMPLE_PRIVATE, &length);
    assert_non_null(strstr(text, "\"kind\": \"offset\""));
    assert_non_null(strstr(text, "\"minor\": 0"));
    assert_null(strstr(text, "grid"));
}

TEST(a_grid_that_the_kind_does_not_name_is_refused) {
    static const char both[] = "present if and only if the kind ends in -grid";
    static const edit_case refused[] = {
        {"\"offset-grid\"", "\"offset\"", both},
        {"\"grid_bits\": 16", "\"grid_bits\": 0", "rule.grid_bits: must be from 1 to 20"},
        {"\"grid_bits\": 16", "\"grid_bits\": 21", "rule.grid_bits: must be from 1 to 20"},
        {"\"grid_bits\": 16", "\"grid_bits\": 4294967297", "rule.grid_bits"},
        {"\"grid_bits\": 16", "\"grid_bits\": 1.5", "rule.grid_bits"},
        {"\"grid_bits\": 16", "\"grid_bits\": null", "rule.grid_bits"},
        {"\"offset-grid\"", "\"offset-grid-2\"", "is not known to this library"},
        {"\"offset-grid\"", "\"offset-\"", "is not known to this library"},
        {"\"offset-grid\"", "\"-grid\"", "is not known to this library"},
    };
    static const edit_case missing[] = {
        {"\"kind\": \"offset\"", "\"kind\": \"offset-grid\"", both}};
    size_t length;
    HANDLE(dp2dp_model) *model = gridded_model();
    TEXT_FREED char *text = text_of(model, &length);
    REFUSE_EDITS(text, refused);
    REFUSE_ALL(SAMPLE_PRIVATE, missing);
}
