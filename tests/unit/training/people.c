/* Tests who pays for what: the entries of the user's ledger and of a model's own, for people with
 * and without a name, who are or are not those behind the scores. */
#include "unit/training/people_data.h"

#include <dp2dp/metrics.h>

#include "folder.h"
#include "mechanism/ledger.h"

static const char some_id[] = "00112233445566778899aabbccddeeff";

/* Not inlined: otherwise gcc 12 believes that the text points to itself. */
__attribute__((noinline)) static char *text_of(const dp2dp_ledger *ledger) {
    char *text = NULL;
    size_t length;
    assert_ok(dp2dp_ledger_to_json(ledger, &text, &length, &test_error));
    return text;
}

static dp2dp_status try_fit(const people *p, const dp2dp_fit_options *options) {
    HANDLE(dp2dp_pool) *pool = pool_of(p);
    HANDLE(dp2dp_model) *model = NULL;
    dp2dp_source source = dp2dp_pool_source(pool);
    return dp2dp_fit(&source, options, &model, &test_error);
}

static dp2dp_status try_plan(const people *p, const dp2dp_fit_options *options,
                             dp2dp_ledger *ledger) {
    dp2dp_source source = source_of(p->n, p->groups, p->classes, NULL, NULL);
    return dp2dp_fit_plan(&source, options, ledger, &test_error);
}

static double upper(double x) {
    return 0.5 * erfc(x / sqrt(2));
}

/* μ of the Gaussian release with this ε at δ. */
static double mu_of(double epsilon, double delta) {
    double low = 0, high = 100;
    for (int i = 0; i < 200; i++) {
        double mu = (low + high) / 2;
        double d = upper(epsilon / mu - mu / 2) - exp(epsilon) * upper(epsilon / mu + mu / 2);
        *(d > delta ? &high : &low) = mu;
    }
    return low;
}

/* Version 1 reported 0.9635: it took the people of the certificate for others. */
TEST(five_fits_and_a_certificate_on_one_ledger_add_up) {
    OWNED(people) p = people_favoured(2000, 3, 2, 5);
    HANDLE(dp2dp_pool) *pool = pool_of(&p);
    dp2dp_source source = dp2dp_pool_source(pool);
    HANDLE(dp2dp_ledger) *ledger = new_ledger();
    dp2dp_fit_options options = fit_of(0.4, DP2DP_PEOPLE_OTHER, ledger);
    options.delta = 1e-5;
    for (int i = 0; i < 4; i++) {
        dp2dp_model_free(fit_source(&source, &options));
    }
    HANDLE(dp2dp_model) *model = fit_source(&source, &options);
    assert_near(epsilon_spent(ledger, 1e-5), 0.9635, 1e-4);
    dp2dp_certify_options certify = DP2DP_CERTIFY_OPTIONS_INIT;
    dp2dp_certificate certificate = DP2DP_CERTIFICATE_INIT;
    certify.epsilon = 0.9;
    certify.delta = 1e-5;
    certify.ledger = ledger;
    assert_ok(dp2dp_certify(&source, model, &certify, &certificate, &test_error));
    double expected = sqrt(5 * pow(mu_of(0.4, 1e-5), 2) + pow(mu_of(0.9, 1e-5), 2));
    assert_near(mu_of(epsilon_spent(ledger, 1e-5), 1e-5), expected, 1e-3 * expected);
    assert_true(epsilon_spent(ledger, 1e-5) > 1.36);
    assert_int_equal(dp2dp_ledger_size(ledger), 11);
}

