#include "table/duckdb_sql.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/alloc.h"
#include "table/duckdb.h"

/* Returns 1 if the operand is a query, and not the name of a file that looks like a query, such as
 * "values(1).csv". */
static int is_query(const char *operand) {
    const char *path = operand;
    static const char *const words[] = {"SELECT", "WITH", "FROM", "VALUES"};
    operand += strspn(operand, " \t\r\n");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t length = strlen(words[i]);
        if (strncasecmp(operand, words[i], length) == 0 && operand[length] != '\0' &&
            strchr(" \t\r\n(*'\"", operand[length])) {
            return access(path, F_OK) != 0;
        }
    }
    return 0;
}

int dp2dpi_duckdb_is(const char *operand) {
    static const char ending[] = ".parquet";
    size_t length = strlen(operand), at = length < sizeof ending ? length : length - strlen(ending);
    return is_query(operand) || strcasecmp(operand + at, ending) == 0;
}

/* DuckDB reads the name as a pattern, so special characters are put in brackets to stand for
 * themselves. */
char *dp2dpi_duckdb_write_name(char *at, const char *name) {
    *at++ = '\'';
    for (; *name; name++) {
        int is_special = strchr("[*?", *name) != NULL;
        if (is_special) {
            *at++ = '[';
        }
        *at++ = *name;
        if (*name == '\'') {
            *at++ = '\'';
        }
        if (is_special) {
            *at++ = ']';
        }
    }
    *at++ = '\'';
    return at;
}

/* Writes the operand, which is a query or a file name, as a query without a semicolon at its end.
 * Appends a line feed, so that a comment in the query's last line ends there. */
static char *write_query(char *at, const char *operand) {
    size_t length = strlen(operand);
    if (is_query(operand)) {
        while (strchr("; \t\r\n", operand[length - 1])) {
            length--;
        }
        for (size_t i = 0; i < length; i++) {
            *at++ = operand[i];
        }
    } else {
        at = dp2dpi_duckdb_write_name(stpcpy(at, "FROM read_parquet("), operand);
        at = stpcpy(at, ")");
    }
    *at++ = '\n';
    return at;
}

enum {
    /* Bytes of memory that each part of an SQL query may take. */
    EXPRESSION_MAX = 256,
    ALIAS_MAX = 24,
    LETTER_MAX = 3,   /* bytes for each byte c of the operand, because c may become [c] or cc */
    QUERY_SPARE = 128 /* for everything else */
};

/* Uses DESCRIBE, which shows names as they are in the query, even if two names are equal. In a
 * subquery, DuckDB would rename the second of two equal names. */
static const char describe_before[] =
    "SELECT string_agg(column_name || chr(0), '' ORDER BY i), string_agg(kind, '' ORDER BY i) FROM "
    "(SELECT column_name, row_number() OVER () AS i, CASE"
    " WHEN column_type = 'VARCHAR' OR column_type LIKE 'ENUM(%)' THEN 't'"
    " WHEN column_type LIKE 'DECIMAL(%)' THEN 'd'"
    " WHEN column_type = 'FLOAT' THEN 's'"
    " WHEN column_type = 'DOUBLE' THEN 'f'"
    " WHEN column_type IN ('TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT', 'HUGEINT',"
    " 'UTINYINT', 'USMALLINT', 'UINTEGER', 'UBIGINT', 'UHUGEINT') THEN 'i'"
    " WHEN column_type = 'BOOLEAN' THEN 'b'"
    " ELSE '?' END AS kind FROM (DESCRIBE (";

dp2dp_status dp2dpi_duckdb_describe_sql(const char *operand, char **out, dp2dp_error *error) {
    size_t size = sizeof describe_before + LETTER_MAX * strlen(operand) + QUERY_SPARE;
    DP2DPI_TRY(DP2DPI_ALLOC(*out, size, "a query", error));
    stpcpy(write_query(stpcpy(*out, describe_before), operand), ")))");
    return DP2DP_STATUS_OK;
}

#define TO_DOUBLE "CAST(# AS DOUBLE)"

/* The forms in which DuckDB returns columns. DuckDB rounds no value in these forms. If a double
 * cannot hold an integer exactly, infinity comes back, and duckdb_rows.c refuses it. A decimal
 * comes back as text with all its digits, and our own reader rounds it like a number in CSV. */
static const dp2dpi_duckdb_form as_varchar = {1, "CAST(# AS VARCHAR)"};
static const dp2dpi_duckdb_form as_double = {0, TO_DOUBLE};
static const dp2dpi_duckdb_form exact_integer = {
    0, "CASE WHEN # NOT BETWEEN -9007199254740992 AND 9007199254740992 "
       "THEN CAST('inf' AS DOUBLE) ELSE " TO_DOUBLE " END"};
static const dp2dpi_duckdb_form zero_or_one = {1, "CAST(CAST(# AS TINYINT) AS VARCHAR)"};

const dp2dpi_duckdb_form *dp2dpi_duckdb_form_of(char kind, dp2dp_table_type type) {
    int is_text = type == DP2DP_TABLE_TEXT;
    switch (kind) {
    case 't':
    case 'd':
        return &as_varchar;
    case 'f':
    case 's':
        return &as_double;
    case 'i':
        return is_text ? &as_varchar : &exact_integer;
    case 'b':
        return is_text ? &zero_or_one : &as_double;
    default:
        return NULL;
    }
}

/* Writes the expression of a column: # becomes cN, where N is the column's position. */
static char *write_column(char *at, const dp2dpi_duckdb_column *column) {
    for (const char *sql = column->form->sql; *sql; sql++) {
        if (*sql == '#') {
            at += sprintf(at, "c%zu", column->position);
        } else {
            *at++ = *sql;
        }
    }
    return at;
}

dp2dp_status dp2dpi_duckdb_select_sql(const char *operand, size_t width,
                                      const dp2dpi_duckdb_column *columns, size_t count, char **out,
                                      dp2dp_error *error) {
    size_t size =
        width * ALIAS_MAX + count * EXPRESSION_MAX + LETTER_MAX * strlen(operand) + QUERY_SPARE;
    DP2DPI_TRY(DP2DPI_ALLOC(*out, size, "a query", error));
    char *at = stpcpy(*out, "SELECT ");
    for (size_t i = 0; i < count; i++) {
        at = write_column(i ? stpcpy(at, ", ") : at, &columns[i]);
    }
    /* Columns are renamed c0, c1, … because DuckDB ignores case, and two names may differ only in
     * case. */
    at = write_query(stpcpy(at, " FROM ("), operand);
    at = stpcpy(at, ") AS t(");
    for (size_t i = 0; i < width; i++) {
        at += sprintf(at, i ? ", c%zu" : "c%zu", i);
    }
    stpcpy(at, ")");
    return DP2DP_STATUS_OK;
}
