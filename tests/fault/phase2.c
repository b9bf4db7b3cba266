/* Phase 2: if any allocation fails, nothing leaks and no incomplete object is returned. */
#include "fault/fault_alloc.h"

#include "unit/phase2/data.h"

static people sixty_people(void) {
    return people_random(60, 3, 2, 1U << 20, 1);
}

TEST(a_pool_is_whole_or_not_made) {
    OWNED(people) crowd = sixty_people();
    dp2dp_pool_options options = DP2DP_POOL_OPTIONS_INIT;
    dp2dp_matrix scores = scores_of(&crowd);
    dp2dp_column groups = groups_of(&crowd);
    options.strata = crowd.groups;
    options.threads = 1;
    FAIL_EACH_ALLOCATION(5) {
        HANDLE(dp2dp_pool) *pool = (dp2dp_pool *)&pool;
        FAULTY(dp2dp_pool_new(&scores, &groups, &options, &pool, &fault_error));
        assert_int_equal(pool == NULL, fault_status != OK);
    }
}

TEST(a_count_of_a_part_leaves_nothing_behind) {
    OWNED(people) crowd = sixty_people();
    dp2dp_pool_options options = DP2DP_POOL_OPTIONS_INIT;
    dp2dp_matrix scores = scores_of(&crowd);
    dp2dp_column groups = groups_of(&crowd);
    float offsets[6] = {0};
    int64_t table[6];
    options.strata = crowd.groups;
    options.threads = 1;
    FAIL_EACH_ALLOCATION(5) {
        FAULTY(dp2dp_count(&scores, &groups, &options, offsets, table, &fault_error));
    }
}

static void expect_model_or_nothing(const people *crowd, const dp2dp_fit_options *options,
                                    size_t least) {
    HANDLE(dp2dp_pool) *pool = pool_of(crowd);
    dp2dp_source source = dp2dp_pool_source(pool);
    FAIL_EACH_ALLOCATION(least) {
        HANDLE(dp2dp_model) *model = (dp2dp_model *)&source;
        FAULTY(dp2dp_fit(&source, options, &model, &fault_error));
        assert_int_equal(model == NULL, fault_status != OK);
    }
}

/* Charges come first: whether the ledger got both or none, it stays usable. */
static void expect_a_usable_ledger(const people *crowd, dp2dp_fit_options options) {
    HANDLE(dp2dp_pool) *pool = pool_of(crowd);
    dp2dp_source source = dp2dp_pool_source(pool);
    options.rng = DP2DP_RNG_SECURE;
    FAIL_EACH_ALLOCATION(10) {
        HANDLE(dp2dp_model) *model = (dp2dp_model *)&source;
        HANDLE(dp2dp_ledger) *ledger = options.ledger = new_ledger();
        HANDLE(dp2dp_accountant) *accountant = NULL;
        double epsilon = 0;
        assert_ok(dp2dp_ledger_set_budget(ledger, 2, 1e-5, NULL));
        FAULTY(dp2dp_fit(&source, &options, &model, &fault_error));
        assert_int_equal(model == NULL, fault_status != OK);
        assert_true(charges_in(ledger) == 0 || charges_in(ledger) == 2);
        assert_true(fault_status != OK || charges_in(ledger) == 2);
        assert_ok(dp2dp_ledger_account(ledger, &accountant, NULL));
        assert_ok(
            dp2dp_accountant_epsilon(accountant, 1e-5, DP2DP_BACKEND_AUTO, &epsilon, NULL, NULL));
        assert_true(epsilon <= 1);
    }
}

TEST(a_fit_by_counts_gives_a_model_or_nothing) {
    OWNED(people) crowd = sixty_people();
    dp2dp_fit_options private = seeded(1, 3), free_of_noise = noiseless(0.1);
    private.steps = free_of_noise.steps = 3;
    expect_model_or_nothing(&crowd, &private, 10);
    expect_a_usable_ledger(&crowd, private);
    expect_model_or_nothing(&crowd, &free_of_noise, 5);
}

