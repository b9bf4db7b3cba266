/* Decides for listed rows by the rule `linear` with dither. */
#ifndef DP2DPI_DECIDE_DITHER_ROWS_H
#define DP2DPI_DECIDE_DITHER_ROWS_H

#include <dp2dp/model.h>

#include "decide/columns.h"

enum {
    DP2DPI_DITHER_STEP_ROWS = 16
};

typedef struct dp2dpi_dither_rows {
    const dp2dpi_plain_rows *rows; /* eight floats of each listed row must be readable */
    size_t classes;
    const float *tables; /* from dp2dpi_group_lookup_tabulate, for the rule `linear` */
    const dp2dp_dither *dither;
    const int32_t *list;   /* numbers of the rows to decide for; their scores must be valid */
    const int32_t *groups; /* of the listed rows */
    const uint64_t *keys;  /* of the listed rows; NULL: made from their scores */
    const char *ahead;     /* memory to prefetch, because the hashes leave the memory idle: */
    size_t lines;          /* so many lines of the cache for each DP2DPI_DITHER_STEP_ROWS rows */
} dp2dpi_dither_rows;

/* Sets which[j] to the decision for row list[j], for j < n: argmax_k (p_k + u_k) − Σ_i p_i
 * offset_ik, where u is the dither. n must be a multiple of DP2DPI_DITHER_STEP_ROWS. Call this only
 * if dp2dpi_group_lookup_tabulate returned 1. */
void dp2dpi_dither_rows_decide(const dp2dpi_dither_rows *d, size_t n, int32_t *which);

/* Does the same, without AVX-512. */
void dp2dpi_dither_rows_decide_in_columns(const dp2dpi_dither_rows *d, size_t n, int32_t *which);

#endif
