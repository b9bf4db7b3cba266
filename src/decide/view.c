#include "decide/view.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

dp2dp_status dp2dpi_view_check_scores(const dp2dp_matrix *scores, dp2dp_error *error) {
    if (scores == NULL || (scores->data == NULL && scores->rows > 0)) {
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
    if (strata == NULL || (strata->data == NULL && strata->rows > 0)) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "strata must not be NULL");
    }
    if (strata->type != DP2DP_INT8 && strata->type != DP2DP_INT16 && strata->type != DP2DP_INT32) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "strata must be int8, int16 or int32");
    }
    if (scores->rows != strata->rows) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "scores have %zu rows, but strata have %zu", scores->rows, strata->rows);
    }
    return DP2DP_STATUS_OK;
}

int dp2dpi_view_is_plain(const dp2dp_matrix *scores) {
    return scores->type == DP2DP_FLOAT32 && scores->column_stride == sizeof(float) &&
           scores->row_stride >= 0 && scores->row_stride % (ptrdiff_t)sizeof(float) == 0 &&
           (uintptr_t)scores->data % sizeof(float) == 0;
}

dp2dpi_row_fault dp2dpi_view_row(const dp2dp_matrix *scores, size_t row, dp2dp_row_sums row_sums,
                                 double *sum, size_t *column) {
    *sum = 0.0;
    for (size_t k = 0; k < scores->columns; k++) {
        double value = dp2dpi_view_score(scores, row, k);
        if (!(value >= 0.0) || value > 1e30) {
            *column = k;
            return DP2DPI_ROW_VALUE;
        }
        *sum += value;
    }
    int sound = row_sums == DP2DP_ROW_SUMS_NORMALIZE
                    ? *sum > 0.0
                    : fabs(*sum - 1.0) <= dp2dpi_view_tolerance(scores);
    return sound ? DP2DPI_ROW_SOUND : DP2DPI_ROW_SUM;
}

dp2dp_status dp2dpi_view_refuse(const dp2dp_matrix *scores, size_t row, uint64_t number,
                                dp2dp_row_sums row_sums, dp2dp_error *error) {
    int normalize = row_sums == DP2DP_ROW_SUMS_NORMALIZE;
    double sum;
    size_t k = 0;
    char column[24];
    dp2dpi_place place = {.row = number};
    if (dp2dpi_view_row(scores, row, row_sums, &sum, &k) == DP2DPI_ROW_VALUE) {
        (void)snprintf(column, sizeof column, "%zu", k + 1);
        place.reason = DP2DP_REASON_SCORE_RANGE;
        place.column = column;
        return dp2dpi_fail_at(error, DP2DP_STATUS_DATA, &place,
                              "row %" PRIu64
                              ", score column %s: a probability must be a number from 0 to 1",
                              number, column);
    }
    place.reason = normalize ? DP2DP_REASON_CANNOT_NORMALIZE : DP2DP_REASON_ROW_SUM;
    return dp2dpi_fail_at(error, DP2DP_STATUS_DATA, &place,
                          "row %" PRIu64 ": the probabilities do not sum to 1%s", number,
                          normalize ? " and cannot be normalized" : "");
}