TEST(a_fit_of_cells_gives_a_model_or_nothing) {
    OWNED(people) crowd = sixty_people();
    uint64_t times[60];
    dp2dp_pool_options options = DP2DP_POOL_OPTIONS_INIT;
    dp2dp_matrix scores = scores_of(&crowd);
    dp2dp_column groups = groups_of(&crowd);
    dp2dp_fit_options exact = noiseless(0.1);
    for (size_t i = 0; i < crowd.n; i++) {
        times[i] = 1 + i % 3;
    }
    options.strata = crowd.groups;
    options.threads = 1;
    options.multiplicity = times;
    FAIL_EACH_ALLOCATION(6) {
        HANDLE(dp2dp_pool) *pool = (dp2dp_pool *)&pool;
        FAULTY(dp2dp_pool_new(&scores, &groups, &options, &pool, &fault_error));
        assert_int_equal(pool == NULL, fault_status != OK);
    }
    HANDLE(dp2dp_pool) *cells = pool_with(&crowd, options);
    dp2dp_source source = dp2dp_pool_source(cells);
    exact.solver = DP2DP_SOLVER_EXACT;
    FAIL_EACH_ALLOCATION(10) {
        HANDLE(dp2dp_model) *model = (dp2dp_model *)&source;
        FAULTY(dp2dp_fit(&source, &exact, &model, &fault_error));
        assert_int_equal(model == NULL, fault_status != OK);
    }
}

TEST(a_plan_is_charged_as_a_whole_or_not_at_all) {
    dp2dp_fit_options options = seeded(1, 1);
    dp2dp_source source = source_of(60, 2, 3, NULL, NULL);
    FAIL_EACH_ALLOCATION(5) {
        HANDLE(dp2dp_ledger) *ledger = new_ledger();
        FAULTY(dp2dp_fit_plan(&source, &options, ledger, &fault_error));
        assert_int_equal(dp2dp_ledger_size(ledger), fault_status == OK ? 2 : 0);
    }
}

/* Two classes and two groups are solved by sorting, more of them by the dual method. */
TEST(an_exact_fit_gives_a_model_or_nothing) {
    OWNED(people) many = sixty_people();
    OWNED(people) two = people_random(60, 2, 2, 1U << 20, 3);
    dp2dp_fit_options options = noiseless(0.1);
    options.solver = DP2DP_SOLVER_EXACT;
    expect_model_or_nothing(&many, &options, 5);
    expect_model_or_nothing(&two, &options, 5);
    options.people_name = "june"; /* the model's own ledger has an exposed entry */
    expect_model_or_nothing(&two, &options, 5);
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
    OWNED(people) crowd = sixty_people();
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

enum {
    POOL_ARRAYS = 4 /* allocations of a pool before the scores are copied */
};

static int32_t *changing;
static int32_t other_group;

/* After the pool has counted its 60 people in two groups, one of them moves to the other group or
 * gets a code that is no group. */
static void change_groups(size_t now) {
    if (now == POOL_ARRAYS) {
        changing[0] = other_group;
    }
}

TEST(groups_that_change_meanwhile_are_refused) {
    OWNED(people) crowd = sixty_people();
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
        assert_says(fault_error.message, "changed while they were being read");
        memcpy(changing, kept, sizeof kept);
    }
    assert_int_equal(fault_outstanding, 0);
}

static uint64_t times_changing[60], first_time, last_time;

static void change_multiplicities(size_t now) {
    if (now == POOL_ARRAYS) {
        times_changing[0] = first_time;
        times_changing[59] = last_time;
    }
}

/* Modulo 2^64, the new multiplicities have the same sum as the old ones, or a smaller sum. */
TEST(multiplicities_that_change_meanwhile_are_refused) {
    OWNED(people) crowd = sixty_people();
    dp2dp_matrix scores = scores_of(&crowd);
    dp2dp_column groups = groups_of(&crowd);
    const uint64_t half = UINT64_C(1) << 63;
    const uint64_t to[][2] = {{half, half + 2}, {half, half}, {1, 2}, {UINT64_MAX, 3}};
    for (size_t i = 0; i < 8; i++) {
        dp2dp_pool_options options = DP2DP_POOL_OPTIONS_INIT;
        dp2dp_pool *pool = (dp2dp_pool *)&pool;
        for (size_t row = 0; row < crowd.n; row++) {
            times_changing[row] = 1;
        }
        first_time = to[i / 2][0];
        last_time = to[i / 2][1];
        options.strata = crowd.groups;
        options.leaves_out = i % 2;
        options.multiplicity = times_changing;
        fault_arm(SIZE_MAX, FAULT_ONCE);
        fault_meanwhile = change_multiplicities;
        assert_status(dp2dp_pool_new(&scores, &groups, &options, &pool, &fault_error), DATA);
        fault_meanwhile = NULL;
        assert_null(pool);
        assert_says(fault_error.message, "changed while they were being read");
    }
    assert_int_equal(fault_outstanding, 0);
}
