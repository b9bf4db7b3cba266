/* Adds up weights times offsets for sixteen rows at a time, with AVX-512. */
#ifndef DP2DPI_DECIDE_WEIGH_ROWS_H
#define DP2DPI_DECIDE_WEIGH_ROWS_H

#include "decide/columns.h"

enum {
    DP2DPI_WEIGH_ROWS = 16
};

/* Returns 1 if dp2dpi_weigh_rows_add can be used for rows of `parts` weights. */
int dp2dpi_weigh_rows_can(size_t parts, size_t classes);

/* Writes the same sums as dp2dpi_columns_weigh. n must be a multiple of DP2DPI_WEIGH_ROWS. Rows may
 * be any number of floats apart. Returns 1 if a row may be invalid. */
int dp2dpi_weigh_rows_add(const dp2dpi_plain_rows *rows, size_t n, size_t parts, size_t classes,
                          const float *table, size_t apart, float *out);

#endif
