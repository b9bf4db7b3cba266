/* Finds columns that are probably wrong although each single value is allowed. For example, the
 * numbers seem to have another unit than in the schema, or all values are the same. See
 * dp2dp_spread. */
#ifndef DP2DPI_SCHEMA_SPREAD_H
#define DP2DPI_SCHEMA_SPREAD_H

#include "schema/schema.h"

enum {
    DP2DPI_SPREAD_BINS = 100, /* bins of equal width that divide the range between the bounds */
    DP2DPI_SPREAD_SEEN = 16,  /* how many different numbers of a column are remembered at most */
    DP2DPI_THOUSAND = 1000
};

/* The numbers beyond one bound. If more than half of these numbers are equal, `number` is their
 * value. A majority vote finds this value: a number equal to `number` adds a vote, and any other
 * number takes a vote away. At 0 votes, the next number replaces `number`. */
typedef struct dp2dpi_beyond {
    double number;
    uint64_t votes;
    uint64_t same; /* how many numbers were equal to `number` since `number` was last replaced */
    uint64_t all;  /* how many numbers are beyond the bound */
} dp2dpi_beyond;

/* The largest numbers of a column. The smallest ones are kept in the same way, with signs changed.
 */
typedef struct dp2dpi_extreme {
    double first, second; /* the largest number, and the largest one below it */
    uint64_t same;        /* how often the largest number occurs */
    int different;        /* how many different numbers were added; 2 means two or more */
} dp2dpi_extreme;

/* What is known about the values of one column. Starts as all zeros. */
typedef struct dp2dpi_spread {
    uint64_t all;    /* number of values that were added */
    uint64_t values; /* how many of these values are numbers that find_strip judges */
    uint64_t bins[DP2DPI_SPREAD_BINS]; /* how many of these numbers are in each bin. If the column
                                          has levels: how many values have each of the first
                                          DP2DPI_SPREAD_BINS levels */
    uint64_t tiny; /* how many of these numbers are close to 0, or to the bound next to 0: at most a
                      thousandth of the range between the bounds away */
    double seen[DP2DPI_SPREAD_SEEN]; /* the first different numbers that were added */
    size_t seen_count;
    /* The members up to `whole` show whether dots between thousands were read as decimal points.
     * Zeros and the signs of numbers are ignored. */
    int is_ordinary;      /* 1 if some number shows that no dot was misread */
    uint64_t numbers;     /* how many numbers were added */
    uint64_t fractions;   /* how many of these numbers are not whole */
    uint64_t thousandths; /* how many of these numbers need three decimals */
    double most;          /* the largest fraction */
    uint64_t whole[(DP2DPI_THOUSAND + 63) / 64]; /* bit i is 1 if the number i was added */
    double number;                               /* the last number that was added */
    int32_t level; /* the last level that was added, if the column is of text or has cuts into
                      groups or classes */
    int is_mixed;  /* 1 if the column has different levels or, without levels, different numbers */
    dp2dpi_extreme top, bottom; /* largest numbers; the negated smallest numbers */
    dp2dpi_beyond below, above; /* numbers of a feature outside its bounds */
    dp2dpi_beyond unlisted; /* texts that are not in the list, as numbers that tell them apart */
    uint64_t missing;       /* how many of these texts look like missing values */
} dp2dpi_spread;

/* Adds the number x, which must not be missing. */
void dp2dpi_spread_add(const dp2dp_schema_column *column, double x, dp2dpi_spread *spread);
/* Adds a text that is not missing. `level` is the level of the text, or -1 if the text is not in
 * the list of levels. */
void dp2dpi_spread_add_level(int32_t level, dp2dpi_spread *spread);
/* Adds a text that is not in the list of levels. Different texts have different keys. */
void dp2dpi_spread_add_unlisted(double key, int looks_missing, dp2dpi_spread *spread);
/* Returns 1 if a column has 5 to 19 numbers, all tiny and nearly all different. Such numbers may be
 * in thousands while the bounds are not. One such column may be chance. */
int dp2dpi_spread_is_tiny(const dp2dpi_spread *spread);
/* Reports such a column as narrow. */
void dp2dpi_spread_tell_tiny(const dp2dp_schema_column *column, dp2dp_spread *out);
void dp2dpi_spread_sum_up(const dp2dp_schema_column *column, const dp2dpi_spread *spread,
                          dp2dp_spread *out);

#endif
