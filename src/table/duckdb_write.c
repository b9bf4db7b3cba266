#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "table/duckdb.h"

enum {
    TYPE_SIZE = 32, /* bytes for the name of an SQL type */
    /* Bytes of memory that each part of an SQL statement may take. */
    COLUMN_MAX = 64 + TYPE_SIZE,
    STATEMENT_SPARE = 512
};

typedef struct type {
    char name[TYPE_SIZE];
} type;

/* Writes a text between quotes; a quote within it is doubled. */
static char *write_quoted(char *at, const char *text, char quote) {
    *at++ = quote;
    for (; *text; text++) {
        *at++ = *text;
        if (*text == quote) {
            *at++ = quote;
        }
    }
    *at++ = quote;
    *at = '\0';
    return at;
}

/* Finds the type of a column in a Parquet file, and sets *out to this type if the list below has
 * it. Otherwise leaves *out at VARCHAR: with another type, a value could later be read as another
 * text than the text in the CSV file. */
static dp2dp_status find_type(dp2dpi_duckdb *duckdb, const char *column, const char *file,
                              type *out, dp2dp_error *error) {
    char *sql = NULL;
    DP2DPI_TRY(
        DP2DPI_ALLOC(sql, 3 * (strlen(column) + strlen(file)) + STATEMENT_SPARE, "a query", error));
    char *at = stpcpy(sql, "SELECT column_type FROM (DESCRIBE FROM read_parquet(");
    at = dp2dpi_duckdb_write_name(at, file);
    at = write_quoted(stpcpy(at, ")) WHERE column_name = "), column, '\'');
    (void)stpcpy(at, " AND (column_type IN ('TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT', "
                     "'HUGEINT', 'UTINYINT', 'USMALLINT', 'UINTEGER', 'UBIGINT', 'UHUGEINT', "
                     "'BOOLEAN', 'FLOAT', 'DOUBLE') OR column_type LIKE 'DECIMAL(%)')");
    dp2dp_status status = DP2DP_STATUS_OK;
    DP2DPI_TRY_OR_DONE(dp2dpi_duckdb_run(duckdb, sql, error));
    DP2DPI_TRY_OR_DONE(dp2dpi_duckdb_fetch(duckdb, error));
    if (duckdb->chunk_rows == 1) {
        const dp2dpi_duckdb_text *cell =
            duckdb->api.vector_get_data(duckdb->api.data_chunk_get_vector(duckdb->chunk, 0));
        snprintf(out->name, sizeof out->name, "%.*s", (int)cell->length, dp2dpi_duckdb_bytes(cell));
    }
done:
    dp2dpi_duckdb_end(duckdb);
    dp2dpi_free(sql);
    return status;
}

static dp2dp_status find_types(dp2dpi_duckdb *duckdb, const char *file, type *types,
                               dp2dp_error *error) {
    const dp2dp_table_options *o = duckdb->options;
    for (size_t i = 0; i < o->column_count; i++) {
        int is_text = o->columns[i].type == DP2DP_TABLE_TEXT;
        (void)stpcpy(types[i].name, is_text ? "VARCHAR" : "FLOAT");
        if (is_text && file) {
            DP2DPI_TRY(find_type(duckdb, o->columns[i].name, file, &types[i], error));
        }
    }
    return DP2DP_STATUS_OK;
}

/* Writes a COPY statement that describes the CSV file completely, so that DuckDB guesses nothing.
 * DuckDB keeps the order of the rows. */
static dp2dp_status write_copy(const dp2dp_table_options *o, const type *types, const char *csv,
                               const char *parquet, char **out, dp2dp_error *error) {
    size_t size = 2 * (strlen(csv) + strlen(parquet)) + STATEMENT_SPARE;
    for (size_t i = 0; i < o->column_count; i++) {
        size += 2 * strlen(o->columns[i].name) + COLUMN_MAX;
    }
    DP2DPI_TRY(DP2DPI_ALLOC(*out, size, "a query", error));
    char *at = stpcpy(*out, "COPY (SELECT ");
    for (size_t i = 0; i < o->column_count; i++) {
        at += sprintf(at, "%sCAST(c%zu AS %s) AS ", i ? ", " : "", i, types[i].name);
        at = write_quoted(at, o->columns[i].name, '"');
    }
    at = write_quoted(stpcpy(at, " FROM read_csv("), csv, '\'');
    at = stpcpy(at, ", auto_detect = false, header = true, delim = ',', quote = '\"', "
                    "escape = '\"', new_line = '\\n', nullstr = 'NULL', "
                    "allow_quoted_nulls = false, columns = {");
    for (size_t i = 0; i < o->column_count; i++) {
        at += sprintf(at, "%sc%zu: 'VARCHAR'", i ? ", " : "", i);
    }
    at = write_quoted(stpcpy(at, "})) TO "), parquet, '\'');
    (void)stpcpy(at, " (FORMAT parquet, USE_TMP_FILE false)");
    return DP2DP_STATUS_OK;
}

static dp2dp_status convert(dp2dpi_duckdb *duckdb, const char *csv, const char *types_from,
                            const char *parquet, dp2dp_error *error) {
    const dp2dp_table_options *o = duckdb->options;
    type *types = NULL;
    char *sql = NULL;
    dp2dp_status status = DP2DP_STATUS_OK;
    DP2DPI_TRY_OR_DONE(DP2DPI_ALLOC(types, o->column_count, "the columns of the file", error));
    DP2DPI_TRY_OR_DONE(find_types(duckdb, types_from, types, error));
    DP2DPI_TRY_OR_DONE(write_copy(o, types, csv, parquet, &sql, error));
    DP2DPI_TRY_OR_DONE(dp2dpi_duckdb_run(duckdb, sql, error));
    while (!duckdb->at_end) {
        DP2DPI_TRY_OR_DONE(dp2dpi_duckdb_fetch(duckdb, error));
    }
done:
    dp2dpi_free(types);
    dp2dpi_free(sql);
    return status;
}

dp2dp_status dp2dp_table_to_parquet(const char *csv, const dp2dp_table_column *columns,
                                    size_t column_count, const char *types_from,
                                    const char *parquet, dp2dp_error *error) {
    dp2dp_table_options options = DP2DP_TABLE_OPTIONS_INIT;
    dp2dpi_duckdb duckdb = {.options = &options};
    const char *name = csv && parquet ? parquet : "Parquet";
    if (csv && (columns == NULL || column_count == 0 || parquet == NULL)) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "to write a Parquet file, set columns, column_count (above 0) and "
                           "parquet (the path of the file)");
    }
    options.columns = columns;
    options.column_count = column_count;
    dp2dpi_utf8_show(name, strlen(name), duckdb.name);
    dp2dp_status status = dp2dpi_duckdb_start(&duckdb, error);
    if (status == DP2DP_STATUS_OK && csv) {
        status = convert(&duckdb, csv, types_from, parquet, error);
    }
    dp2dpi_duckdb_free(&duckdb);
    return status;
}
