/* Tests the way from a table to decisions (train, score, fit, save, load): what is charged to which
 * people, and what is refused. */
#include "unit/training/data.h"

#include <dp2dp/metrics.h>

static const dp2dp_train_method learning[] = {DP2DP_TRAIN_DPGD, DP2DP_TRAIN_DPSGD,
                                              DP2DP_TRAIN_OUTPUT, DP2DP_TRAIN_NONE};

static const dp2dp_model_info *view(const dp2dp_model *model) {
    return dp2dp_model_view(model);
}

static dp2dp_model *fit_on(const people *p, const dp2dp_model *base, dp2dp_people whom,
                           double epsilon) {
    dp2dp_fit_options options = DP2DP_FIT_OPTIONS_INIT;
    options.epsilon = epsilon;
    options.delta = 1e-6;
    options.base = base;
    options.people = whom;
    return fit_people(p, &options);
}

static double accuracy(const dp2dp_model *model) {
    HANDLE(dp2dp_schema) *schema = schema_of(view(model)->classifier->schema);
    struct ArrowArrayStream rows, scores;
    struct ArrowArray batch;
    double right = 0, n = 0;
    open_encoded(schema, DP2DP_PART_FEATURES | DP2DP_PART_LABEL, API_CHUNK, &rows);
    assert_ok(dp2dp_model_score(model, &rows, &scores, NULL));
    while (scores.get_next(&scores, &batch) == 0 && batch.release) {
        const float *p = batch.children[1]->children[0]->buffers[1], none[3] = {0};
        const int32_t *label = batch.children[2]->buffers[1];
        for (int64_t i = 0; i < batch.length; i++, n++) {
            right += plain_argmax(p + 3 * i, 3, none) == (size_t)label[i];
        }
        batch.release(&batch);
    }
    scores.release(&scores);
    return right / n;
}

TEST(every_method_learns_and_tells_how) {
    write_people(API_ROWS, 1);
    for (size_t m = 0; m < 4; m++) {
        dp2dp_train_options options = api_options(learning[m]);
        HANDLE(dp2dp_model) *model = train_people(api_schema, &options, API_CHUNK);
        const dp2dp_model_info *info = view(model);
        int is_private = learning[m] != DP2DP_TRAIN_NONE;
        assert_int_equal(info->strata, 0);
        assert_int_equal(info->classes, 3);
        assert_string_equal(info->names.classes[2], "high");
        assert_int_equal(info->classifier->features, API_FEATURES);
        assert_int_equal(info->classifier->method, learning[m]);
        assert_int_equal(info->classifier->records, API_ROWS);
        assert_int_equal(info->not_private_because,
                         is_private ? 0 : DP2DP_NOT_PRIVATE_CLASSIFIER_NOT_PRIVATE);
        assert_int_equal(dp2dp_ledger_size(info->ledger), is_private);
        if (is_private) {
            assert_string_equal(entry(model, 0).role, "train");
            assert_true(info->delta == 1e-6 && info->epsilon <= 1 && info->epsilon > 0.99);
            assert_true(info->epsilon == epsilon_spent(info->ledger, 1e-6));
        } else {
            assert_true(isnan(info->epsilon) && isnan(info->delta));
        }
        double reached = accuracy(model);
        if (!(reached > (learning[m] == DP2DP_TRAIN_OUTPUT ? 0.4 : 0.6))) {
            fail_msg("method %d: accuracy %g", (int)learning[m], reached);
        }
    }
}

/* A model records the option values that were used, not the zeros that ask for a default. */
TEST(settings_are_as_used) {
    write_people(API_ROWS, 2);
    dp2dp_train_options options = api_options(DP2DP_TRAIN_DPSGD);
    dp2dp_model *model = train_people(api_schema, &options, API_CHUNK);
    const dp2dp_train_options *s = view(model)->classifier->options;
    assert_true(s->epsilon == 1 && s->delta == 1e-6 && s->steps == 30);
    assert_true(s->batch > 0 && s->step_size > 0);
    dp2dp_model_free(model);
    options = api_options(DP2DP_TRAIN_DPGD);
    options.batch = 7; /* dpgd has no batches, so the model must not record one */
    model = train_people(api_schema, &options, API_CHUNK);
    assert_true(view(model)->classifier->options->batch == 0);
    dp2dp_model_free(model);
}