TEST(the_same_people_pay_for_the_base_once) {
    HANDLE(dp2dp_model) *base = train(DP2DP_TRAIN_DPGD, NULL, NULL);
    OWNED(people) p = score_people(base, API_ROWS, API_CHUNK);
    HANDLE(dp2dp_ledger) *ledger = new_ledger(), *other = new_ledger();
    dp2dp_fit_options options = fit_of(1, DP2DP_PEOPLE_SAME, ledger);
    options.base = base;
    HANDLE(dp2dp_model) *model = fit_people(&p, &options);
    assert_int_equal(dp2dp_ledger_size(ledger), 3);
    assert_true(entry_of(ledger, 0).sigma == entry(base, 0).sigma);
    assert_string_equal(entry_of(ledger, 0).release_id, entry(base, 0).release_id);
    assert_null(entry_of(ledger, 0).role);
    assert_null(entry_of(ledger, 0).set);
    assert_true(epsilon_spent(ledger, 1e-6) == view(model)->epsilon);

    dp2dp_model_free(fit_people(&p, &options)); /* the ledger holds the base already */
    assert_int_equal(dp2dp_ledger_size(ledger), 5);
    options.people_name = "spring"; /* everybody includes them */
    dp2dp_model_free(fit_people(&p, &options));
    assert_int_equal(dp2dp_ledger_size(ledger), 7);

    options = fit_of(1, DP2DP_PEOPLE_OTHER, other);
    options.base = base;
    dp2dp_model_free(fit_people(&p, &options));
    assert_int_equal(dp2dp_ledger_size(other), 2);
}

TEST(a_base_that_the_ledger_was_charged_for_is_not_charged_again) {
    HANDLE(dp2dp_ledger) *ledger = new_ledger();
    HANDLE(dp2dp_model) *base = train(DP2DP_TRAIN_DPGD, NULL, ledger);
    OWNED(people) p = score_people(base, API_ROWS, API_CHUNK);
    assert_int_equal(dp2dp_ledger_size(ledger), 1);
    dp2dp_fit_options options = fit_of(1, DP2DP_PEOPLE_SAME, ledger);
    options.base = base;
    HANDLE(dp2dp_model) *model = fit_people(&p, &options);
    assert_int_equal(dp2dp_ledger_size(ledger), 3);
    assert_true(epsilon_spent(ledger, 1e-6) == view(model)->epsilon);
}

/* What one set of people has paid, another has not. */
TEST(a_base_is_charged_to_each_set_of_people) {
    HANDLE(dp2dp_ledger) *ledger = new_ledger();
    dp2dp_event spring = dp2dpi_ledger_declared(2, 1e-7, NULL);
    spring.set = "spring";
    spring.role = NULL;
    spring.release_id = some_id;
    assert_ok(dp2dp_ledger_charge(ledger, &spring, DP2DP_RNG_SECURE, &test_error));
    OWNED(people) p = people_favoured(500, 3, 2, 5);
    dp2dp_fit_options options = fit_of(1, DP2DP_PEOPLE_SAME, ledger);
    options.scores_epsilon = 2;
    options.scores_delta = 1e-7;
    options.scores_id = some_id;
    options.people_name = "spring";
    assert_ok(try_fit(&p, &options));
    assert_int_equal(dp2dp_ledger_size(ledger), 3);
    options.people_name = "autumn";
    assert_ok(try_fit(&p, &options));
    assert_int_equal(dp2dp_ledger_size(ledger), 6);
    options.people_name = NULL; /* everybody: more than the two sets */
    assert_ok(try_fit(&p, &options));
    assert_int_equal(dp2dp_ledger_size(ledger), 9);
}

