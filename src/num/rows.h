/* Rows of features, encoded for a classifier. A row stores its numbers and the codes of its
 * categories instead of one-hot columns, so even a row with many features needs little memory.
 *
 * Row i is the vector s_i (x_i, Σ_q e_{c_iq}) in R^width. x_i are D numbers. Each of Q categories
 * has a code c_iq and adds the unit vector e_{c_iq}, with D ≤ c_iq < width; the code -1 adds no
 * vector. s_i is the scale of the row. To multiply a row by a vector of weights, D multiply-adds
 * and Q look-ups are enough. */
#ifndef DP2DPI_NUM_ROWS_H
#define DP2DPI_NUM_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef struct dp2dpi_rows {
    size_t count, capacity;
    size_t numbers;    /* D, how many numbers a row has */
    size_t categories; /* Q, how many categories a row has */
    float *x;          /* numbers of all rows, count × numbers, row by row */
    int32_t *codes;    /* count × categories, row by row; -1 means no unit vector */
    float *scale;      /* scale of each row */
} dp2dpi_rows;

/* Allocates memory for `capacity` rows. Ownership: free with dp2dpi_rows_free, also after failure;
 * dp2dpi_rows_free accepts a zero-filled struct. */
dp2dp_status dp2dpi_rows_new(size_t numbers, size_t categories, size_t capacity, dp2dpi_rows *out,
                             dp2dp_error *error);
void dp2dpi_rows_free(dp2dpi_rows *rows);

/* Sets the scale of a row so that the Euclidean norm of the row, in exact arithmetic, is at most
 * `norm`. */
void dp2dpi_rows_clip(dp2dpi_rows *rows, size_t row, double norm);

#endif