/* Every model that was charged must be possible to save. */
TEST(every_default_can_be_saved) {
    static const double epsilons[] = {1e-7, 1e-3, 1, 1e3};
    write_people(20, 2);
    for (size_t m = 0; m < 3; m++) {
        for (size_t i = 0; i < 4; i++) {
            dp2dp_train_options options = api_options(learning[m]);
            TEXT_FREED char *text = NULL;
            size_t length;
            options.epsilon = epsilons[i];
            options.rows_per_person = i == 0 && learning[m] == DP2DP_TRAIN_OUTPUT ? 10000 : 1;
            HANDLE(dp2dp_model) *model = train_people(api_schema, &options, API_CHUNK);
            assert_ok(dp2dp_model_to_json(model, &text, &length, NULL));
        }
    }
}

TEST(neither_threads_nor_chunks_change_a_bit) {
    write_people(API_ROWS, 3);
    static const size_t chunks[] = {1, 7, 999, 5000};
    for (size_t m = 0; m < 4; m++) {
        dp2dp_train_options options = api_options(learning[m]);
        options.rng = DP2DP_RNG_INSECURE;
        options.insecure_seed = 5;
        HANDLE(dp2dp_model) *first = train_people(api_schema, &options, API_CHUNK);
        OWNED(people) p = score_people(first, API_ROWS, API_CHUNK);
        for (size_t c = 0; c < 4; c++) {
            options.threads = (unsigned)c + 1;
            HANDLE(dp2dp_model) *again = train_people(api_schema, &options, chunks[c]);
            OWNED(people) q = score_people(first, API_ROWS, chunks[c]);
            assert_memory_equal(view(first)->classifier->weights, view(again)->classifier->weights,
                                3 * (API_FEATURES + 1) * sizeof(double));
            assert_memory_equal(p.scores, q.scores, 3 * sizeof(float) * API_ROWS);
        }
        assert_true(view(first)->not_private_because & DP2DP_NOT_PRIVATE_INSECURE_NOISE);
    }
}

static int32_t *decisions(const dp2dp_model *model, const people *p) {
    dp2dp_matrix scores = scores_of(p);
    dp2dp_column groups = groups_of(p);
    int32_t *out = calloc(p->n, sizeof *out);
    assert_ok(dp2dp_model_predict(model, &scores, &groups, NULL, out, NULL));
    return out;
}

TEST(a_saved_model_scores_and_decides_as_before) {
    write_people(API_ROWS, 5);
    dp2dp_train_options options = api_options(DP2DP_TRAIN_DPGD);
    HANDLE(dp2dp_model) *base = train_people(api_schema, &options, API_CHUNK);
    OWNED(people) p = score_people(base, API_ROWS, API_CHUNK);
    HANDLE(dp2dp_model) *fitted = fit_on(&p, base, DP2DP_PEOPLE_OTHER, 1);
    const dp2dp_model *const models[] = {base, fitted};
    for (int i = 0; i < 2; i++) {
        TEXT_FREED char *text = NULL, *again = NULL;
        size_t length = 0, length_again = 0;
        HANDLE(dp2dp_model) *loaded = NULL;
        assert_ok(dp2dp_model_to_json(models[i], &text, &length, &test_error));
        assert_ok(dp2dp_model_from_json(text, length, &loaded, &test_error));
        assert_ok(dp2dp_model_to_json(loaded, &again, &length_again, NULL));
        assert_int_equal(length, length_again);
        assert_memory_equal(text, again, length);
        OWNED(people) q = score_people(loaded, API_ROWS, 100);
        assert_memory_equal(p.scores, q.scores, 3 * sizeof(float) * API_ROWS);
        FREED int32_t *before = decisions(models[i], &p), *after = decisions(loaded, &q);
        assert_memory_equal(before, after, API_ROWS * sizeof(int32_t));
    }
}

