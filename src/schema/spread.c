#include "schema/spread.h"

enum {
    MANY = 20,      /* a column with fewer numbers is not judged */
    DIFFERENT = 10, /* a column with fewer different numbers is not judged: the numbers may be
                       counts or stand for "none" */
    FINER = 20      /* with log1p, bins are this many times narrower: 1/2000 of the width of the
                       bounds instead of 1/100 */
};

/* Returns 1 if a column is judged by where its numbers are within the bounds. A column with a scale
 * that is small compared with the bounds is not judged: with such a scale, even small numbers give
 * different features. */
static int is_judged(const dp2dp_schema_column *c) {
    return c->role == DP2DP_ROLE_FEATURE && c->number != SIZE_MAX &&
           (c->log1p || c->scale >= c->upper / 4 - c->lower / 4);
}

/* Returns how much narrower the bins of a column are than a hundredth of its bounds. A column with
 * log1p may well have mostly small numbers, but its bounds are hardly ever a thousand times as wide
 * as these numbers. */
static double fineness(const dp2dp_schema_column *c) {
    return c->log1p ? FINER : 1;
}

/* Returns the number of bins in which find_strip searches: all, or with log1p only the first two,
 * at the lower bound. */
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

/* Adds a number. Ignores zeros and numbers at a bound: in many columns these numbers stand for
 * "none", such as a capital gain of 0, and say nothing about the unit. */
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

void dp2dpi_spread_add(const dp2dp_schema_column *c, double x, dp2dpi_spread *s) {
    if (is_judged(c)) {
        add_number(c, x, s);
    } else if (has_levels(c)) {
        int32_t level = dp2dpi_schema_cut(c, x);
        s->is_mixed |= s->values > 0 && level != s->level;
        s->level = level;
        s->values++;
    }
}

/* Returns the number at the lower end of a bin. */
static double end_of(const dp2dp_schema_column *c, size_t bin) {
    double share = (double)bin / (DP2DPI_SPREAD_BINS * fineness(c));
    return c->lower * (1 - share) + c->upper * share;
}

/* Finds the two neighbouring bins that together have the most numbers. */
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

void dp2dpi_spread_sum_up(const dp2dp_schema_column *c, const dp2dpi_spread *s, dp2dp_spread *out) {
    *out = (dp2dp_spread) {.values = s->values};
    if (is_judged(c)) {
        find_strip(c, s, out);
    } else if (has_levels(c)) {
        out->has_one_level = s->values >= MANY && !s->is_mixed;
        out->level = (size_t)s->level;
    }
}
