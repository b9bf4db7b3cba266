/* Explanations: if any allocation fails, dp2dp_explain returns MEMORY and nothing leaks. */
#include "fault/fault_alloc.h"

#include <dp2dp/explain.h>

#include "unit/model/data.h"

GROUP(fault_include_json, NULL)

TEST(an_explanation_survives_every_failed_allocation) {
    for (int which = 0; which < SAMPLES; which++) {
        HANDLE(dp2dp_model) *model = sample_model((sample)which);
        for (int part = DP2DP_EXPLAIN_ALL; part <= DP2DP_EXPLAIN_ASSUMES; part++) {
            dp2dp_explain_options options = DP2DP_EXPLAIN_OPTIONS_INIT;
            options.part = (dp2dp_explain_part)part;
            FAIL_EACH_ALLOCATION(1) {
                TEXT_FREED char *text = (char *)&text;
                size_t length = 1;
                FAULTY(dp2dp_explain(model, &options, &text, &length, &fault_error));
                assert_int_equal(text == NULL, fault_status != OK);
                assert_true(length == 0 || fault_status == OK);
            }
        }
    }
}