TEST(without_a_rule_the_decision_is_the_plain_argmax) {
    write_people(API_ROWS, 6);
    dp2dp_train_options options = api_options(DP2DP_TRAIN_DPGD);
    HANDLE(dp2dp_model) *model = train_people(api_schema, &options, API_CHUNK);
    OWNED(people) p = score_people(model, API_ROWS, API_CHUNK);
    dp2dp_matrix scores = scores_of(&p);
    static int32_t out[API_ROWS];
    static float adjusted[3 * API_ROWS];
    const float none[3] = {0};
    assert_ok(dp2dp_model_predict(model, &scores, NULL, NULL, out, NULL));
    assert_ok(dp2dp_model_adjust(model, &scores, NULL, NULL, adjusted, NULL));
    assert_memory_equal(adjusted, p.scores, sizeof adjusted);
    for (size_t i = 0; i < p.n; i++) {
        assert_int_equal(out[i], plain_argmax(p.scores + 3 * i, 3, none));
    }
    static double wide[3 * API_ROWS]; /* float64 scores take another path */
    for (size_t i = 0; i < 3 * (size_t)API_ROWS; i++) {
        wide[i] = (double)p.scores[i];
    }
    static int32_t again[API_ROWS];
    dp2dp_matrix view64 = {wide, DP2DP_FLOAT64, p.n, 3, 24, 8};
    assert_ok(dp2dp_model_predict(model, &view64, NULL, NULL, again, NULL));
    assert_memory_equal(out, again, sizeof out);
    p.scores[7 * 3] = NAN;
    assert_fails(dp2dp_model_predict(model, &scores, NULL, NULL, out, &test_error), DATA,
                 "row 8, score column 1: a probability must be a number from 0 to 1");
}

static double upper(double x) {
    return erfc(x / sqrt(2)) / 2;
}

/* Computes μ of one Gaussian at (ε, δ) by bisection, independently of the accountant. */
static double mu_of(double epsilon, double delta) {
    double low = 0, high = 100;
    for (int i = 0; i < 200; i++) {
        double mu = (low + high) / 2;
        double d = upper(epsilon / mu - mu / 2) - exp(epsilon) * upper(epsilon / mu + mu / 2);
        *(d > delta ? &high : &low) = mu;
    }
    return low;
}

TEST(other_people_cost_the_maximum_and_the_same_compose) {
    write_people(API_ROWS, 7);
    dp2dp_train_options options = api_options(DP2DP_TRAIN_DPGD);
    HANDLE(dp2dp_model) *base = train_people(api_schema, &options, API_CHUNK);
    OWNED(people) p = score_people(base, API_ROWS, API_CHUNK);
    static const double spent[] = {0.5, 1, 2};
    for (int i = 0; i < 3; i++) {
        HANDLE(dp2dp_model) *other = fit_on(&p, base, DP2DP_PEOPLE_OTHER, spent[i]);
        HANDLE(dp2dp_model) *same = fit_on(&p, base, DP2DP_PEOPLE_SAME, spent[i]);
        double most = spent[i] > 1 ? spent[i] : 1;
        assert_true(fabs(view(other)->epsilon - most) < 1e-3 && view(other)->epsilon <= most);
        double mu = mu_of(view(same)->epsilon, 1e-6);
        double expected = sqrt(pow(mu_of(1, 1e-6), 2) + pow(mu_of(spent[i], 1e-6), 2));
        assert_true(fabs(mu - expected) < 1e-3 * expected);
        assert_string_equal(entry(other, 1).role, "pool");
        assert_null(entry(other, 1).set);
        assert_string_equal(entry(same, 1).role, "pool");
        assert_string_equal(entry(same, 1).set, "train"); /* the same people */
        for (int j = 0; j < 2; j++) {
            const dp2dp_model *model = j ? other : same;
            assert_int_equal(dp2dp_ledger_size(view(model)->ledger), 3);
            assert_true(view(model)->epsilon == epsilon_spent(view(model)->ledger, 1e-6));
            assert_true(entry(model, 0).sigma == entry(base, 0).sigma);
            assert_string_equal(entry(model, 0).role, "train");
            assert_int_equal(view(model)->not_private_because, 0);
            assert_string_equal(view(model)->names.classes[0], "low");
        }
    }
}

