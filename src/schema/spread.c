#include "schema/spread.h"

enum {
    MANY = 20,      /* a column with fewer numbers is not judged */
    FEW = 100,      /* fewer values are often the same, if most people have that value */
    RARE = 1000,    /* fewer values may all be "none", if only few people have another one */
    DIFFERENT = 10, /* fewer different numbers may be counts, or values that stand for "none" */
    FINER = 20      /* for a logarithm, two bins are a thousandth of the bounds, not a fiftieth */
};

/* Returns 1 if a column is judged by where its numbers are within the bounds. A column with a scale
 * that is small compared with the bounds is not judged: there, even small numbers give different
 * features. */
static int is_judged(const dp2dp_schema_column *c) {
    return c->role == DP2DP_ROLE_FEATURE && c->number != SIZE_MAX &&
           (c->log1p || c->scale >= c->upper / 4 - c->lower / 4);
}

/* Returns how much narrower the bins of a column are than a hundredth of its bounds. A logarithm is
 * for numbers that are mostly small, but hardly anybody gives bounds a thousand times as wide. */
static double fineness(const dp2dp_schema_column *c) {
    return c->log1p ? FINER : 1;
}

/* Returns the number of bins that may be the strip: for a logarithm only those at the lower bound.
 */
static size_t bin_count(const dp2dp_schema_column *c) {
    return c->log1p ? 2 : DP2DPI_SPREAD_BINS;
}

/* Returns 1 if cuts turn the numbers of a column into groups or classes. */
static int has_levels(const dp2dp_schema_column *c) {
    return (c->role == DP2DP_ROLE_SENSITIVE || c->role == DP2DP_ROLE_LABEL) && c->cuts != NULL;
}

static void remember(double x, dp2dpi_spread *s) {
    for (size_t i = 0; i < s->seen_count; i++) {
        if (s->seen[i] == x) {
            return;
        }
    }
    s->seen[s->seen_count++] = x;
}

/* Numbers at a bound and zeros do not count. In many columns they stand for "none", such as a
 * capital gain of 0, and say nothing about the unit. */
static void add_number(const dp2dp_schema_column *c, double x, dp2dpi_spread *s) {
    if (x == 0 || x == c->lower || x == c->upper) {
        return;
    }
    s->values++;
    if (x > c->lower && x < c->upper) {
        double share = (x / 2 - c->lower / 2) / (c->upper / 2 - c->lower / 2);
        size_t bin = (size_t)(share * DP2DPI_SPREAD_BINS * fineness(c));
        s->bins[bin < bin_count(c) ? bin : DP2DPI_SPREAD_BINS - 1]++;
    }
    if (s->seen_count < DP2DPI_SPREAD_SEEN) {
        remember(x, s);
    }
}

void dp2dpi_spread_add_level(int32_t level, dp2dpi_spread *s) {
    s->is_mixed |= level < 0 || (s->all > 0 && level != s->level);
    s->level = level;
    s->all++;
}

void dp2dpi_spread_add(const dp2dp_schema_column *c, double x, dp2dpi_spread *s) {
    if (has_levels(c)) {
        dp2dpi_spread_add_level(dp2dpi_schema_cut(c, x), s);
        return;
    }
    s->is_mixed |= s->all > 0 && x != s->number;
    s->number = x;
    s->all++;
    if (is_judged(c)) {
        add_number(c, x, s);
    }
}

/* Returns the number at the lower end of a bin. */
static double end_of(const dp2dp_schema_column *c, size_t bin) {
    double share = (double)bin / (DP2DPI_SPREAD_BINS * fineness(c));
    return c->lower * (1 - share) + c->upper * share;
}

/* Finds the two neighbouring bins that have most numbers. */
static void find_strip(const dp2dp_schema_column *c, const dp2dpi_spread *s, dp2dp_spread *out) {
    size_t first = 0, different = 0;
    for (size_t i = 0; i + 1 < bin_count(c); i++) {
        uint64_t inside = s->bins[i] + s->bins[i + 1];
        if (inside > out->inside) {
            out->inside = inside;
            first = i;
        }
    }
    out->lower = end_of(c, first);
    out->upper = end_of(c, first + 2);
    for (size_t i = 0; i < s->seen_count; i++) {
        different += s->seen[i] >= out->lower && s->seen[i] <= out->upper;
    }
    out->is_narrow = s->values >= MANY && different >= DIFFERENT &&
                     (double)out->inside > 0.99 * (double)s->values;
}

/* Returns how many equal values are too many. Cuts are about the unit, so they need few. Zeros,
 * bounds and listed texts often mean "none", and a table may have nobody with anything else: if one
 * person in 200 has, 1000 rows are all the same in less than 1 % of all tables. */
static uint64_t too_many(const dp2dp_schema_column *c, const dp2dpi_spread *s) {
    int is_number = c->type == DP2DP_TABLE_NUMBER, is_feature = c->role == DP2DP_ROLE_FEATURE;
    int is_none = s->number == 0 || s->number == c->lower || s->number == c->upper;
    return has_levels(c) ? MANY : is_feature && (!is_number || is_none) ? RARE : FEW;
}

void dp2dpi_spread_sum_up(const dp2dp_schema_column *c, const dp2dpi_spread *s, dp2dp_spread *out) {
    int is_feature = c->role == DP2DP_ROLE_FEATURE;
    int is_same = !s->is_mixed && s->all >= too_many(c, s);
    *out = (dp2dp_spread) {.all = s->all, .values = s->values};
    if (is_judged(c)) {
        find_strip(c, s, out);
    }
    out->has_one_value = is_feature && is_same;
    out->has_one_level = !is_feature && is_same;
    out->level = out->has_one_level ? (size_t)s->level : 0;
}
