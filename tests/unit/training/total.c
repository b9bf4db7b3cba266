/* One set of people for both phases: training takes a share of the budget, the fit takes the rest,
 * and together they cost no more than the total. */
#include "unit/training/people_data.h"

static const double delta = 1e-6;

static dp2dp_model *train_share(dp2dp_train_method method, double epsilon, double share,
                                dp2dp_ledger *ledger) {
    dp2dp_train_options options = api_options(method);
    options.epsilon = epsilon;
    options.train_share = share;
    options.ledger = ledger;
    write_people(API_ROWS, 7);
    return train_people(api_schema, &options, API_CHUNK);
}

static dp2dp_fit_options fit_total(double total, const dp2dp_model *base, dp2dp_ledger *ledger) {
    dp2dp_fit_options options = fit_of(NAN, DP2DP_PEOPLE_SAME, ledger);
    options.total_epsilon = total;
    options.base = base;
    return options;
}

static double upper(double x) {
    return 0.5 * erfc(x / sqrt(2));
}

/* δ at ε of a Gaussian release with this μ, independently of the accountant. */
static double delta_at(double epsilon, double mu) {
    return upper(epsilon / mu - mu / 2) - exp(epsilon) * upper(epsilon / mu + mu / 2);
}

static double mu_of(double epsilon) {
    double low = 0, high = 100;
    for (int i = 0; i < 200; i++) {
        double mu = (low + high) / 2;
        *(delta_at(epsilon, mu) > delta ? &high : &low) = mu;
    }
    return low;
}

/* μ² of everything that the model's ledger lists, as if about one person. */
static double mu_squared(const dp2dp_model *model) {
    double sum = 0;
    for (size_t i = 0; i < dp2dp_ledger_size(view(model)->ledger); i++) {
        dp2dp_event event = entry(model, i);
        assert_int_equal(event.mechanism, DP2DP_GAUSSIAN);
        sum += (double)event.count * pow(event.sensitivity / event.sigma, 2);
    }
    return sum;
}

/* Charging the two phases as different people would leave the fit the whole total, and μ² would be
 * too large. */
TEST(one_person_in_both_phases_pays_the_total_and_no_more) {
    static const double totals[] = {0.5, 1, 4}, shares[] = {0.3, 0.7, 0.95};
    for (int i = 0; i < 9; i++) {
        double total = totals[i / 3], share = shares[i % 3];
        HANDLE(dp2dp_model) *base = train_share(DP2DP_TRAIN_DPGD, total, share, NULL);
        OWNED(people) p = score_people(base, API_ROWS, API_CHUNK);
        dp2dp_fit_options options = fit_total(total, base, NULL);
        HANDLE(dp2dp_model) *model = fit_people(&p, &options);
        double mu = mu_of(total), both = mu_squared(model);
        assert_true(delta_at(total, sqrt(both)) <= delta);
        assert_true(both > mu * mu * (1 - 1e-4));
        assert_near(mu_squared(base), share * mu * mu, 1e-5 * mu * mu);
        assert_true(view(model)->epsilon <= total && view(model)->epsilon > total * (1 - 1e-5));
        assert_near(view(base)->epsilon, view(base)->classifier->options->epsilon, 1e-6);
        assert_near(mu_of(view(model)->options->epsilon), sqrt(1 - share) * mu, 1e-4 * mu);
        for (size_t k = 0; k < 2; k++) {
            assert_true(view(model)->covers[k].epsilon == view(model)->epsilon);
        }
    }
}

TEST(every_method_and_solver_keeps_the_total) {
    static const dp2dp_train_method methods[] = {DP2DP_TRAIN_DPGD, DP2DP_TRAIN_DPSGD,
                                                 DP2DP_TRAIN_OUTPUT};
    for (int i = 0; i < 6; i++) {
        HANDLE(dp2dp_ledger) *ledger = new_ledger();
        HANDLE(dp2dp_model) *base = train_share(methods[i / 2], 1, 0.7, ledger);
        OWNED(people) p = score_people(base, API_ROWS, API_CHUNK);
        dp2dp_fit_options options = fit_total(1, base, ledger);
        options.solver = i % 2 ? DP2DP_SOLVER_SGD : DP2DP_SOLVER_COUNTS;
        HANDLE(dp2dp_model) *model = fit_people(&p, &options);
        assert_true(view(model)->epsilon <= 1 && view(model)->epsilon > 1 - 1e-4);
        assert_int_equal(dp2dp_ledger_size(ledger), 3);
        assert_true(epsilon_spent(ledger, delta) == view(model)->epsilon);
        assert_int_equal(view(model)->not_private_because, 0);
    }
}