/* A base that was charged for one row per person does not protect a person with five rows. */
TEST(a_base_for_people_of_other_sizes_is_refused) {
    write_people(API_ROWS, 4);
    for (uint64_t rows = 1; rows <= 5; rows += 4) {
        dp2dp_train_options options = api_options(DP2DP_TRAIN_DPGD);
        options.rows_per_person = rows;
        HANDLE(dp2dp_model) *base = train_people(api_schema, &options, API_CHUNK), *model = NULL;
        OWNED(people) p = score_people(base, API_ROWS, API_CHUNK);
        HANDLE(dp2dp_pool) *pool = pool_of(&p);
        dp2dp_source source = dp2dp_pool_source(pool);
        dp2dp_fit_options fit = DP2DP_FIT_OPTIONS_INIT;
        fit.epsilon = 1;
        fit.delta = 1e-6;
        fit.base = base;
        fit.rows_per_person = 6 - rows;
        assert_fails(dp2dp_fit(&source, &fit, &model, &test_error), ARGUMENT,
                     rows == 1 ? "rows_per_person = 5:" : "charged with rows_per_person = 5");
        assert_says(test_error.message,
                    rows == 1 ? "charged with rows_per_person = 1" : "rows_per_person = 1:");
        assert_null(model);
        fit.rows_per_person = rows;
        assert_ok(dp2dp_fit(&source, &fit, &model, &test_error));
    }
}

/* A base without charges puts no condition on rows_per_person. */
TEST(a_base_without_charges_fits_any_people) {
    write_people(API_ROWS, 4);
    dp2dp_train_options options = api_options(DP2DP_TRAIN_NONE);
    HANDLE(dp2dp_model) *base = train_people(api_schema, &options, API_CHUNK);
    OWNED(people) p = score_people(base, API_ROWS, API_CHUNK);
    dp2dp_fit_options fit = DP2DP_FIT_OPTIONS_INIT;
    TEXT_FREED char *text = NULL;
    size_t length;
    fit.epsilon = 1;
    fit.delta = 1e-6;
    fit.base = base;
    fit.rows_per_person = 5;
    HANDLE(dp2dp_model) *model = fit_people(&p, &fit);
    assert_ok(dp2dp_model_to_json(model, &text, &length, NULL));
}

/* A person may be in both pools, so the second fit is charged to everybody. */
TEST(a_fit_on_a_fitted_model_adds_to_everybody) {
    write_people(API_ROWS, 8);
    dp2dp_train_options options = api_options(DP2DP_TRAIN_DPGD);
    HANDLE(dp2dp_model) *base = train_people(api_schema, &options, API_CHUNK);
    OWNED(people) p = score_people(base, API_ROWS, API_CHUNK);
    HANDLE(dp2dp_model) *once = fit_on(&p, base, DP2DP_PEOPLE_SAME, 1);
    HANDLE(dp2dp_model) *twice = fit_on(&p, once, DP2DP_PEOPLE_OTHER, 1);
    assert_int_equal(dp2dp_ledger_size(view(twice)->ledger), 5);
    assert_null(entry(twice, 4).set);
    assert_null(entry(twice, 4).role);
    double mu = mu_of(view(twice)->epsilon, 1e-6), one = mu_of(1, 1e-6);
    assert_true(fabs(mu - sqrt(3) * one) < 2e-3 * mu);
}

