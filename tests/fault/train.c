/* Training: whatever allocation fails, nothing leaks, and a ledger has the entry of a run or
 * none.
 */
#include "fault/fault_alloc.h"

#include <errno.h>

#include "unit/phase1/data.h"
#include "unit/training/stream_data.h"

static crowd people;

static dp2dp_status train(size_t at, fault_mode how, dp2dp_train_method method, double epsilon,
                          size_t entries) {
    dp2dp_train_options options = train_seeded(method, epsilon, 3);
    dp2dp_ledger *own = NULL;
    double weights[64];
    options.steps = 3;
    options.penalty = 0.5;
    assert_ok(dp2dp_ledger_new(DP2DP_REPLACE_ONE, &own, NULL));
    assert_ok(dp2dp_ledger_new(DP2DP_REPLACE_ONE, &options.ledger, NULL));
    fault_arm(at, how);
    dp2dp_status status = crowd_train(&people, &options, own, weights, &fault_error);
    fault_disarm();
    size_t theirs = dp2dp_ledger_size(options.ledger), ours = dp2dp_ledger_size(own);
    assert_true(theirs <= entries && ours <= theirs);
    assert_true(status != OK || (theirs == entries && ours == entries));
    dp2dp_ledger_free(options.ledger);
    dp2dp_ledger_free(own);
    return status;
}

static dp2dp_status train_dpgd(size_t at, fault_mode how) {
    return train(at, how, DP2DP_TRAIN_DPGD, 1, 1);
}

static dp2dp_status train_dpsgd(size_t at, fault_mode how) {
    return train(at, how, DP2DP_TRAIN_DPSGD, 1, 1);
}

static dp2dp_status train_dpsgd_noiseless(size_t at, fault_mode how) {
    return train(at, how, DP2DP_TRAIN_DPSGD, INFINITY, 0);
}

static dp2dp_status train_output(size_t at, fault_mode how) {
    return train(at, how, DP2DP_TRAIN_OUTPUT, 1, 1);
}

static dp2dp_status train_none(size_t at, fault_mode how) {
    return train(at, how, DP2DP_TRAIN_NONE, NAN, 0);
}

TEST(every_method_survives_every_failed_allocation) {
    people = crowd_random(60, 2, 1, 3, 5);
    assert_true(fault_every_allocation(train_dpgd) >= 8);
    assert_true(fault_every_allocation(train_dpsgd_noiseless) >= 8);
    assert_true(fault_every_allocation(train_output) >= 8);
    assert_true(fault_every_allocation(train_none) >= 3);
    /* Calibration by a numerical bound repeats the same allocations many times. */
    assert_true(fault_every_nth_allocation(7, train_dpsgd) >= 8);
    crowd_free(&people);
}

static const char schema_text[] =
    "{\"format\": \"dp2dp-schema\", \"version\": {\"major\": 1, \"minor\": 0}, "
    "\"origin\": \"public\", \"columns\": ["
    "{\"name\": \"a\", \"role\": \"feature\", \"kind\": \"numeric\", \"lower\": 0, \"upper\": 1},"
    "{\"name\": \"b\", \"role\": \"feature\", \"kind\": \"numeric\", \"lower\": 0, \"upper\": 1},"
    "{\"name\": \"c\", \"role\": \"feature\", \"kind\": \"categorical\", "
    "\"levels\": [\"u\", \"v\"]},"
    "{\"name\": \"y\", \"role\": \"label\", \"kind\": \"categorical\", "
    "\"levels\": [\"0\", \"1\", \"2\"]}]}";
static dp2dp_schema *schema;
static dp2dp_model *base;

static dp2dp_train_options external_options(void) {
    static const double weights[3 * 6] = {1, 2, 3};
    dp2dp_train_options options = train_seeded(DP2DP_TRAIN_EXTERNAL, 1, 3);
    options.weights = weights;
    return options;
}