TEST(a_declared_guarantee_is_charged_once_only_if_it_has_an_id) {
    OWNED(people) p = people_favoured(500, 3, 2, 5);
    for (int named = 0; named < 2; named++) {
        HANDLE(dp2dp_ledger) *ledger = new_ledger();
        dp2dp_fit_options options = fit_of(1, DP2DP_PEOPLE_SAME, ledger);
        options.scores_epsilon = 2;
        options.scores_delta = 1e-7;
        options.scores_id = named ? some_id : NULL;
        assert_ok(try_fit(&p, &options));
        assert_int_equal(dp2dp_ledger_size(ledger), 3);
        assert_int_equal(entry_of(ledger, 0).mechanism, DP2DP_DECLARED);
        assert_ok(try_fit(&p, &options));
        assert_int_equal(dp2dp_ledger_size(ledger), named ? 5 : 6);
        options.scores_epsilon = 1; /* less than what was paid */
        assert_ok(try_fit(&p, &options));
        assert_int_equal(dp2dp_ledger_size(ledger), named ? 7 : 9);
        options.scores_epsilon = 3; /* more than what was paid */
        assert_ok(try_fit(&p, &options));
        assert_int_equal(dp2dp_ledger_size(ledger), named ? 10 : 12);
    }
    dp2dp_fit_options options = fit_of(1, DP2DP_PEOPLE_SAME, NULL);
    options.scores_id = some_id;
    assert_status(try_fit(&p, &options), ARGUMENT);
    assert_says(test_error.message, "scores_epsilon must be given with it");
    options.scores_epsilon = 1;
    options.scores_delta = 0;
    options.scores_id = "123";
    assert_status(try_fit(&p, &options), ARGUMENT);
    assert_says(test_error.message, "32 lower-case hexadecimal digits");
}

TEST(a_base_without_noise_exposes_the_same_people) {
    HANDLE(dp2dp_model) *base = train(DP2DP_TRAIN_NONE, NULL, NULL);
    OWNED(people) p = score_people(base, API_ROWS, API_CHUNK);
    HANDLE(dp2dp_ledger) *ledger = new_ledger(), *limited = new_ledger();
    HANDLE(dp2dp_accountant) *accountant = NULL;
    double epsilon;
    dp2dp_fit_options options = fit_of(1, DP2DP_PEOPLE_SAME, ledger);
    options.base = base;
    for (size_t i = 1; i <= 2; i++) { /* marked once */
        assert_ok(try_fit(&p, &options));
        assert_int_equal(dp2dp_ledger_size(ledger), 1 + 2 * i);
    }
    assert_int_equal(entry_of(ledger, 0).mechanism, DP2DP_EXPOSED);
    assert_ok(dp2dp_ledger_account(ledger, &accountant, &test_error));
    assert_status(
        dp2dp_accountant_epsilon(accountant, 0.5, DP2DP_BACKEND_AUTO, &epsilon, NULL, NULL),
        NO_BOUND);
    assert_ok(dp2dp_ledger_set_budget(limited, 100, 1e-6, &test_error));
    options.ledger = limited;
    TEXT_FREED char *before = text_of(limited);
    assert_status(try_fit(&p, &options), BUDGET);
    assert_status(try_plan(&p, &options, limited), ARGUMENT); /* never the options' ledger */
    options.ledger = NULL;
    assert_status(try_plan(&p, &options, limited), BUDGET);
    TEXT_FREED char *after = text_of(limited);
    assert_string_equal(before, after);
    options.people = DP2DP_PEOPLE_OTHER;
    options.ledger = limited;
    assert_ok(try_fit(&p, &options));
}

TEST(training_and_fits_without_noise_expose_their_people) {
    HANDLE(dp2dp_ledger) *ledger = new_ledger();
    dp2dp_model_free(train(DP2DP_TRAIN_NONE, "winter", ledger));
    OWNED(people) p = people_favoured(500, 3, 2, 5);
    dp2dp_fit_options options = noiseless(0);
    options.ledger = ledger;
    options.people_name = "spring";
    assert_ok(try_fit(&p, &options));
    options.solver = DP2DP_SOLVER_EXACT;
    options.people_name = "autumn";
    assert_ok(try_fit(&p, &options));
    static const char *const exposed[] = {"winter", "spring", "autumn"};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(entry_of(ledger, i).mechanism, DP2DP_EXPOSED);
        assert_int_equal(dp2dpi_ledger_is_exposed(ledger, exposed[i]), 1);
    }
    assert_int_equal(dp2dp_ledger_size(ledger), 3);
    assert_int_equal(dp2dpi_ledger_is_exposed(ledger, "summer"), 0);
}

