/* Phase 2: whatever allocation fails, nothing leaks and nothing half-made is handed out. */
#include "fault/fault_alloc.h"

#include "unit/phase2/data.h"

static people crowd;

static dp2dp_status make_pool(size_t at, fault_mode how) {
    dp2dp_pool_options options = DP2DP_POOL_OPTIONS_INIT;
    dp2dp_matrix scores = scores_of(&crowd);
    dp2dp_column groups = groups_of(&crowd);
    HANDLE(dp2dp_pool) *pool = (dp2dp_pool *)&pool;
    options.strata = crowd.groups;
    options.threads = 1;
    fault_arm(at, how);
    dp2dp_status status = dp2dp_pool_new(&scores, &groups, &options, &pool, &fault_error);
    assert_int_equal(pool == NULL, status != OK);
    return status;
}

static dp2dp_status fit(size_t at, fault_mode how, const dp2dp_fit_options *options) {
    HANDLE(dp2dp_pool) *pool = pool_of(&crowd);
    dp2dp_source source = dp2dp_pool_source(pool);
    HANDLE(dp2dp_model) *model = (dp2dp_model *)&source;
    fault_arm(at, how);
    dp2dp_status status = dp2dp_fit(&source, options, &model, &fault_error);
    assert_int_equal(model == NULL, status != OK);
    return status;
}

static dp2dp_status fit_counts(size_t at, fault_mode how) {
    dp2dp_fit_options options = seeded(1, 3);
    options.steps = 3;
    return fit(at, how, &options);
}

/* Charges come first: with both in the ledger, or one, or none, the ledger itself stays usable. */
static dp2dp_status fit_counts_on_a_ledger(size_t at, fault_mode how) {
    dp2dp_fit_options options = seeded(1, 3);
    double epsilon = 0;
    dp2dp_accountant *accountant = NULL;
    options.steps = 3;
    options.rng = DP2DP_RNG_SECURE;
    assert_ok(dp2dp_ledger_new(DP2DP_REPLACE_ONE, &options.ledger, NULL));
    assert_ok(dp2dp_ledger_set_budget(options.ledger, 2, 1e-5, NULL));
    dp2dp_status status = fit(at, how, &options);
    fault_disarm();
    assert_true(dp2dp_ledger_size(options.ledger) <= 2);
    assert_true(status != OK || dp2dp_ledger_size(options.ledger) == 2);
    assert_ok(dp2dp_ledger_account(options.ledger, &accountant, NULL));
    assert_ok(dp2dp_accountant_epsilon(accountant, 1e-5, DP2DP_BACKEND_AUTO, &epsilon, NULL, NULL));
    assert_true(epsilon <= 1);
    dp2dp_accountant_free(accountant);
    dp2dp_ledger_free(options.ledger);
    return status;
}

static dp2dp_status fit_noiseless(size_t at, fault_mode how) {
    dp2dp_fit_options options = noiseless(0.1);
    options.steps = 3;
    return fit(at, how, &options);
}

static dp2dp_status fit_exact(size_t at, fault_mode how) {
    dp2dp_fit_options options = noiseless(0.1);
    options.solver = DP2DP_SOLVER_EXACT;
    return fit(at, how, &options);
}

/* Two classes and two groups are solved by sorting. */
static dp2dp_status fit_exact_binary(size_t at, fault_mode how) {
    people many = crowd;
    people two = people_random(60, 2, 2, 1U << 20, 3);
    crowd = two;
    dp2dp_status status = fit_exact(at, how);
    crowd = many;
    people_free(&two);
    return status;
}

/* Both entries of the plan or none. */
static dp2dp_status plan_counts(size_t at, fault_mode how) {
    dp2dp_fit_options options = seeded(1, 1);
    dp2dp_source source = source_of(60, 2, 3, NULL, NULL);
    dp2dp_ledger *ledger = NULL;
    assert_ok(dp2dp_ledger_new(DP2DP_REPLACE_ONE, &ledger, NULL));
    fault_arm(at, how);
    dp2dp_status status = dp2dp_fit_plan(&source, &options, ledger, &fault_error);
    fault_disarm();
    assert_int_equal(dp2dp_ledger_size(ledger), status == OK ? 2 : 0);
    dp2dp_ledger_free(ledger);
    return status;
}