TEST(a_declared_cost_counts_in_the_total) {
    HANDLE(dp2dp_model) *base = train(DP2DP_TRAIN_NONE, NULL, NULL);
    OWNED(people) p = score_people(base, API_ROWS, API_CHUNK);
    dp2dp_fit_options options = fit_total(2, NULL, NULL);
    options.scores_epsilon = 1;
    options.scores_delta = 1e-8;
    HANDLE(dp2dp_model) *model = fit_people(&p, &options);
    assert_true(view(model)->epsilon <= 2 && view(model)->epsilon > 1.99);
}

TEST(a_total_that_training_has_spent_is_refused_before_any_charge) {
    HANDLE(dp2dp_ledger) *ledger = new_ledger();
    HANDLE(dp2dp_model) *base = train_share(DP2DP_TRAIN_DPGD, 1, 0, NULL);
    OWNED(people) p = score_people(base, API_ROWS, API_CHUNK);
    HANDLE(dp2dp_pool) *pool = pool_of(&p);
    HANDLE(dp2dp_model) *model = NULL;
    dp2dp_source source = dp2dp_pool_source(pool);
    static const double spent[] = {0.5, 0.9};
    for (int i = 0; i < 2; i++) {
        dp2dp_fit_options options = fit_total(spent[i], base, ledger);
        assert_fails(dp2dp_fit(&source, &options, &model, &test_error), BUDGET,
                     "too little is left for the fit");
        assert_int_equal(dp2dp_ledger_size(ledger), 0);
    }
}

TEST(a_plan_takes_the_rest_of_the_total_like_the_fit) {
    HANDLE(dp2dp_schema) *schema = schema_of(api_schema);
    HANDLE(dp2dp_model) *base = train_share(DP2DP_TRAIN_DPGD, 1, 0.7, NULL);
    OWNED(people) p = score_people(base, API_ROWS, API_CHUNK);
    HANDLE(dp2dp_ledger) *charged = new_ledger(), *planned = new_ledger(), *trained = new_ledger(),
                         *before = new_ledger();
    dp2dp_fit_options options = fit_total(1, base, charged);
    HANDLE(dp2dp_model) *model = fit_people(&p, &options);
    dp2dp_source source = source_of(p.n, p.groups, p.classes, NULL, NULL);
    assert_ok(dp2dp_fit_plan(&source, &options, planned, &test_error));
    /* The same plan before the base is trained. */
    dp2dp_train_options train = api_options(DP2DP_TRAIN_DPGD);
    train.train_share = 0.7;
    assert_ok(dp2dp_train_plan(schema, API_ROWS, &train, trained, &test_error));
    options.base = NULL;
    options.ledger = NULL;
    options.base_plan = trained;
    assert_ok(dp2dp_fit_plan(&source, &options, before, &test_error));
    assert_int_equal(dp2dp_ledger_size(trained), 1);
    for (size_t i = 0; i < 3; i++) {
        assert_true(entry_of(planned, i).sigma == entry_of(charged, i).sigma);
        assert_true(entry_of(before, i).sigma == entry_of(charged, i).sigma);
    }
    assert_int_equal(dp2dp_ledger_size(before), 3);
}

/* A plan of training without noise has no cost that adds up, and no total can be guaranteed. */
TEST(a_plan_after_training_without_noise_says_that_people_are_exposed) {
    HANDLE(dp2dp_schema) *schema = schema_of(api_schema);
    HANDLE(dp2dp_ledger) *trained = new_ledger(), *planned = new_ledger(), *total = new_ledger();
    dp2dp_train_options train = api_options(DP2DP_TRAIN_NONE);
    dp2dp_fit_options options = fit_of(1, DP2DP_PEOPLE_SAME, NULL);
    dp2dp_source source = source_of(API_ROWS, 2, 3, NULL, NULL);
    assert_ok(dp2dp_train_plan(schema, API_ROWS, &train, trained, &test_error));
    assert_int_equal(entry_of(trained, 0).mechanism, DP2DP_EXPOSED);
    options.base_plan = trained;
    assert_ok(dp2dp_fit_plan(&source, &options, planned, &test_error));
    assert_int_equal(entry_of(planned, 0).mechanism, DP2DP_EXPOSED);
    options = fit_total(1, NULL, NULL);
    options.base_plan = trained;
    assert_fails(dp2dp_fit_plan(&source, &options, total, &test_error), ARGUMENT,
                 "no total can be guaranteed");
    assert_int_equal(dp2dp_ledger_size(total), 0);
}