/* ε = 5 behind the scores does not fit into a budget of 1. */
TEST(a_budget_refuses_the_costs_behind_the_scores_and_the_fit_together) {
    OWNED(people) p = people_favoured(500, 3, 2, 5);
    HANDLE(dp2dp_ledger) *ledger = new_ledger();
    dp2dp_fit_options options = fit_of(0.5, DP2DP_PEOPLE_SAME, ledger);
    options.scores_epsilon = 5;
    options.scores_delta = 1e-7;
    assert_ok(dp2dp_ledger_set_budget(ledger, 1, 1e-6, &test_error));
    TEXT_FREED char *before = text_of(ledger);
    assert_status(try_fit(&p, &options), BUDGET);
    options.ledger = NULL;
    assert_status(try_plan(&p, &options, ledger), BUDGET);
    TEXT_FREED char *after = text_of(ledger);
    assert_string_equal(before, after);
    options.ledger = ledger; /* without the scores there is room: nothing of them is left behind */
    options.scores_epsilon = options.scores_delta = NAN;
    assert_fails(try_fit(&p, &options), ARGUMENT, "needs the privacy cost of the scores; set base");
    options.people = DP2DP_PEOPLE_OTHER;
    assert_ok(try_fit(&p, &options));
    assert_int_equal(charges_in(ledger), 2);
}

FIXTURE(make_folder) {
    return make_folder_for("ledger.json");
}

FIXTURE(remove_folder) {
    char lock[128];
    (void)snprintf(lock, sizeof lock, "%s.lock", file);
    (void)unlink(file);
    (void)unlink(lock);
    return rmdir(folder);
}

static size_t read_file(char *text, size_t size) {
    FILE *stream = fopen(file, "r");
    assert_non_null(stream);
    size_t length = fread(text, 1, size, stream);
    (void)fclose(stream);
    return length;
}

TEST_IN_FOLDER(a_budget_refuses_for_a_file_too_and_changes_no_byte) {
    static char before[65536], after[65536];
    OWNED(people) p = people_favoured(500, 3, 2, 5);
    HANDLE(dp2dp_ledger) *ledger = NULL;
    assert_ok(dp2dp_ledger_open(file, DP2DP_REPLACE_ONE, &ledger, &test_error));
    dp2dp_fit_options options = fit_of(0.5, DP2DP_PEOPLE_OTHER, ledger);
    assert_ok(dp2dp_ledger_set_budget(ledger, 1, 1e-6, &test_error));
    assert_ok(try_fit(&p, &options));
    options.people = DP2DP_PEOPLE_SAME;
    size_t length = read_file(before, sizeof before);
    options.scores_epsilon = 5;
    options.scores_delta = 1e-7;
    assert_status(try_fit(&p, &options), BUDGET);
    options.ledger = NULL;
    assert_status(try_plan(&p, &options, ledger), BUDGET);
    assert_int_equal(read_file(after, sizeof after), length);
    assert_memory_equal(before, after, length);
    assert_int_equal(charges_in(ledger), 2);
}

/* Everything but the release_id of what is released, which a plan does not have. */
static void assert_alike(dp2dp_event planned, dp2dp_event charged, int released) {
    assert_int_equal(planned.mechanism, charged.mechanism);
    assert_true(planned.sensitivity == charged.sensitivity && planned.sigma == charged.sigma);
    assert_true(planned.rate == charged.rate && planned.count == charged.count);
    assert_true(planned.coordinates == charged.coordinates && planned.scale == charged.scale);
    assert_true(planned.rows_per_person == charged.rows_per_person);
    assert_true(planned.epsilon == charged.epsilon && planned.delta == charged.delta);
    assert_string_equal(planned.label, charged.label);
    assert_string_equal(planned.set ? planned.set : "", charged.set ? charged.set : "");
    if (released) {
        assert_null(planned.release_id);
        assert_non_null(charged.release_id);
    } else {
        assert_string_equal(planned.release_id ? planned.release_id : "",
                            charged.release_id ? charged.release_id : "");
    }
}

