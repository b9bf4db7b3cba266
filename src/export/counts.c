/* Writes the SQL queries with which a fit asks a database for counts or rows. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/c_locale.h"
#include "base/limits.h"
#include "base/options.h"
#include "base/source.h"
#include "export/sql.h"

/* The data from which a query is written. */
typedef struct question {
    dp2dp_counts_options options;
    dp2dp_model_info info; /* has only the members needed to write a decision */
    dp2dpi_export e;
    dp2dpi_sql sql;
} question;

/* Appends an expression that turns the name in a column into its index in `names`, times
 * `factor`. */
static void put_code(const dp2dpi_sql *s, const char *column, dp2dpi_columns names, size_t factor) {
    dp2dpi_text_put(s->t, "CASE");
    for (size_t i = 0; i < names.count; i++) {
        dp2dpi_text_put(s->t, "\n    WHEN ");
        dp2dpi_sql_is_name(s, column, names, i);
        dp2dpi_text_format(s->t, " THEN %zu", factor * i);
    }
}

static dp2dpi_columns groups_of(const question *q) {
    return (dp2dpi_columns) {q->options.group_names, q->options.groups};
}

static dp2dpi_columns labels_of(const question *q) {
    return (dp2dpi_columns) {q->options.class_names, q->info.labels};
}

/* Appends an expression for the cell in which a row is counted: the index of the first cell of the
 * row's group, plus the index of the class that is decided. The expression is NULL if the group is
 * unknown. */
static void put_group_cell(const question *q) {
    const dp2dpi_sql *s = &q->sql;
    size_t cells = q->info.labels * q->info.classes;
    if (s->from_array && q->e.sees_group) {
        dp2dpi_text_put(s->t, "CASE WHEN dp2dp_first IS NOT NULL THEN dp2dp_first +\n      ");
        dp2dpi_sql_decide(s, 0);
        dp2dpi_text_put(s->t, "\n  END");
        return;
    }
    if (!q->e.sees_group) {
        put_code(s, q->e.group_column, groups_of(q), cells);
        dp2dpi_text_put(s->t, "\n  END + ");
        dp2dpi_sql_decide(s, 0);
        return;
    }
    dp2dpi_text_put(s->t, "CASE");
    for (size_t g = 0; g < q->info.groups; g++) {
        dp2dpi_text_put(s->t, "\n    WHEN ");
        dp2dpi_sql_is_name(s, q->e.group_column, groups_of(q), g);
        dp2dpi_text_format(s->t, " THEN %zu +\n      ", cells * g);
        dp2dpi_sql_decide(s, g);
    }
    dp2dpi_text_put(s->t, "\n  END");
}

static void put_table(const question *q) {
    if (q->options.query) {
        dp2dpi_sql_query(&q->sql, q->options.query);
    } else {
        dp2dpi_sql_table(&q->sql, q->options.table);
    }
}

/* Appends the table with two more columns: the array of offsets, and the index where the offsets of
 * a row's group begin. Spark compiles the literals of a query into its code, but not the contents
 * of an array. So the code compiled for the first query also serves later queries. */
static void put_table_with_offsets(const question *q) {
    dp2dpi_text *t = q->sql.t;
    size_t factor = q->e.sees_group ? q->info.labels * q->info.classes : 0;
    dp2dpi_text_put(t, "(SELECT dp2dp_rows.*,\n  ");
    put_code(&q->sql, q->e.group_column, groups_of(q), factor);
    dp2dpi_text_put(t, "\n  END AS dp2dp_first,\n  array(");
    for (size_t i = 0; i < q->info.strata * q->info.classes; i++) {
        dp2dpi_text_put(t, i ? ", " : "");
        dp2dpi_sql_offset(&q->sql, i);
    }
    dp2dpi_text_put(t, ") AS dp2dp_offsets\nFROM ");
    put_table(q);
    dp2dpi_text_put(t, ") AS dp2dp_rows");
}