static dp2dp_status train_stream(size_t at, fault_mode how) {
    dp2dp_train_options options = train_seeded(DP2DP_TRAIN_DPGD, 1, 3);
    HANDLE(dp2dp_model) *model = NULL;
    struct ArrowArrayStream rows;
    producer p;
    options.steps = 3;
    produce(&p, &rows);
    fault_arm(at, how);
    dp2dp_status status = dp2dp_train(schema, &rows, &options, &model, &fault_error);
    fault_disarm();
    assert_int_equal(model == NULL, status != OK);
    assert_int_equal(p.released, 1);
    return status;
}

static dp2dp_status train_external(size_t at, fault_mode how) {
    dp2dp_train_options options = external_options();
    HANDLE(dp2dp_model) *model = NULL;
    fault_arm(at, how);
    dp2dp_status status = dp2dp_train(schema, NULL, &options, &model, &fault_error);
    fault_disarm();
    assert_int_equal(model == NULL, status != OK);
    return status;
}

static dp2dp_status score(size_t at, fault_mode how) {
    struct ArrowArrayStream rows, scores;
    struct ArrowSchema type = {.release = NULL};
    struct ArrowArray batch = {.release = NULL};
    producer p;
    produce(&p, &rows);
    fault_arm(at, how);
    dp2dp_status status = dp2dp_model_score(base, &rows, &scores, &fault_error);
    if (status == OK) {
        int failed = scores.get_schema(&scores, &type);
        failed = failed ? failed : scores.get_next(&scores, &batch);
        assert_true(failed == 0 || failed == ENOMEM);
        assert_true(failed == 0 || scores.get_last_error(&scores) != NULL);
        status = failed ? DP2DP_STATUS_MEMORY : OK;
        if (type.release) {
            type.release(&type);
        }
        if (batch.release) {
            batch.release(&batch);
        }
        scores.release(&scores);
    }
    fault_disarm();
    assert_int_equal(p.released, 1);
    return status;
}

static dp2dp_pool *pool;

static dp2dp_status fit_on_base(size_t at, fault_mode how) {
    dp2dp_source source = dp2dp_pool_source(pool);
    dp2dp_fit_options options = DP2DP_FIT_OPTIONS_INIT;
    HANDLE(dp2dp_model) *model = NULL;
    options.epsilon = 1;
    options.delta = 1e-5;
    options.steps = 2;
    options.base = base;
    fault_arm(at, how);
    dp2dp_status status = dp2dp_fit(&source, &options, &model, &fault_error);
    fault_disarm();
    assert_int_equal(model == NULL, status != OK);
    return status;
}

static void make_pool(void) {
    static float scores[20][3];
    static int32_t groups[20];
    const dp2dp_matrix view = {scores, DP2DP_FLOAT32, 20, 3, sizeof scores[0], sizeof(float)};
    const dp2dp_column codes = {groups, DP2DP_INT32, 20, sizeof(int32_t)};
    dp2dp_pool_options options = DP2DP_POOL_OPTIONS_INIT;
    options.strata = 2;
    for (int i = 0; i < 20; i++) {
        scores[i][i % 3] = 1;
        groups[i] = i % 2;
    }
    assert_ok(dp2dp_pool_new(&view, &codes, &options, &pool, NULL));
}

TEST(the_way_from_rows_to_a_fit_survives_every_failed_allocation) {
    dp2dp_train_options options = external_options();
    (void)fault_include_json(NULL);
    assert_ok(dp2dp_schema_load(schema_text, &schema, NULL));
    assert_ok(dp2dp_train(schema, NULL, &options, &base, NULL));
    assert_true(fault_every_allocation(train_stream) >= 20);
    assert_true(fault_every_allocation(train_external) >= 10);
    assert_true(fault_every_allocation(score) >= 30);
    make_pool();
    assert_true(fault_every_allocation(fit_on_base) >= 40);
    dp2dp_pool_free(pool);
    dp2dp_model_free(base);
    dp2dp_schema_free(schema);
    assert_int_equal(fault_outstanding, 0);
}
