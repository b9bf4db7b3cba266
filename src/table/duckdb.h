/* SQL and Parquet, read by DuckDB if its library is installed. A query is prepared, run and handed
 * on chunk by chunk: its rows are never all in memory unless the query itself needs that. */
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
    dp2dpi_duckdb_column *columns;      /* those asked for */
    size_t chunk_row, chunk_rows;       /* the next of the chunk; how many it has */
    int at_end;                         /* end of the result: reading on would be an error */
    uint64_t row;                       /* of the query, from 0 */
    char name[DP2DPI_SHOWN_SIZE];       /* the operand, for messages */
} dp2dpi_duckdb;

/* 1 if the operand is a query (it begins with the word SELECT, WITH, FROM or VALUES, and no file
 * has that name) or a Parquet file by its name. */
int dp2dpi_duckdb_is(const char *operand);

/* As dp2dpi_csv_open. IO if there is no DuckDB or a file cannot be read, ARGUMENT if the SQL is
 * wrong. DuckDB's messages are repeated if they are about the query or files; others may show the
 * value of a cell, so only their kind is given. */
dp2dp_status dp2dpi_duckdb_open(dp2dpi_duckdb *duckdb, const char *operand,
                                const dp2dp_table_options *options, dp2dp_error *error);
void dp2dpi_duckdb_free(dp2dpi_duckdb *duckdb);
dp2dp_status dp2dpi_duckdb_next(dp2dpi_duckdb *duckdb, dp2dpi_batch *batch, dp2dp_error *error);

/* 1 if every column of numbers is: they are handed on as such. */
int dp2dpi_duckdb_is_float32(const dp2dpi_duckdb *duckdb);

/* The next chunk of the result; chunk_rows is 0 at its end. */
dp2dp_status dp2dpi_duckdb_fetch(dp2dpi_duckdb *duckdb, dp2dp_error *error);

/* The bytes of a VARCHAR. */
const char *dp2dpi_duckdb_bytes(const dp2dpi_duckdb_text *text);

#endif
