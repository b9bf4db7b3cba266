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
          "CAST(CAST(dp2dp_rows.\"p1\" AS DOUBLE) AS FLOAT) - CAST(2.50000000e-01 AS FLOAT)");
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

TEST(sqlite_gets_no_function_with_more_than_a_hundred_arguments) {
    enum {
        CLASSES = 250
    };
    HANDLE(dp2dp_model) *model = NULL;
    char *scores[CLASSES], names[CLASSES][8];
    for (size_t k = 0; k < CLASSES; k++) {
        (void)snprintf(names[k], sizeof names[k], "p%zu", k);
        scores[k] = names[k];
    }
    const dp2dp_names given = {.scores = (const char *const *)scores, .group_column = "g"};
    assert_ok(dp2dpi_model_new(&(dp2dpi_model_kind) {.strata = 2, .classes = CLASSES}, &given,
                               &model, &test_error));
    dp2dp_export_options options = export_to(DP2DP_EXPORT_SQLITE);
    char *text = export_of(model, &options);
    assert_non_null(strstr(text, "CASE max(max(max(v0, v1"));
    assert_non_null(strstr(text, "v99), v100"));
    assert_non_null(strstr(text, "v199), v200"));
    dp2dp_text_free(text);
}
