#include "schema/spread.h"

#include <math.h>

enum {
    LEVELS = 200, /* a column with cuts is reported if it has at least LEVELS values, and more than
                     (LEVELS − 1)/LEVELS of them are in one level */
    MANY = 20,    /* a column with fewer numbers than this is not judged */
    SOME = 5,     /* two or more columns together are judged as tiny (dp2dpi_spread_is_tiny) from
                     this many numbers on */
    FEW = 100, /* if most people have the same value, fewer values than this may all be the same by
                  chance */
    NEARLY = 900, /* has_thousands requires a whole number of at least this size, so that the
                     numbers go up to nearly 1000 */
    RARE = 1000,  /* if most people have the value "none", fewer values than this may all be "none"
                     by chance */
    DIFFERENT = 10, /* a column with fewer different numbers than this is not judged, because the
                       numbers may be counts or stand for "none" */
    APART = 3,  /* a number inside the bounds is reported only if its distance to all others is at
                   least this many times the range of these others */
    ALONE = 95, /* a number outside the bounds is reported only if at least this percentage of all
                   numbers beyond the same bound are equal to it */
    FINER = 20  /* with log1p, bins are this many times narrower: 1/2000 of the range between the
                   bounds instead of 1/100 */
};

/* A column is reported if more than this share of its numbers lies in one narrow range of values,
 * the strip (see find_strip). A share of 0.9 would also report skewed columns whose bounds are
 * right, for example widely spread log-normal numbers. */
static const double mostly = 0.99;

/* Returns 1 if a column is judged by where its numbers lie within the bounds. Does not judge a
 * column whose scale is small compared with the bounds. With such a scale, even numbers close
 * together give different features. */
static int is_judged(const dp2dp_schema_column *c) {
    return c->role == DP2DP_ROLE_FEATURE && c->number != SIZE_MAX &&
           (c->log1p || c->scale >= c->upper / 4 - c->lower / 4);
}

/* Returns how many times narrower the bins of a column are than a hundredth of the range between
 * its bounds. Columns with log1p need narrower bins: even with the right bounds, most of their
 * numbers may be small compared with the range. But with the right bounds, it is rare that nearly
 * all numbers are in two of the narrower bins, which together are a thousandth of the range. */
static double fineness(const dp2dp_schema_column *c) {
    return c->log1p ? FINER : 1;
}

/* Returns the number of bins in which find_strip searches. With log1p, these are only the two bins
 * next to the lower bound; otherwise all bins. */
static size_t bin_count(const dp2dp_schema_column *c) {
    return c->log1p ? 2 : DP2DPI_SPREAD_BINS;
}

/* Returns 1 if cuts turn the numbers of a column into groups or classes. */
static int has_levels(const dp2dp_schema_column *c) {
    return (c->role == DP2DP_ROLE_SENSITIVE || c->role == DP2DP_ROLE_LABEL) && c->cuts != NULL;
}

/* Returns the number within the bounds that is nearest to 0; the lower bound with log1p. */
static double nearest_to_zero(const dp2dp_schema_column *c) {
    return c->log1p ? c->lower : fmin(fmax(0, c->lower), c->upper);
}

/* Numbers that are 1000 times too small are no further from 0 than this share of the range between
 * the bounds. */
static const double thousandth = 0.001;

static void remember(double x, dp2dpi_spread *s) {
    for (size_t i = 0; i < s->seen_count; i++) {
        if (s->seen[i] == x) {
            return;
        }
    }
    s->seen[s->seen_count++] = x;
}

/* Adds a number. Ignores zeros and numbers equal to a bound. In many columns such numbers stand for
 * "none", like a capital gain of 0, and do not show whether the column has the unit that its bounds
 * assume. */
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
    if (x >= c->lower && x <= c->upper &&
        fabs(x / 2 - nearest_to_zero(c) / 2) <= thousandth * (c->upper / 2 - c->lower / 2)) {
        s->tiny++;
    }
    if (s->seen_count < DP2DPI_SPREAD_SEEN) {
        remember(x, s);
    }
}

int dp2dpi_spread_is_tiny(const dp2dpi_spread *s) {
    return s->values >= SOME && s->values < MANY && s->tiny == s->values &&
           (s->seen_count >= DIFFERENT || 5 * s->seen_count >= 4 * s->values);
}

