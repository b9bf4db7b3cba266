/* SQL: if an allocation of the library (not of DuckDB) fails, the stream returns ENOMEM and nothing
 * leaks. */
#include "fault/fault_stream.h"

#include "unit/table/duckdb_data.h"

TEST(a_query_is_read_whole_or_memory_is_what_it_lacked) {
    static const char query[] =
        "SELECT 'a rather long text for the room that a row is given' AS a, 1.25 AS b, 3 AS c "
        "FROM range(3)";
    dp2dpi_duckdb_api api;
    need_duckdb(&api);
    wanted *w = WANT("#b,a,#c");
    w->options.chunk_rows = 2;
    FAIL_EACH_ALLOCATION(20) {
        struct ArrowArrayStream stream;
        fault_arm_run();
        fault_status = dp2dp_table_open(query, &w->options, &stream, &fault_error);
        fault_read_all(&stream);
    }
}

TEST(a_parquet_file_is_written_or_memory_is_what_it_lacked) {
    static const dp2dp_table_column columns[] = {{"a", DP2DP_TABLE_TEXT},
                                                 {"b", DP2DP_TABLE_NUMBER}};
    char parquet[64];
    dp2dpi_duckdb_api api;
    need_duckdb(&api);
    (void)snprintf(parquet, sizeof parquet, "%s.parquet", table_path);
    write_text("a,b\n\"x\",1\n");
    assert_ok(dp2dp_table_to_parquet(table_path, columns, 2, NULL, parquet, &test_error));
    FAIL_EACH_ALLOCATION(3) {
        FAULTY(dp2dp_table_to_parquet(table_path, columns, 2, parquet, parquet, &fault_error));
    }
    assert_int_equal(unlink(parquet), 0);
}
