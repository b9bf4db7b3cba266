/* The sgd solvers: whatever allocation fails, nothing leaks, nothing half-made is handed out, and
 * a ledger has all entries of a fit or none. */
#include "fault/fault_alloc.h"

#include "unit/phase2/data.h"

static people crowd;

static dp2dp_status fit(size_t at, fault_mode how, dp2dp_solver solver, double epsilon,
                        uint64_t group_least, size_t entries) {
    dp2dp_fit_options options = seeded(epsilon, 3);
    dp2dp_pool *pool = pool_of(&crowd);
    dp2dp_source source = dp2dp_pool_source(pool);
    dp2dp_model *model = (dp2dp_model *)&source;
    options.solver = solver;
    options.steps = 3;
    options.batch = 20;
    options.group_least = group_least;
    assert_ok(dp2dp_ledger_new(DP2DP_REPLACE_ONE, &options.ledger, NULL));
    fault_arm(at, how);
    dp2dp_status status = dp2dp_fit(&source, &options, &model, &fault_error);
    fault_disarm();
    assert_int_equal(model == NULL, status != OK);
    size_t size = dp2dp_ledger_size(options.ledger);
    assert_true(size == 0 || size == entries);
    assert_true(status != OK || size == entries);
    dp2dp_model_free(model);
    dp2dp_ledger_free(options.ledger);
    dp2dp_pool_free(pool);
    return status;
}

static dp2dp_status fit_sgd(size_t at, fault_mode how) {
    return fit(at, how, DP2DP_SOLVER_SGD, 1, 0, 2);
}

static dp2dp_status fit_sgd_noiseless(size_t at, fault_mode how) {
    return fit(at, how, DP2DP_SOLVER_SGD, INFINITY, 0, 0);
}

static dp2dp_status fit_published(size_t at, fault_mode how) {
    return fit(at, how, DP2DP_SOLVER_SGD_AS_PUBLISHED, 5, 100, 3);
}

static dp2dp_status fit_published_unbounded(size_t at, fault_mode how) {
    return fit(at, how, DP2DP_SOLVER_SGD_AS_PUBLISHED, 1, 0, 2);
}

static dp2dp_status fit_published_noiseless(size_t at, fault_mode how) {
    return fit(at, how, DP2DP_SOLVER_SGD_AS_PUBLISHED, INFINITY, 0, 0);
}

TEST(a_fit_by_sgd_gives_a_model_or_nothing) {
    assert_true(fault_every_nth_allocation(7, fit_sgd) >= 10);
    assert_true(fault_every_allocation(fit_sgd_noiseless) >= 10);
}

TEST(a_fit_as_published_gives_a_model_or_nothing) {
    assert_true(fault_every_nth_allocation(11, fit_published) >= 10);
    assert_true(fault_every_nth_allocation(3, fit_published_unbounded) >= 10);
    assert_true(fault_every_allocation(fit_published_noiseless) >= 5);
}

FIXTURE(begin) {
    crowd = people_favoured(400, 3, 2, 2);
    return 0;
}

FIXTURE(end) {
    people_free(&crowd);
    return 0;
}

GROUP(begin, end)
