#include "phase2/view.h"

dp2dp_status dp2dpi_view_check_scores(const dp2dp_matrix *scores, dp2dp_error *error) {
    if (scores == NULL || scores->data == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "scores must not be NULL");
    }
    if (scores->type != DP2DP_FLOAT32 && scores->type != DP2DP_FLOAT64) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "scores must be float32 or float64");
    }
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dpi_view_check(const dp2dp_matrix *scores, const dp2dp_column *strata,
                               dp2dp_error *error) {
    DP2DPI_TRY(dp2dpi_view_check_scores(scores, error));
    if (strata == NULL || strata->data == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "strata must not be NULL");
    }
    if (strata->type != DP2DP_INT8 && strata->type != DP2DP_INT16 && strata->type != DP2DP_INT32) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "strata must be int8, int16 or int32");
    }
    if (scores->rows != strata->rows) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "scores have %zu rows but strata have %zu",
                           scores->rows, strata->rows);
    }
    return DP2DP_STATUS_OK;
}

int dp2dpi_view_is_plain(const dp2dp_matrix *scores) {
    return scores->type == DP2DP_FLOAT32 && scores->column_stride == sizeof(float) &&
           scores->row_stride >= 0 && scores->row_stride % (ptrdiff_t)sizeof(float) == 0 &&
           (uintptr_t)scores->data % sizeof(float) == 0;
}
