/* Writes a decision for SQLite, which computes only in float64. The sum, difference or product of
 * two float32 numbers in float64, rounded to float32, equals the float32 result, since 53 ≥ 2·24 +
 * 2. So it is enough to round each result to float32. The following terms do this for a number x:
 *
 *     q = (2^52 + 1) x,   u = |q − (1 − 2^-53) q|,   m = 1.5 · 2^29 max(u, 2^-126),   (x + m) − m.
 *
 * u is the largest power of two that is at most |x| (the "unit in the first place" of Rump). The
 * last bit of m is then worth as much as the last bit of x in float32, so the addition rounds as
 * float32 does: to nearest, ties to even, subnormal numbers included.
 *
 * A decision is a chain of common table expressions of one row, so that each number is named and
 * computed once. LIMIT 1 OFFSET 0 keeps SQLite from merging these expressions. Merging would copy
 * every number to each place that uses the number, and the work would grow exponentially. All
 * literals are integers below 2^53, divided by powers of two, because SQLite may read a decimal
 * fraction with a wrong last bit. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "export/sql.h"

enum {
    TERM_SIZE = 160,
    MAX_ARGUMENTS = 100, /* SQLite may limit max() to 127 arguments */
    MANTISSA = 24,
    STEP = 30
};

#define POWER                                                                 \
    "805306368*max(abs((%s)*4503599627370497 - (%s)*4503599627370497*(1.0 - " \
    "1.0/9007199254740992)), 1.0/4398046511104/4398046511104/4398046511104)"

/* Appends a term, rounded to float32. */
__attribute__((format(printf, 2, 3))) static void put_rounded(dp2dpi_text *t, const char *format,
                                                              ...) {
    char term[TERM_SIZE], power[sizeof POWER + TERM_SIZE + TERM_SIZE];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(term, sizeof term, format, arguments);
    va_end(arguments);
    (void)snprintf(power, sizeof power, POWER, term, term);
    dp2dpi_text_put(t, "((");
    dp2dpi_text_put(t, term);
    dp2dpi_text_put(t, ") + ");
    dp2dpi_text_put(t, power);
    dp2dpi_text_put(t, ") - ");
    dp2dpi_text_put(t, power);
}

/* Writes a float32 number as an integer times a power of two. */
static const char *literal(float value, char out[TERM_SIZE]) {
    int exponent;
    long mantissa = (long)ldexp(frexp((double)value, &exponent), MANTISSA);
    size_t used = (size_t)snprintf(out, TERM_SIZE, "(%ld.0", mantissa);
    for (int left = exponent - MANTISSA, step; left != 0; left += left > 0 ? -step : step) {
        step = left > 0 ? left : -left;
        step = step < STEP ? step : STEP;
        used += (size_t)snprintf(out + used, TERM_SIZE - used, "%c%lu.0", left > 0 ? '*' : '/',
                                 1UL << (unsigned)step);
    }
    (void)snprintf(out + used, TERM_SIZE - used, ")");
    return out;
}

/* Begins the next common table expression of the chain. */
static void begin(dp2dpi_text *t, size_t stage) {
    dp2dpi_text_format(t, ",\n        s%zu AS (SELECT ", stage);
}

static void end(dp2dpi_text *t, size_t stage) {
    dp2dpi_text_format(t, " FROM s%zu LIMIT 1 OFFSET 0)", stage - 1);
}

/* Appends columns that the next expression takes over unchanged. */
static void carry(dp2dpi_text *t, char letter, size_t count) {
    for (size_t i = 0; i < count; i++) {
        dp2dpi_text_format(t, "%c%zu, ", letter, i);
    }
}

static void put_columns(const dp2dpi_sql *s, dp2dpi_columns c, char letter) {
    for (size_t k = 0; k < c.count; k++) {
        dp2dpi_text_put(s->t, letter == 'w' || k ? ", " : "");
        dp2dpi_sql_double(s, c.names[k]);
        dp2dpi_text_format(s->t, " AS %c%zu", letter, k);
    }
}

