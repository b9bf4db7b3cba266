/* The facts that a fit writes into its model. The model normalises and dithers scores as its pool
 * did. */
#include <dp2dp/version.h>

#include "unit/phase2/data.h"

static dp2dp_pool *changed_pool(const people *p, dp2dp_row_sums row_sums, dp2dp_dither dither) {
    dp2dp_pool_options options = DP2DP_POOL_OPTIONS_INIT;
    options.row_sums = row_sums;
    options.dither = dither;
    return pool_with(p, options);
}

/* There are three score levels. One group has 1/3 of its members at each, the other 1/2, 1/4 and
 * 1/4. Without a dither only thresholds that give everybody the same class are fair. */
TEST(a_dither_breaks_ties_in_the_fit_and_in_predict_alike) {
    OWNED(people) p = people_new(6000, 2, 2);
    uint64_t seed = 41;
    for (size_t i = 0; i < p.n; i++) {
        p.group[i] = (int32_t)(draw(&seed) % 2);
        uint64_t step = draw(&seed) % (p.group[i] ? 3 : 4);
        double level = 0.25 * (double)(1 + (step < 3 ? step : 0));
        people_set(&p, i, (double[]) {level, 1 - level});
    }
    double unfairness[2];
    for (int dithered = 0; dithered < 2; dithered++) {
        dp2dp_dither dither = {dithered ? 0.3 : 0.0, 7};
        HANDLE(dp2dp_pool) *pool = changed_pool(&p, DP2DP_ROW_SUMS_CHECK, dither);
        dp2dp_source source = dp2dp_pool_source(pool);
        dp2dp_fit_options options = noiseless(0.0);
        HANDLE(dp2dp_model) *model = fit_source(&source, &options);
        assert_true(dp2dp_model_view(model)->dither.width == dither.width);
        assert_int_equal(dp2dp_model_view(model)->dither.seed, 7);
        unfairness[dithered] = unfairness_of(model, &p, NULL);
        assert_decisions_are_the_counts(model, pool, &p);
    }
    assert_true(unfairness[0] > 0.05);
    assert_true(unfairness[1] < 0.02);
}

/* The dither depends on the position of a row in the whole table, not in the piece that is decided.
 */
TEST(a_table_in_pieces_gets_the_same_decisions) {
    OWNED(people) p = people_random(3000, 3, 2, 4, 42);
    HANDLE(dp2dp_pool) *pool = changed_pool(&p, DP2DP_ROW_SUMS_CHECK, (dp2dp_dither) {0.2, 9});
    dp2dp_source source = dp2dp_pool_source(pool);
    dp2dp_fit_options options = noiseless(0.0);
    HANDLE(dp2dp_model) *model = fit_source(&source, &options);
    dp2dp_matrix scores = scores_of(&p);
    dp2dp_column groups = groups_of(&p);
    static int32_t whole[3000], pieces[3000], shifted[3000];
    assert_ok(dp2dp_model_predict(model, &scores, &groups, NULL, whole, NULL));
    for (size_t first = 0; first < p.n; first += 1000) {
        dp2dp_predict_options place = DP2DP_PREDICT_OPTIONS_INIT;
        dp2dp_matrix s = scores;
        dp2dp_column g = groups;
        s.data = p.scores + first * 3, s.rows = 1000;
        g.data = p.group + first, g.rows = 1000;
        assert_ok(dp2dp_model_predict(model, &s, &g, &place, shifted + first, NULL));
        place.first_row = first;
        assert_ok(dp2dp_model_predict(model, &s, &g, &place, pieces + first, NULL));
    }
    assert_memory_equal(whole, pieces, sizeof whole);
    assert_memory_not_equal(whole, shifted, sizeof whole);
}

TEST(what_was_normalized_in_the_fit_is_normalized_in_predict) {
    OWNED(people) p = people_favoured(2000, 3, 2, 43);
    for (size_t i = 0; i < p.n; i++) {
        for (size_t k = 0; k < 3; k++) {
            p.scores[i * 3 + k] *= (float)(1 + i % 7);
        }
    }
    HANDLE(dp2dp_pool) *pool = changed_pool(&p, DP2DP_ROW_SUMS_NORMALIZE, (dp2dp_dither) {0});
    dp2dp_source source = dp2dp_pool_source(pool);
    dp2dp_fit_options options = noiseless(0.0);
    HANDLE(dp2dp_model) *model = fit_source(&source, &options);
    assert_int_equal(dp2dp_model_view(model)->row_sums, DP2DP_ROW_SUMS_NORMALIZE);
    assert_decisions_are_the_counts(model, pool, &p);
}

TEST(a_dither_outside_its_bounds_is_refused) {
    OWNED(people) p = people_favoured(100, 3, 2, 44);
    dp2dp_matrix scores = scores_of(&p);
    dp2dp_column groups = groups_of(&p);
    static const double widths[4] = {-0.1, 1.1, NAN, INFINITY};
    for (int i = 0; i < 4; i++) {
        dp2dp_pool_options options = DP2DP_POOL_OPTIONS_INIT;
        dp2dp_pool *pool = NULL;
        options.strata = 2;
        options.dither.width = widths[i];
        assert_fails(dp2dp_pool_new(&scores, &groups, &options, &pool, &test_error), ARGUMENT,
                     "dither");
        assert_null(pool);
    }
}

