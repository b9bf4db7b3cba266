/* A model decides by its offsets for every layout of the scores, and agrees with the counts of the
 * pool. */
#include "decide/model.h"

#include "unit/phase2/data.h"

enum {
    CLASSES = 4,
    GROUPS = 3
};

static float theta_single[GROUPS * CLASSES];

static dp2dp_model *blank(void) {
    dp2dp_names none = {0};
    dp2dp_model *model = NULL;
    assert_ok(dp2dpi_model_new(&(dp2dpi_model_kind) {.strata = GROUPS, .classes = CLASSES}, &none,
                               &model, NULL));
    return model;
}

static void set_offsets(dp2dp_model *model) {
    for (size_t c = 0; c < GROUPS * CLASSES; c++) {
        model->offsets[c] = (double)theta_single[c];
    }
    dp2dpi_model_publish(model);
}

static dp2dp_model *made_by_hand(uint64_t seed) {
    dp2dp_model *model = blank();
    for (size_t c = 0; c < GROUPS * CLASSES; c++) {
        theta_single[c] = (float)((double)(draw(&seed) >> 11) * 0x1p-53 - 0.5);
    }
    set_offsets(model);
    return model;
}

TEST(decisions_are_the_argmax) {
    OWNED(people) p = people_random(2000, CLASSES, GROUPS, 1U << 20, 21);
    HANDLE(dp2dp_model) *model = made_by_hand(22);
    FREED int32_t *decision = calloc(p.n, sizeof *decision);
    unsigned moved = 0;
    assert_ok(predict_people(model, &p, decision));
    for (size_t i = 0; i < p.n; i++) {
        const float *row = p.scores + i * CLASSES, none[CLASSES] = {0};
        size_t expected = plain_argmax(row, CLASSES, theta_single + (size_t)p.group[i] * CLASSES);
        assert_int_equal(decision[i], expected);
        moved += plain_argmax(row, CLASSES, none) != expected;
    }
    assert_true(moved > 100);
}

/* Rows and columns in reverse order, doubles, codes in bytes: out[i] is always the decision of row
 * i. */
TEST(any_view_gives_the_same_decisions) {
    OWNED(people) p = people_random(500, CLASSES, GROUPS, 1U << 20, 23);
    HANDLE(dp2dp_model) *model = made_by_hand(24);
    static int32_t first[500], second[500];
    static double turned[500 * CLASSES];
    static int8_t bytes[2 * 500];
    for (size_t i = 0; i < p.n; i++) {
        for (size_t k = 0; k < CLASSES; k++) {
            turned[(CLASSES - 1 - k) * p.n + (p.n - 1 - i)] = (double)p.scores[i * CLASSES + k];
        }
        bytes[2 * i] = (int8_t)p.group[i];
    }
    dp2dp_matrix view = {turned + CLASSES * p.n - 1, DP2DP_FLOAT64, p.n, CLASSES, -8,
                         -8 * (ptrdiff_t)p.n};
    dp2dp_column codes = {bytes, DP2DP_INT8, p.n, 2};
    assert_ok(predict_people(model, &p, first));
    assert_ok(dp2dp_model_predict(model, &view, &codes, NULL, second, NULL));
    assert_memory_equal(first, second, sizeof first);
}

/* predict and the counts of a pool execute the same rule, also for tiny and for equal
 * probabilities. */
TEST(decisions_agree_with_the_counts) {
    OWNED(people) p = people_random(5000, CLASSES, GROUPS, 8, 25);
    HANDLE(dp2dp_model) *model = made_by_hand(26);
    HANDLE(dp2dp_pool) *pool = pool_of(&p);
    assert_decisions_are_the_counts(model, pool, &p);
    uint64_t seed = 27;
    for (size_t i = 0; i < p.n; i++) {
        double raw[CLASSES] = {1, 0, 0, 0};
        for (size_t k = 1; k < CLASSES; k++) {
            raw[k] = ldexp(1, -(int)(draw(&seed) % 60));
        }
        people_set(&p, i, raw);
    }
    for (size_t c = 0; c < GROUPS * CLASSES; c++) {
        theta_single[c] =
            c % CLASSES ? -0.25F : 2.0F; /* class 0 never wins, and the others nearly tie */
    }
    set_offsets(model);
    HANDLE(dp2dp_pool) *close = pool_of(&p);
    assert_decisions_are_the_counts(model, close, &p);
}

TEST(the_lowest_class_wins_a_tie) {
    static const float scores[2 * CLASSES] = {0.25F, 0.25F, 0.25F, 0.25F, 0, 0.5F, 0.5F, 0};
    static const int32_t groups[2] = {0, 2};
    HANDLE(dp2dp_model) *model = blank();
    dp2dp_matrix view = {scores, DP2DP_FLOAT32, 2, CLASSES, 16, 4};
    dp2dp_column codes = {groups, DP2DP_INT32, 2, 4};
    int32_t decision[2] = {-1, -1};
    assert_ok(dp2dp_model_predict(model, &view, &codes, NULL, decision, NULL));
    assert_int_equal(decision[0], 0);
    assert_int_equal(decision[1], 1);
}

