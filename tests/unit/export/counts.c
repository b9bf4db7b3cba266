#include "unit/export/data.h"

#include <math.h>

static void holds(const dp2dp_counts_options *options, const float *offsets, const char *words) {
    char *text = counts_of(options, offsets);
    if (strstr(text, words) == NULL) {
        fail_msg("%s lacks %s", text, words);
    }
    dp2dp_text_free(text);
}

static void refuses(const dp2dp_counts_options *options, const float *offsets, const char *words) {
    char *text = (char *)&text;
    size_t length = 1;
    assert_fails(dp2dp_export_counts(options, offsets, &text, &length, &test_error), ARGUMENT,
                 words);
    assert_null(text);
    assert_int_equal(length, 0);
}

static const float offsets[8] = {0.125F, 0.25F, 0.375F, 0.5F, 0.625F, 0.75F, 0.875F, 1.0F};

TEST(a_question_counts_the_cells_of_each_group) {
    dp2dp_counts_options options = counts_in(DP2DP_EXPORT_DUCKDB, DP2DP_RULE_OFFSET);
    holds(&options, offsets, "SELECT cell, count(*) AS n FROM (");
    holds(&options, offsets, "IN ('m''s') THEN 2 +");
    holds(&options, offsets, "- CAST(5.00000000e-01 AS FLOAT)");
    holds(&options, offsets, "FROM \"people\" AS dp2dp_rows");
}

TEST(a_label_moves_a_row_to_another_stratum) {
    dp2dp_counts_options options = counts_in(DP2DP_EXPORT_POSTGRESQL, DP2DP_RULE_LINEAR);
    holds(&options, offsets, "IN ('m''s') THEN 4 +");
    holds(&options, offsets, "CAST(dp2dp_rows.\"paid\" AS text) COLLATE \"C\" IN ('yes') THEN 2");
}

TEST(a_rule_that_does_not_see_the_group_is_counted_by_group) {
    dp2dp_counts_options options = counts_in(DP2DP_EXPORT_SQLITE, DP2DP_RULE_WEIGHTED);
    holds(&options, offsets, "COLLATE BINARY IN ('m''s') THEN 4");
    holds(&options, offsets, "\"w1\"");
}

TEST(a_query_takes_the_place_of_the_table) {
    dp2dp_counts_options options = counts_in(DP2DP_EXPORT_SPARK, DP2DP_RULE_OFFSET);
    options.table = NULL;
    options.query = "SELECT * FROM t -- all";
    holds(&options, offsets, "FROM (SELECT * FROM t -- all\n) AS dp2dp_rows");
}

TEST(without_offsets_the_rows_are_copied) {
    dp2dp_counts_options options = counts_in(DP2DP_EXPORT_DUCKDB, DP2DP_RULE_WEIGHTED);
    holds(&options, NULL, "coalesce(TRY_CAST(dp2dp_rows.\"w1\" AS DOUBLE), -1) AS w1");
    holds(&options, NULL, "ELSE -1 END AS group_code");
    holds(&options, NULL, "ELSE -1 END AS label_code");
    options = counts_in(DP2DP_EXPORT_SQLITE, DP2DP_RULE_OFFSET);
    holds(&options, NULL, "0 AS label_code");
    holds(&options, NULL, "IN ('real', 'integer') THEN CAST(dp2dp_rows.\"p1\" AS REAL) END, -1)");
}

TEST(what_is_missing_or_too_much_is_refused) {
    static const char *const twice[] = {"f", "f"};
    const dp2dp_counts_options good = counts_in(DP2DP_EXPORT_DUCKDB, DP2DP_RULE_LINEAR);
    dp2dp_counts_options bad = good;
    char *text = NULL;
    size_t length = 0;
    assert_fails(dp2dp_export_counts(&good, NULL, NULL, &length, &test_error), ARGUMENT, "text");
    assert_fails(dp2dp_export_counts(&good, NULL, &text, NULL, &test_error), ARGUMENT, "length");
    refuses(NULL, offsets, "DP2DP_COUNTS_OPTIONS_INIT");
#define REFUSED(field, value, words) \
    bad = good;                      \
    bad.field = (value);             \
    refuses(&bad, offsets, words)
    REFUSED(format, DP2DP_EXPORT_ONNX, "not a dialect");
    REFUSED(format, (dp2dp_export_format)0, "not a dialect");
    REFUSED(table, NULL, "exactly one of the options table and query");
    REFUSED(query, "SELECT 1", "exactly one of the options table and query");
    REFUSED(row_sums, (dp2dp_row_sums)7, "row_sums");
    REFUSED(grid_bits, 99, "grid_bits = 99");
    REFUSED(groups, 1, "there must be from 2");
    REFUSED(classes, 4097, "there must be from 2");
    REFUSED(groups, 4000, "there must be from 2");
    REFUSED(weight_columns, 3, "3 columns of group scores");
    REFUSED(weights, twice, "0 columns of group scores");
    REFUSED(scores, NULL, "score columns are missing");
    REFUSED(scores, twice, "given twice");
    REFUSED(group_column, NULL, "column with the group");
    REFUSED(group_column, "p1", "also given as a column of scores");
    REFUSED(label_column, "", "column with the label");
    REFUSED(group_names, NULL, "group names are missing");
    REFUSED(group_names, twice, "given twice");
    REFUSED(class_names, NULL, "class names are missing");
#undef REFUSED
}

TEST(offsets_must_be_finite) {
    const dp2dp_counts_options options = counts_in(DP2DP_EXPORT_DUCKDB, DP2DP_RULE_OFFSET);
    const float bad[] = {0.0F, 0.0F, NAN, 0.0F};
    refuses(&options, bad, "finite");
}
