/* A code that is none, as data: reason, row, and the column that has it. */
#include "support.h"

#include <dp2dp/metrics.h>

TEST(a_code_out_of_range_has_reason_row_and_column) {
    static const int32_t good[] = {0, 1, 1}, bad[] = {0, 1, 2};
    const dp2dp_column fine = {good, DP2DP_INT32, 3, sizeof *good};
    const dp2dp_column wrong = {bad, DP2DP_INT32, 3, sizeof *bad};
    static const char *const names[] = {"predictions", "strata", "labels"};
    dp2dp_evaluate_options options = DP2DP_EVALUATE_OPTIONS_INIT;
    options.strata = options.classes = 2;
    for (int at = 0; at < 3; at++) {
        dp2dp_evaluation *out = NULL;
        dp2dp_error error = {0};
        assert_int_equal(dp2dp_evaluate(at == 0 ? &wrong : &fine, at == 1 ? &wrong : &fine,
                                        at == 2 ? &wrong : &fine, &options, &out, &error),
                         DP2DP_STATUS_DATA);
        assert_null(out);
        assert_int_equal(error.reason, DP2DP_REASON_CODE_RANGE);
        assert_int_equal(error.row, 3);
        assert_string_equal(error.column, names[at]);
    }
}