TEST(a_plan_agrees_with_the_fit_also_for_the_same_people) {
    HANDLE(dp2dp_model) *noisy = train(DP2DP_TRAIN_DPGD, "spring", NULL);
    HANDLE(dp2dp_model) *bare = train(DP2DP_TRAIN_NONE, NULL, NULL);
    OWNED(people) p = score_people(noisy, API_ROWS, API_CHUNK);
    const dp2dp_model *const bases[] = {noisy, bare, NULL};
    for (int i = 0; i < 6; i++) { /* a base, one without noise, a declared guarantee; twice each */
        HANDLE(dp2dp_ledger) *charged = new_ledger(), *planned = new_ledger();
        dp2dp_fit_options options = fit_of(1, DP2DP_PEOPLE_SAME, charged);
        options.base = bases[i / 2];
        options.scores_epsilon = options.base ? NAN : 2;
        options.scores_delta = options.base ? NAN : 1e-7;
        options.solver = i % 2 ? DP2DP_SOLVER_SGD : DP2DP_SOLVER_COUNTS;
        options.people_name = options.base == noisy ? NULL : "autumn";
        assert_ok(try_plan(&p, &options, planned));
        assert_ok(try_fit(&p, &options));
        assert_int_equal(dp2dp_ledger_size(charged), 3);
        assert_int_equal(dp2dp_ledger_size(planned), 3);
        for (size_t k = 0; k < 3; k++) {
            assert_alike(entry_of(planned, k), entry_of(charged, k), k > 0);
            const char *set = entry_of(planned, k).set; /* unnamed: everybody, also for the base */
            assert_string_equal(set ? set : "", i < 2 ? "" : "autumn");
        }
    }
}

TEST(names_of_people_are_in_both_ledgers) {
    HANDLE(dp2dp_ledger) *ledger = new_ledger();
    HANDLE(dp2dp_model) *base = train(DP2DP_TRAIN_DPGD, "spring", ledger);
    OWNED(people) p = score_people(base, API_ROWS, API_CHUNK);
    dp2dp_fit_options options = fit_of(1, DP2DP_PEOPLE_OTHER, ledger);
    options.base = base;
    options.people_name = "autumn";
    HANDLE(dp2dp_model) *other = fit_people(&p, &options);
    const dp2dp_ledger *own = view(other)->ledger;
    static const char *const roles[] = {"train", "pool", "pool"};
    static const char *const sets[] = {"spring", "autumn", "autumn"};
    for (size_t i = 0; i < 3; i++) {
        assert_string_equal(entry_of(own, i).role, roles[i]);
        assert_string_equal(entry_of(own, i).set, sets[i]);
        assert_string_equal(entry_of(ledger, i).set, sets[i]);
        assert_null(entry_of(ledger, i).role);
    }
    assert_near(view(other)->epsilon, 1, 1e-3);
    assert_near(epsilon_spent(ledger, 1e-6), 1, 1e-3);
    assert_string_equal(view(other)->covers[0].people, "spring");
    assert_string_equal(view(other)->covers[1].people, "autumn");

    options.people = DP2DP_PEOPLE_SAME; /* they keep the name of the base */
    options.people_name = NULL;
    options.ledger = NULL;
    HANDLE(dp2dp_model) *same = fit_people(&p, &options);
    assert_string_equal(entry(same, 2).set, "spring");
    assert_true(view(same)->epsilon > 1.3);
    options.people = DP2DP_PEOPLE_OTHER; /* two parts with one name add up as well */
    options.people_name = "spring";
    HANDLE(dp2dp_model) *alike = fit_people(&p, &options);
    assert_true(view(alike)->epsilon == view(same)->epsilon);
}