/* Appends the sum of `count` numbers, which are added in their order. The sum gets a name, so that
 * the text does not grow with the square of `count`. */
static void put_sum(dp2dpi_text *t, char letter, size_t count) {
    for (size_t i = 0; i < count; i++) {
        dp2dpi_text_format(t, i ? " + %c%zu" : "%c%zu", letter, i);
    }
    dp2dpi_text_format(t, " AS %csum", letter);
}

/* Appends the numbers divided by their sum. */
static void put_shares(dp2dpi_text *t, char letter, size_t count) {
    for (size_t k = 0; k < count; k++) {
        dp2dpi_text_format(
            t, letter == 'w' || k ? ", %c%zu / %csum AS %c%zu" : "%c%zu / %csum AS %c%zu", letter,
            k, letter, letter, k);
    }
}

static void put_all_rounded(dp2dpi_text *t, char letter, size_t count) {
    for (size_t k = 0; k < count; k++) {
        dp2dpi_text_put(t, letter == 'w' || k ? ", " : "");
        put_rounded(t, "%c%zu", letter, k);
        dp2dpi_text_format(t, " AS %c%zu", letter, k);
    }
}

/* Appends the scores rounded to a grid. A cast to an integer rounds down, since no score is
 * negative. */
static void put_on_grid(dp2dpi_text *t, size_t count, unsigned steps) {
    for (size_t k = 0; k < count; k++) {
        dp2dpi_text_format(t, "%sCAST(p%zu * %u.0 + 0.5 AS INTEGER) / %u.0 AS p%zu", k ? ", " : "",
                           k, steps, steps, k);
    }
}

/* Appends expressions for the scores p0, p1, … and the weights w0, w1, … in float32. Returns the
 * number of the next expression in the chain. */
static size_t put_inputs(const dp2dpi_sql *s) {
    dp2dpi_columns scores = dp2dpi_sql_scores(s->e), weights = dp2dpi_sql_weights(s->e);
    size_t stage = 1;
    dp2dpi_text_put(s->t, "(WITH s0 AS (SELECT ");
    put_columns(s, scores, 'p');
    put_columns(s, weights, 'w');
    dp2dpi_text_put(s->t, ")");
    if (dp2dpi_sql_normalizes(s)) {
        begin(s->t, stage);
        carry(s->t, 'p', scores.count);
        carry(s->t, 'w', weights.count);
        put_sum(s->t, 'p', scores.count);
        if (weights.count > 0) {
            dp2dpi_text_put(s->t, ", ");
            put_sum(s->t, 'w', weights.count);
        }
        end(s->t, stage++);
        begin(s->t, stage);
        put_shares(s->t, 'p', scores.count);
        put_shares(s->t, 'w', weights.count);
        end(s->t, stage++);
    }
    begin(s->t, stage);
    put_all_rounded(s->t, 'p', scores.count);
    put_all_rounded(s->t, 'w', weights.count);
    end(s->t, stage++);
    if (s->e->info->grid_bits > 0) {
        begin(s->t, stage);
        put_on_grid(s->t, scores.count, 1U << s->e->info->grid_bits);
        for (size_t j = 0; j < weights.count; j++) {
            dp2dpi_text_format(s->t, ", w%zu", j);
        }
        end(s->t, stage++);
    }
    if (dp2dpi_export_multiplies(s->e)) {
        size_t labels = s->e->info->labels;
        begin(s->t, stage);
        carry(s->t, 'p', scores.count);
        for (size_t e = 0; e < s->e->info->strata; e++) {
            dp2dpi_text_put(s->t, e ? ", " : "");
            put_rounded(s->t, "w%zu * p%zu", e / labels, e % labels);
            dp2dpi_text_format(s->t, " AS w%zu", e);
        }
        end(s->t, stage++);
    }
    return stage;
}

