/* Structs of callers: which sizes are taken for an older or a newer version, and which never were
 * one. */
#include <dp2dp/dp2dp.h>

#include "support.h"

static dp2dp_status count(void *context, const float *offsets, int64_t *table, dp2dp_error *error) {
    (void)context, (void)offsets, (void)error;
    table[0] = table[1] = table[2] = table[3] = 75;
    return OK;
}

static dp2dp_source source_of(void) {
    dp2dp_source source = DP2DP_SOURCE_INIT;
    source.records = 300;
    source.strata = source.classes = 2;
    source.row_sums = DP2DP_ROW_SUMS_CHECK;
    source.count = count;
    return source;
}

/* A size cut short would lose the ledger, whose budget refuses this fit, or cut epsilon in two. */
TEST(options_shorter_than_their_first_version_are_refused) {
    dp2dp_source source = source_of();
    dp2dp_ledger *ledger = NULL;
    assert_ok(dp2dp_ledger_new(DP2DP_REPLACE_ONE, &ledger, &test_error));
    assert_ok(dp2dp_ledger_set_budget(ledger, 0.5, 1e-5, &test_error));
    for (size_t size = 0; size < sizeof(dp2dp_fit_options); size++) {
        dp2dp_fit_options options = DP2DP_FIT_OPTIONS_INIT;
        dp2dp_model *model = NULL;
        options.epsilon = 1;
        options.delta = 1e-5;
        options.steps = 1;
        options.ledger = ledger;
        options.struct_size = size;
        assert_int_equal(dp2dp_fit(&source, &options, &model, &test_error), DP2DP_STATUS_ARGUMENT);
        assert_says(test_error.message, "DP2DP_FIT_OPTIONS_INIT");
        assert_null(model);
    }
    dp2dp_ledger_free(ledger);
}

/* An event cut short would be charged for one row per person, or for one release. */
TEST(an_event_is_charged_whole_or_not_at_all) {
    dp2dp_ledger *ledger = NULL;
    assert_ok(dp2dp_ledger_new(DP2DP_REPLACE_ONE, &ledger, &test_error));
    for (size_t size = 0; size <= sizeof(dp2dp_event); size++) {
        dp2dp_event event = DP2DP_EVENT_INIT, charged = DP2DP_EVENT_INIT;
        dp2dp_rng_kind kind;
        event.mechanism = DP2DP_GAUSSIAN;
        event.sensitivity = 1;
        event.sigma = 10;
        event.count = 100;
        event.rows_per_person = event.coordinates = 5;
        event.scale = 1024;
        event.struct_size = size;
        size_t before = dp2dp_ledger_size(ledger);
        if (dp2dp_ledger_charge(ledger, &event, DP2DP_RNG_SECURE, &test_error) == OK) {
            assert_ok(dp2dp_ledger_entry(ledger, before, &charged, &kind, &test_error));
            assert_int_equal(charged.count, 100);
            assert_int_equal(charged.rows_per_person, 5);
            assert_true(charged.scale == 1024);
        }
    }
    assert_int_equal(dp2dp_ledger_size(ledger), 3); /* without label and set, without set, whole */
    dp2dp_ledger_free(ledger);
}
