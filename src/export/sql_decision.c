/* Writes a decision for engines that compute in float32. Every number is cast to float32 before it
 * is used: in float64 some near-ties would be decided differently. */
#include "export/sql.h"

/* Half of the smallest positive float32. Positive numbers up to this one round to 0. */
#define ROUNDS_TO_ZERO "7.0064923216240854e-46"

/* Ends a cast to float32, which began with "CAST(". */
static void end_cast(const dp2dpi_sql *s) {
    dp2dpi_text_format(s->t, " AS %s)", s->dialect->float32);
}

void dp2dpi_sql_offset(const dp2dpi_sql *s, size_t at) {
    dp2dpi_text_format(s->t, "CAST(%.8e%s", s->e->info->offsets[at], s->dialect->suffix);
    end_cast(s);
}

static void put_offset(const dp2dpi_sql *s, size_t at) {
    if (s->from_array) {
        dp2dpi_text_format(s->t, "dp2dp_offsets[dp2dp_first + %zu]", at);
    } else {
        dp2dpi_sql_offset(s, at);
    }
}

/* Appends a column of c, divided by the sum of its row if the model normalises. In some databases,
 * underflow is an error. There, the expression is 0 without a division if the number is below
 * 1e-250 and the sum is at least 1; in float32 the quotient would be 0 anyway. */
static void put_share(const dp2dpi_sql *s, dp2dpi_columns c, size_t k) {
    int guarded = s->dialect->refuses_underflow;
    if (!dp2dpi_sql_normalizes(s)) {
        dp2dpi_sql_double(s, c.names[k]);
        return;
    }
    if (guarded) {
        dp2dpi_text_put(s->t, "CASE WHEN ");
        dp2dpi_sql_double(s, c.names[k]);
        dp2dpi_text_put(s->t, " >= 1e-250 OR ");
        dp2dpi_sql_total(s, c);
        dp2dpi_text_put(s->t, " < 1 THEN ");
    }
    dp2dpi_sql_double(s, c.names[k]);
    dp2dpi_text_put(s->t, " / ");
    dp2dpi_sql_total(s, c);
    dp2dpi_text_put(s->t, guarded ? " ELSE 0 END" : "");
}

/* Appends a score or a weight in float32. */
static void put_single(const dp2dpi_sql *s, dp2dpi_columns c, size_t k) {
    dp2dpi_text_put(s->t, "CAST(");
    if (s->dialect->refuses_underflow) {
        dp2dpi_text_put(s->t, "CASE WHEN ");
        put_share(s, c, k);
        dp2dpi_text_put(s->t, " > " ROUNDS_TO_ZERO " THEN ");
        put_share(s, c, k);
        dp2dpi_text_put(s->t, " ELSE 0 END");
    } else {
        put_share(s, c, k);
    }
    end_cast(s);
}

/* Appends a score in float32. If the model has a grid, the score is rounded to the grid in float64,
 * where everything is exact. */
static void put_score(const dp2dpi_sql *s, size_t k) {
    const dp2dpi_dialect *d = s->dialect;
    unsigned steps = 1U << s->e->info->grid_bits;
    if (s->e->info->grid_bits == 0) {
        put_single(s, dp2dpi_sql_scores(s->e), k);
        return;
    }
    dp2dpi_text_put(s->t, "CAST(floor(CAST(");
    put_single(s, dp2dpi_sql_scores(s->e), k);
    dp2dpi_text_format(s->t, " AS %s) * %u.0%s + 0.5%s) / %u.0%s", d->float64, steps, d->suffix,
                       d->suffix, steps, d->suffix);
    end_cast(s);
}

typedef void (*writer)(const dp2dpi_sql *s, size_t which);

/* Two factors of a product: scores, weights or offsets, each with its index. */
typedef struct factors {
    writer first;
    size_t which_first;
    writer second;
    size_t which_second;
} factors;

/* Appends the exact product of two float32 numbers, in float64. */
static void put_exact(const dp2dpi_sql *s, const factors *f) {
    dp2dpi_text_put(s->t, "CAST(");
    f->first(s, f->which_first);
    dp2dpi_text_format(s->t, " AS %s) * CAST(", s->dialect->float64);
    f->second(s, f->which_second);
    dp2dpi_text_format(s->t, " AS %s)", s->dialect->float64);
}

