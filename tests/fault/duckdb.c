/* SQL: whatever allocation of ours fails, the stream says so and nothing leaks. */
#include "fault/fault_alloc.h"

#include "unit/table/duckdb_data.h"

static dp2dp_status run_query(size_t at, fault_mode how) {
    static const char query[] =
        "SELECT 'a rather long text for the room that a row is given' AS a, 1.25 AS b, 3 AS c "
        "FROM range(3)";
    struct ArrowArrayStream stream;
    struct ArrowArray batch;
    int code;
    wanted *w = WANT("#b,a,#c");
    w->options.chunk_rows = 2;
    fault_arm(at, how);
    dp2dp_status status = dp2dp_table_open(query, &w->options, &stream, &fault_error);
    assert_int_equal(stream.release == NULL, status != DP2DP_STATUS_OK);
    if (status != DP2DP_STATUS_OK) {
        return status;
    }
    while ((code = stream.get_next(&stream, &batch)) == 0 && batch.release) {
        batch.release(&batch);
    }
    stream.release(&stream);
    return code == 0        ? DP2DP_STATUS_OK
           : code == ENOMEM ? DP2DP_STATUS_MEMORY
                            : DP2DP_STATUS_INTERNAL;
}

TEST(a_query_is_read_whole_or_memory_is_what_it_lacked) {
    dp2dpi_duckdb_api api;
    need_duckdb(&api);
    assert_true(fault_every_allocation(run_query) >= 20);
}