/* Appends an expression for the number of records that a row stands for. The expression is NULL if
 * this number is not a whole number from 1 to 2^48. The cast is in an inner CASE, which only
 * numbers up to 2^48 reach, because a cast of a larger number may fail. */
static void put_multiplicity(const question *q) {
    const dp2dpi_sql *s = &q->sql;
    const char *column = q->options.multiplicity;
    dp2dpi_text_put(s->t, "CASE WHEN ");
    if (s->dialect->float32 == NULL) { /* in SQLite a column may hold a text, which compares as
                                          larger than every number */
        dp2dpi_text_put(s->t, "typeof(");
        dp2dpi_sql_column(s, column);
        dp2dpi_text_put(s->t, ") IN ('real', 'integer') AND ");
    }
    dp2dpi_sql_column(s, column);
    dp2dpi_text_put(s->t, " >= 1 AND ");
    dp2dpi_sql_column(s, column);
    dp2dpi_text_format(s->t, " <= %llu THEN\n    CASE WHEN CAST(",
                       (unsigned long long)DP2DPI_RECORDS_MAX);
    dp2dpi_sql_column(s, column);
    dp2dpi_text_put(s->t, " AS BIGINT) = ");
    dp2dpi_sql_column(s, column);
    dp2dpi_text_put(s->t, " THEN CAST(");
    dp2dpi_sql_column(s, column);
    dp2dpi_text_put(s->t, " AS BIGINT) END END");
}

static void put_counts(const question *q) {
    static const char counted[] = "CASE WHEN dp2dp_n IS NULL THEN -1 ELSE cell END";
    dp2dpi_text *t = q->sql.t;
    if (q->options.multiplicity) {
        dp2dpi_text_format(t, "SELECT %s AS cell, sum(coalesce(dp2dp_n, 1)) AS n FROM (\nSELECT ",
                           counted);
        put_multiplicity(q);
        dp2dpi_text_put(t, " AS dp2dp_n,\n  ");
    } else {
        dp2dpi_text_put(t, "SELECT cell, count(*) AS n FROM (\nSELECT ");
    }
    dp2dpi_sql_begin_valid(&q->sql);
    put_group_cell(q);
    if (q->info.labels > 1) {
        dp2dpi_text_put(t, " +\n  ");
        put_code(&q->sql, q->options.label_column, labels_of(q), q->info.classes);
        dp2dpi_text_put(t, "\n  END");
    }
    dp2dpi_text_put(t, "\n  END END AS cell\nFROM ");
    (q->sql.from_array ? put_table_with_offsets : put_table)(q);
    dp2dpi_text_format(t, "\n) AS dp2dp_cells GROUP BY %s\n",
                       q->options.multiplicity ? counted : "cell");
}

/* Appends an expression that is 1 if all columns are float32, else 0. */
static void put_single(const dp2dpi_sql *s, dp2dpi_columns c, const char *name) {
    if (c.count > 0 && s->dialect->float32) {
        dp2dpi_text_put(s->t, "CASE WHEN ");
        dp2dpi_sql_is_single(s, c);
        dp2dpi_text_put(s->t, " THEN 1 ELSE 0 END");
    } else {
        dp2dpi_text_put(s->t, "0");
    }
    dp2dpi_text_format(s->t, " AS %s", name);
}

static void put_numbers(const dp2dpi_sql *s, dp2dpi_columns c, char letter) {
    for (size_t k = 0; k < c.count; k++) {
        dp2dpi_text_put(s->t, ",\n  coalesce(");
        if (s->dialect->float32 == NULL) { /* in SQLite a column may hold a text, which does not
                                              count as a number */
            dp2dpi_text_put(s->t, "CASE WHEN typeof(");
            dp2dpi_sql_column(s, c.names[k]);
            dp2dpi_text_put(s->t, ") IN ('real', 'integer') THEN ");
        }
        dp2dpi_sql_double(s, c.names[k]);
        dp2dpi_text_format(s->t, s->dialect->float32 ? ", -1) AS %c%zu" : " END, -1) AS %c%zu",
                           letter, k);
    }
}

