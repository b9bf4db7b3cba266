/* A value outside the bounds of its option is refused, and the message names the option. */
#include "unit/option_bounds.h"
#include "unit/phase2/data.h"

static void option_refused(const dp2dp_fit_options *options, const char *name) {
    OWNED(people) p = people_favoured(100, 3, 2, 68);
    HANDLE(dp2dp_pool) *pool = pool_of(&p);
    dp2dp_source source = dp2dp_pool_source(pool);
    dp2dp_model *model = (dp2dp_model *)&source;
    assert_fails(dp2dp_fit(&source, options, &model, &test_error), ARGUMENT, name);
    assert_null(model);
    assert_status(dp2dp_fit(&source, options, NULL, NULL), ARGUMENT);
}

TEST(numbers_outside_their_bounds_or_not_numbers_are_refused_by_name) {
    size_t count;
    const dp2dp_option *table = dp2dp_options(DP2DP_STRUCT_FIT_OPTIONS, &count);
    for (const dp2dp_option *o = table; o < table + count; o++) {
        double wrong[4];
        int n = option_wrong(o, wrong);
        for (int i = 0; i < n; i++) {
            dp2dp_fit_options options = seeded(1, 1);
            if (isnan(wrong[i])) { /* scores_epsilon and scores_delta must be given together */
                options.scores_epsilon = 1;
                options.scores_delta = 1e-6;
            }
            dp2dpi_option_set(o, &options, wrong[i]);
            option_refused(&options, o->name);
        }
    }
}

TEST(epsilon_and_delta_must_be_chosen) {
    dp2dp_fit_options options = DP2DP_FIT_OPTIONS_INIT;
    assert_true(isnan(options.epsilon) && isnan(options.delta));
    option_refused(&options, "epsilon");
    options.epsilon = 1;
    option_refused(&options, "delta");
    static const double deltas[3] = {0, 1, -0.1};
    for (int i = 0; i < 3; i++) {
        options.delta = deltas[i];
        option_refused(&options, "delta");
    }
    options = seeded(0, 1);
    option_refused(&options, "epsilon");
    options = seeded(1, 1);
    options.solver = (dp2dp_solver)99;
    option_refused(&options, "solver");
    options = seeded(1, 1);
    options.rng = (dp2dp_rng_kind)99;
    option_refused(&options, "rng");
    options = seeded(1, 1);
    options.struct_size--;
    option_refused(&options, "DP2DP_FIT_OPTIONS_INIT");
}
