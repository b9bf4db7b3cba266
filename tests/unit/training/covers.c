/* Tests what a model says about itself: whom it covers and whom not, what it warns of, and which
 * release it is. */
#include "unit/training/people_data.h"

typedef struct promise {
    const char *role;
    uint64_t records;
    double epsilon;   /* NAN: not covered */
    unsigned because; /* must include */
} promise;

/* Checks what the model says, also after it was written and read. */
static void assert_covers(const dp2dp_model *model, size_t n, const promise *expected,
                          unsigned warnings) {
    TEXT_FREED char *text = NULL, *again = NULL;
    size_t length, length_again;
    HANDLE(dp2dp_model) *loaded = NULL;
    assert_ok(dp2dp_model_to_json(model, &text, &length, &test_error));
    assert_ok(dp2dp_model_from_json(text, length, &loaded, &test_error));
    assert_ok(dp2dp_model_to_json(loaded, &again, &length_again, &test_error));
    assert_int_equal(length, length_again);
    assert_memory_equal(text, again, length);
    const dp2dp_model *const both[] = {model, loaded};
    for (int m = 0; m < 2; m++) {
        const dp2dp_model_info *info = view(both[m]);
        assert_int_equal(info->cover_count, n);
        /* That rates are noisy follows from the size of these pools. */
        assert_int_equal(info->warnings & ~(unsigned)DP2DP_WARNING_RATES_NOISY, warnings);
        assert_int_equal(info->from_version, 0);
        for (size_t i = 0; i < n; i++) {
            const dp2dp_cover *cover = &info->covers[i];
            assert_string_equal(cover->role, expected[i].role);
            assert_int_equal(cover->records, expected[i].records);
            assert_int_equal(cover->because & expected[i].because, expected[i].because);
            assert_int_equal(cover->because == 0, !isnan(expected[i].epsilon));
            if (cover->because == 0) {
                assert_near(cover->epsilon, expected[i].epsilon, 2e-3);
                assert_true(cover->epsilon <= expected[i].epsilon + 1e-4);
                assert_true(cover->delta == info->delta);
            } else {
                assert_true(isnan(cover->epsilon) && isnan(cover->delta));
            }
        }
    }
}

TEST(a_model_says_whom_it_covers_and_whom_not) {
    HANDLE(dp2dp_model) *private_base = train(DP2DP_TRAIN_DPGD, NULL, NULL);
    HANDLE(dp2dp_model) *bare_base = train(DP2DP_TRAIN_NONE, NULL, NULL);
    OWNED(people) p = score_people(private_base, API_ROWS, API_CHUNK);
    const unsigned bare = DP2DP_NOT_PRIVATE_CLASSIFIER_NOT_PRIVATE;
    dp2dp_fit_options options = fit_of(0.5, DP2DP_PEOPLE_OTHER, NULL);
    assert_covers(private_base, 1, (const promise[]) {{"train", 2000, 1, 0}}, 0);
    assert_covers(bare_base, 1, (const promise[]) {{"train", 2000, NAN, bare}}, 0);

    options.base = private_base;
    HANDLE(dp2dp_model) *both = fit_people(&p, &options);
    assert_covers(both, 2, (const promise[]) {{"train", 2000, 1, 0}, {"pool", 2000, 0.5, 0}}, 0);
    assert_int_equal(view(both)->not_private_because, 0);

    options.base = bare_base;
    HANDLE(dp2dp_model) *pool_only = fit_people(&p, &options);
    assert_covers(pool_only, 2,
                  (const promise[]) {{"train", 2000, NAN, bare}, {"pool", 2000, 0.5, 0}}, 0);
    assert_int_equal(view(pool_only)->not_private_because, bare);
    options.people = DP2DP_PEOPLE_SAME;
    HANDLE(dp2dp_model) *nobody = fit_people(&p, &options);
    assert_covers(nobody, 2,
                  (const promise[]) {{"train", 2000, NAN, bare},
                                     {"pool", 2000, NAN, DP2DP_NOT_PRIVATE_SCORES_FROM_POOL}},
                  0);

    options = fit_of(0.5, DP2DP_PEOPLE_OTHER, NULL);
    HANDLE(dp2dp_model) *elsewhere = fit_people(&p, &options);
    assert_covers(elsewhere, 1, (const promise[]) {{"pool", 2000, 0.5, 0}},
                  DP2DP_WARNING_SCORES_ORIGIN_NOT_STATED);
    assert_int_equal(view(elsewhere)->not_private_because, 0);

    options.scores_epsilon = 2;
    options.scores_delta = 1e-7;
    HANDLE(dp2dp_model) *declared = fit_people(&p, &options);
    assert_covers(declared, 2, (const promise[]) {{"train", 0, 2, 0}, {"pool", 2000, 0.5, 0}}, 0);

    options = noiseless(0);
    HANDLE(dp2dp_model) *exposed = fit_people(&p, &options);
    assert_covers(exposed, 1, (const promise[]) {{"pool", 2000, NAN, DP2DP_NOT_PRIVATE_NO_NOISE}},
                  DP2DP_WARNING_SCORES_ORIGIN_NOT_STATED);
}