/* A person with m rows moves every count by up to m: the noise grows with m, ε does not. */
TEST(a_person_with_several_rows_is_protected_as_one) {
    OWNED(people) p = people_favoured(500, 3, 2, 45);
    double sigma[2][2];
    for (int many = 0; many < 2; many++) {
        dp2dp_fit_options options = seeded(1, 1);
        options.rows_per_person = many ? 7 : 1;
        HANDLE(dp2dp_model) *model = fit_people(&p, &options);
        const dp2dp_model_info *info = dp2dp_model_view(model);
        assert_int_equal(info->options->rows_per_person, options.rows_per_person);
        for (size_t i = 0; i < 2; i++) {
            dp2dp_event event = entry_of(info->ledger, i);
            assert_int_equal(event.rows_per_person, options.rows_per_person);
            sigma[many][i] = event.sigma;
        }
        assert_true(epsilon_spent(info->ledger, 1e-5) <= 1 && info->epsilon > 0.999);
    }
    for (size_t i = 0; i < 2; i++) {
        assert_true(fabs(sigma[1][i] / sigma[0][i] - 7) < 1e-6);
    }
}

TEST(a_model_says_how_it_was_made_and_what_it_cost) {
    static const char *groups[2] = {"f\xC3\xA9minin", "m"}, *classes[3] = {"a", "b", "c,d"};
    static const char *columns[3] = {"p1", "p2", "p3"};
    OWNED(people) p = people_favoured(500, 3, 2, 46);
    dp2dp_fit_options options = seeded(0.7, 12);
    options.rho = 0.03;
    options.names = (dp2dp_names) {groups, classes, columns, "sex"};
    options.not_private_because = DP2DP_NOT_PRIVATE_LABELS_FROM_DATA;
    dp2dp_model *model = fit_people(&p, &options);
    const dp2dp_model_info *info = dp2dp_model_view(model);
    assert_int_equal(info->struct_size, sizeof *info);
    assert_int_equal(info->records, 500);
    assert_int_equal(info->options->steps, 80);
    assert_true(info->options->rho == 0.03 && info->options->epsilon == 0.7);
    assert_int_equal(info->insecure_seed, 12);
    assert_int_equal(info->not_private_because,
                     DP2DP_NOT_PRIVATE_LABELS_FROM_DATA | DP2DP_NOT_PRIVATE_INSECURE_NOISE);
    assert_true(info->epsilon <= 0.7 && info->epsilon == epsilon_spent(info->ledger, 1e-5));
    assert_true(info->delta == 1e-5 && isnan(info->epsilon_claimed));
    assert_null(info->optimality);
    assert_string_equal(info->library_version, dp2dp_version());
    for (size_t k = 0; k < 3; k++) {
        assert_string_equal(info->names.classes[k], classes[k]);
        assert_string_equal(info->names.scores[k], columns[k]);
        assert_ptr_not_equal(info->names.classes[k], classes[k]);
    }
    assert_string_equal(info->names.groups[0], groups[0]);
    assert_string_equal(info->names.group_column, "sex");
    dp2dp_model_free(model);
    options = noiseless(0.0);
    model = fit_people(&p, &options);
    info = dp2dp_model_view(model);
    assert_int_equal(info->not_private_because, DP2DP_NOT_PRIVATE_NO_NOISE);
    assert_true(isnan(info->epsilon) && isnan(info->delta));
    assert_string_equal(info->names.classes[2], "2");
    assert_null(info->names.scores);
    assert_null(info->names.group_column);
    dp2dp_model_free(model);
}

static void names_refused(dp2dp_names names, const char *word) {
    OWNED(people) p = people_favoured(100, 2, 2, 47);
    HANDLE(dp2dp_pool) *pool = pool_of(&p);
    dp2dp_source source = dp2dp_pool_source(pool);
    dp2dp_fit_options options = seeded(1, 1);
    dp2dp_model *model = NULL;
    options.ledger = new_ledger();
    options.names = names;
    assert_fails(dp2dp_fit(&source, &options, &model, &test_error), ARGUMENT, word);
    assert_null(model);
    assert_int_equal(dp2dp_ledger_size(options.ledger), 0);
    dp2dp_ledger_free(options.ledger);
}

TEST(names_that_cannot_be_told_apart_or_stored_cost_nothing) {
    static char long_name[600];
    static const char *same[2] = {"x", "x"}, *empty[2] = {"x", ""}, *bytes[2] = {"x", "\xFF"};
    static const char *lengthy[2] = {"x", long_name};
    memset(long_name, 'y', sizeof long_name - 1);
    names_refused((dp2dp_names) {.groups = same}, "group 1 and group 2");
    names_refused((dp2dp_names) {.classes = same}, "class 1 and class 2");
    names_refused((dp2dp_names) {.scores = same}, "score column 1");
    names_refused((dp2dp_names) {.classes = empty}, "a class");
    names_refused((dp2dp_names) {.classes = bytes}, "UTF-8");
    names_refused((dp2dp_names) {.groups = lengthy}, "512");
    names_refused((dp2dp_names) {.group_column = ""}, "group column");
}

TEST(reasons_only_a_fit_can_know_are_not_declared_by_the_caller) {
    OWNED(people) p = people_favoured(100, 2, 2, 48);
    HANDLE(dp2dp_pool) *pool = pool_of(&p);
    dp2dp_source source = dp2dp_pool_source(pool);
    dp2dp_fit_options options = seeded(1, 1);
    dp2dp_model *model = NULL;
    options.not_private_because = DP2DP_NOT_PRIVATE_NO_NOISE;
    assert_fails(dp2dp_fit(&source, &options, &model, &test_error), ARGUMENT,
                 "not_private_because");
}
