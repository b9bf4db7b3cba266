/* Exports: if any allocation fails, dp2dp_export returns MEMORY and nothing leaks. */
#include "fault/fault_alloc.h"

#include "unit/export/data.h"

TEST(an_export_survives_every_failed_allocation) {
    HANDLE(dp2dp_model) *model = small_model(DP2DP_RULE_LINEAR, 1);
    for (int format = DP2DP_EXPORT_DUCKDB; format <= DP2DP_EXPORT_C_HEADER; format++) {
        dp2dp_export_options options = export_to((dp2dp_export_format)format);
        FAIL_EACH_ALLOCATION(1) {
            char *bytes = (char *)&bytes;
            size_t length = 1;
            FAULTY(dp2dp_export(model, &options, &bytes, &length, &fault_error));
            assert_int_equal(bytes == NULL, fault_status != OK);
            assert_int_equal(length == 0, fault_status != OK);
            dp2dp_text_free(bytes);
        }
    }
}
