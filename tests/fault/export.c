/* Exports: if any allocation fails, they return MEMORY and nothing leaks. */
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

TEST(a_question_to_a_database_survives_every_failed_allocation) {
    static const float offsets[8] = {0.5F};
    for (int format = DP2DP_EXPORT_DUCKDB; format <= DP2DP_EXPORT_SPARK; format++) {
        dp2dp_counts_options options = counts_in((dp2dp_export_format)format, DP2DP_RULE_WEIGHTED);
        for (int copies = 0; copies < 2; copies++) {
            FAIL_EACH_ALLOCATION(1) {
                char *text = (char *)&text;
                size_t length = 1;
                FAULTY(dp2dp_export_counts(&options, copies ? NULL : offsets, &text, &length,
                                           &fault_error));
                assert_int_equal(text == NULL, fault_status != OK);
                assert_int_equal(length == 0, fault_status != OK);
                dp2dp_text_free(text);
            }
        }
    }
}
