/* Checks the matrix of scores and the column of strata that a caller passes, and reads single
 * scores. */
#ifndef DP2DPI_DECIDE_VIEW_H
#define DP2DPI_DECIDE_VIEW_H

#include <stdint.h>
#include <string.h>

#include <dp2dp/data.h>
#include <dp2dp/model.h>

#include "base/error.h"

/* Largest allowed difference between 1 and the sum of a row of scores. The sum is computed in
 * double precision. */
#define DP2DPI_VIEW_TOLERANCE_SINGLE 1e-3 /* float32 */
#define DP2DPI_VIEW_TOLERANCE_DOUBLE 1e-6 /* float64 */

static inline double dp2dpi_view_tolerance(const dp2dp_matrix *scores) {
    return scores->type == DP2DP_FLOAT32 ? DP2DPI_VIEW_TOLERANCE_SINGLE
                                         : DP2DPI_VIEW_TOLERANCE_DOUBLE;
}

/* Returns by how much rounding to the grid may change the sum of a row: half a grid step for each
 * score. The grid step is 2^-bits. bits = 0 means that scores are not rounded. */
static inline double dp2dpi_grid_tolerance(size_t classes, unsigned bits) {
    return bits > 0 ? (double)classes / (double)(UINT32_C(2) << bits) : 0.0;
}

typedef enum dp2dpi_row_fault {
    DP2DPI_ROW_SOUND,
    DP2DPI_ROW_VALUE, /* the score in column *column is negative, above 1e30 or not a number */
    DP2DPI_ROW_SUM    /* the row does not sum to 1, or cannot be normalised */
} dp2dpi_row_fault;

dp2dpi_row_fault dp2dpi_view_row(const dp2dp_matrix *scores, size_t row, dp2dp_row_sums row_sums,
                                 double *sum, size_t *column);
/* Always fails with DATA. The error has the reason of the fault and the row number. */
dp2dp_status dp2dpi_view_refuse(const dp2dp_matrix *scores, size_t row, uint64_t number,
                                dp2dp_row_sums row_sums, dp2dp_error *error);

dp2dp_status dp2dpi_view_check_scores(const dp2dp_matrix *scores, dp2dp_error *error);
dp2dp_status dp2dpi_view_check(const dp2dp_matrix *scores, const dp2dp_column *strata,
                               dp2dp_error *error);

/* Returns 1 if every row consists of adjacent, aligned floats, and the rows are in memory in the
 * order of their numbers. */
int dp2dpi_view_is_plain(const dp2dp_matrix *scores);

static inline double dp2dpi_view_score(const dp2dp_matrix *m, size_t row, size_t column) {
    const char *at = (const char *)m->data + (ptrdiff_t)row * m->row_stride +
                     (ptrdiff_t)column * m->column_stride;
    if (m->type == DP2DP_FLOAT32) {
        float value;
        memcpy(&value, at, sizeof value);
        return value;
    }
    double value;
    memcpy(&value, at, sizeof value);
    return value;
}

#endif