TEST(a_plan_knows_the_scores_from_one_place) {
    HANDLE(dp2dp_ledger) *trained = new_ledger(), *planned = new_ledger();
    HANDLE(dp2dp_model) *base = train_share(DP2DP_TRAIN_DPGD, 1, 0.7, NULL);
    dp2dp_fit_options options = fit_of(1, DP2DP_PEOPLE_SAME, NULL);
    dp2dp_source source = source_of(API_ROWS, 2, 3, NULL, NULL);
    options.base_plan = trained;
    options.base = base;
    assert_fails(dp2dp_fit_plan(&source, &options, planned, &test_error), ARGUMENT, "base_plan");
    options.base = NULL;
    options.scores_epsilon = 1;
    options.scores_delta = 1e-8;
    assert_fails(dp2dp_fit_plan(&source, &options, planned, &test_error), ARGUMENT, "base_plan");
    assert_int_equal(dp2dp_ledger_size(planned), 0);
}

static void refuses(const people *p, const dp2dp_fit_options *options, const char *words) {
    HANDLE(dp2dp_pool) *pool = pool_of(p);
    HANDLE(dp2dp_model) *model = NULL;
    dp2dp_source source = dp2dp_pool_source(pool);
    assert_fails(dp2dp_fit(&source, options, &model, &test_error), ARGUMENT, words);
}

TEST(a_total_that_means_nothing_is_refused) {
    HANDLE(dp2dp_ledger) *plan = new_ledger();
    HANDLE(dp2dp_model) *base = train_share(DP2DP_TRAIN_DPGD, 1, 0.7, NULL);
    HANDLE(dp2dp_model) *bare = train(DP2DP_TRAIN_NONE, NULL, NULL);
    OWNED(people) p = score_people(base, API_ROWS, API_CHUNK);
    dp2dp_fit_options options = fit_total(1, base, NULL);
    options.people = DP2DP_PEOPLE_OTHER;
    refuses(&p, &options, "If yours was, set same_people");
    options = fit_total(1, base, NULL);
    options.epsilon = 1;
    refuses(&p, &options, "epsilon must not be given");
    options = fit_total(-1, base, NULL);
    refuses(&p, &options, "must be above 0");
    options = fit_total(NAN, base, NULL);
    refuses(&p, &options, "must be above 0");
    options = fit_total(1, base, NULL);
    options.solver = DP2DP_SOLVER_SGD_AS_PUBLISHED;
    refuses(&p, &options, "sgd-as-published");
    options = fit_total(1, bare, NULL);
    refuses(&p, &options, "no total can be guaranteed");
    options = fit_of(1, DP2DP_PEOPLE_SAME, NULL);
    options.base_plan = plan;
    refuses(&p, &options, "only for dp2dp_fit_plan");
}

TEST(a_share_outside_0_to_1_is_refused_and_without_noise_it_changes_nothing) {
    static const double bad[] = {-0.1, 1, 2, NAN};
    HANDLE(dp2dp_schema) *schema = schema_of(api_schema);
    for (int i = 0; i < 4; i++) {
        HANDLE(dp2dp_ledger) *ledger = new_ledger();
        dp2dp_train_options options = api_options(DP2DP_TRAIN_DPGD);
        options.train_share = bad[i];
        assert_fails(dp2dp_train_plan(schema, API_ROWS, &options, ledger, &test_error), ARGUMENT,
                     "train_share");
    }
    HANDLE(dp2dp_model) *bare = train_share(DP2DP_TRAIN_NONE, NAN, 0.7, NULL);
    assert_int_equal(dp2dp_ledger_size(view(bare)->ledger), 0);
}