TEST(an_unknown_group_is_refused_by_row_and_not_by_value) {
    OWNED(people) p = people_random(30, CLASSES, GROUPS, 1U << 20, 28);
    HANDLE(dp2dp_model) *model = made_by_hand(29);
    int32_t decision[30];
    static const int32_t bad[3] = {GROUPS, -1, 113};
    for (int i = 0; i < 3; i++) {
        p.group[12] = bad[i];
        assert_fails(predict_people(model, &p, decision), DATA, "row 13");
        assert_null(strstr(test_error.message, "113"));
    }
}

/* A score that is not a number gives an error, not a decision. */
TEST(scores_that_are_not_numbers_are_refused) {
    OWNED(people) p = people_random(30, CLASSES, GROUPS, 1U << 20, 30);
    HANDLE(dp2dp_model) *model = made_by_hand(31);
    int32_t decision[30];
    p.scores[7 * CLASSES + 1] = NAN;
    assert_fails(predict_people(model, &p, decision), DATA, "row 8");
}

TEST(shapes_that_do_not_fit_are_refused) {
    OWNED(people) p = people_random(30, CLASSES, GROUPS, 1U << 20, 32);
    HANDLE(dp2dp_model) *model = made_by_hand(33);
    dp2dp_matrix scores = scores_of(&p), s = scores;
    dp2dp_column groups = groups_of(&p), g = groups;
    int32_t decision[30];
    s.columns--;
    assert_status(dp2dp_model_predict(model, &s, &groups, NULL, decision, NULL), ARGUMENT);
    g.rows--;
    assert_status(dp2dp_model_predict(model, &scores, &g, NULL, decision, NULL), ARGUMENT);
    s = scores, s.type = DP2DP_INT8;
    assert_status(dp2dp_model_predict(model, &s, &groups, NULL, decision, NULL), ARGUMENT);
    s = scores, g = groups, s.rows = g.rows = 0;
    assert_ok(dp2dp_model_predict(model, &s, &g, NULL, decision, NULL));
}

TEST(a_fitted_model_tells_its_shape_and_publishes_single_precision) {
    OWNED(people) p = people_favoured(1000, CLASSES, GROUPS, 34);
    for (int solver = DP2DP_SOLVER_COUNTS; solver <= DP2DP_SOLVER_EXACT; solver++) {
        dp2dp_fit_options options = noiseless(0.05);
        options.solver = (dp2dp_solver)solver;
        HANDLE(dp2dp_model) *model = fit_people(&p, &options);
        const double *offsets = dp2dp_model_view(model)->offsets,
                     *shares = dp2dp_model_view(model)->shares;
        double sum = 0, held[GROUPS] = {0};
        assert_int_equal(dp2dp_model_view(model)->classes, CLASSES);
        assert_int_equal(dp2dp_model_view(model)->strata, GROUPS);
        for (size_t c = 0; c < GROUPS * CLASSES; c++) {
            assert_true(offsets[c] == (double)(float)offsets[c] && fabs(offsets[c]) <= 2);
        }
        for (size_t i = 0; i < p.n; i++) {
            held[p.group[i]]++;
        }
        for (size_t g = 0; g < GROUPS; g++) {
            sum += shares[g];
            assert_true(fabs(shares[g] - held[g] / (double)p.n) < 1e-12);
        }
        assert_true(fabs(sum - 1) < 1e-12);
        assert_int_equal(dp2dp_model_view(model)->optimality != NULL, solver == DP2DP_SOLVER_EXACT);
    }
    dp2dp_model_free(NULL);
}

TEST(without_groups_the_decision_is_the_plain_argmax_for_any_number_of_classes) {
    for (size_t classes = 2; classes <= 20; classes++) {
        OWNED(people) p = people_random(3000, classes, 2, 1U << 20, classes);
        dp2dp_names none = {0};
        HANDLE(dp2dp_model) *model = NULL;
        dp2dp_matrix scores = scores_of(&p);
        static int32_t decision[3000];
        const float zeros[20] = {0};
        assert_ok(dp2dpi_model_new(&(dp2dpi_model_kind) {.classes = classes}, &none, &model, NULL));
        assert_ok(dp2dp_model_predict(model, &scores, NULL, NULL, decision, NULL));
        for (size_t i = 0; i < p.n; i++) {
            assert_int_equal(decision[i], plain_argmax(p.scores + i * classes, classes, zeros));
        }
    }
}