/* One name is one set of people, also if the caller says that they are others. */
TEST(people_of_one_name_pay_for_the_base_too) {
    HANDLE(dp2dp_model) *base = train(DP2DP_TRAIN_DPGD, "spring", NULL);
    OWNED(people) p = score_people(base, API_ROWS, API_CHUNK);
    HANDLE(dp2dp_ledger) *ledger = new_ledger(), *planned = new_ledger();
    dp2dp_fit_options options = fit_of(1, DP2DP_PEOPLE_OTHER, ledger);
    options.base = base;
    options.people_name = "spring";
    HANDLE(dp2dp_model) *model = fit_people(&p, &options);
    assert_int_equal(dp2dp_ledger_size(ledger), 3);
    assert_true(epsilon_spent(ledger, 1e-6) == view(model)->epsilon);
    assert_ok(try_plan(&p, &options, planned));
    assert_int_equal(dp2dp_ledger_size(planned), 3);
}

/* Somebody who declared too little for a release has not paid for it. */
TEST(a_declared_guarantee_does_not_stand_for_the_charges_of_a_base) {
    HANDLE(dp2dp_model) *base = train(DP2DP_TRAIN_DPGD, NULL, NULL);
    OWNED(people) p = score_people(base, API_ROWS, API_CHUNK);
    HANDLE(dp2dp_ledger) *ledger = new_ledger();
    dp2dp_fit_options options = fit_of(1, DP2DP_PEOPLE_SAME, ledger);
    options.scores_epsilon = 0.01;
    options.scores_delta = 0;
    options.scores_id = entry(base, 0).release_id;
    assert_ok(try_fit(&p, &options));
    assert_int_equal(dp2dp_ledger_size(ledger), 3);
    options.scores_epsilon = options.scores_delta = NAN;
    options.scores_id = NULL;
    options.base = base;
    assert_ok(try_fit(&p, &options));
    assert_int_equal(dp2dp_ledger_size(ledger), 6);
    options.base = NULL; /* the charges stand for what is declared, unless they cost less */
    options.scores_epsilon = 5;
    options.scores_delta = 1e-6;
    options.scores_id = entry(base, 0).release_id;
    assert_ok(try_fit(&p, &options));
    assert_int_equal(dp2dp_ledger_size(ledger), 9);
    options.scores_epsilon = 0.5;
    assert_ok(try_fit(&p, &options));
    assert_int_equal(dp2dp_ledger_size(ledger), 11);
}

TEST(people_with_the_name_of_the_pool_behind_are_the_same_people) {
    HANDLE(dp2dp_ledger) *ledger = new_ledger();
    HANDLE(dp2dp_model) *base = train(DP2DP_TRAIN_DPGD, "spring", NULL);
    OWNED(people) p = score_people(base, API_ROWS, API_CHUNK);
    dp2dp_fit_options options = fit_of(1, DP2DP_PEOPLE_OTHER, NULL);
    options.base = base;
    options.people_name = "autumn";
    HANDLE(dp2dp_model) *first = fit_people(&p, &options);
    options.base = first;
    options.ledger = ledger;
    assert_ok(try_fit(&p, &options));
    assert_int_equal(dp2dp_ledger_size(ledger), 5); /* the training, the first rule, the second */
}

TEST(scores_of_a_model_that_saw_the_pool_expose_it) {
    OWNED(people) p = people_favoured(500, 3, 2, 5);
    HANDLE(dp2dp_ledger) *ledger = new_ledger(), *limited = new_ledger();
    dp2dp_fit_options options = fit_of(1, DP2DP_PEOPLE_OTHER, ledger);
    options.not_private_because = DP2DP_NOT_PRIVATE_SCORES_FROM_POOL;
    assert_ok(try_fit(&p, &options));
    assert_int_equal(entry_of(ledger, 0).mechanism, DP2DP_EXPOSED);
    assert_ok(dp2dp_ledger_set_budget(limited, 100, 1e-6, &test_error));
    options.ledger = limited;
    assert_status(try_fit(&p, &options), BUDGET);
}

