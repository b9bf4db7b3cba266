#include "input/whole_table.h"

#include <inttypes.h>
#include <stdio.h>

#include "common/number.h"

enum {
    MANY = 20, /* with fewer rows than this, no caution is given about bounds or missing values */
    ROUND = 3, /* no caution is given if all bounds have at most this many digits, because people
                  choose such round limits */
    EXACT = 4  /* if only some columns reach their bounds, a caution is given only if one of these
                  columns has a bound with more digits than this. A year has 4 digits */
};

/* Fills *out with the library's text for a warning. */
static void explain(dp2dp_warning warning, cli_whole *out) {
    size_t count;
    const dp2dp_word *words = dp2dp_words(DP2DP_WORDS_WARNING, &count);
    for (size_t i = 0; i < count; i++) {
        if (words[i].value == (int)warning) {
            out->word = words[i].word;
            out->column = NULL;
            snprintf(out->text, sizeof out->text, "CAUTION: %s.", words[i].help);
        }
    }
}

/* Returns the number of digits of x, without leading and trailing zeros. A number such as 99999
 * counts as one digit, because people write it as a limit. */
static int digits_of(double x) {
    cli_number number = cli_number_exact(x);
    int digits = 0, last = 0, nines = 0;
    for (const char *c = number.text; *c != 0 && *c != 'e'; c++) {
        if (*c < '0' || *c > '9' || (*c == '0' && digits == 0)) {
            continue;
        }
        digits++;
        last = *c != '0' ? digits : last;
        nines += *c == '9';
    }
    return nines == last ? 1 : last;
}

/* The bounds of a numeric feature, and the range of its values. */
typedef struct range {
    const dp2dp_schema_column *column;
    double lower, upper, smallest, largest;
    int has_values;
} range;

static int is_reached(const range *r) {
    return r->has_values && r->smallest == r->lower && r->largest == r->upper;
}

static int most_digits(const range *r) {
    int lower = digits_of(r->lower), upper = digits_of(r->upper);
    return lower > upper ? lower : upper;
}

/* Finds the next numeric feature, from position *at on. Returns 0 if there is none. */
static int next_range(const dp2dp_schema_info *info, const cli_watch *watch, size_t *at,
                      range *out) {
    for (; *at < info->column_count; (*at)++) {
        const dp2dp_schema_column *c = &info->columns[*at];
        const dp2dp_spread *s = &watch->spreads[*at];
        if (c->role == DP2DP_ROLE_FEATURE && c->number != SIZE_MAX) {
            *out = (range) {c, c->lower, c->upper, s->smallest, s->largest, s->all > 0};
            (*at)++;
            return 1;
        }
    }
    return 0;
}

/* What is known about the ranges of all numeric features. */
typedef struct ranges {
    size_t count, reached;
    size_t odd; /* columns whose bounds are reached and have so many digits that hardly anybody
                   would write them as limits */
    const dp2dp_schema_column *first_odd;
    int is_round;  /* 1: no bound has many digits */
    int is_common; /* 1: all columns have the same bounds */
    range pooled;  /* the first column, with the smallest and largest value of all columns */
} ranges;

static void add_range(const range *r, ranges *all) {
    if (all->count++ == 0) {
        all->pooled = *r;
    }
    range *pooled = &all->pooled;
    all->is_common &= r->lower == pooled->lower && r->upper == pooled->upper;
    if (r->has_values) {
        pooled->smallest =
            pooled->has_values && pooled->smallest < r->smallest ? pooled->smallest : r->smallest;
        pooled->largest =
            pooled->has_values && pooled->largest > r->largest ? pooled->largest : r->largest;
        pooled->has_values = 1;
    }
    all->is_round &= most_digits(r) <= ROUND;
    all->reached += (size_t)is_reached(r);
    if (is_reached(r) && most_digits(r) > EXACT) {
        all->first_odd = all->odd++ == 0 ? r->column : all->first_odd;
    }
}

static void explain_attained(const ranges *all, int is_all, cli_whole *out) {
    char where[CLI_WHOLE_SIZE / 2] = "";
    if (!is_all) {
        snprintf(where, sizeof where,
                 "in %zu of %zu numeric columns, of which %.200s is the first, ", all->odd,
                 all->count, all->first_odd->name);
    }
    out->word = "bounds-attained";
    out->column = is_all ? NULL : all->first_odd->name;
    snprintf(
        out->text, sizeof out->text,
        "CAUTION: %sthe bounds of the schema are exactly the smallest and the largest values of "
        "these rows. If the bounds were read off the rows, a model that is made with them is not "
        "private, although it is marked as private. Take the bounds from public knowledge. Or "
        "write \"origin\": \"from-data\" in the schema: the model is then marked as not private.",
        where);
}

/* Writes a caution if the bounds were probably read off the rows. The bounds of a column are
 * suspicious if they are exactly its smallest and its largest value. Gives a caution if the bounds
 * of all numeric columns are suspicious, or if one column has suspicious bounds with many digits.
 * Treats columns that all have the same bounds as one column. Gives no caution if all bounds are
 * round, such as 0 and 100. Returns the number of cautions. */
static size_t find_attained(const dp2dp_schema_info *info, const cli_watch *watch, cli_whole *out) {
    ranges all = {.is_round = 1, .is_common = 1};
    range r;
    if (!watch->is_training || watch->spreads == NULL || watch->outside.rows < MANY ||
        info->origin == DP2DP_ORIGIN_FROM_DATA) {
        return 0;
    }
    for (size_t at = 0; next_range(info, watch, &at, &r);) {
        add_range(&r, &all);
    }
    if (all.count == 0 || all.is_round) {
        return 0;
    }
    int is_all = all.is_common ? is_reached(&all.pooled) : all.reached == all.count;
    if (!is_all && (all.is_common || all.odd == 0)) {
        return 0;
    }
    explain_attained(&all, is_all, out);
    return 1;
}

/* Writes a caution if at least half of the rows of a training are left out. Returns the number of
 * cautions. */
static size_t find_left_out(const cli_watch *watch, cli_whole *out) {
    uint64_t rows = watch->rows, kept = watch->outside.rows;
    if (!watch->is_training || watch->ignores_bad || rows < MANY || 2 * kept > rows) {
        return 0;
    }
    out->word = "most-left-out";
    out->column = NULL;
    snprintf(out->text, sizeof out->text,
             "CAUTION: %" PRIu64 " of %" PRIu64 " rows lack a value that the schema needs, and add "
             "nothing to the training. Were values lost, for example in a join? If many people "
             "lack this value, let the schema keep their rows (\"missing\": \"level\"), or leave "
             "the column out.",
             rows - kept, rows);
    return 1;
}

size_t cli_whole_find(const dp2dp_schema *schema, const cli_watch *watch,
                      cli_whole found[CLI_WHOLE_MOST]) {
    if (schema == NULL) {
        return 0;
    }
    size_t count = find_attained(dp2dp_schema_view(schema), watch, found);
    count += find_left_out(watch, &found[count]);
    if (watch->rows_repeated) {
        explain(DP2DP_WARNING_ROWS_REPEATED, &found[count++]);
    }
    return count;
}