/* Appends the float32 product. If underflow is an error in the database, computes the product in
 * float64 and then rounds it. The result is the same number, because the product of two float32
 * numbers is exact in float64. */
static void put_product(const dp2dpi_sql *s, const factors *f) {
    if (!s->dialect->refuses_underflow) {
        dp2dpi_text_put(s->t, "(");
        f->first(s, f->which_first);
        dp2dpi_text_put(s->t, " * ");
        f->second(s, f->which_second);
        dp2dpi_text_put(s->t, ")");
        return;
    }
    dp2dpi_text_put(s->t, "CAST(CASE WHEN abs(");
    put_exact(s, f);
    dp2dpi_text_put(s->t, ") > " ROUNDS_TO_ZERO " THEN ");
    put_exact(s, f);
    dp2dpi_text_put(s->t, " ELSE 0 END");
    end_cast(s);
}

static void put_weight_column(const dp2dpi_sql *s, size_t column) {
    put_single(s, dp2dpi_sql_weights(s->e), column);
}

/* Appends the weight with index `part`: for the rule `linear` a score, for the rule `weighted` a
 * column of weights or the product of such a column and a score. */
static void put_weight(const dp2dpi_sql *s, size_t part) {
    size_t labels = s->e->info->labels;
    if (s->e->sees_group) {
        put_score(s, part);
    } else if (dp2dpi_export_multiplies(s->e)) {
        put_product(s, &(factors) {put_weight_column, part / labels, put_score, part % labels});
    } else {
        put_weight_column(s, part);
    }
}

/* Appends the adjusted score of a class. If the offsets are literals, leaves out terms whose offset
 * is 0. */
static void put_value(const dp2dpi_sql *s, size_t table, size_t k) {
    const dp2dpi_export *e = s->e;
    size_t terms = 0;
    put_score(s, k);
    for (size_t j = 0; j < e->parts; j++) {
        size_t at = (table * e->parts + j) * e->info->classes + k;
        if (!s->from_array && e->info->offsets[at] == 0.0) {
            continue;
        }
        if (e->info->rule == DP2DP_RULE_OFFSET) {
            dp2dpi_text_put(s->t, " - ");
            put_offset(s, at);
            continue;
        }
        dp2dpi_text_put(s->t, terms++ ? " + " : " - (");
        put_product(s, &(factors) {put_weight, j, put_offset, at});
    }
    dp2dpi_text_put(s->t, terms ? ")" : "");
}

/* Appends, for two classes, the class with the larger adjusted score; class 0 on a tie. One
 * comparison is much faster than the SQL function greatest. */
static void put_better_of_two(const dp2dpi_sql *s, size_t table) {
    dp2dpi_text_put(s->t, "CASE WHEN ");
    put_value(s, table, 0);
    dp2dpi_text_put(s->t, "\n          >= ");
    put_value(s, table, 1);
    dp2dpi_text_put(s->t, "\n        THEN ");
    dp2dpi_sql_class(s, 0);
    dp2dpi_text_put(s->t, " ELSE ");
    dp2dpi_sql_class(s, 1);
    dp2dpi_text_put(s->t, " END");
}

/* Appends the first class whose adjusted score is the largest. */
void dp2dpi_sql_decision(const dp2dpi_sql *s, size_t table) {
    const dp2dp_model_info *info = s->e->info;
    if (info->classes == 2) {
        put_better_of_two(s, table);
        return;
    }
    dp2dpi_text_put(s->t, "CASE greatest(");
    for (size_t k = 0; k < info->classes; k++) {
        dp2dpi_text_put(s->t, k ? ", " : "");
        put_value(s, table, k);
    }
    dp2dpi_text_put(s->t, ")");
    for (size_t k = 0; k + 1 < info->classes; k++) {
        dp2dpi_text_put(s->t, "\n        WHEN ");
        put_value(s, table, k);
        dp2dpi_text_put(s->t, " THEN ");
        dp2dpi_sql_class(s, k);
    }
    dp2dpi_text_put(s->t, "\n        ELSE ");
    dp2dpi_sql_class(s, info->classes - 1);
    dp2dpi_text_put(s->t, " END");
}