TEST(people_that_a_model_names_are_not_held_out) {
    HANDLE(dp2dp_model) *base = train(DP2DP_TRAIN_DPGD, "spring", NULL);
    OWNED(people) p = score_people(base, API_ROWS, API_CHUNK);
    dp2dp_fit_options fit = fit_of(1, DP2DP_PEOPLE_OTHER, NULL);
    fit.base = base;
    fit.people_name = "autumn";
    HANDLE(dp2dp_model) *model = fit_people(&p, &fit);
    HANDLE(dp2dp_pool) *pool = pool_of(&p);
    HANDLE(dp2dp_ledger) *ledger = new_ledger();
    dp2dp_source source = dp2dp_pool_source(pool);
    dp2dp_certify_options options = DP2DP_CERTIFY_OPTIONS_INIT;
    dp2dp_certificate certificate = DP2DP_CERTIFICATE_INIT;
    options.epsilon = 1;
    options.delta = 1e-6;
    options.ledger = ledger;
    options.people_name = "autumn";
    assert_fails(dp2dp_certify(&source, model, &options, &certificate, &test_error), ARGUMENT,
                 "with this name, so set same_people");
    options.people = DP2DP_PEOPLE_SAME;
    assert_ok(dp2dp_certify(&source, model, &options, &certificate, &test_error));
    assert_int_equal(certificate.held_out, 0);
}

TEST(the_same_people_cannot_have_two_names) {
    HANDLE(dp2dp_ledger) *ledger = new_ledger();
    HANDLE(dp2dp_model) *base = train(DP2DP_TRAIN_DPGD, "spring", NULL);
    OWNED(people) p = score_people(base, API_ROWS, API_CHUNK);
    dp2dp_fit_options options = fit_of(1, DP2DP_PEOPLE_SAME, ledger);
    static const char *const wrong[] = {"", "train", "pool", "certificate", "\xff"};
    options.base = base;
    options.people_name = "autumn";
    assert_fails(try_fit(&p, &options), ARGUMENT, "are called 'spring'");
    options.ledger = NULL;
    assert_fails(try_plan(&p, &options, ledger), ARGUMENT, "are called 'spring'");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        options.people_name = wrong[i];
        assert_fails(try_fit(&p, &options), ARGUMENT, "people");
    }
    assert_int_equal(dp2dp_ledger_size(ledger), 0);
    options.people_name = "spring";
    assert_ok(try_fit(&p, &options));
}

TEST(a_second_fit_charges_everybody_in_the_models_own_ledger) {
    HANDLE(dp2dp_model) *base = train(DP2DP_TRAIN_DPGD, "spring", NULL);
    OWNED(people) p = score_people(base, API_ROWS, API_CHUNK);
    HANDLE(dp2dp_ledger) *ledger = new_ledger();
    dp2dp_fit_options options = fit_of(1, DP2DP_PEOPLE_OTHER, NULL);
    options.base = base;
    options.people_name = "autumn";
    HANDLE(dp2dp_model) *once = fit_people(&p, &options);
    options.base = once;
    options.ledger = ledger;
    options.people_name = "winter";
    HANDLE(dp2dp_model) *twice = fit_people(&p, &options);
    assert_int_equal(dp2dp_ledger_size(view(twice)->ledger), 5);
    for (size_t i = 3; i < 5; i++) {
        assert_null(entry(twice, i).set);
        assert_null(entry(twice, i).role);
    }
    for (size_t i = 0; i < 2; i++) { /* the user's ledger believes the user */
        assert_string_equal(entry_of(ledger, i).set, "winter");
    }
    double expected = sqrt(2) * mu_of(1, 1e-6);
    for (size_t i = 0; i < 2; i++) {
        assert_near(mu_of(view(twice)->covers[i].epsilon, 1e-6), expected, 1e-3 * expected);
    }
}

