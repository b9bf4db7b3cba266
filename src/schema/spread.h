/* Finds columns that are probably wrong although each value is allowed: their numbers probably have
 * another unit than in the schema, such as ages in hundreds of years, which are all close to 0, or
 * all their values are the same. See dp2dp_spread. */
#ifndef DP2DPI_SCHEMA_SPREAD_H
#define DP2DPI_SCHEMA_SPREAD_H

#include "schema/schema.h"

enum {
    DP2DPI_SPREAD_BINS = 100, /* bins of equal width that divide the bounds */
    DP2DPI_SPREAD_SEEN = 16,  /* largest number of different numbers that are remembered */
    DP2DPI_THOUSAND = 1000
};

/* What is known about the values of one column. Starts as all zeros. */
typedef struct dp2dpi_spread {
    uint64_t all;    /* values that were added */
    uint64_t values; /* numbers among them that find_strip judges */
    uint64_t bins[DP2DPI_SPREAD_BINS];
    double seen[DP2DPI_SPREAD_SEEN]; /* the first different numbers that were added */
    size_t seen_count;
    /* Is a dot between thousands taken for a decimal point? The numbers of the column, without
     * zeros and signs. */
    int is_ordinary;                             /* 1: no, since a number cannot come from that */
    uint64_t numbers;                            /* all of them */
    uint64_t fractions;                          /* those that are not whole */
    uint64_t thousandths;                        /* those that need three decimals */
    double most;                                 /* the largest fraction */
    uint64_t whole[(DP2DPI_THOUSAND + 63) / 64]; /* bit i: i is one of the numbers */
    double number;                               /* the last number that was added */
    int32_t level; /* the last level, if the column has a list or makes groups or classes */
    int is_mixed;  /* 1 if the column has different levels or, without levels, different numbers */
} dp2dpi_spread;

/* Adds the number x, which must not be missing. */
void dp2dpi_spread_add(const dp2dp_schema_column *column, double x, dp2dpi_spread *spread);
/* Adds a text that is not missing, by its level (-1: the text is not in the list). */
void dp2dpi_spread_add_level(int32_t level, dp2dpi_spread *spread);
void dp2dpi_spread_sum_up(const dp2dp_schema_column *column, const dp2dpi_spread *spread,
                          dp2dp_spread *out);

#endif
