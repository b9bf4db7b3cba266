/* Decides for one person, with group and class given by name. */
#include "decide/model.h"

#include "unit/phase2/data.h"

enum {
    GROUPS = 3,
    CLASSES = 4
};

static const char *const groups[GROUPS] = {"f", "m", "x y"};
static const char *const classes[CLASSES] = {"no", "later", "yes", "0"};

static dp2dp_model *model_with(size_t strata) {
    const dp2dp_names names = {.groups = strata ? groups : NULL, .classes = classes};
    dp2dp_model *model = NULL;
    uint64_t seed = 4;
    assert_ok(dp2dpi_model_new(&(dp2dpi_model_kind) {.strata = strata, .classes = CLASSES}, &names,
                               &model, &test_error));
    for (size_t c = 0; c < strata * CLASSES; c++) {
        model->offsets[c] = (double)(draw(&seed) % 9) / 16 - 0.25;
    }
    model->info.dither = (dp2dp_dither) {.width = strata ? 1e-3 : 0, .seed = 7};
    dp2dpi_model_publish(model);
    return model;
}

static void assert_agrees(const dp2dp_model *model, size_t group) {
    int seen[CLASSES] = {0};
    uint64_t seed = 11 + group;
    for (int i = 0; i < 300; i++) {
        double scores[CLASSES];
        const char *decision = NULL;
        int32_t code = (int32_t)group, winner;
        draw_row(&seed, CLASSES, 8, scores); /* ties */
        dp2dp_matrix row = {scores, DP2DP_FLOAT64, 1, CLASSES, sizeof scores, sizeof *scores};
        dp2dp_column column = {&code, DP2DP_INT32, 1, sizeof code};
        assert_ok(dp2dp_model_predict(model, &row, &column, NULL, &winner, &test_error));
        assert_ok(dp2dp_model_decide(model, scores, groups[group], &decision, &test_error));
        assert_ptr_equal(decision, dp2dp_model_view(model)->names.classes[winner]);
        assert_string_equal(decision, classes[winner]);
        seen[winner] = 1;
    }
    assert_true(seen[0] && seen[1] && seen[2] && seen[3]);
}

TEST(a_decision_is_that_of_predict_for_every_group_and_class) {
    HANDLE(dp2dp_model) *model = model_with(GROUPS);
    for (size_t group = 0; group < GROUPS; group++) {
        assert_agrees(model, group);
    }
}

TEST(a_model_without_a_rule_does_not_look_at_the_group) {
    static const double scores[CLASSES] = {0.25, 0.25, 0.5, 0};
    static const char *const any[] = {"f", "nobody", NULL};
    HANDLE(dp2dp_model) *model = model_with(0);
    for (int i = 0; i < 3; i++) {
        const char *decision = NULL;
        assert_ok(dp2dp_model_decide(model, scores, any[i], &decision, &test_error));
        assert_string_equal(decision, "yes");
    }
}

static void refused(const dp2dp_model *model, const double *scores, const char *group,
                    dp2dp_reason reason, const char *words) {
    const char *decision = "stale";
    dp2dp_error error = {0};
    assert_int_not_equal(dp2dp_model_decide(model, scores, group, &decision, &error), OK);
    assert_int_equal(error.reason, reason);
    assert_says(error.message, words);
    assert_true(model == NULL || scores == NULL || decision == NULL);
}

TEST(what_cannot_be_decided_is_refused) {
    static const double scores[CLASSES] = {0.25, 0.25, 0.5, 0}, bad[CLASSES] = {0, NAN, 0, 0};
    static const char *const unknown[] = {"F", "", "f ", "2", "no", NULL};
    HANDLE(dp2dp_model) *model = model_with(GROUPS);
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        refused(model, scores, unknown[i], DP2DP_REASON_UNKNOWN_GROUP, "group");
    }
    refused(NULL, scores, "f", DP2DP_REASON_NONE, "NULL");
    refused(model, NULL, "f", DP2DP_REASON_NONE, "NULL");
    assert_status(dp2dp_model_decide(model, scores, "f", NULL, NULL), ARGUMENT);
    const char *decision;
    assert_int_not_equal(dp2dp_model_decide(model, bad, "f", &decision, NULL), OK);
    assert_null(decision);
}