TEST(a_certificate_for_the_people_of_the_model_is_charged_and_bounds_nothing) {
    OWNED(people) p = people_favoured(2000, 3, 2, 5);
    HANDLE(dp2dp_pool) *pool = pool_of(&p);
    dp2dp_source source = dp2dp_pool_source(pool);
    dp2dp_fit_options options = fit_of(1, DP2DP_PEOPLE_OTHER, NULL);
    options.rows_per_person = 3;
    HANDLE(dp2dp_model) *model = fit_source(&source, &options);
    HANDLE(dp2dp_ledger) *ledger = new_ledger();
    dp2dp_certify_options certify = DP2DP_CERTIFY_OPTIONS_INIT;
    certify.epsilon = 1;
    certify.delta = 1e-6;
    certify.ledger = ledger;
    for (int same = 0; same < 2; same++) {
        dp2dp_certificate certificate = DP2DP_CERTIFICATE_INIT;
        double table[6];
        certificate.table = table;
        certify.people = same ? DP2DP_PEOPLE_SAME : DP2DP_PEOPLE_OTHER;
        certify.people_name = same ? "spring" : NULL;
        assert_ok(dp2dp_certify(&source, model, &certify, &certificate, &test_error));
        assert_int_equal(certificate.held_out, !same);
        assert_int_equal(isnan(certificate.unfairness_upper), same);
        assert_int_equal(isnan(certificate.unfairness_upper_strict), same);
        assert_true(certificate.sigma > 0 && table[0] > 0);
        dp2dp_event charged = entry_of(ledger, dp2dp_ledger_size(ledger) - 1);
        assert_int_equal(charged.rows_per_person, 3); /* the model's */
        assert_string_equal(charged.set ? charged.set : "", same ? "spring" : "");
        assert_string_equal(charged.release_id, certificate.release_id);
    }
}

/* The people of a model have paid for the model as well, in this ledger or not. */
TEST(a_certificate_for_the_people_of_the_model_charges_the_model_once) {
    OWNED(people) p = people_favoured(2000, 3, 2, 5);
    HANDLE(dp2dp_pool) *pool = pool_of(&p);
    dp2dp_source source = dp2dp_pool_source(pool);
    HANDLE(dp2dp_ledger) *ledger = new_ledger(), *kept = new_ledger(), *tight = new_ledger();
    dp2dp_fit_options options = fit_of(2, DP2DP_PEOPLE_OTHER, kept);
    HANDLE(dp2dp_model) *model = fit_source(&source, &options);
    dp2dp_certificate certificate = DP2DP_CERTIFICATE_INIT;
    dp2dp_certify_options certify = DP2DP_CERTIFY_OPTIONS_INIT;
    certify.epsilon = 1;
    certify.delta = 1e-6;
    certify.people = DP2DP_PEOPLE_SAME;
    for (size_t i = 0; i < 2; i++) { /* the second finds the model in the ledger */
        HANDLE(dp2dp_ledger) *planned = new_ledger();
        certify.ledger = NULL;
        assert_ok(dp2dp_certify_plan(&source, model, &certify, planned, &test_error));
        assert_int_equal(dp2dp_ledger_size(planned), 3);
        certify.ledger = ledger;
        assert_ok(dp2dp_certify(&source, model, &certify, &certificate, &test_error));
        assert_int_equal(dp2dp_ledger_size(ledger), 3 + i);
    }
    assert_string_equal(entry_of(ledger, 0).release_id, entry(model, 0).release_id);
    assert_true(epsilon_spent(ledger, 1e-6) > 2.5);
    certify.ledger = kept; /* was charged for the fit */
    assert_ok(dp2dp_certify(&source, model, &certify, &certificate, &test_error));
    assert_int_equal(dp2dp_ledger_size(kept), 3);

    assert_ok(dp2dp_ledger_set_budget(tight, 1.5, 1e-6, &test_error));
    certify.ledger = tight;
    assert_status(dp2dp_certify(&source, model, &certify, &certificate, &test_error), BUDGET);
    assert_int_equal(dp2dp_ledger_size(tight), 1);

    HANDLE(dp2dp_ledger) *bare = new_ledger();
    options = fit_of(INFINITY, DP2DP_PEOPLE_OTHER, NULL);
    HANDLE(dp2dp_model) *shown = fit_source(&source, &options);
    certify.ledger = bare;
    assert_ok(dp2dp_certify(&source, shown, &certify, &certificate, &test_error));
    assert_int_equal(entry_of(bare, 0).mechanism, DP2DP_EXPOSED);
}
