/* Encoded rows: a few numbers and a few levels each, stored apart so that a wide row stays small.
 *
 * Row i is s_i (x_i, Σ_q e_{c_iq}) in R^width: D numbers x_i, then for each of Q categories one
 * unit vector (or none), all times the row's own scale s_i. A product with weights is s_i times D
 * multiply-adds and Q look-ups. */
#ifndef DP2DPI_NUM_ROWS_H
#define DP2DPI_NUM_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef struct dp2dpi_rows {
    size_t count, capacity;
    size_t numbers;    /* D */
    size_t categories; /* Q */
    float *x;          /* count × D, row-major */
    int32_t *codes;    /* count × Q, row-major: D ≤ code < width; -1: no unit vector */
    float *scale;      /* count numbers s_i */
} dp2dpi_rows;

/* Allocates memory for `capacity` rows. The caller frees it, also after failure; free accepts
 * zero-filled rows. */
dp2dp_status dp2dpi_rows_new(size_t numbers, size_t categories, size_t capacity, dp2dpi_rows *out,
                             dp2dp_error *error);
void dp2dpi_rows_free(dp2dpi_rows *rows);

/* Sets the scale of a row so that the norm of the row in exact arithmetic is at most `norm`. */
void dp2dpi_rows_clip(dp2dpi_rows *rows, size_t row, double norm);

#endif