static void put_rows(const question *q) {
    const dp2dpi_sql *s = &q->sql;
    dp2dpi_text_put(s->t, "SELECT ");
    put_single(s, dp2dpi_sql_scores(&q->e), "single");
    dp2dpi_text_put(s->t, ",\n  ");
    put_single(s, dp2dpi_sql_weights(&q->e), "single_weights");
    dp2dpi_text_put(s->t, ",\n  ");
    put_code(s, q->e.group_column, groups_of(q), 1);
    dp2dpi_text_put(s->t, "\n    ELSE -1 END AS group_code,\n  ");
    if (q->info.labels > 1) {
        put_code(s, q->options.label_column, labels_of(q), 1);
        dp2dpi_text_put(s->t, "\n    ELSE -1 END AS label_code");
    } else {
        dp2dpi_text_put(s->t, "0 AS label_code");
    }
    put_numbers(s, dp2dpi_sql_scores(&q->e), 'p');
    put_numbers(s, dp2dpi_sql_weights(&q->e), 'w');
    if (q->options.multiplicity) {
        dp2dpi_text_put(s->t, ",\n  CAST(coalesce(");
        put_multiplicity(q);
        dp2dpi_text_format(s->t, ", -1) AS %s) AS n", s->dialect->float64);
    }
    dp2dpi_text_put(s->t, "\nFROM ");
    put_table(q);
    dp2dpi_text_put(s->t, "\n");
}

/* Fails with ARGUMENT if names are missing, or if a name is given twice. A row with a name that is
 * given twice would belong to two cells of the table. */
static dp2dp_status check_values(const char *what, dp2dpi_columns names, dp2dp_error *error) {
    if (names.names == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "the %s names are missing", what);
    }
    for (size_t i = 0; i < names.count; i++) {
        DP2DPI_TRY(dp2dpi_export_check_name(what, names.names[i], error));
        for (size_t j = 0; j < i; j++) {
            if (strcmp(names.names[i], names.names[j]) == 0) {
                return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "the name of a %s is given twice",
                                   what);
            }
        }
    }
    return DP2DP_STATUS_OK;
}

static dp2dp_status check_sizes(const dp2dp_counts_options *o, size_t strata, dp2dp_error *error) {
    DP2DPI_TRY(dp2dpi_sizes_check(o->groups, o->classes, error));
    DP2DPI_TRY(dp2dpi_sizes_check(strata, o->classes, error));
    if ((o->weights == NULL) != (o->weight_columns == 0) ||
        (o->weights && o->weight_columns != o->groups && o->weight_columns != strata)) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "%zu columns of group scores: there must be one column for each of the "
                           "%zu groups, or one for each of the %zu pairs of group and label. If "
                           "the rule sees the group, there must be none",
                           o->weight_columns, o->groups, strata);
    }
    return DP2DP_STATUS_OK;
}

static dp2dp_status check_source(const dp2dp_counts_options *o, dp2dp_error *error) {
    if (dp2dpi_sql_dialect(o->format) == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "format = %d: not a dialect of SQL",
                           (int)o->format);
    }
    if ((o->table == NULL) == (o->query == NULL)) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "give exactly one of the options table and query");
    }
    if (o->row_sums != DP2DP_ROW_SUMS_CHECK && o->row_sums != DP2DP_ROW_SUMS_NORMALIZE) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "row_sums = %d: not a known value",
                           (int)o->row_sums);
    }
    if (o->grid_bits > DP2DPI_GRID_BITS_MAX) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "grid_bits = %u: it must be from 0 to %d",
                           o->grid_bits, (int)DP2DPI_GRID_BITS_MAX);
    }
    return DP2DP_STATUS_OK;
}

