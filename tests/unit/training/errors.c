/* Tests that scoring and training pass on reason, row, line and column of an error in the raw rows.
 */
#include "unit/training/data.h"

#define GOOD "a,b,c,s,y\n1,1,u,f,low\n1,1,v,m,high\n"

static void open_text(const dp2dp_schema *schema, const char *text, struct ArrowArrayStream *out) {
    write_text(text);
    assert_ok(dp2dp_schema_open(schema, DP2DP_PART_FEATURES | DP2DP_PART_LABEL, table_path, NULL,
                                out, &test_error));
}

static const struct {
    const char *text;
    dp2dp_reason reason;
    uint64_t row, line;
    const char *column;
} faults[] = {
    {GOOD "SECRET,1,u,f,low\n", DP2DP_REASON_NOT_A_NUMBER, 3, 4, "a"},
    {GOOD "1,1,u,f,SECRET\n", DP2DP_REASON_UNKNOWN_LEVEL, 3, 0, "y"},
};

static void expect_fault(size_t i, const dp2dp_error *error) {
    assert_int_equal(error->status, DP2DP_STATUS_DATA);
    assert_int_equal(error->reason, faults[i].reason);
    assert_int_equal(error->row, faults[i].row);
    assert_int_equal(error->line, faults[i].line);
    assert_string_equal(error->column, faults[i].column);
    assert_null(strstr(error->message, "SECRET"));
}

TEST(scoring_and_training_hand_on_the_whole_error_of_the_rows) {
    static const double weights[3 * (API_FEATURES + 1)];
    HANDLE(dp2dp_schema) *schema = schema_of(api_schema);
    HANDLE(dp2dp_model) *model = external_model(weights, NAN, NAN);
    dp2dp_train_options options = api_options(DP2DP_TRAIN_NONE);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        struct ArrowArrayStream rows, scores;
        struct ArrowArray batch;
        dp2dp_model *trained = NULL;
        dp2dp_error error = {0};
        open_text(schema, faults[i].text, &rows);
        assert_ok(dp2dp_model_score(model, &rows, &scores, &test_error));
        assert_int_equal(dp2dp_stream_next(&scores, &batch, &error), DP2DP_STATUS_DATA);
        expect_fault(i, &error);
        scores.release(&scores);
        error = (dp2dp_error) {0};
        open_text(schema, faults[i].text, &rows);
        assert_int_equal(dp2dp_train(schema, &rows, &options, &trained, &error), DP2DP_STATUS_DATA);
        expect_fault(i, &error);
        assert_null(trained);
    }
}

TEST(no_rows_are_a_reason_of_their_own) {
    HANDLE(dp2dp_schema) *schema = schema_of(api_schema);
    dp2dp_train_options options = DP2DP_TRAIN_OPTIONS_INIT;
    struct ArrowArrayStream rows;
    dp2dp_model *model = NULL;
    options.method = DP2DP_TRAIN_NONE;
    open_text(schema, "a,b,c,s,y\n", &rows);
    assert_int_equal(dp2dp_train(schema, &rows, &options, &model, &test_error), DP2DP_STATUS_DATA);
    assert_int_equal(test_error.reason, DP2DP_REASON_EMPTY);
}