/* The model as it is after it was written and read. */
static dp2dp_model *read_again(const dp2dp_model *model) {
    TEXT_FREED char *text = NULL;
    size_t length;
    dp2dp_model *loaded = NULL;
    assert_ok(dp2dp_model_to_json(model, &text, &length, &test_error));
    assert_ok(dp2dp_model_from_json(text, length, &loaded, &test_error));
    return loaded;
}

/* Checks that the ledger says, once, that data of these people were released without noise. */
static void assert_exposed(const dp2dp_ledger *ledger, const char *name) {
    size_t found = 0;
    for (size_t i = 0; i < dp2dp_ledger_size(ledger); i++) {
        dp2dp_event event = entry_of(ledger, i);
        found += event.mechanism == DP2DP_EXPOSED;
        assert_string_equal(event.set, name);
    }
    assert_int_equal(found, 1);
}

TEST(a_classifier_without_noise_remembers_whose_data_it_shows) {
    HANDLE(dp2dp_model) *trained = train(DP2DP_TRAIN_NONE, "june", NULL);
    HANDLE(dp2dp_model) *base = read_again(trained);
    OWNED(people) p = score_people(base, API_ROWS, API_CHUNK);
    const unsigned bare = DP2DP_NOT_PRIVATE_CLASSIFIER_NOT_PRIVATE;
    const unsigned pool = DP2DP_NOT_PRIVATE_SCORES_FROM_POOL;
    HANDLE(dp2dp_ledger) *ledger = new_ledger(), *other = new_ledger();
    assert_covers(trained, 1, (const promise[]) {{"train", 2000, NAN, bare}}, 0);
    assert_string_equal(view(base)->covers[0].people, "june");
    assert_true(isnan(view(base)->epsilon));

    dp2dp_fit_options options = fit_of(0.5, DP2DP_PEOPLE_OTHER, ledger);
    options.base = base;
    options.people_name = "june";
    HANDLE(dp2dp_model) *same = fit_people(&p, &options);
    assert_covers(same, 2,
                  (const promise[]) {{"train", 2000, NAN, bare}, {"pool", 2000, NAN, pool}}, 0);
    assert_exposed(ledger, "june");
    assert_int_equal(dp2dp_ledger_size(ledger), 3); /* the exposure and the fit's two releases */

    options.people_name = "july";
    options.ledger = other;
    options.rows_per_person = 3; /* what is exposed has no number of rows */
    HANDLE(dp2dp_model) *apart = fit_people(&p, &options);
    assert_covers(apart, 2, (const promise[]) {{"train", 2000, NAN, bare}, {"pool", 2000, 0.5, 0}},
                  0);
    assert_int_equal(dp2dp_ledger_size(other), 2);
}

