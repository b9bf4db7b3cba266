#include "unit/export/data.h"

static void holds(dp2dp_rule rule, dp2dp_export_format format, const char *words) {
    HANDLE(dp2dp_model) *model = small_model(rule, 1);
    dp2dp_export_options options = export_to(format);
    char *text = export_of(model, &options);
    if (strstr(text, words) == NULL) {
        fail_msg("%s lacks %s", text, words);
    }
    dp2dp_text_free(text);
}

TEST(names_are_quoted_as_the_dialect_wants) {
    holds(DP2DP_RULE_OFFSET, DP2DP_EXPORT_DUCKDB, "dp2dp_rows.\"p\"\"0\"");
    holds(DP2DP_RULE_OFFSET, DP2DP_EXPORT_SQLITE, "dp2dp_rows.\"p\"\"0\"");
    holds(DP2DP_RULE_OFFSET, DP2DP_EXPORT_POSTGRESQL, "dp2dp_rows.\"p\"\"0\"");
    holds(DP2DP_RULE_OFFSET, DP2DP_EXPORT_SPARK, "dp2dp_rows.`p\"0`");
    holds(DP2DP_RULE_OFFSET, DP2DP_EXPORT_DUCKDB, "IN ('m''s')");
    holds(DP2DP_RULE_OFFSET, DP2DP_EXPORT_SPARK, "IN (CAST(X'6D2773' AS STRING))");
}

TEST(every_number_is_cast_to_float32) {
    holds(DP2DP_RULE_OFFSET, DP2DP_EXPORT_DUCKDB,
          "CAST(TRY_CAST(dp2dp_rows.\"p1\" AS DOUBLE) AS FLOAT) - CAST(2.50000000e-01 AS FLOAT)");
    holds(DP2DP_RULE_OFFSET, DP2DP_EXPORT_SPARK, "CAST(2.50000000e-01D AS FLOAT)");
    holds(DP2DP_RULE_OFFSET, DP2DP_EXPORT_SQLITE, "(p1 - (8388608.0/33554432.0))");
}

TEST(a_rule_that_does_not_see_the_group_does_not_name_it) {
    HANDLE(dp2dp_model) *model = small_model(DP2DP_RULE_WEIGHTED, 1);
    for (int format = DP2DP_EXPORT_DUCKDB; format <= DP2DP_EXPORT_SPARK; format++) {
        dp2dp_export_options options = export_to((dp2dp_export_format)format);
        char *text = export_of(model, &options);
        assert_null(strstr(text, "sex"));
        assert_non_null(strstr(text, "w1"));
        dp2dp_text_free(text);
    }
}

TEST(an_offset_of_zero_is_left_out) {
    HANDLE(dp2dp_model) *model = small_model(DP2DP_RULE_OFFSET, 1);
    memset(model->offsets, 0, 4 * sizeof *model->offsets);
    dp2dpi_model_publish(model);
    dp2dp_export_options options = export_to(DP2DP_EXPORT_POSTGRESQL);
    char *text = export_of(model, &options);
    assert_null(strstr(text, "0.0000"));
    dp2dp_text_free(text);
}

TEST(tables_have_parts_and_bad_ones_are_refused) {
    static const struct {
        const char *name, *written;
    } tables[] = {
        {"people", "\"people\""},       {"a.b.c", "\"a\".\"b\".\"c\""},
        {"\"a.b\".c", "\"a.b\".\"c\""}, {"\"a\"\"b\"", "\"a\"\"b\""},
        {"a\"b", "\"a\"\"b\""},         {"\"a", "\"\"\"a\""},
    };
    static const char *const bad[] = {".", "a.", ".a", "a..b", "\"\"", "a.\"\""};
    HANDLE(dp2dp_model) *model = small_model(DP2DP_RULE_OFFSET, 1);
    dp2dp_export_options options = export_to(DP2DP_EXPORT_DUCKDB);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        char wanted[64];
        (void)snprintf(wanted, sizeof wanted, "\nFROM %s AS dp2dp_rows\n", tables[i].written);
        options.table = tables[i].name;
        char *text = export_of(model, &options);
        assert_non_null(strstr(text, wanted));
        dp2dp_text_free(text);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char *text = NULL;
        size_t length = 0;
        options.table = bad[i];
        assert_fails(dp2dp_export(model, &options, &text, &length, &test_error), ARGUMENT,
                     "is empty");
        assert_null(text);
    }
}

enum {
    CLASSES_MAX = 250
};

/* A model of this many classes, with scores p0, p1, … and the group g. */
static dp2dp_model *wide_model(size_t classes) {
    char *scores[CLASSES_MAX], names[CLASSES_MAX][24];
    dp2dp_model *model = NULL;
    for (size_t k = 0; k < classes; k++) {
        (void)snprintf(names[k], sizeof names[k], "p%zu", k);
        scores[k] = names[k];
    }
    const dp2dp_names given = {.scores = (const char *const *)scores, .group_column = "g"};
    assert_ok(dp2dpi_model_new(&(dp2dpi_model_kind) {.strata = 2, .classes = classes}, &given,
                               &model, &test_error));
    return model;
}

TEST(sqlite_gets_no_function_with_more_than_a_hundred_arguments) {
    HANDLE(dp2dp_model) *model = wide_model(CLASSES_MAX);
    dp2dp_export_options options = export_to(DP2DP_EXPORT_SQLITE);
    char *text = export_of(model, &options);
    assert_non_null(strstr(text, "CASE max(max(max(v0, v1"));
    assert_non_null(strstr(text, "v99), v100"));
    assert_non_null(strstr(text, "v199), v200"));
    dp2dp_text_free(text);
}

TEST(a_rule_that_normalises_does_not_grow_with_the_square_of_its_classes) {
    static const dp2dp_export_format formats[] = {DP2DP_EXPORT_DUCKDB, DP2DP_EXPORT_POSTGRESQL,
                                                  DP2DP_EXPORT_SQLITE};
    for (size_t f = 0; f < 3; f++) {
        size_t lengths[2] = {0};
        for (size_t i = 0; i < 2; i++) {
            HANDLE(dp2dp_model) *model = wide_model(i ? 200 : 20);
            model->info.row_sums = DP2DP_ROW_SUMS_NORMALIZE;
            dp2dp_export_options options = export_to(formats[f]);
            char *text = export_of(model, &options);
            lengths[i] = strlen(text);
            dp2dp_text_free(text);
        }
        assert_true(lengths[1] < 12 * lengths[0]);
    }
}
