#include "table/duckdb_sql.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/alloc.h"
#include "table/duckdb.h"

/* If a file has that name, the file is meant: "with'x.csv", "values(1).csv". */
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

/* In quotes, and as a literal name: DuckDB reads a pattern, in which a character in brackets stands
 * for itself. */
static char *write_name(char *at, const char *name) {
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
    return at;
}

/* Without the semicolon at its end; on a separate line, so a comment cannot swallow the rest. */
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
        at = write_name(stpcpy(at, "FROM read_parquet('"), operand);
        at = stpcpy(at, "')");
    }
    *at++ = '\n';
    return at;
}

enum {
    EXPRESSION_MAX = 256, /* bytes, with the numbers of three columns */
    ALIAS_MAX = 24,
    LETTER_MAX = 3,   /* bytes that one of an operand may become */
    QUERY_SPARE = 128 /* around the operand */
};

/* DESCRIBE gives names as the query has them, twice the same too; within another query they would
 * be made different. */
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

#define TO_VARCHAR "CAST(# AS VARCHAR)"
#define TO_DOUBLE "CAST(# AS DOUBLE)"

/* Values do not change on the way. An integer that a double may not hold comes back as infinity,
 * which the reader of the rows refuses. Decimals come with all their digits: as numbers they are
 * rounded as those of CSV are, by our own reader. A NULL stays one. */
static const dp2dpi_duckdb_form forms[] = {
    {'t', DP2DP_TABLE_NUMBER, 1, TO_VARCHAR},
    {'t', DP2DP_TABLE_TEXT, 1, TO_VARCHAR},
    {'d', DP2DP_TABLE_NUMBER, 1, TO_VARCHAR},
    {'d', DP2DP_TABLE_TEXT, 1, TO_VARCHAR},
    {'f', DP2DP_TABLE_NUMBER, 0, TO_DOUBLE},
    {'f', DP2DP_TABLE_TEXT, 0, TO_DOUBLE},
    {'s', DP2DP_TABLE_NUMBER, 0, TO_DOUBLE},
    {'s', DP2DP_TABLE_TEXT, 0, TO_DOUBLE},
    {'i', DP2DP_TABLE_NUMBER, 0,
     "CASE WHEN # NOT BETWEEN -9007199254740992 AND 9007199254740992 "
     "THEN CAST('inf' AS DOUBLE) ELSE " TO_DOUBLE " END"},
    {'i', DP2DP_TABLE_TEXT, 1, TO_VARCHAR},
    {'b', DP2DP_TABLE_NUMBER, 0, TO_DOUBLE},
    {'b', DP2DP_TABLE_TEXT, 1, "CAST(CAST(# AS TINYINT) AS VARCHAR)"},
};

const dp2dpi_duckdb_form *dp2dpi_duckdb_form_of(char kind, dp2dp_table_type type) {
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (forms[i].kind == kind && forms[i].type == type) {
            return &forms[i];
        }
    }
    return NULL;
}

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
    /* Columns are referred to by position: names may differ only in case. */
    at = write_query(stpcpy(at, " FROM ("), operand);
    at = stpcpy(at, ") AS t(");
    for (size_t i = 0; i < width; i++) {
        at += sprintf(at, i ? ", c%zu" : "c%zu", i);
    }
    stpcpy(at, ")");
    return DP2DP_STATUS_OK;
}
