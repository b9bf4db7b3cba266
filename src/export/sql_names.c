#include <string.h>

#include "export/sql.h"

static const char rows[] = "dp2dp_rows"; /* alias of the table */

void dp2dpi_sql_column(const dp2dpi_sql *s, const char *name) {
    dp2dpi_text_put(s->t, rows);
    dp2dpi_text_put(s->t, ".");
    dp2dpi_text_quoted(s->t, name, s->dialect->mark);
}

void dp2dpi_sql_double(const dp2dpi_sql *s, const char *name) {
    dp2dpi_text_format(s->t, "%s(", s->dialect->cast);
    dp2dpi_sql_column(s, name);
    dp2dpi_text_format(s->t, " AS %s)", s->dialect->float64);
}

void dp2dpi_sql_sum(const dp2dpi_sql *s, dp2dpi_columns c) {
    for (size_t k = 0; k < c.count; k++) {
        dp2dpi_text_put(s->t, k ? " + " : "");
        dp2dpi_sql_double(s, c.names[k]);
    }
}

void dp2dpi_sql_total(const dp2dpi_sql *s, dp2dpi_columns c) {
    if (s->named_sums) {
        dp2dpi_text_put(s->t, c.names == s->e->scores ? "dp2dp_sums.scores" : "dp2dp_sums.weights");
        return;
    }
    dp2dpi_text_put(s->t, "(");
    dp2dpi_sql_sum(s, c);
    dp2dpi_text_put(s->t, ")");
}

/* Writes a text as a literal of bytes, which has the same meaning under every setting of Spark. In
 * other literals, a setting decides whether a backslash is an escape, and 'a''b' is read as ab. */
static void put_as_bytes(dp2dpi_text *t, const char *text) {
    dp2dpi_text_put(t, "CAST(X'");
    for (const char *c = text; *c; c++) {
        dp2dpi_text_format(t, "%02X", (unsigned char)*c);
    }
    dp2dpi_text_put(t, "' AS STRING)");
}

/* Writes a text as E'…', in which a backslash always is an escape. In '…', a setting of PostgreSQL
 * decides whether a backslash is an escape. */
static void put_escaped(dp2dpi_text *t, const char *text) {
    dp2dpi_text_put(t, "E'");
    for (const char *c = text; *c; c++) {
        dp2dpi_text_put(t, *c == '\\' || *c == '\'' ? "\\" : "");
        dp2dpi_text_bytes(t, c, 1);
    }
    dp2dpi_text_put(t, "'");
}

void dp2dpi_sql_string(const dp2dpi_sql *s, const char *text) {
    if (s->e->format == DP2DP_EXPORT_SPARK && strpbrk(text, "\\'\"\n\r\t") != NULL) {
        put_as_bytes(s->t, text);
    } else if (s->e->format == DP2DP_EXPORT_POSTGRESQL && strchr(text, '\\') != NULL) {
        put_escaped(s->t, text);
    } else {
        dp2dpi_text_quoted(s->t, text, '\'');
    }
}

void dp2dpi_sql_class(const dp2dpi_sql *s, size_t k) {
    if (s->counts) {
        dp2dpi_text_format(s->t, "%zu", k);
    } else {
        dp2dpi_sql_string(s, s->e->info->names.classes[k]);
    }
}

/* Returns the text after a quoted part of a table's name; NULL if the part has no closing quote. */
static const char *end_of_quoted(const char *part) {
    const char *c = part + 1;
    while (*c && (*c != '"' || c[1] == '"')) {
        c += *c == '"' ? 2 : 1;
    }
    return *c == '"' && (c[1] == '.' || c[1] == '\0') ? c + 1 : NULL;
}

void dp2dpi_sql_table(const dp2dpi_sql *s, const char *name) {
    char mark = s->dialect->mark;
    while (s->t->status == DP2DP_STATUS_OK) {
        const char *end = *name == '"' ? end_of_quoted(name) : NULL;
        int quoted = end != NULL;
        end = quoted ? end : name + strcspn(name, ".");
        if (end == name || (quoted && end == name + 2)) {
            s->t->status =
                dp2dpi_fail(s->t->error, DP2DP_STATUS_ARGUMENT,
                            "a part of the table's name is empty; write schema.table, or put a "
                            "name that contains a dot in double quotes: \"a.b\"");
            return;
        }
        dp2dpi_text_bytes(s->t, &mark, 1);
        for (const char *c = name + quoted; c < end - quoted; c++) {
            c += quoted && *c == '"'; /* two quotes stand for one */
            dp2dpi_text_bytes(s->t, c, 1);
            if (*c == mark) {
                dp2dpi_text_bytes(s->t, c, 1);
            }
        }
        dp2dpi_text_bytes(s->t, &mark, 1);
        if (*end == '\0') {
            break;
        }
        dp2dpi_text_put(s->t, ".");
        name = end + 1;
    }
    dp2dpi_text_format(s->t, " AS %s", rows);
}

void dp2dpi_sql_query(const dp2dpi_sql *s, const char *query) {
    dp2dpi_text_put(s->t, "(");
    dp2dpi_text_put(s->t, query);
    /* The parenthesis is on a new line, because the query may end with a comment. */
    dp2dpi_text_format(s->t, "\n) AS %s", rows);
}
