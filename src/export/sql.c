/* Writes the SELECT that computes the decisions. Everything that could fail in a database, such as
 * a cast that overflows, stands in a branch of CASE that only valid rows reach. */
#include "export/sql.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decide/view.h"

static const dp2dpi_dialect dialects[] = {
    [DP2DP_EXPORT_DUCKDB] = {.mark = '"',
                             .cast = "TRY_CAST",
                             .has_lateral = 1,
                             .float32 = "FLOAT",
                             .float64 = "DOUBLE",
                             .text = "VARCHAR",
                             .suffix = "",
                             .is_single = {"typeof(", ") = 'FLOAT'"},
                             .collate = " COLLATE \"C\""},
    [DP2DP_EXPORT_POSTGRESQL] = {.mark = '"',
                                 .cast = "CAST",
                                 .has_lateral = 1,
                                 .float32 = "real",
                                 .float64 = "double precision",
                                 .text = "text",
                                 .suffix = "",
                                 .is_single = {"pg_typeof(", ") = CAST('real' AS regtype)"},
                                 .collate = " COLLATE \"C\"",
                                 .refuses_underflow = 1},
    [DP2DP_EXPORT_SQLITE] = {.mark = '"',
                             .cast = "CAST",
                             .float64 = "REAL",
                             .text = "TEXT",
                             .suffix = "",
                             .collate = " COLLATE BINARY"},
    [DP2DP_EXPORT_SPARK] = {.mark = '`',
                            .cast = "CAST",
                            .float32 = "FLOAT",
                            .float64 = "DOUBLE",
                            .text = "STRING",
                            .suffix = "D",
                            .is_single = {"typeof(", ") = 'float'"},
                            .collate = ""},
};

const dp2dpi_dialect *dp2dpi_sql_dialect(dp2dp_export_format format) {
    size_t at = (size_t)format;
    return at > 0 && at < sizeof dialects / sizeof *dialects ? &dialects[at] : NULL;
}

dp2dpi_columns dp2dpi_sql_scores(const dp2dpi_export *e) {
    return (dp2dpi_columns) {e->scores, e->info->classes};
}

dp2dpi_columns dp2dpi_sql_weights(const dp2dpi_export *e) {
    return (dp2dpi_columns) {e->weights, e->sees_group ? 0 : e->info->weight_columns};
}

int dp2dpi_sql_normalizes(const dp2dpi_sql *s) {
    return s->e->info->row_sums == DP2DP_ROW_SUMS_NORMALIZE;
}

/* Appends the condition that all columns hold numbers from 0 to 1e30. NULL does not satisfy the
 * condition. NaN does not satisfy it either, because NaN is larger than all numbers in these
 * dialects. In SQLite any column may hold a text, which a cast would turn into a number, so the
 * type is checked too. */
static void put_range(const dp2dpi_sql *s, dp2dpi_columns c) {
    for (size_t k = 0; k < c.count; k++) {
        dp2dpi_text_put(s->t, k ? " AND " : "");
        if (s->dialect->float32 == NULL) {
            dp2dpi_text_put(s->t, "typeof(");
            dp2dpi_sql_column(s, c.names[k]);
            dp2dpi_text_put(s->t, ") IN ('real', 'integer') AND ");
        }
        dp2dpi_sql_double(s, c.names[k]);
        dp2dpi_text_format(s->t, " BETWEEN 0 AND 1e30%s", s->dialect->suffix);
    }
}

void dp2dpi_sql_is_single(const dp2dpi_sql *s, dp2dpi_columns c) {
    for (size_t k = 0; k < c.count; k++) {
        dp2dpi_text_format(s->t, k ? " AND %s" : "%s", s->dialect->is_single[0]);
        dp2dpi_sql_column(s, c.names[k]);
        dp2dpi_text_put(s->t, s->dialect->is_single[1]);
    }
}

/* Appends the condition that the columns sum to 1, or can be normalised. How far the sum may be
 * from 1 depends on the types of the columns. */
static void put_sum_check(const dp2dpi_sql *s, dp2dpi_columns c) {
    const dp2dpi_dialect *d = s->dialect;
    if (dp2dpi_sql_normalizes(s)) {
        dp2dpi_sql_sum(s, c);
        dp2dpi_text_put(s->t, " > 0");
        return;
    }
    dp2dpi_text_put(s->t, "abs(");
    dp2dpi_sql_sum(s, c);
    dp2dpi_text_put(s->t, " - 1) <= ");
    if (c.names == s->e->scores && s->e->info->grid_bits > 0) {
        dp2dpi_text_format(s->t, "%zu.0%s / %u.0%s + ", c.count, d->suffix,
                           2U << s->e->info->grid_bits, d->suffix);
    }
    if (d->float32) {
        dp2dpi_text_put(s->t, "CASE WHEN ");
        dp2dpi_sql_is_single(s, c);
        dp2dpi_text_format(s->t, " THEN %.0e%s ELSE %.0e%s END", DP2DPI_VIEW_TOLERANCE_SINGLE,
                           d->suffix, DP2DPI_VIEW_TOLERANCE_DOUBLE, d->suffix);
    } else {
        dp2dpi_text_format(s->t, "%.0e", DP2DPI_VIEW_TOLERANCE_DOUBLE);
    }
}

