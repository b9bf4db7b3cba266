/* Declarations for the files that write SQL: how a dialect spells names, texts and numbers. */
#ifndef DP2DPI_EXPORT_SQL_H
#define DP2DPI_EXPORT_SQL_H

#include "export/export.h"

typedef struct dp2dpi_dialect {
    const char *float32, *float64, *text; /* names of these types; float32 is NULL if the
                                         dialect has no such type */
    const char *cast;   /* name of the cast to a number; TRY_CAST, if the dialect has it, gives NULL
                           for a text that is not a number */
    const char *suffix; /* text that ends a float64 literal, such as D */
    const char *is_single[2]; /* SQL to put before and after a column, to test if it is float32 */
    const char *collate;      /* SQL that makes a comparison of texts compare bytes */
    int has_lateral;          /* 1: a joined subquery may use columns of the table */
    int refuses_underflow;    /* 1: it is an error if a result other than 0 rounds to 0 */
    char mark;                /* quotation mark of identifiers */
} dp2dpi_dialect;

/* The data from which a SELECT is written. */
typedef struct dp2dpi_sql {
    const dp2dpi_export *e;
    const dp2dpi_dialect *dialect;
    dp2dpi_text *t;
    int named_sums; /* 1: the sums of the scores and of the weights are columns of dp2dp_sums, so
                       that the text does not grow with the square of the number of classes */
    int counts;     /* 1: a decision is written as the index of its class, not as its name */
    int from_array; /* 1: offsets are read from an array, not written as literals. Each row has two
                       more columns: dp2dp_offsets, the array, and dp2dp_first, the index where the
                       offsets of the row's group begin */
} dp2dpi_sql;

/* A list of names: of score columns, of weight columns, of groups, or of classes. */
typedef struct dp2dpi_columns {
    const char *const *names;
    size_t count;
} dp2dpi_columns;

dp2dpi_columns dp2dpi_sql_scores(const dp2dpi_export *e);
/* Returns the columns of weights; none if the rule sees the group. */
dp2dpi_columns dp2dpi_sql_weights(const dp2dpi_export *e);

int dp2dpi_sql_normalizes(const dp2dpi_sql *s);

/* Appends a column of the table. */
void dp2dpi_sql_column(const dp2dpi_sql *s, const char *name);
/* Appends a column as float64. */
void dp2dpi_sql_double(const dp2dpi_sql *s, const char *name);
/* Appends the float64 sum of the columns. The columns are added in their order. */
void dp2dpi_sql_sum(const dp2dpi_sql *s, dp2dpi_columns c);
/* Appends the number that a checked row is divided by. This is either the sum of the columns,
 * written in parentheses, or the name of a column of dp2dp_sums that holds the sum. */
void dp2dpi_sql_total(const dp2dpi_sql *s, dp2dpi_columns c);
/* Appends the condition that all columns are float32. Do not call this for SQLite, which has no
 * such type. */
void dp2dpi_sql_is_single(const dp2dpi_sql *s, dp2dpi_columns c);
/* Appends a text as a literal. */
void dp2dpi_sql_string(const dp2dpi_sql *s, const char *text);
/* Appends a class as a literal: its name, or its index if s->counts is 1. */
void dp2dpi_sql_class(const dp2dpi_sql *s, size_t k);
/* dp2dpi_sql_table appends the name of a table, which may have several parts (schema.table).
 * dp2dpi_sql_query appends a query in parentheses. Both functions then append the alias that
 * dp2dpi_sql_column uses. */
void dp2dpi_sql_table(const dp2dpi_sql *s, const char *name);
void dp2dpi_sql_query(const dp2dpi_sql *s, const char *query);

/* Appends the offset with index `at` as a float32 literal. */
void dp2dpi_sql_offset(const dp2dpi_sql *s, size_t at);
/* Append an expression for the class of a row that has been checked. `table` is the index of the
 * table of offsets. dp2dpi_sqlite_decision is for SQLite, which has no float32. */
void dp2dpi_sql_decision(const dp2dpi_sql *s, size_t table);
void dp2dpi_sqlite_decision(const dp2dpi_sql *s, size_t table);

/* Appends two nested CASE WHEN … THEN, which check that the scores, and the weights if there are
 * any, are probabilities. The caller appends the result and END END. */
void dp2dpi_sql_begin_valid(const dp2dpi_sql *s);
/* Appends the condition that a column holds name i, in any of its spellings
 * (dp2dpi_export_spelling). */
void dp2dpi_sql_is_name(const dp2dpi_sql *s, const char *column, dp2dpi_columns names, size_t i);
/* Calls dp2dpi_sqlite_decision for SQLite, and dp2dpi_sql_decision for other dialects. */
void dp2dpi_sql_decide(const dp2dpi_sql *s, size_t table);
/* Returns the dialect of a format; NULL if the format is not SQL. */
const dp2dpi_dialect *dp2dpi_sql_dialect(dp2dp_export_format format);

#endif
