/* Decides for rows in the caller's memory by the rule `linear` with dither, eight or sixteen
 * rows at a time. */
#ifndef DP2DPI_DECIDE_DITHER_ROWS_H
#define DP2DPI_DECIDE_DITHER_ROWS_H

#include <dp2dp/model.h>

#include "decide/columns.h"

typedef struct dp2dpi_dither_rows {
    const dp2dpi_plain_rows *rows;
    size_t classes;
    const float *tables; /* the offsets of the rule `linear`, as dp2dpi_group_lookup_tabulate lays
                            them out */
    const dp2dp_dither *dither;
    dp2dp_dither_key key;
    const uint64_t *ids; /* ids of the rows; only for the key `id` */
    uint64_t position;   /* position of the first row; only for the key `row` */
} dp2dpi_dither_rows;

/* Decides for up to n rows: which[i] = argmax_k (p_k + u_k) − Σ_j p_j offset_jk, where u is the
 * dither and the offsets are those of the row's group. Returns the number of rows decided, counted
 * from the first row. This number may be less than n, and it is 0 if a row may be invalid. Call
 * this only if dp2dpi_group_lookup_tabulate returned 1. */
size_t dp2dpi_dither_rows_decide(const dp2dpi_dither_rows *d, size_t n, const int32_t *groups,
                                 int32_t *which);

#endif