TEST(a_rule_without_noise_remembers_whose_data_it_shows) {
    HANDLE(dp2dp_model) *base = train(DP2DP_TRAIN_DPGD, "may", NULL);
    OWNED(people) p = score_people(base, API_ROWS, API_CHUNK);
    const unsigned none = DP2DP_NOT_PRIVATE_NO_NOISE;
    for (int infinite = 0; infinite < 2; infinite++) {
        HANDLE(dp2dp_ledger) *ledger = new_ledger();
        dp2dp_fit_options options = fit_of(0.5, DP2DP_PEOPLE_OTHER, NULL);
        options.base = base;
        options.people_name = "june";
        options.solver = infinite ? DP2DP_SOLVER_COUNTS : DP2DP_SOLVER_EXACT;
        options.epsilon = infinite ? INFINITY : NAN;
        HANDLE(dp2dp_model) *bare = fit_people(&p, &options);
        assert_covers(bare, 2, (const promise[]) {{"train", 2000, 1, 0}, {"pool", 2000, NAN, none}},
                      0);
        assert_string_equal(view(bare)->covers[1].people, "june");
        assert_near(view(bare)->epsilon, 1, 1e-2); /* what the training promised */

        options = fit_of(0.5, DP2DP_PEOPLE_OTHER, ledger);
        options.base = bare;
        options.people_name = "june";
        HANDLE(dp2dp_model) *again = fit_people(&p, &options);
        assert_exposed(ledger, "june");
        assert_covers(again, 3,
                      (const promise[]) {{"train", 2000, view(again)->epsilon, 0},
                                         {"pool", 0, NAN, none},
                                         {"pool", 2000, NAN, none}},
                      0);
    }
}

/* Without noise, the same people are shown to whom the training promised something. */
TEST(a_rule_without_noise_takes_the_promise_from_the_same_people) {
    static const struct {
        const char *trained, *pool;
        dp2dp_people whom;
    } cases[] = {
        {NULL, NULL, DP2DP_PEOPLE_SAME},
        {"may", NULL, DP2DP_PEOPLE_SAME},
        {"may", "may", DP2DP_PEOPLE_OTHER},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        HANDLE(dp2dp_model) *base = train(DP2DP_TRAIN_DPGD, cases[i].trained, NULL);
        OWNED(people) p = score_people(base, API_ROWS, API_CHUNK);
        dp2dp_fit_options options = fit_of(NAN, cases[i].whom, NULL);
        options.solver = DP2DP_SOLVER_EXACT;
        options.base = base;
        options.people_name = cases[i].pool;
        HANDLE(dp2dp_model) *model = fit_people(&p, &options);
        const unsigned none = DP2DP_NOT_PRIVATE_NO_NOISE;
        assert_covers(model, 2,
                      (const promise[]) {{"train", 2000, NAN, none}, {"pool", 2000, NAN, none}}, 0);
    }
}

/* The file does not keep how many people an earlier pool had, nor who of them is in the last. */
TEST(a_second_fit_covers_each_pool_with_its_own_records) {
    HANDLE(dp2dp_model) *base = train(DP2DP_TRAIN_DPGD, "may", NULL);
    OWNED(people) p = score_people(base, API_ROWS, API_CHUNK);
    dp2dp_fit_options options = fit_of(0.5, DP2DP_PEOPLE_OTHER, NULL);
    options.base = base;
    options.people_name = "june";
    HANDLE(dp2dp_model) *first = fit_people(&p, &options);
    options = fit_of(2, DP2DP_PEOPLE_OTHER, NULL);
    options.base = first;
    OWNED(people) q = score_people(base, API_ROWS, API_CHUNK);
    q.n = 1500;
    HANDLE(dp2dp_model) *second = fit_people(&q, &options);
    const dp2dp_cover *covers = view(second)->covers;
    assert_covers(second, 3,
                  (const promise[]) {{"train", 2000, covers[0].epsilon, 0},
                                     {"pool", 0, covers[1].epsilon, 0},
                                     {"pool", 1500, view(second)->epsilon, 0}},
                  0);
    assert_string_equal(covers[1].people, "june");
    assert_null(covers[2].people);
    assert_true(covers[1].epsilon < covers[0].epsilon && covers[1].epsilon > 2);
    assert_true(covers[2].epsilon >= covers[0].epsilon);

    options.epsilon = INFINITY; /* it is not known who is in the pool: nobody is covered */
    HANDLE(dp2dp_model) *bare = fit_people(&q, &options);
    const unsigned none = DP2DP_NOT_PRIVATE_NO_NOISE;
    assert_covers(bare, 3,
                  (const promise[]) {{"train", 2000, NAN, none},
                                     {"pool", 0, NAN, none},
                                     {"pool", 1500, NAN, none}},
                  0);
}