/* Appends, for each class, the product of weight `part` and its offset. */
static void put_products(const dp2dpi_sql *s, size_t table, size_t part, char name) {
    char weight = s->e->sees_group ? 'p' : 'w', number[TERM_SIZE];
    for (size_t k = 0; k < s->e->info->classes; k++) {
        float offset = dp2dpi_export_offset(s->e, table, part, k);
        dp2dpi_text_put(s->t, k ? ", " : "");
        if (offset == 0.0F) {
            dp2dpi_text_put(s->t, "0.0");
        } else {
            put_rounded(s->t, "%c%zu * %s", weight, part, literal(offset, number));
        }
        dp2dpi_text_format(s->t, " AS %c%zu", name, k);
    }
}

/* Appends one expression for each weight of a row. Together they compute, for each class, the
 * number that the rule subtracts from the score: the sum of all products of a weight and its
 * offset. In each expression, a0, a1, … are the sums up to this weight. b0, b1, … are the products
 * for the next weight, which the next expression adds. Returns the number of the next expression.
 */
static size_t put_sums(const dp2dpi_sql *s, size_t table, size_t stage) {
    const dp2dpi_export *e = s->e;
    size_t classes = e->info->classes, weights = e->sees_group ? 0 : e->info->strata;
    for (size_t j = 0; j < e->parts; j++, stage++) {
        begin(s->t, stage);
        carry(s->t, 'p', classes);
        carry(s->t, 'w', weights);
        if (j == 0) {
            put_products(s, table, 0, 'a');
        } else {
            for (size_t k = 0; k < classes; k++) {
                dp2dpi_text_put(s->t, k ? ", " : "");
                put_rounded(s->t, "a%zu + b%zu", k, k);
                dp2dpi_text_format(s->t, " AS a%zu", k);
            }
        }
        if (j + 1 < e->parts) {
            dp2dpi_text_put(s->t, ", ");
            put_products(s, table, j + 1, 'b');
        }
        end(s->t, stage);
    }
    return stage;
}

/* Appends the values v0, v1, … that the rule compares. */
static void put_values(const dp2dpi_sql *s, size_t table, size_t stage) {
    char number[TERM_SIZE];
    begin(s->t, stage);
    for (size_t k = 0; k < s->e->info->classes; k++) {
        dp2dpi_text_put(s->t, k ? ", " : "");
        if (s->e->info->rule == DP2DP_RULE_OFFSET) {
            put_rounded(s->t, "p%zu - %s", k,
                        literal(dp2dpi_export_offset(s->e, table, 0, k), number));
        } else {
            put_rounded(s->t, "p%zu - a%zu", k, k);
        }
        dp2dpi_text_format(s->t, " AS v%zu", k);
    }
    end(s->t, stage);
}

static void put_largest(dp2dpi_text *t, size_t classes) {
    for (size_t k = MAX_ARGUMENTS; k < classes; k += MAX_ARGUMENTS) {
        dp2dpi_text_put(t, "max(");
    }
    dp2dpi_text_put(t, "max(");
    for (size_t k = 0; k < classes; k++) {
        int full = k > 0 && k % MAX_ARGUMENTS == 0;
        dp2dpi_text_format(t, full ? "), v%zu" : k ? ", v%zu" : "v%zu", k);
    }
    dp2dpi_text_put(t, ")");
}

void dp2dpi_sqlite_decision(const dp2dpi_sql *s, size_t table) {
    const dp2dp_model_info *info = s->e->info;
    size_t stage = put_inputs(s);
    if (info->rule != DP2DP_RULE_OFFSET) {
        stage = put_sums(s, table, stage);
    }
    put_values(s, table, stage);
    dp2dpi_text_put(s->t, "\n        SELECT CASE ");
    put_largest(s->t, info->classes);
    for (size_t k = 0; k < info->classes; k++) {
        int last = k + 1 == info->classes;
        if (!last) {
            dp2dpi_text_format(s->t, " WHEN v%zu THEN ", k);
        }
        dp2dpi_text_put(s->t, last ? " ELSE " : "");
        dp2dpi_sql_class(s, k);
    }
    dp2dpi_text_format(s->t, " END FROM s%zu)", stage);
}
