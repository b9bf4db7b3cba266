/* The sgd solvers: if any allocation fails, nothing leaks, no model is returned, and the ledger has
 * all entries of the fit or none. */
#include "fault/fault_alloc.h"

#include "unit/phase2/data.h"

static void expect_model_or_nothing(dp2dp_solver solver, double epsilon, uint64_t group_least,
                                    size_t entries, size_t stride, size_t least) {
    OWNED(people) crowd = people_favoured(400, 3, 2, 2);
    HANDLE(dp2dp_pool) *pool = pool_of(&crowd);
    dp2dp_source source = dp2dp_pool_source(pool);
    dp2dp_fit_options options = seeded(epsilon, 3);
    options.solver = solver;
    options.steps = 3;
    options.batch = 20;
    options.group_least = group_least;
    FAIL_EACH_NTH_ALLOCATION(stride, least) {
        HANDLE(dp2dp_model) *model = (dp2dp_model *)&source;
        HANDLE(dp2dp_ledger) *ledger = new_ledger();
        options.ledger = ledger;
        FAULTY(dp2dp_fit(&source, &options, &model, &fault_error));
        assert_int_equal(model == NULL, fault_status != OK);
        size_t size = dp2dp_ledger_size(ledger);
        assert_true(size == 0 || size == entries);
        assert_true(fault_status != OK || size == entries);
    }
}

TEST(a_fit_by_sgd_gives_a_model_or_nothing) {
    expect_model_or_nothing(DP2DP_SOLVER_SGD, 1, 0, 2, 7, 10);
    expect_model_or_nothing(DP2DP_SOLVER_SGD, INFINITY, 0, 1, 1, 10);
}

TEST(a_fit_as_published_gives_a_model_or_nothing) {
    expect_model_or_nothing(DP2DP_SOLVER_SGD_AS_PUBLISHED, 5, 100, 3, 11, 10);
    expect_model_or_nothing(DP2DP_SOLVER_SGD_AS_PUBLISHED, 1, 0, 2, 3, 10);
    expect_model_or_nothing(DP2DP_SOLVER_SGD_AS_PUBLISHED, INFINITY, 0, 1, 1, 5);
}
