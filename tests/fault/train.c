/* Training: if any allocation fails, nothing leaks, and a ledger has the entry of the run or none.
 */
#include "fault/fault_stream.h"

#include "unit/phase1/data.h"
#include "unit/training/stream_data.h"

/* `entries` is the number in the model's own ledger; without noise the user's ledger alone gets
 * one, which says so. */
static void expect_entries_or_none(dp2dp_train_method method, double epsilon, size_t entries,
                                   size_t stride, size_t least) {
    OWNED(crowd) people = crowd_random(60, 2, 1, 3, 5);
    dp2dp_train_options options = train_seeded(method, epsilon, 3);
    double weights[64];
    options.steps = 3;
    options.penalty = 0.5;
    FAIL_EACH_NTH_ALLOCATION(stride, least) {
        HANDLE(dp2dp_ledger) *own = new_ledger(), *users = options.ledger = new_ledger();
        FAULTY(crowd_train(&people, &options, own, weights, &fault_error));
        size_t theirs = dp2dp_ledger_size(users), ours = dp2dp_ledger_size(own);
        assert_true(theirs <= 1 && ours <= entries && ours <= theirs);
        assert_true(fault_status != OK || (theirs == 1 && ours == entries));
    }
}

TEST(every_method_survives_every_failed_allocation) {
    expect_entries_or_none(DP2DP_TRAIN_DPGD, 1, 1, 1, 8);
    expect_entries_or_none(DP2DP_TRAIN_DPSGD, INFINITY, 0, 1, 8);
    expect_entries_or_none(DP2DP_TRAIN_OUTPUT, 1, 1, 1, 8);
    expect_entries_or_none(DP2DP_TRAIN_NONE, NAN, 0, 1, 3);
    /* Calibration by a numerical bound repeats the same allocations many times. */
    expect_entries_or_none(DP2DP_TRAIN_DPSGD, 1, 1, 7, 8);
}

static const char schema_text[] =
    "{\"format\": \"dp2dp-schema\", \"version\": {\"major\": 1, \"minor\": 0}, "
    "\"origin\": \"public\", \"columns\": ["
    "{\"name\": \"a\", \"role\": \"feature\", \"kind\": \"numeric\", \"lower\": 0, \"upper\": 1},"
    "{\"name\": \"b\", \"role\": \"feature\", \"kind\": \"numeric\", \"lower\": 0, \"upper\": 1},"
    "{\"name\": \"c\", \"role\": \"feature\", \"kind\": \"categorical\", "
    "\"levels\": [\"u\", \"v\"]},"
    "{\"name\": \"s\", \"role\": \"sensitive\", \"kind\": \"categorical\", "
    "\"levels\": [\"f\", \"m\"]},"
    "{\"name\": \"y\", \"role\": \"label\", \"kind\": \"categorical\", "
    "\"levels\": [\"0\", \"1\", \"2\"]}]}";
static dp2dp_pool *twenty_people(void) {
    static float scores[20][3];
    static int32_t groups[20];
    const dp2dp_matrix view = {scores, DP2DP_FLOAT32, 20, 3, sizeof scores[0], sizeof(float)};
    const dp2dp_column codes = {groups, DP2DP_INT32, 20, sizeof(int32_t)};
    dp2dp_pool_options options = DP2DP_POOL_OPTIONS_INIT;
    dp2dp_pool *pool = NULL;
    options.strata = 2;
    for (int i = 0; i < 20; i++) {
        scores[i][i % 3] = 1;
        groups[i] = i % 2;
    }
    assert_ok(dp2dp_pool_new(&view, &codes, &options, &pool, NULL));
    return pool;
}

static void train_survives(const dp2dp_schema *schema, dp2dp_target target) {
    dp2dp_train_options options = train_seeded(DP2DP_TRAIN_DPGD, 1, 3);
    options.steps = 3;
    options.target = target;
    FAIL_EACH_ALLOCATION(20) {
        HANDLE(dp2dp_model) *model = NULL;
        struct ArrowArrayStream rows;
        producer p;
        produce(&p, &rows);
        FAULTY(dp2dp_train(schema, &rows, &options, &model, &fault_error));
        assert_int_equal(model == NULL, fault_status != OK);
        assert_int_equal(p.released, 1);
    }
}

/* Opens two shards, and trains on their sums. */
static dp2dp_status add_up(void *shards, const dp2dp_gradient_question *question, int64_t *sum,
                           dp2dp_error *error) {
    const dp2dp_gradient_source *both = shards;
    int64_t part[64];
    DP2DPI_TRY(both[0].sum(both[0].context, question, sum, error));
    DP2DPI_TRY(both[1].sum(both[1].context, question, part, error));
    for (size_t c = 0; c < dp2dp_gradient_cells(question); c++) {
        sum[c] += part[c];
    }
    return OK;
}