void dp2dpi_spread_tell_tiny(const dp2dp_schema_column *c, dp2dp_spread *out) {
    double width = 2 * thousandth * (c->upper / 2 - c->lower / 2);
    out->inside = out->values;
    out->lower = fmax(nearest_to_zero(c) - width, c->lower);
    out->upper = fmin(nearest_to_zero(c) + width, c->upper);
    out->is_narrow = 1;
}

static void add_beyond(double x, dp2dpi_beyond *b) {
    b->all++;
    if (b->votes == 0 && x != b->number) {
        b->number = x;
        b->same = 0;
    }
    int is_same = x == b->number;
    b->same += (uint64_t)is_same;
    b->votes = is_same ? b->votes + 1 : b->votes - 1;
}

/* Returns how often the most frequent number beyond a bound occurs. Returns 0 if this number is
 * rare, or if more than a few other numbers are beyond the bound, as in the tail of a distribution.
 * The result may be too small if other numbers beyond the bound were added first. */
static uint64_t find_same(const dp2dpi_beyond *b) {
    return b->same >= MANY && (double)b->same * 100 >= (double)b->all * ALONE ? b->same : 0;
}

static void add_extreme(double x, dp2dpi_extreme *e) {
    if (e->different > 0 && x == e->first) {
        e->same++;
    } else if (e->different == 0 || x > e->first) {
        e->second = e->first;
        e->first = x;
        e->same = 1;
        e->different += e->different < 2;
    } else if (e->different == 1 || x > e->second) {
        e->second = x;
        e->different = 2;
    }
}

/* Returns 1 if people write the number x for a missing value: -1, or a whole number of which all
 * digits are 9, such as 999 and -99. */
static int is_marker(double x) {
    double nines = 9;
    while (nines < fabs(x)) {
        nines = 10 * nines + 9;
    }
    return x == -1 || fabs(x) == nines;
}

/* Finds out whether the largest number of a column (`sign` 1) or the smallest (`sign` -1) probably
 * stands for a missing value although it is within the bounds. Returns how often this number occurs
 * if so, else 0. Three things are needed: people write this number for a missing value; at least 20
 * values, and at least one in 100, are this number; and it is far from all others. */
static uint64_t find_marker(const dp2dp_schema_column *c, const dp2dpi_spread *s, double sign) {
    const dp2dpi_extreme *e = sign > 0 ? &s->top : &s->bottom,
                         *other = sign > 0 ? &s->bottom : &s->top;
    double range = e->second + other->first, number = sign * e->first;
    return number >= c->lower && number <= c->upper && range > 0 && e->same >= MANY &&
                   100 * e->same >= s->all && is_marker(number) &&
                   e->first - e->second >= APART * range
               ? e->same
               : 0;
}

/* Returns 1 if x times `places` is a whole number up to rounding. */
static int is_whole(double x, double places) {
    return fabs(x * places - round(x * places)) < 1e-6;
}

/* Collects evidence that dots between thousands were read as decimal points. For example, 2345 was
 * written as 2.345 and read as a fraction, while 823 was read as 823. In such a column no number is
 * 1000 or more, and no fraction is below 1 or has more than three decimals. */
static void note_thousands(double x, dp2dpi_spread *s) {
    x = fabs(x);
    if (s->is_ordinary || x == 0) {
        return;
    }
    if (!(x >= 1 && x < DP2DPI_THOUSAND && is_whole(x, DP2DPI_THOUSAND))) {
        s->is_ordinary = 1;
        return;
    }
    s->numbers++;
    if (x == floor(x)) {
        s->whole[(size_t)x / 64] |= UINT64_C(1) << ((size_t)x % 64);
        return;
    }
    s->fractions++;
    s->thousandths += !is_whole(x, 100);
    s->most = x > s->most ? x : s->most;
}

/* Returns 1 if dots between thousands were probably read as decimal points. This needs three
 * things. At least half of the numbers are fractions. At least half of the fractions need three
 * decimals. At least 10 different whole numbers, up to nearly 1000, are above the largest fraction.
 *
 * If decimals are random, the 10 largest numbers are all whole in only one of 10^30 columns. */
static int has_thousands(const dp2dpi_spread *s) {
    size_t above = 0, most = 0;
    if (s->is_ordinary || s->fractions < MANY) {
        return 0;
    }
    for (size_t i = (size_t)s->most + 1; i < DP2DPI_THOUSAND; i++) {
        int is_there = (int)(s->whole[i / 64] >> (i % 64) & 1);
        above += (size_t)is_there;
        most = is_there ? i : most;
    }
    return 2 * s->fractions >= s->numbers && 2 * s->thousandths >= s->fractions &&
           above >= DIFFERENT && most >= NEARLY;
}

