/* Tests certificates for people of whom some are left out. */
#include "unit/phase2/data.h"

#include <dp2dp/metrics.h>

enum {
    N = 6000,
    CELLS = 4
};

static people sample(int leave_out) {
    people p = people_random(N, 2, 2, 1U << 20, 3);
    for (size_t i = 0; i < N; i += 5) {
        p.group[i] = leave_out ? -1 : p.group[i];
    }
    return p;
}

static dp2dp_certificate certify(const dp2dp_source *source, const dp2dp_model *model,
                                 dp2dp_ledger *ledger, double *table) {
    dp2dp_certify_options options = DP2DP_CERTIFY_OPTIONS_INIT;
    dp2dp_certificate found = DP2DP_CERTIFICATE_INIT;
    options.epsilon = 2;
    options.delta = 1e-6;
    options.ledger = ledger;
    options.rng = DP2DP_RNG_INSECURE;
    options.insecure_seed = 11;
    found.table = table;
    assert_ok(dp2dp_certify(source, model, &options, &found, &test_error));
    HANDLE(dp2dp_ledger) *planned = new_ledger();
    options.ledger = NULL;
    assert_ok(dp2dp_certify_plan(source, model, &options, planned, &test_error));
    dp2dp_event charged = DP2DP_EVENT_INIT, plan = DP2DP_EVENT_INIT;
    dp2dp_rng_kind rng;
    assert_ok(dp2dp_ledger_entry(ledger, 0, &charged, &rng, NULL));
    assert_ok(dp2dp_ledger_entry(planned, 0, &plan, &rng, NULL));
    assert_int_equal(plan.coordinates, charged.coordinates);
    assert_int_equal(charged.coordinates, CELLS + source->leaves_out);
    assert_true(plan.sigma == charged.sigma);
    return found;
}

/* The table has one more noisy cell, which the bounds do not use. */
TEST(those_left_out_are_one_more_cell_of_the_certificate) {
    OWNED(people) p = sample(1), all = sample(0);
    dp2dp_pool_options options = DP2DP_POOL_OPTIONS_INIT;
    dp2dp_fit_options fit = noiseless(0.05);
    HANDLE(dp2dp_model) *model = fit_people(&all, &fit);
    HANDLE(dp2dp_ledger) *ledger = new_ledger();
    options.leaves_out = 1;
    HANDLE(dp2dp_pool) *pool = pool_with(&p, options);
    dp2dp_source source = dp2dp_pool_source(pool);
    float offsets[CELLS];
    int64_t counts[CELLS + 1];
    double table[CELLS];
    for (int i = 0; i < CELLS; i++) {
        offsets[i] = (float)dp2dp_model_view(model)->offsets[i];
    }
    dp2dp_certificate found = certify(&source, model, ledger, table);
    assert_int_equal(source.count(source.context, offsets, counts, NULL), OK);
    for (int i = 0; i < CELLS; i++) {
        assert_near(table[i], (double)counts[i], 6 * found.sigma);
    }
    assert_int_equal(counts[CELLS], N / 5);
    assert_true(found.unfairness_upper > 0 && found.unfairness_upper < 0.2);
    assert_int_equal(found.warnings, DP2DP_WARNING_AS_MANY_PEOPLE);
}

TEST(a_certificate_may_be_about_people_who_are_all_left_out) {
    OWNED(people) p = sample(1), all = sample(0);
    dp2dp_pool_options options = DP2DP_POOL_OPTIONS_INIT;
    dp2dp_fit_options fit = noiseless(0.05);
    HANDLE(dp2dp_model) *model = fit_people(&all, &fit);
    HANDLE(dp2dp_ledger) *ledger = new_ledger();
    for (size_t i = 0; i < N; i++) {
        p.group[i] = -1;
    }
    options.leaves_out = 1;
    HANDLE(dp2dp_pool) *pool = pool_with(&p, options);
    dp2dp_source source = dp2dp_pool_source(pool);
    double table[CELLS];
    dp2dp_certificate found = certify(&source, model, ledger, table);
    assert_true(found.unfairness_upper == 1 && found.group_too_small);
    assert_true(found.warnings & DP2DP_WARNING_MOST_LEFT_OUT);
}

/* A pool writes as many cells as it has, so its source must say so. */
TEST(a_source_with_other_sizes_than_its_pool_is_not_certified) {
    OWNED(people) p = sample(1), all = sample(0);
    dp2dp_pool_options options = DP2DP_POOL_OPTIONS_INIT;
    dp2dp_fit_options fit = noiseless(0.05);
    HANDLE(dp2dp_model) *model = fit_people(&all, &fit);
    HANDLE(dp2dp_ledger) *ledger = new_ledger(), *planned = new_ledger();
    options.leaves_out = 1;
    HANDLE(dp2dp_pool) *pool = pool_with(&p, options);
    dp2dp_certify_options certify = DP2DP_CERTIFY_OPTIONS_INIT;
    dp2dp_certificate found = DP2DP_CERTIFICATE_INIT;
    certify.epsilon = 2;
    certify.delta = 1e-6;
    certify.ledger = ledger;
    for (int which = 0; which < 3; which++) {
        dp2dp_source source = dp2dp_pool_source(pool);
        source.leaves_out = which != 0;
        source.strata += which == 1;
        source.records -= which == 2;
        assert_fails(dp2dp_certify(&source, model, &certify, &found, &test_error), ARGUMENT,
                     "dp2dp_pool_fill_source");
        assert_fails(dp2dp_certify_plan(&source, model, &certify, planned, &test_error), ARGUMENT,
                     "dp2dp_pool_fill_source");
    }
    assert_int_equal(dp2dp_ledger_size(ledger), 0);
}