static void source_survives(const dp2dp_schema *schema) {
    dp2dp_gradient_source shards[2], source = DP2DP_GRADIENT_SOURCE_INIT;
    dp2dp_train_options options = train_seeded(DP2DP_TRAIN_DPGD, 1, 3);
    struct ArrowArrayStream rows;
    producer p;
    FAIL_EACH_ALLOCATION(10) {
        dp2dp_gradient_source shard = DP2DP_GRADIENT_SOURCE_INIT;
        produce(&p, &rows);
        FAULTY(
            dp2dp_gradient_source_open(schema, &rows, DP2DP_TARGET_LABEL, 1, &shard, &fault_error));
        assert_int_equal(p.released, 1);
        assert_int_equal(shard.release == NULL, fault_status != OK);
        if (shard.release) {
            shard.release(shard.context);
        }
    }
    for (int i = 0; i < 2; i++) {
        shards[i] = DP2DP_GRADIENT_SOURCE_INIT;
        produce(&p, &rows);
        assert_ok(dp2dp_gradient_source_open(schema, &rows, DP2DP_TARGET_LABEL, 1, &shards[i],
                                             &test_error));
        source.records += shards[i].records;
    }
    source.context = shards;
    source.sum = add_up;
    options.steps = 3;
    FAIL_EACH_NTH_ALLOCATION(5, 10) {
        HANDLE(dp2dp_ledger) *ledger = options.ledger = new_ledger();
        HANDLE(dp2dp_model) *model = NULL;
        FAULTY(dp2dp_train_source(schema, &source, &options, &model, &fault_error));
        assert_int_equal(model == NULL, fault_status != OK);
        assert_true(dp2dp_ledger_size(ledger) <= 1);
    }
    for (int i = 0; i < 2; i++) {
        shards[i].release(shards[i].context);
    }
}

static void score_survives(const dp2dp_model *base) {
    FAIL_EACH_ALLOCATION(30) {
        struct ArrowArrayStream rows, scores;
        producer p;
        produce(&p, &rows);
        fault_arm_run();
        fault_status = dp2dp_model_score(base, &rows, &scores, &fault_error);
        fault_read_all(&scores);
        assert_int_equal(p.released, 1);
    }
}

static void fit_survives(const dp2dp_model *base) {
    HANDLE(dp2dp_pool) *pool = twenty_people();
    dp2dp_source source = dp2dp_pool_source(pool);
    dp2dp_fit_options options = DP2DP_FIT_OPTIONS_INIT;
    options.epsilon = 1;
    options.delta = 1e-5;
    options.steps = 2;
    options.base = base;
    FAIL_EACH_ALLOCATION(40) {
        HANDLE(dp2dp_model) *model = NULL;
        FAULTY(dp2dp_fit(&source, &options, &model, &fault_error));
        assert_int_equal(model == NULL, fault_status != OK);
    }
}

/* The charge behind the scores waits for the charges of the fit, and a budget waits for both: the
 * ledger gets all of them or none. */
static void same_people_pay_everything_or_nothing(const dp2dp_model *base, double total, int plan) {
    HANDLE(dp2dp_pool) *pool = twenty_people();
    dp2dp_source source = dp2dp_pool_source(pool);
    dp2dp_fit_options options = DP2DP_FIT_OPTIONS_INIT;
    options.epsilon = total > 0 ? NAN : 1;
    options.total_epsilon = total;
    options.delta = total > 0 ? 1e-3 : 1e-5; /* a part of delta goes to the declared one */
    options.steps = 2;
    options.base = base;
    options.people = DP2DP_PEOPLE_SAME;
    /* The search for what is left of a total repeats the same allocations many times. */
    FAIL_EACH_NTH_ALLOCATION(total > 0 ? 101 : 1, total > 0 ? 5 : 60) {
        HANDLE(dp2dp_ledger) *ledger = new_ledger();
        HANDLE(dp2dp_model) *model = NULL;
        dp2dp_event event = DP2DP_EVENT_INIT;
        options.ledger = plan ? NULL : ledger;
        assert_ok(dp2dp_ledger_set_budget_with_charge(ledger, 100, 1e-3, NULL));
        FAULTY(plan ? dp2dp_fit_plan(&source, &options, ledger, &fault_error)
                    : dp2dp_fit(&source, &options, &model, &fault_error));
        size_t size = dp2dp_ledger_size(ledger);
        assert_true(size == 0 || size == 4); /* budget, base, group counts, decision counts */
        assert_true(fault_status != OK || size == 4);
        event.mechanism = DP2DP_DECLARED; /* what waited is not charged with something else */
        assert_ok(dp2dp_ledger_charge(ledger, &event, DP2DP_RNG_SECURE, NULL));
        assert_int_equal(charges_in(ledger), size == 0 ? 1 : 4);
    }
}

/* A rule that does not see the group, on a classifier of the label and one of the group. `epsilon`
 * is declared for both classifiers. */
