/* The SQL for DuckDB: the operand, and the form in which its columns come back. */
#ifndef DP2DPI_TABLE_DUCKDB_SQL_H
#define DP2DPI_TABLE_DUCKDB_SQL_H

#include <stddef.h>
#include <stdint.h>

#include <dp2dp/table.h>

/* How a column of an SQL type comes back, by the type that is wanted. */
typedef struct dp2dpi_duckdb_form {
    char kind; /* 't' text, 'd' decimal, 'f' float64, 's' float32, 'i' integer, 'b' boolean */
    dp2dp_table_type type;
    int is_varchar;  /* else DOUBLE */
    const char *sql; /* # is the column */
} dp2dpi_duckdb_form;

/* A column that was asked for, and its values in the current chunk. */
typedef struct dp2dpi_duckdb_column {
    const dp2dpi_duckdb_form *form;
    size_t position;       /* in the query */
    const void *values;    /* dp2dpi_duckdb_text or double */
    const uint64_t *valid; /* a bit per row; NULL: there is no NULL */
} dp2dpi_duckdb_column;

/* NULL if columns of that kind cannot be read. */
const dp2dpi_duckdb_form *dp2dpi_duckdb_form_of(char kind, dp2dp_table_type type);

/* A query of one row and two columns of text: the names of the operand's columns, each closed by a
 * NUL, and the letter of each one's kind, '?' for others. The caller frees *out. */
dp2dp_status dp2dpi_duckdb_describe_sql(const char *operand, char **out, dp2dp_error *error);

/* A query of these columns of an operand that has `width`, in their forms. */
dp2dp_status dp2dpi_duckdb_select_sql(const char *operand, size_t width,
                                      const dp2dpi_duckdb_column *columns, size_t count, char **out,
                                      dp2dp_error *error);

#endif