/* Checks the options, and describes the rule in the options as if it were the rule of a model. */
static dp2dp_status describe(question *q, dp2dp_error *error) {
    const dp2dp_counts_options *o = &q->options;
    size_t labels = o->label_column ? o->classes : 1;
    DP2DPI_TRY(check_source(o, error));
    DP2DPI_TRY(check_sizes(o, o->groups * labels, error));
    q->info = (dp2dp_model_info) {.strata = o->groups * labels,
                                  .classes = o->classes,
                                  .groups = o->groups,
                                  .labels = labels,
                                  .row_sums = o->row_sums,
                                  .weight_columns = o->weight_columns,
                                  .grid_bits = o->grid_bits,
                                  .rule = o->weights   ? DP2DP_RULE_WEIGHTED
                                          : labels > 1 ? DP2DP_RULE_LINEAR
                                                       : DP2DP_RULE_OFFSET};
    q->e = (dp2dpi_export) {.info = &q->info,
                            .format = o->format,
                            .sees_group = o->weights == NULL,
                            .tables = o->weights ? 1 : o->groups,
                            .parts = o->weights ? q->info.strata : labels,
                            .table = o->query ? o->query : o->table,
                            .scores = o->scores,
                            .weights = o->weights,
                            .group_column = o->group_column,
                            .counts = 1};
    if (o->scores == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "the names of the score columns are missing");
    }
    DP2DPI_TRY(dp2dpi_export_check_columns(&q->e, error));
    DP2DPI_TRY(check_values("group", groups_of(q), error));
    if (o->multiplicity) {
        DP2DPI_TRY(
            dp2dpi_export_check_name("column with the multiplicity", o->multiplicity, error));
    }
    if (labels > 1) {
        DP2DPI_TRY(dp2dpi_export_check_name("column with the label", o->label_column, error));
        DP2DPI_TRY(check_values("class", labels_of(q), error));
    }
    return DP2DP_STATUS_OK;
}

/* Copies the offsets as float64, which is their type in a model. */
static dp2dp_status take_offsets(question *q, const float *offsets, double **copy,
                                 dp2dp_error *error) {
    size_t cells = q->info.strata * q->info.classes;
    DP2DPI_TRY(DP2DPI_ALLOC(*copy, cells, "offsets", error));
    q->info.offsets = *copy;
    for (size_t i = 0; i < cells; i++) {
        if (!isfinite(offsets[i])) {
            return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "offsets must be finite");
        }
        (*copy)[i] = (double)offsets[i];
    }
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dp_export_counts(const dp2dp_counts_options *options, const float *offsets,
                                 char **text, size_t *length, dp2dp_error *error) {
    question q = {0};
    dp2dpi_text t = {.error = error};
    dp2dpi_c_locale scope = {0};
    double *copy = NULL;
    dp2dp_status status = DP2DP_STATUS_OK;
    if (text == NULL || length == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "text and length must not be NULL");
    }
    *text = NULL;
    *length = 0;
    DP2DPI_TRY(dp2dpi_struct_read(DP2DP_STRUCT_COUNTS_OPTIONS, options, &q.options, error));
    DP2DPI_TRY(describe(&q, error));
    q.sql = (dp2dpi_sql) {&q.e, dp2dpi_sql_dialect(q.e.format), &t, .counts = 1,
                          .from_array = q.e.format == DP2DP_EXPORT_SPARK};
    if (offsets) {
        DP2DPI_TRY_OR_DONE(take_offsets(&q, offsets, &copy, error));
    }
    DP2DPI_TRY_OR_DONE(dp2dpi_c_locale_enter(&scope, error));
    (offsets ? put_counts : put_rows)(&q);
    dp2dpi_c_locale_leave(&scope);
    DP2DPI_TRY_OR_DONE(t.status);
    *text = t.bytes;
    *length = t.length;
    t = (dp2dpi_text) {0};
done:
    dp2dpi_text_clear(&t);
    dp2dpi_free(copy);
    return status;
}