static void fit_on_two_survives(double epsilon, size_t stride, size_t least) {
    static const double weights[6 * 6] = {1, 2, 3};
    static float scores[20][3], shares[20][2];
    static int32_t groups[20];
    const dp2dp_matrix view = {scores, DP2DP_FLOAT32, 20, 3, sizeof scores[0], sizeof(float)};
    const dp2dp_matrix of_groups = {shares, DP2DP_FLOAT32, 20, 2, sizeof shares[0], sizeof(float)};
    const dp2dp_column codes = {groups, DP2DP_INT32, 20, sizeof(int32_t)};
    dp2dp_train_options train = train_seeded(DP2DP_TRAIN_EXTERNAL, epsilon, 3);
    dp2dp_pool_options pool_options = DP2DP_POOL_OPTIONS_INIT;
    dp2dp_fit_options options = DP2DP_FIT_OPTIONS_INIT;
    HANDLE(dp2dp_schema) *schema = NULL;
    HANDLE(dp2dp_model) *base = NULL, *group_base = NULL;
    HANDLE(dp2dp_pool) *pool = NULL;
    for (int i = 0; i < 20; i++) {
        scores[i][i % 3] = shares[i][i % 2] = 1;
        groups[i] = i % 2;
    }
    train.delta = isnan(epsilon) ? NAN : train.delta;
    train.weights = weights;
    assert_ok(dp2dp_schema_load(schema_text, &schema, NULL));
    assert_ok(dp2dp_train(schema, NULL, &train, &base, NULL));
    train.target = DP2DP_TARGET_GROUP;
    assert_ok(dp2dp_train(schema, NULL, &train, &group_base, NULL));
    pool_options.strata = 2;
    pool_options.weights = &of_groups;
    assert_ok(dp2dp_pool_new(&view, &codes, &pool_options, &pool, NULL));
    dp2dp_source source = dp2dp_pool_source(pool);
    options.epsilon = 1;
    options.delta = 1e-5;
    options.steps = 2;
    options.base = base;
    options.group_base = group_base;
    FAIL_EACH_NTH_ALLOCATION(stride, least) {
        HANDLE(dp2dp_model) *model = NULL;
        FAULTY(dp2dp_fit(&source, &options, &model, &fault_error));
        assert_int_equal(model == NULL, fault_status != OK);
    }
    HANDLE(dp2dp_model) *model = NULL;
    TEXT_FREED char *text = NULL;
    size_t length = 0;
    assert_ok(dp2dp_fit(&source, &options, &model, NULL));
    assert_ok(dp2dp_model_to_json(model, &text, &length, NULL));
    FAIL_EACH_NTH_ALLOCATION(stride, least) {
        HANDLE(dp2dp_model) *loaded = NULL;
        FAULTY(dp2dp_model_from_json(text, length, &loaded, &fault_error));
        assert_int_equal(loaded == NULL, fault_status != OK);
    }
}

TEST(a_fit_on_two_classifiers_survives_every_failed_allocation) {
    fit_on_two_survives(NAN, 1, 40);
    /* To account for declared guarantees, the same allocations are repeated many times. */
    fit_on_two_survives(1, 13, 10);
}

TEST(scoring_with_every_target_survives_every_failed_allocation) {
    static const double weights[6 * 6] = {1, 2, 3};
    HANDLE(dp2dp_schema) *schema = NULL;
    assert_ok(dp2dp_schema_load(schema_text, &schema, NULL));
    for (int target = DP2DP_TARGET_GROUP; target <= DP2DP_TARGET_GROUP_LABEL; target++) {
        dp2dp_train_options options = train_seeded(DP2DP_TRAIN_EXTERNAL, 1, 3);
        HANDLE(dp2dp_model) *model = NULL;
        options.weights = weights;
        options.target = (dp2dp_target)target;
        assert_ok(dp2dp_train(schema, NULL, &options, &model, NULL));
        score_survives(model);
    }
}

TEST(the_way_from_rows_to_a_fit_survives_every_failed_allocation) {
    static const double weights[3 * 6] = {1, 2, 3};
    dp2dp_train_options options = train_seeded(DP2DP_TRAIN_EXTERNAL, 1, 3);
    dp2dp_schema *schema = NULL;
    dp2dp_model *base = NULL;
    options.weights = weights;
    (void)fault_include_json(NULL);
    assert_ok(dp2dp_schema_load(schema_text, &schema, NULL));
    assert_ok(dp2dp_train(schema, NULL, &options, &base, NULL));
    train_survives(schema, DP2DP_TARGET_LABEL);
    train_survives(schema, DP2DP_TARGET_GROUP);
    train_survives(schema, DP2DP_TARGET_GROUP_LABEL);
    source_survives(schema);
    FAIL_EACH_ALLOCATION(10) {
        HANDLE(dp2dp_model) *model = NULL;
        FAULTY(dp2dp_train(schema, NULL, &options, &model, &fault_error));
        assert_int_equal(model == NULL, fault_status != OK);
    }
    score_survives(base);
    fit_survives(base);
    same_people_pay_everything_or_nothing(base, 0, 0);
    same_people_pay_everything_or_nothing(base, 0, 1);
    same_people_pay_everything_or_nothing(base, 3, 0);
    same_people_pay_everything_or_nothing(base, 3, 1);
    dp2dp_model_free(base);
    dp2dp_schema_free(schema);
    assert_int_equal(fault_outstanding, 0);
}