TEST(numbers_that_promise_little_are_warned_of) {
    OWNED(people) p = people_favoured(500, 3, 2, 5);
    static const struct {
        double epsilon, delta;
        unsigned warnings;
    } cases[] = {
        {1, 1.0 / 700, 0},
        {1, 1.0 / 600, DP2DP_WARNING_DELTA_LARGE},
        {1, 1.0 / 500, DP2DP_WARNING_DELTA_LARGE},
        {10, 1e-6, 0},
        {10.5, 1e-6, DP2DP_WARNING_EPSILON_LARGE},
        {1e-3, 0.01, DP2DP_WARNING_DELTA_LARGE | DP2DP_WARNING_EPSILON_BELOW_DELTA},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        dp2dp_fit_options options = fit_of(cases[i].epsilon, DP2DP_PEOPLE_OTHER, NULL);
        options.delta = cases[i].delta;
        HANDLE(dp2dp_model) *model = fit_people(&p, &options);
        assert_int_equal(view(model)->warnings &
                             (DP2DP_WARNING_DELTA_LARGE | DP2DP_WARNING_EPSILON_LARGE |
                              DP2DP_WARNING_EPSILON_BELOW_DELTA),
                         cases[i].warnings);
    }
    dp2dp_fit_options exact = fit_of(1, DP2DP_PEOPLE_OTHER, NULL);
    exact.solver = DP2DP_SOLVER_EXACT;
    HANDLE(dp2dp_model) *model = fit_people(&p, &exact);
    assert_true(view(model)->warnings & DP2DP_WARNING_EPSILON_UNUSED);
}

static void id_of(const people *p, const dp2dp_fit_options *options, char id[33]) {
    HANDLE(dp2dp_model) *model = fit_people(p, options);
    (void)snprintf(id, 33, "%s", entry(model, 1).release_id);
    assert_string_equal(entry(model, 0).release_id, id); /* one id for the whole release */
    assert_int_equal(strspn(id, "0123456789abcdef"), 32);
}

TEST(a_release_id_is_random_or_follows_from_seed_and_options) {
    OWNED(people) p = people_favoured(500, 3, 2, 5);
    dp2dp_fit_options options = seeded(1, 3);
    char first[33], again[33], other[3][33];
    id_of(&p, &options, first);
    options.people_name = "spring"; /* who they are changes nothing that is drawn */
    id_of(&p, &options, again);
    assert_string_equal(first, again);
    options.insecure_seed = 4;
    id_of(&p, &options, other[0]);
    options = seeded(1.5, 3);
    id_of(&p, &options, other[1]);
    options = seeded(1, 3);
    options.steps = 7;
    id_of(&p, &options, other[2]);
    for (int i = 0; i < 3; i++) {
        assert_string_not_equal(first, other[i]);
        assert_string_not_equal(other[i], other[(i + 1) % 3]);
    }
    options = seeded(1, 3);
    options.rng = DP2DP_RNG_SECURE;
    id_of(&p, &options, first);
    id_of(&p, &options, again);
    assert_string_not_equal(first, again);
}
