/* Records that are left out: if any allocation fails, nothing leaks and no incomplete object is
 * returned. */
#include "fault/fault_stream.h"

#include <dp2dp/metrics.h>
#include <dp2dp/train.h>

#include "unit/phase2/data.h"
#include "unit/schema/data.h"

static const char table[] = "age,pay,hours,job,town,note,sex,race,score\n"
                            "40,0,10,clerk,A,,female,black,3\n"
                            "30,0,10,clerk,?,,male,black,60\n"
                            "x,0,10,clerk,A,,male,black,60\n"
                            "30,0,10,clerk,A,,nobody,black,60\n"
                            "40,0,30,smith,B,,male,white,50\n";

enum {
    COUNTED = ALL_PARTS | DP2DP_PART_LEFT_OUT | DP2DP_PART_IGNORE_BAD
};

TEST(rows_are_encoded_and_scored_whole_or_memory_is_what_they_lacked) {
    dp2dp_table_options options = DP2DP_TABLE_OPTIONS_INIT;
    HANDLE(dp2dp_schema) *schema = schema_of(sample_schema);
    dp2dp_train_options external = DP2DP_TRAIN_OPTIONS_INIT;
    double weights[64] = {0};
    HANDLE(dp2dp_model) *model = NULL;
    external.method = DP2DP_TRAIN_EXTERNAL;
    external.weights = weights;
    external.epsilon = external.delta = NAN;
    assert_true(2 * (dp2dp_schema_view(schema)->width + 1) <= 64);
    assert_ok(dp2dp_train(schema, NULL, &external, &model, &test_error));
    write_text(table);
    options.chunk_rows = 2;
    FAIL_EACH_ALLOCATION(60) {
        struct ArrowArrayStream rows, scores = {.release = NULL};
        fault_arm_run();
        fault_status =
            dp2dp_schema_open(schema, COUNTED, table_path, &options, &rows, &fault_error);
        if (fault_status == OK) {
            fault_status = dp2dp_model_score(model, &rows, &scores, &fault_error);
        }
        fault_read_all(&scores);
    }
}

TEST(a_training_gives_a_model_or_nothing) {
    dp2dp_table_options options = DP2DP_TABLE_OPTIONS_INIT;
    HANDLE(dp2dp_schema) *schema = schema_of(sample_schema);
    dp2dp_train_options train = DP2DP_TRAIN_OPTIONS_INIT;
    train.epsilon = 1;
    train.delta = 1e-5;
    train.steps = 2;
    train.threads = 1;
    write_text(table);
    FAIL_EACH_ALLOCATION(60) {
        struct ArrowArrayStream rows;
        HANDLE(dp2dp_model) *model = NULL;
        fault_arm_run();
        fault_status =
            dp2dp_schema_open(schema, COUNTED, table_path, &options, &rows, &fault_error);
        if (fault_status == OK) {
            fault_status = dp2dp_train(schema, &rows, &train, &model, &fault_error);
        }
        fault_disarm();
        assert_int_equal(model == NULL, fault_status != OK);
    }
}

TEST(a_fit_and_a_certificate_are_whole_or_not_made) {
    OWNED(people) crowd = people_random(60, 3, 2, 1U << 20, 1);
    dp2dp_pool_options pooled = DP2DP_POOL_OPTIONS_INIT;
    dp2dp_fit_options options = seeded(1, 3);
    crowd.group[7] = -1;
    crowd.scores[30] = NAN;
    pooled.bad_rows = DP2DP_BAD_ROWS_IGNORE;
    pooled.threads = 1;
    options.steps = 3;
    HANDLE(dp2dp_pool) *pool = pool_with(&crowd, pooled);
    dp2dp_source source = dp2dp_pool_source(pool);
    HANDLE(dp2dp_model) *fitted = fit_source(&source, &options);
    FAIL_EACH_ALLOCATION(10) {
        HANDLE(dp2dp_model) *model = NULL;
        FAULTY(dp2dp_fit(&source, &options, &model, &fault_error));
        assert_int_equal(model == NULL, fault_status != OK);
    }
    FAIL_EACH_ALLOCATION(5) {
        HANDLE(dp2dp_ledger) *ledger = new_ledger();
        dp2dp_certify_options asked = DP2DP_CERTIFY_OPTIONS_INIT;
        dp2dp_certificate certificate = DP2DP_CERTIFICATE_INIT;
        asked.epsilon = 1;
        asked.delta = 1e-5;
        asked.ledger = ledger;
        FAULTY(dp2dp_certify(&source, fitted, &asked, &certificate, &fault_error));
        assert_true(fault_status != OK || dp2dp_ledger_size(ledger) == 1);
    }
}