void dp2dpi_spread_add_level(int32_t level, dp2dpi_spread *s) {
    if (level >= 0 && level < DP2DPI_SPREAD_BINS) {
        s->bins[level]++;
    }
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
    add_extreme(x, &s->top);
    add_extreme(-x, &s->bottom);
    s->all++;
    note_thousands(x, s);
    if (c->role == DP2DP_ROLE_FEATURE && c->number != SIZE_MAX && (x < c->lower || x > c->upper)) {
        add_beyond(x, x < c->lower ? &s->below : &s->above);
    }
    if (is_judged(c)) {
        add_number(c, x, s);
    }
}

void dp2dpi_spread_add_unlisted(double key, int looks_missing, dp2dpi_spread *s) {
    add_beyond(key, &s->unlisted);
    s->missing += (uint64_t)looks_missing;
}

/* Returns the number at the lower end of a bin. */
static double end_of(const dp2dp_schema_column *c, size_t bin) {
    double share = (double)bin / (DP2DPI_SPREAD_BINS * fineness(c));
    return c->lower * (1 - share) + c->upper * share;
}

/* Finds the strip, the two neighbouring bins that together have the most numbers. */
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
                     (double)out->inside > mostly * (double)s->values;
}

/* A column whose values are all the same is reported if it has enough values. Returns how many
 * values are enough.
 *
 * - A column with cuts needs only a few values, because a wrong unit is the likely cause.
 * - A feature needs many values if its only value is 0, one of its bounds or a text, because such a
 *   value often means "none". If one person in 200 has another value, 1000 rows are all the same in
 *   less than 1 % of all tables.
 * - Any other column needs FEW values. */
static uint64_t too_many(const dp2dp_schema_column *c, const dp2dpi_spread *s) {
    int is_number = c->type == DP2DP_TABLE_NUMBER, is_feature = c->role == DP2DP_ROLE_FEATURE;
    int is_none = s->number == 0 || s->number == c->lower || s->number == c->upper;
    return has_levels(c) ? MANY : is_feature && (!is_number || is_none) ? RARE : FEW;
}

/* Finds the most frequent level of a sensitive column or a label, and whether all values have this
 * level. In a column with cuts, nearly all values are enough: if the unit is wrong, a few values
 * (such as zeros) may still have other levels. */
static void find_level(const dp2dp_schema_column *c, const dp2dpi_spread *s, dp2dp_spread *out) {
    for (size_t i = 0; i < DP2DPI_SPREAD_BINS; i++) {
        if (s->bins[i] > out->in_level) {
            out->in_level = s->bins[i];
            out->level = i;
        }
    }
    int is_all = !s->is_mixed && s->all >= too_many(c, s);
    int is_nearly_all = has_levels(c) && s->all >= LEVELS &&
                        (double)out->in_level * LEVELS > (double)s->all * (LEVELS - 1);
    out->has_one_level = out->in_level > 0 && (is_all || is_nearly_all);
}

void dp2dpi_spread_sum_up(const dp2dp_schema_column *c, const dp2dpi_spread *s, dp2dp_spread *out) {
    int is_feature = c->role == DP2DP_ROLE_FEATURE;
    int is_same = !s->is_mixed && s->all >= too_many(c, s);
    *out = (dp2dp_spread) {.all = s->all, .values = s->values};
    if (is_judged(c)) {
        find_strip(c, s, out);
    }
    out->numbers = s->numbers;
    out->fractions = s->fractions;
    out->has_thousands = has_thousands(s);
    out->has_one_value = is_feature && is_same;
    out->smallest = is_feature ? 0 - s->bottom.first : 0;
    out->largest = is_feature ? s->top.first : 0;
    uint64_t below = find_same(&s->below), above = find_same(&s->above);
    out->same_outside = below > above ? below : above;
    out->same_unlisted = find_same(&s->unlisted);
    out->missing_unlisted = s->missing >= MANY ? s->missing : 0;
    if (is_feature && c->number != SIZE_MAX) {
        uint64_t at_top = find_marker(c, s, 1), at_bottom = find_marker(c, s, -1);
        out->same_inside = at_top > at_bottom ? at_top : at_bottom;
        out->is_lowest = at_bottom > at_top;
    }
    if (!is_feature) {
        find_level(c, s, out);
    }
}
