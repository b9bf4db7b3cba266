/* Checks the caller's views of scores and strata, and reads single scores. */
#ifndef DP2DPI_PHASE2_VIEW_H
#define DP2DPI_PHASE2_VIEW_H

#include <stdint.h>
#include <string.h>

#include <dp2dp/data.h>

#include "base/error.h"

/* Checks the type of a table of scores. */
dp2dp_status dp2dpi_view_check_scores(const dp2dp_matrix *scores, dp2dp_error *error);
/* Checks the types and lengths of a table of scores and its column of strata. */
dp2dp_status dp2dpi_view_check(const dp2dp_matrix *scores, const dp2dp_column *strata,
                               dp2dp_error *error);

/* Returns 1 if every row consists of K adjacent, aligned floats and the rows are in ascending
 * order. */
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
