/* Errors in scores and groups carry a reason, the row and the score column, both counted from 1. */
#include "support.h"

#include <dp2dp/fit.h>
#include <dp2dp/model.h>

enum {
    ROWS = 3,
    CLASSES = 2
};

static dp2dp_matrix matrix_of(const double *scores, size_t rows) {
    return (dp2dp_matrix) {scores,        DP2DP_FLOAT64, rows, CLASSES, CLASSES * sizeof(double),
                           sizeof(double)};
}

static dp2dp_column column_of(const int32_t *groups, size_t rows) {
    return (dp2dp_column) {groups, DP2DP_INT32, rows, sizeof(int32_t)};
}

static dp2dp_error refuse(const double scores[ROWS * CLASSES], const int32_t groups[ROWS],
                          dp2dp_row_sums row_sums) {
    dp2dp_matrix matrix = matrix_of(scores, ROWS);
    dp2dp_column column = column_of(groups, ROWS);
    dp2dp_pool_options options = DP2DP_POOL_OPTIONS_INIT;
    dp2dp_pool *pool = NULL;
    dp2dp_error error = {0};
    options.strata = 2;
    options.row_sums = row_sums;
    assert_int_equal(dp2dp_pool_new(&matrix, &column, &options, &pool, &error), DP2DP_STATUS_DATA);
    assert_null(pool);
    assert_int_equal(error.status, DP2DP_STATUS_DATA);
    return error;
}

TEST(a_pool_tells_reason_row_and_score_column) {
    static const int32_t groups[ROWS] = {0, 1, 0}, unknown[ROWS] = {0, 2, 0};
    static const double good[] = {0.5, 0.5, 0.25, 0.75, 1, 0};
    static const double large[] = {0.5, 0.5, -0.5, 1.5, 1, 0};
    static const double sum[] = {0.5, 0.5, 0.25, 0.75, 0.5, 0.25};
    static const double none[] = {0.5, 0.5, 0, 0, 1, 0};
    dp2dp_error error = refuse(good, unknown, DP2DP_ROW_SUMS_CHECK);
    assert_int_equal(error.reason, DP2DP_REASON_UNKNOWN_GROUP);
    assert_true(error.row == 2 && error.column[0] == '\0');
    error = refuse(large, groups, DP2DP_ROW_SUMS_CHECK);
    assert_int_equal(error.reason, DP2DP_REASON_SCORE_RANGE);
    assert_int_equal(error.row, 2);
    assert_string_equal(error.column, "1");
    assert_says(error.message, "divide percentages by 100; convert log-odds to");
    error = refuse(sum, groups, DP2DP_ROW_SUMS_CHECK);
    assert_int_equal(error.reason, DP2DP_REASON_ROW_SUM);
    assert_int_equal(error.row, 3);
    assert_says(error.message, "can be normalized");
    error = refuse(none, groups, DP2DP_ROW_SUMS_NORMALIZE);
    assert_int_equal(error.reason, DP2DP_REASON_CANNOT_NORMALIZE);
    assert_int_equal(error.row, 2);
}

static dp2dp_model *model_of(void) {
    static const double scores[] = {0.5, 0.5, 0.25, 0.75, 1, 0};
    static const int32_t groups[ROWS] = {0, 1, 0};
    dp2dp_matrix matrix = matrix_of(scores, ROWS);
    dp2dp_column column = column_of(groups, ROWS);
    dp2dp_pool_options options = DP2DP_POOL_OPTIONS_INIT;
    dp2dp_fit_options fit = DP2DP_FIT_OPTIONS_INIT;
    HANDLE(dp2dp_pool) *pool = NULL;
    dp2dp_model *model = NULL;
    options.strata = 2;
    fit.solver = DP2DP_SOLVER_EXACT;
    assert_ok(dp2dp_pool_new(&matrix, &column, &options, &pool, &test_error));
    dp2dp_source source = dp2dp_pool_source(pool);
    assert_ok(dp2dp_fit(&source, &fit, &model, &test_error));
    return model;
}

TEST(a_prediction_tells_reason_and_row_of_the_whole_table) {
    static const int32_t groups[ROWS] = {0, 1, 7};
    const double scores[] = {0.5, 0.5, (double)NAN, 0.75, 1, 0};
    static const double percentages[] = {0.5, 0.5, 25, 75};
    dp2dp_matrix matrix = matrix_of(scores, 2);
    dp2dp_column column = column_of(groups, 2);
    dp2dp_predict_options options = DP2DP_PREDICT_OPTIONS_INIT;
    HANDLE(dp2dp_model) *model = model_of();
    int32_t out[ROWS];
    options.first_row = 100;
    assert_int_equal(dp2dp_model_predict(model, &matrix, &column, &options, out, &test_error),
                     DP2DP_STATUS_DATA);
    assert_int_equal(test_error.reason, DP2DP_REASON_SCORE_RANGE);
    assert_string_equal(test_error.column, "1");
    assert_int_equal(test_error.row, 102);
    matrix = matrix_of(percentages, 2);
    assert_int_equal(dp2dp_model_predict(model, &matrix, &column, &options, out, &test_error),
                     DP2DP_STATUS_DATA);
    assert_int_equal(test_error.reason, DP2DP_REASON_ROW_SUM);
    assert_int_equal(test_error.row, 102);
    matrix = matrix_of(scores + 4, 1);
    column = column_of(groups + 2, 1);
    assert_int_equal(dp2dp_model_predict(model, &matrix, &column, &options, out, &test_error),
                     DP2DP_STATUS_DATA);
    assert_int_equal(test_error.reason, DP2DP_REASON_UNKNOWN_GROUP);
    assert_int_equal(test_error.row, 101);
}