TEST(a_base_is_not_charged_twice_to_the_ledger) {
    write_people(API_ROWS, 9);
    HANDLE(dp2dp_ledger) *ledger = new_ledger();
    dp2dp_train_options options = api_options(DP2DP_TRAIN_DPGD);
    options.ledger = ledger;
    HANDLE(dp2dp_model) *base = train_people(api_schema, &options, API_CHUNK);
    assert_int_equal(dp2dp_ledger_size(ledger), 1);
    OWNED(people) p = score_people(base, API_ROWS, API_CHUNK);
    dp2dp_fit_options fit = seeded(1, 2);
    fit.base = base;
    fit.ledger = ledger;
    HANDLE(dp2dp_model) *model = fit_people(&p, &fit);
    assert_int_equal(dp2dp_ledger_size(ledger), 3);
    assert_int_equal(dp2dp_ledger_size(view(model)->ledger), 3);
    assert_int_equal(view(model)->not_private_because, DP2DP_NOT_PRIVATE_INSECURE_NOISE);
}

TEST(reasons_against_a_base_stay_with_what_is_fitted_on_it) {
    FREED char *from_data = edited(api_schema, "\"public\"", "\"from-data\"");
    write_people(API_ROWS, 10);
    dp2dp_train_options options = api_options(DP2DP_TRAIN_DPGD);
    options.epsilon = INFINITY;
    options.rng = DP2DP_RNG_INSECURE;
    dp2dp_model *base = train_people(from_data, &options, API_CHUNK);
    unsigned reasons = DP2DP_NOT_PRIVATE_SCHEMA_FROM_DATA |
                       DP2DP_NOT_PRIVATE_CLASSIFIER_NOT_PRIVATE | DP2DP_NOT_PRIVATE_INSECURE_NOISE;
    assert_int_equal(view(base)->not_private_because, reasons);
    OWNED(people) p = score_people(base, API_ROWS, API_CHUNK);
    HANDLE(dp2dp_model) *model = fit_on(&p, base, DP2DP_PEOPLE_OTHER, 1);
    assert_int_equal(view(model)->not_private_because, reasons);
    assert_int_equal(dp2dp_ledger_size(view(model)->ledger), 2);
    HANDLE(dp2dp_model) *same = fit_on(&p, base, DP2DP_PEOPLE_SAME, 1);
    assert_int_equal(view(same)->not_private_because, reasons | DP2DP_NOT_PRIVATE_SCORES_FROM_POOL);
    dp2dp_fit_options exact = noiseless(0);
    exact.solver = DP2DP_SOLVER_EXACT;
    exact.base = base;
    HANDLE(dp2dp_model) *bare = fit_people(&p, &exact);
    assert_int_equal(view(bare)->not_private_because, reasons | DP2DP_NOT_PRIVATE_NO_NOISE);
    assert_true(isnan(view(bare)->epsilon));
    dp2dp_model_free(base);
}

/* The model states the epsilon of the training even if the fit has no delta. */
TEST(an_exact_fit_is_accounted_at_the_delta_of_its_base) {
    write_people(API_ROWS, 11);
    dp2dp_train_options options = api_options(DP2DP_TRAIN_DPGD);
    HANDLE(dp2dp_model) *base = train_people(api_schema, &options, API_CHUNK);
    OWNED(people) p = score_people(base, API_ROWS, API_CHUNK);
    dp2dp_fit_options exact = noiseless(0);
    exact.solver = DP2DP_SOLVER_EXACT;
    exact.epsilon = NAN;
    exact.base = base;
    HANDLE(dp2dp_model) *model = fit_people(&p, &exact);
    assert_int_equal(view(model)->not_private_because, DP2DP_NOT_PRIVATE_NO_NOISE);
    assert_true(view(model)->epsilon == view(base)->epsilon && view(model)->delta == 1e-6);
}
