#ifndef DP2DPI_TABLE_DUCKDB_SQL_H
#define DP2DPI_TABLE_DUCKDB_SQL_H

#include <stddef.h>
#include <stdint.h>

#include <dp2dp/table.h>

typedef struct dp2dpi_duckdb_form {
    int is_varchar;  /* 1: DuckDB returns the column as VARCHAR; 0: as DOUBLE */
    const char *sql; /* the expression to select; # stands for the column */
} dp2dpi_duckdb_form;

typedef struct dp2dpi_duckdb_column {
    char kind; /* 't' text, 'd' decimal, 'f' float64, 's' float32, 'i' integer, 'b' boolean */
    const dp2dpi_duckdb_form *form;
    size_t position;       /* position of the column in the query or file */
    const void *values;    /* values in the current chunk: dp2dpi_duckdb_text or double */
    const uint64_t *valid; /* one bit for each row, 0 if the value is NULL; a NULL pointer if all
                              rows have values */
} dp2dpi_duckdb_column;

/* Returns the form in which DuckDB must return a column of this kind, so that the column can be
 * read as values of this type; NULL if the kind cannot be read. */
const dp2dpi_duckdb_form *dp2dpi_duckdb_form_of(char kind, dp2dp_table_type type);

/* Writes a file name as an SQL string. Escapes it, so that DuckDB does not read it as a pattern
 * that may match several files. Returns the end of the string. */
char *dp2dpi_duckdb_write_name(char *at, const char *name);

/* Writes a query about the columns of the operand, which is a query or a file name
 * (dp2dpi_duckdb_is). The result is one row of two texts. The first text has the columns' names,
 * each followed by a NUL. The second text has one letter for the kind of each column, '?' for a
 * kind that cannot be read. Ownership: the caller frees *out. */
dp2dp_status dp2dpi_duckdb_describe_sql(const char *operand, char **out, dp2dp_error *error);

/* Writes a query that selects `count` of the operand's `width` columns. Ownership: the caller frees
 * *out. */
dp2dp_status dp2dpi_duckdb_select_sql(const char *operand, size_t width,
                                      const dp2dpi_duckdb_column *columns, size_t count, char **out,
                                      dp2dp_error *error);

#endif
