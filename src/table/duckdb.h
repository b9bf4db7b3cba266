/* Reads SQL queries and Parquet files with DuckDB, if the DuckDB library is installed. The rows
 * come chunk by chunk, so that a table may be larger than memory. Some queries, such as those that
 * sort, still need memory for all rows. */
#ifndef DP2DPI_TABLE_DUCKDB_H
#define DP2DPI_TABLE_DUCKDB_H

#include <stdint.h>

#include <dp2dp/table.h>

#include "arrow/batch.h"
#include "base/utf8.h"
#include "table/duckdb_api.h"
#include "table/duckdb_sql.h"

typedef struct dp2dpi_duckdb {
    dp2dpi_duckdb_api api;
    void *database, *connection, *statement, *pending, *chunk;
    dp2dpi_duckdb_result result;
    const dp2dp_table_options *options; /* borrowed */
    dp2dpi_duckdb_column *columns;
    size_t chunk_row, chunk_rows; /* next row and number of rows of the current chunk */
    int at_end;                   /* 1: no chunk follows, and DuckDB must not be asked for one */
    uint64_t row;                 /* next row of the result, from 0 */
    char name[DP2DPI_SHOWN_SIZE]; /* the query or file name, for messages */
} dp2dpi_duckdb;

/* Returns 1 if the operand is a query or a file name that ends in ".parquet". An operand is a query
 * if it begins with the word SELECT, WITH, FROM or VALUES, and no file is named like the operand.
 */
int dp2dpi_duckdb_is(const char *operand);

/* Starts the query. dp2dpi_duckdb_open, _next and _free work like the functions of dp2dpi_csv.
 * Fails with IO if DuckDB is not installed or a file cannot be read, and with ARGUMENT if the SQL
 * is wrong. The error repeats DuckDB's message only if this message is about the query or its
 * files, because other messages may show the value of a cell. */
dp2dp_status dp2dpi_duckdb_open(dp2dpi_duckdb *duckdb, const char *operand,
                                dp2dp_table_options *options, dp2dp_error *error);
void dp2dpi_duckdb_free(dp2dpi_duckdb *duckdb);
dp2dp_status dp2dpi_duckdb_next(dp2dpi_duckdb *duckdb, dp2dpi_batch *batch, dp2dp_error *error);

/* Loads DuckDB and opens a database. dp2dpi_duckdb_open calls this first. Set `options` and `name`
 * before the call. */
dp2dp_status dp2dpi_duckdb_start(dp2dpi_duckdb *duckdb, dp2dp_error *error);
/* Starts a statement and waits for its first rows. Call dp2dpi_duckdb_end before the next
 * statement. */
dp2dp_status dp2dpi_duckdb_run(dp2dpi_duckdb *duckdb, const char *sql, dp2dp_error *error);
void dp2dpi_duckdb_end(dp2dpi_duckdb *duckdb);

/* Returns 1 if every column of numbers is float32; the batches then hold float32 too. */
int dp2dpi_duckdb_is_float32(const dp2dpi_duckdb *duckdb);

/* Gets the next chunk of the result; chunk_rows is 0 at the end. */
dp2dp_status dp2dpi_duckdb_fetch(dp2dpi_duckdb *duckdb, dp2dp_error *error);

const char *dp2dpi_duckdb_bytes(const dp2dpi_duckdb_text *text);

#endif
