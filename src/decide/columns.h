/* Turns blocks of rows into columns. Also computes sums of weights times offsets; some rules
 * subtract such a sum from each score. Each sum is a float32 and adds its terms in the order of the
 * weights, so every instruction set gives the same decisions.
 *
 * A block of columns stores the value of row i and column k at index k × apart + i, where `apart`
 * is the distance between two columns. */
#ifndef DP2DPI_DECIDE_COLUMNS_H
#define DP2DPI_DECIDE_COLUMNS_H

#include <stddef.h>
#include <stdint.h>

/* Rows of adjacent floats in the caller's memory. */
typedef struct dp2dpi_plain_rows {
    const float *at; /* the first row */
    size_t stride;   /* floats from one row to the next */
    size_t count;    /* number of rows from `at` to the end of the table. Kernels may read past the
                        end of a row, but not past the end of the table */
} dp2dpi_plain_rows;

/* Returns how many of the first n rows can be read as eight floats each without reading past the
 * end of the table. The result is rounded down to a multiple of eight. */
size_t dp2dpi_columns_eights(const dp2dpi_plain_rows *rows, size_t n, size_t columns);

/* Copies n rows of `columns` floats to out, column by column. */
void dp2dpi_columns_fill(const dp2dpi_plain_rows *rows, size_t n, size_t columns, size_t apart,
                         float *out);

/* Returns 1 if the numbers of every row are non-negative and their sum is close to 1. The tolerance
 * is slightly below DP2DPI_VIEW_TOLERANCE_SINGLE, to allow for the rounding of the sum. */
int dp2dpi_columns_sum_to_one(const float *columns, size_t apart, size_t n, size_t count);

enum {
    DP2DPI_COLUMNS_SLACK = 8,   /* this many floats after the offsets must be readable, because
                                   kernels read eight floats at a time */
    DP2DPI_COLUMNS_TABLES = 512 /* number of floats in a table of offsets */
};

/* For each of n rows with scores p and group g, writes to column k of out the sum
 * Σ_j p_j offsets[(g classes + j) classes + k]. */
void dp2dpi_columns_shift(const dp2dpi_plain_rows *rows, size_t n, size_t classes,
                          const float *offsets, const int32_t *groups, size_t apart, float *out);

/* Writes to `table` the offsets of a rule that does not see the group, in the layout that
 * dp2dpi_columns_weigh reads. Returns 0 if the offsets do not fit into a table. */
int dp2dpi_columns_lay_out(const float *offsets, size_t parts, size_t classes, float *table);

/* For each of n rows of weights w, writes to column k of out the sum
 * Σ_j w_j offsets[j classes + k]. Returns 0 if a row may be invalid or if no kernel can process the
 * rows, for example because n is not a multiple of eight; out is then meaningless. */
int dp2dpi_columns_weigh(const dp2dpi_plain_rows *rows, size_t n, size_t parts, size_t classes,
                         const float *table, size_t apart, float *out);

#endif
