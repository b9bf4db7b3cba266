/* Parquet files: rows arrive unchanged and in order, missing values as NULL, types as asked for. */
#include "unit/table/duckdb_data.h"

static const dp2dp_table_column columns[] = {
    {"it's \"id\"", DP2DP_TABLE_TEXT}, {"score", DP2DP_TABLE_NUMBER}, {"text", DP2DP_TABLE_TEXT}};
static char parquet[64];
static dp2dpi_duckdb_api api;

static void name_parquet(void) {
    (void)snprintf(parquet, sizeof parquet, "%s*'.parquet", table_path);
}

TEST(rows_and_missing_values_come_back_as_they_were) {
    static const char csv[] = "\"it's \"\"id\"\"\",\"score\",\"text\"\n"
                              "\"007\",0.1,\"NULL\"\n"
                              "\"8\",NULL,NULL\n"
                              "\"9\",-1e-30,\"\"\n";
    name_parquet();
    need_duckdb(&api);
    write_text(csv);
    assert_ok(dp2dp_table_to_parquet(table_path, columns, 3, NULL, parquet, &test_error));
    wanted *w = WANT_MARKED("it's \"id\",#score,text", "?");
    expect_cells_of(parquet, w, 0,
                    "007|0.10000000149011612|NULL|/8|~|~|/9|-1.0000000031710769e-30||/");
    /* Types of another file, and the old file is overwritten. */
    char like[80], sql[256];
    (void)snprintf(like, sizeof like, "%s.like.parquet", table_path);
    (void)snprintf(sql, sizeof sql,
                   "COPY (SELECT 1::USMALLINT AS \"it's \"\"id\"\"\", 'a' AS \"text\") TO '%s' "
                   "(FORMAT parquet)",
                   like);
    run_sql(&api, sql);
    assert_ok(dp2dp_table_to_parquet(table_path, columns, 3, like, parquet, &test_error));
    expect_cells_of(parquet, w, 0,
                    "7|0.10000000149011612|NULL|/8|~|~|/9|-1.0000000031710769e-30||/");
    assert_int_equal(unlink(parquet) + unlink(like), 0);
}

TEST(a_value_that_does_not_fit_is_not_shown) {
    static const char csv[] = "a,b,c\n\"x\",SECRET,\"y\"\n";
    name_parquet();
    need_duckdb(&api);
    write_text(csv);
    assert_int_equal(dp2dp_table_to_parquet(table_path, columns, 3, NULL, parquet, &test_error),
                     DP2DP_STATUS_DATA);
    assert_null(strstr(test_error.message, "SECRET"));
    (void)unlink(parquet);
}

TEST(a_call_without_a_table_tells_whether_duckdb_is_there) {
    need_duckdb(&api);
    assert_ok(dp2dp_table_to_parquet(NULL, NULL, 0, NULL, NULL, &test_error));
    assert_int_equal(dp2dp_table_to_parquet("x.csv", NULL, 0, NULL, "x", &test_error),
                     DP2DP_STATUS_ARGUMENT);
    assert_int_equal(dp2dp_table_to_parquet("x.csv", columns, 3, NULL, NULL, &test_error),
                     DP2DP_STATUS_ARGUMENT);
    assert_int_equal(
        dp2dp_table_to_parquet("/nowhere/x.csv", columns, 3, NULL, "/nowhere/x", &test_error),
        DP2DP_STATUS_IO);
}