TEST(a_pool_is_whole_or_not_made) {
    assert_true(fault_every_allocation(make_pool) >= 5);
}

TEST(a_fit_by_counts_gives_a_model_or_nothing) {
    assert_true(fault_every_allocation(fit_counts) >= 10);
    assert_true(fault_every_allocation(fit_counts_on_a_ledger) >= 10);
    assert_true(fault_every_allocation(fit_noiseless) >= 5);
}

TEST(a_plan_is_charged_as_a_whole_or_not_at_all) {
    assert_true(fault_every_allocation(plan_counts) >= 5);
}

TEST(an_exact_fit_gives_a_model_or_nothing) {
    assert_true(fault_every_allocation(fit_exact) >= 5);
    assert_true(fault_every_allocation(fit_exact_binary) >= 5);
}

TEST(refused_data_leave_nothing_behind) {
    OWNED(people) bad = people_random(20, 3, 2, 8, 2);
    dp2dp_pool_options options = DP2DP_POOL_OPTIONS_INIT;
    dp2dp_matrix scores = scores_of(&bad);
    dp2dp_column groups = groups_of(&bad);
    dp2dp_pool *pool = NULL;
    long before = fault_outstanding;
    options.strata = 2;
    bad.scores[5] = NAN;
    assert_status(dp2dp_pool_new(&scores, &groups, &options, &pool, NULL), DATA);
    assert_null(pool);
    assert_int_equal(fault_outstanding, before);
}

TEST(counting_and_predicting_allocate_nothing) {
    dp2dp_fit_options options = noiseless(0);
    dp2dp_model *model = fit_people(&crowd, &options);
    dp2dp_pool *pool = pool_of(&crowd);
    dp2dp_source source = dp2dp_pool_source(pool);
    dp2dp_matrix scores = scores_of(&crowd);
    dp2dp_column groups = groups_of(&crowd);
    float offsets[6] = {0};
    int64_t table[6];
    int32_t decision[60];
    fault_arm(0, FAULT_FROM_THEN_ON);
    assert_int_equal(source.count(source.context, offsets, table, NULL), OK);
    assert_ok(dp2dp_model_predict(model, &scores, &groups, NULL, decision, NULL));
    assert_int_equal(fault_seen, 0);
    fault_disarm();
    dp2dp_model_free(model);
    dp2dp_pool_free(pool);
    assert_int_equal(fault_outstanding, 0);
}

static int32_t *changing;
static int32_t other_group;

/* Of 60 people in two groups one comes to the other group, or to none, once all are counted. */
static void change_groups(size_t now) {
    enum {
        POOL_ARRAYS = 4 /* before the copy of the scores */
    };
    if (now == POOL_ARRAYS) {
        changing[0] = other_group;
    }
}

TEST(groups_that_change_meanwhile_are_refused) {
    dp2dp_matrix scores = scores_of(&crowd);
    dp2dp_column groups = groups_of(&crowd);
    const int32_t to[] = {1, 0, -1, 2, INT32_MAX};
    for (size_t i = 0; i < 10; i++) {
        dp2dp_pool_options options = DP2DP_POOL_OPTIONS_INIT;
        dp2dp_pool *pool = (dp2dp_pool *)&pool;
        int32_t kept[60];
        options.strata = crowd.groups;
        options.row_sums = i % 2 ? DP2DP_ROW_SUMS_NORMALIZE : DP2DP_ROW_SUMS_CHECK;
        changing = (int32_t *)groups.data;
        memcpy(kept, changing, sizeof kept);
        other_group = to[i / 2] == kept[0] ? 1 - kept[0] : to[i / 2];
        fault_arm(SIZE_MAX, FAULT_ONCE);
        fault_meanwhile = change_groups;
        assert_status(dp2dp_pool_new(&scores, &groups, &options, &pool, &fault_error), DATA);
        fault_meanwhile = NULL;
        assert_null(pool);
        assert_says(fault_error.message, "changed while they were read");
        memcpy(changing, kept, sizeof kept);
    }
    assert_int_equal(fault_outstanding, 0);
}

FIXTURE(begin) {
    crowd = people_random(60, 3, 2, 1U << 20, 1);
    return 0;
}

FIXTURE(end) {
    people_free(&crowd);
    return 0;
}

GROUP(begin, end)
