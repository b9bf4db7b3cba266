/* Loads DuckDB for tests, and runs statements in it. */
#ifndef DP2DP_TESTS_UNIT_TABLE_DUCKDB_DATA_H
#define DP2DP_TESTS_UNIT_TABLE_DUCKDB_DATA_H

#include "unit/table/data.h"

#include "table/duckdb.h"

static const char duckdb_variable[] = "DP2DP_DUCKDB";

/* Loads the library that the variable names, that tools/fetch_duckdb fetched, or that the system
 * has. Skips the test if there is none; fails if one cannot be loaded. */
static inline void need_duckdb(dp2dpi_duckdb_api *api) {
    static const char fetched[] = DP2DP_TEST_DIR "/../build/duckdb/libduckdb.so";
    const char *preloaded = getenv("LD_PRELOAD");
    dp2dp_error error = {0};
    if (preloaded && strstr(preloaded, "vgpreload")) {
        print_message("a database takes minutes under valgrind\n");
        skip();
    }
#ifdef __SANITIZE_THREAD__
    print_message("the thread sanitizer cannot see how DuckDB, built without it, synchronises\n");
    skip();
#endif
    if (getenv(duckdb_variable) == NULL && access(fetched, R_OK) == 0) {
        assert_int_equal(setenv(duckdb_variable, fetched, 1), 0);
    }
    if (dp2dpi_duckdb_load(api, &error) != OK) {
        if (getenv(duckdb_variable)) {
            fail_msg("%s", error.message);
        }
        print_message("no libduckdb.so: tools/fetch_duckdb gets it\n");
        skip();
    }
}

/* Runs one statement in a new database. */
static inline void run_sql(const dp2dpi_duckdb_api *api, const char *sql) {
    void *database = NULL, *connection = NULL, *statement = NULL, *pending = NULL;
    dp2dpi_duckdb_result result = {.internal = NULL};
    assert_int_equal(api->open_ext(NULL, &database, NULL, NULL), 0);
    assert_int_equal(api->connect(database, &connection), 0);
    if (api->prepare(connection, sql, &statement)) {
        fail_msg("%s", api->prepare_error(statement));
    }
    assert_int_equal(api->pending_prepared_streaming(statement, &pending), 0);
    if (api->execute_pending(pending, &result)) {
        fail_msg("%s", api->result_error(&result));
    }
    api->destroy_result(&result);
    api->destroy_pending(&pending);
    api->destroy_prepare(&statement);
    api->disconnect(&connection);
    api->close(&database);
}

#endif