void dp2dpi_sql_is_name(const dp2dpi_sql *s, const char *column, dp2dpi_columns names, size_t i) {
    char spelling[DP2DPI_SPELLING_SIZE];
    dp2dpi_text_put(s->t, "CAST(");
    dp2dpi_sql_column(s, column);
    dp2dpi_text_format(s->t, " AS %s)%s IN (", s->dialect->text, s->dialect->collate);
    dp2dpi_sql_string(s, names.names[i]);
    for (int digits = 0; digits < DP2DPI_SPELLINGS; digits++) {
        if (dp2dpi_export_spelling(names.names, names.count, i, digits, spelling)) {
            dp2dpi_text_format(s->t, ", '%s'", spelling);
        }
    }
    dp2dpi_text_put(s->t, ")");
}

void dp2dpi_sql_decide(const dp2dpi_sql *s, size_t table) {
    (s->dialect->float32 ? dp2dpi_sql_decision : dp2dpi_sqlite_decision)(s, table);
}

static void put_decisions(const dp2dpi_sql *s) {
    dp2dpi_columns groups = {s->e->info->names.groups, s->e->info->groups};
    if (!s->e->sees_group) {
        dp2dpi_sql_decide(s, 0);
        return;
    }
    dp2dpi_text_put(s->t, "CASE");
    for (size_t g = 0; g < s->e->tables; g++) {
        dp2dpi_text_put(s->t, "\n    WHEN ");
        dp2dpi_sql_is_name(s, s->e->group_column, groups, g);
        dp2dpi_text_put(s->t, " THEN\n      ");
        dp2dpi_sql_decide(s, g);
    }
    dp2dpi_text_put(s->t, "\n  END");
}

void dp2dpi_sql_begin_valid(const dp2dpi_sql *s) {
    dp2dpi_columns scores = dp2dpi_sql_scores(s->e), weights = dp2dpi_sql_weights(s->e);
    dp2dpi_text_put(s->t, "CASE WHEN ");
    put_range(s, scores);
    if (weights.count > 0) {
        dp2dpi_text_put(s->t, " AND ");
        put_range(s, weights);
    }
    dp2dpi_text_put(s->t, " THEN\n  CASE WHEN ");
    put_sum_check(s, scores);
    if (weights.count > 0) {
        dp2dpi_text_put(s->t, " AND ");
        put_sum_check(s, weights);
    }
    dp2dpi_text_put(s->t, " THEN\n  ");
}

/* Appends the sum of the columns as `name`. The sum is NULL if a number is out of range, because
 * the sum might then overflow, which is an error in PostgreSQL. */
static void put_guarded_sum(const dp2dpi_sql *s, dp2dpi_columns c, const char *name) {
    dp2dpi_text_put(s->t, "CASE WHEN ");
    put_range(s, c);
    dp2dpi_text_put(s->t, " THEN ");
    dp2dpi_sql_sum(s, c);
    dp2dpi_text_format(s->t, " END AS %s", name);
}

/* Appends a subquery for a model that divides by sums. The subquery gives the sum of a row's scores
 * a name and, if the row has weights, also the sum of the weights. */
static void put_sums(const dp2dpi_sql *s) {
    dp2dpi_columns weights = dp2dpi_sql_weights(s->e);
    dp2dpi_text_put(s->t, "\nCROSS JOIN LATERAL (SELECT ");
    put_guarded_sum(s, dp2dpi_sql_scores(s->e), "scores");
    if (weights.count > 0) {
        dp2dpi_text_put(s->t, ", ");
        put_guarded_sum(s, weights, "weights");
    }
    dp2dpi_text_put(s->t, ") AS dp2dp_sums");
}

void dp2dpi_export_sql(const dp2dpi_export *e, dp2dpi_text *t) {
    dp2dpi_sql s = {.e = e, .dialect = &dialects[e->format], .t = t};
    s.named_sums = s.dialect->has_lateral && dp2dpi_sql_normalizes(&s);
    dp2dpi_text_put(t, s.named_sums ? "SELECT dp2dp_rows.*,\n  " : "SELECT *,\n  ");
    dp2dpi_sql_begin_valid(&s);
    put_decisions(&s);
    dp2dpi_text_put(t, "\n  END END AS ");
    if (strcmp(e->prediction, "prediction") == 0) {
        dp2dpi_text_put(t, e->prediction);
    } else {
        dp2dpi_text_quoted(t, e->prediction, s.dialect->mark);
    }
    dp2dpi_text_put(t, "\nFROM ");
    dp2dpi_sql_table(&s, e->table);
    if (s.named_sums) {
        put_sums(&s);
    }
    if (*dp2dpi_export_warning(e)) {
        dp2dpi_text_format(t, " /* %s */", dp2dpi_export_warning(e));
    }
    dp2dpi_text_put(t, "\n");
}
