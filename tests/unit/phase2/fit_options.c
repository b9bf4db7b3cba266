/* Every option of a fit is refused by name outside the bounds of fit.def. */
#include "unit/phase2/data.h"

static void option_refused(const dp2dp_fit_options *options, const char *name) {
    people p = people_favoured(100, 3, 2, 68);
    dp2dp_pool *pool = pool_of(&p);
    dp2dp_source source = dp2dp_pool_source(pool);
    dp2dp_model *model = (dp2dp_model *)&source;
    dp2dp_error error = {0};
    dp2dp_status status = dp2dp_fit(&source, options, &model, &error);
    if (status != DP2DP_STATUS_ARGUMENT || strstr(error.message, name) == NULL) {
        fail_msg("%s: status %d, '%s'", name, (int)status, error.message);
    }
    assert_null(model);
    assert_int_equal(dp2dp_fit(&source, options, NULL, NULL), DP2DP_STATUS_ARGUMENT);
    dp2dp_pool_free(pool);
    people_free(&p);
}

TEST(numbers_outside_their_bounds_are_refused_by_name) {
    dp2dp_fit_options options;
#define DP2DP_FIT_NUMBER(name, default_value, min, max, help)  \
    options = seeded(1, 1);                                    \
    options.name = nextafter(min, -1e9) - 1e-9;                \
    option_refused(&options, #name);                           \
    options.name = isinf(max) ? -1 : nextafter(max, INFINITY); \
    option_refused(&options, #name);                           \
    options.name = -INFINITY;                                  \
    option_refused(&options, #name);
#define DP2DP_FIT_COUNT(name, default_value, min, max, help) \
    options = seeded(1, 1);                                  \
    options.name = (max) + 1;                                \
    option_refused(&options, #name);                         \
    options.name = UINT64_MAX;                               \
    option_refused(&options, #name);
#include <dp2dp/fit.def>
#undef DP2DP_FIT_NUMBER
#undef DP2DP_FIT_COUNT
}

TEST(what_is_not_a_number_is_refused_by_name) {
    dp2dp_fit_options options;
#define DP2DP_FIT_NUMBER(name, default_value, min, max, help) \
    options = seeded(1, 1);                                   \
    options.scores_epsilon = 1;                               \
    options.scores_delta = 1e-6;                              \
    options.name = NAN;                                       \
    option_refused(&options, #name);
#define DP2DP_FIT_COUNT(name, default_value, min, max, help)
#include <dp2dp/fit.def>
#undef DP2DP_FIT_NUMBER
#undef DP2DP_FIT_COUNT
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
    option_refused(&options, "options");
}
