#include "unit/model/data.h"

#include <locale.h>

#include <dp2dp/explain.h>

#include "base/utf8.h"
#include "unit/export/data.h"

/* Freed with dp2dp_text_free. */
static char *explained(const dp2dp_model *model, dp2dp_explain_part part, const char *name) {
    dp2dp_explain_options options = DP2DP_EXPLAIN_OPTIONS_INIT;
    char *text = NULL;
    size_t length = 0;
    options.part = part;
    options.name = name;
    assert_ok(dp2dp_explain(model, &options, &text, &length, &test_error));
    assert_int_equal(strlen(text), length);
    return text;
}

static void refuses(const dp2dp_model *model, const dp2dp_explain_options *options,
                    const char *words) {
    char *text = (char *)&text;
    size_t length = 1;
    assert_fails(dp2dp_explain(model, options, &text, &length, &test_error), ARGUMENT, words);
    assert_null(text);
    assert_int_equal(length, 0);
}

TEST(every_kind_of_model_is_explained_in_lines_of_80_columns) {
    static const char *const kinds[SAMPLES] = {[SAMPLE_ON_BASE] = "a classifier with a fair rule",
                                               [SAMPLE_EXTERNAL] = "a classifier",
                                               [SAMPLE_BARE] = "a classifier",
                                               [SAMPLE_GROUPS] = "a classifier",
                                               [SAMPLE_PAIRS] = "a classifier"};
    for (int which = 0; which < SAMPLES; which++) {
        HANDLE(dp2dp_model) *model = sample_model((sample)which);
        const dp2dp_model_info *info = dp2dp_model_view(model);
        TEXT_FREED char *text = explained(model, DP2DP_EXPLAIN_ALL, "m.json");
        char title[96];
        (void)snprintf(title, sizeof title, "m.json, %s\n",
                       kinds[which] ? kinds[which] : "a fair rule for scores");
        assert_non_null(strstr(text, title));
        assert_int_equal(strncmp(text, "NOT PRIVATE: ", 13) == 0, info->not_private_because != 0);
        assert_non_null(strstr(text, "\nWhat it promises, and to whom\n"));
        assert_true(dp2dpi_utf8_valid(text, strlen(text)));
        for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
            assert_true(strncmp(line, "NOT PRIVATE", 11) == 0 || strcspn(line, "\n") <= 80);
        }
    }
}

TEST(a_model_has_a_promise_for_each_set_of_people_in_its_ledger) {
    HANDLE(dp2dp_model) *model = sample_model(SAMPLE_DECLARED);
    HANDLE(dp2dp_model) *none = sample_model(SAMPLE_EXACT);
    const dp2dp_model_info *info = dp2dp_model_view(model);
    assert_int_equal(info->promise_count, 2);
    assert_string_equal(info->promises[0].people, "train");
    assert_true(info->promises[0].declared && info->promises[0].trained);
    assert_string_equal(info->promises[1].people, "pool");
    assert_true(info->promises[1].pooled && info->promises[1].of_rule);
    assert_int_equal(info->promises[1].records, info->records);
    assert_true(info->promises[1].epsilon > 0.99 && info->promises[1].epsilon <= 1);
    for (size_t i = 0; i < info->cover_count; i++) {
        assert_true(info->covers[i].epsilon == info->promises[i].epsilon);
    }
    assert_int_equal(dp2dp_model_view(none)->promise_count, 0);
}

TEST(a_model_without_a_name_is_called_this_model) {
    HANDLE(dp2dp_model) *model = sample_model(SAMPLE_PRIVATE);
    TEXT_FREED char *text = NULL;
    size_t length = 0;
    assert_ok(dp2dp_explain(model, NULL, &text, &length, &test_error));
    assert_int_equal(strncmp(text, "this model, a fair rule", 23), 0);
}

TEST(control_characters_in_names_become_question_marks) {
    HANDLE(dp2dp_model) *model = sample_model(SAMPLE_NAMED);
    TEXT_FREED char *text = explained(model, DP2DP_EXPLAIN_ALL, "a\x1b[31m\xc2\x9b\nb");
    assert_non_null(strstr(text, "\na?[31m??b, a fair rule for scores\n"));
    assert_non_null(strstr(text, "\xc3\xa9\xe2\x82\xac\\/?"));
    for (const char *c = text; *c; c++) {
        assert_true((unsigned char)*c >= 0x20 || *c == '\n');
    }
}

TEST(a_dither_is_told_whatever_the_criterion_is) {
    HANDLE(dp2dp_model) *model = small_model(DP2DP_RULE_OFFSET, 1);
    TEXT_FREED char *without = explained(model, DP2DP_EXPLAIN_ALL, NULL);
    assert_non_null(strstr(without, "The same person always gets the same decision."));
    model->info.dither.width = 0.25;
    TEXT_FREED char *text = explained(model, DP2DP_EXPLAIN_ALL, NULL);
    assert_null(strstr(text, "The same person always"));
    assert_non_null(strstr(text, "a public random number below 0.25 is added"));
    assert_non_null(strstr(text, "is a fixed function of the row's position"));
    /* The offsets of both groups differ by 1/8: t is (1 + 1/8) / 2, and 1/8 of it either way. */
    assert_non_null(strstr(text, "0.5000  0.5625  0.4375  0.6875"));
}

/* Names are cut after a number of bytes; 20 bytes end in the middle of an é. */
TEST(a_name_that_is_cut_stays_utf_8) {
    static const char *const groups[] = {"x\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
                                         "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9",
                                         "m"};
    const dp2dpi_model_kind kind = {
        .strata = 4, .classes = 2, .labels = 2, .rule = DP2DP_RULE_LINEAR};
    HANDLE(dp2dp_model) *model = NULL;
    assert_ok(dp2dpi_model_new(&kind, &(dp2dp_names) {.groups = groups}, &model, &test_error));
    model->info.criterion = DP2DP_EQUALIZED_ODDS;
    dp2dpi_model_publish(model);
    TEXT_FREED char *text = explained(model, DP2DP_EXPLAIN_ALL, NULL);
    assert_true(dp2dpi_utf8_valid(text, strlen(text)));
    assert_non_null(strstr(text, "0.5000   0.5000"));
}

/* 20 groups with 2 labels are 40 strata, too many to describe one by one. */
TEST(too_many_strata_are_told_by_their_groups) {
    const dp2dpi_model_kind kind = {
        .strata = 40, .classes = 2, .labels = 2, .rule = DP2DP_RULE_LINEAR};
    HANDLE(dp2dp_model) *model = NULL;
    assert_ok(dp2dpi_model_new(&kind, &(dp2dp_names) {0}, &model, &test_error));
    model->info.criterion = DP2DP_EQUALIZED_ODDS;
    dp2dpi_model_publish(model);
    TEXT_FREED char *text = explained(model, DP2DP_EXPLAIN_ALL, NULL);
    assert_non_null(strstr(text, "With 20 groups and 2 classes, and offsets for each"));
}

TEST(parts_are_lines_of_the_whole) {
    static const sample classifiers[] = {SAMPLE_GROUPS, SAMPLE_PAIRS};
    for (size_t i = 0; i < 2; i++) {
        HANDLE(dp2dp_model) *model = sample_model(classifiers[i]);
        TEXT_FREED char *all = explained(model, DP2DP_EXPLAIN_ALL, NULL);
        TEXT_FREED char *target = explained(model, DP2DP_EXPLAIN_TARGET, NULL);
        assert_int_equal(strncmp(target, "  predicts     ", 15), 0);
        assert_non_null(strstr(all, target));
    }
    HANDLE(dp2dp_model) *odds = small_model(DP2DP_RULE_WEIGHTED, 1);
    TEXT_FREED char *all = explained(odds, DP2DP_EXPLAIN_ALL, NULL);
    TEXT_FREED char *criterion = explained(odds, DP2DP_EXPLAIN_CRITERION, NULL);
    assert_non_null(strstr(criterion, "does not see the group"));
    assert_non_null(strstr(all, criterion));
    TEXT_FREED char *nothing = explained(odds, DP2DP_EXPLAIN_TARGET, NULL);
    assert_string_equal(nothing, "");
}

TEST(a_ledger_is_explained_without_a_model) {
    static const char *const sets[] = {"north", "south"};
    HANDLE(dp2dp_ledger) *ledger = NULL;
    dp2dp_explain_options options = DP2DP_EXPLAIN_OPTIONS_INIT;
    dp2dp_event event = DP2DP_EVENT_INIT;
    assert_ok(dp2dp_ledger_new(DP2DP_REPLACE_ONE, &ledger, &test_error));
    options.part = DP2DP_EXPLAIN_ASSUMES;
    options.ledger = ledger;
    event.mechanism = DP2DP_GAUSSIAN;
    event.sigma = 5;
    event.sensitivity = 1;
    event.coordinates = 1;
    event.scale = 1;
    event.label = "counts";
    event.release_id = "00000000000000000000000000000001";
    for (int i = 0; i < 2; i++) {
        event.set = sets[i];
        assert_ok(dp2dp_ledger_charge(ledger, &event, DP2DP_RNG_SECURE, &test_error));
    }
    TEXT_FREED char *text = NULL;
    size_t length = 0;
    assert_ok(dp2dp_explain(NULL, &options, &text, &length, &test_error));
    assert_string_equal(text, "nobody is in two of the sets north and south (as you stated), so "
                              "the costs of these sets are not added");
    HANDLE(dp2dp_model) *model = sample_model(SAMPLE_DECLARED);
    TEXT_FREED char *own = explained(model, DP2DP_EXPLAIN_ASSUMES, NULL);
    assert_string_equal(own, "nobody is in two of the sets train and pool (as stated when the "
                             "model was made), so the costs of these sets are not added");
}

TEST(wrong_arguments_are_refused) {
    HANDLE(dp2dp_model) *model = sample_model(SAMPLE_PRIVATE);
    dp2dp_explain_options options = DP2DP_EXPLAIN_OPTIONS_INIT, unset = {0};
    char *text = NULL;
    size_t length = 0;
    assert_fails(dp2dp_explain(model, NULL, NULL, &length, &test_error), ARGUMENT, "text");
    assert_fails(dp2dp_explain(model, NULL, &text, NULL, &test_error), ARGUMENT, "length");
    refuses(NULL, NULL, "model must not be NULL");
    refuses(model, &unset, "DP2DP_EXPLAIN_OPTIONS_INIT");
    options.part = (dp2dp_explain_part)5;
    refuses(model, &options, "part = 5");
    options.part = (dp2dp_explain_part)-1;
    refuses(model, &options, "part = -1");
    options.part = DP2DP_EXPLAIN_ASSUMES;
    refuses(NULL, &options, "model must not be NULL");
    options.part = DP2DP_EXPLAIN_ALL;
    options.ledger = dp2dp_model_view(model)->ledger;
    refuses(model, &options, "ledger is for the part ASSUMES alone");
    refuses(NULL, &options, "ledger is for the part ASSUMES alone");
}

TEST(numbers_have_a_dot_in_every_locale) {
    HANDLE(dp2dp_model) *model = small_model(DP2DP_RULE_OFFSET, 1);
    const char *german = setlocale(LC_NUMERIC, "de_DE.UTF-8");
    TEXT_FREED char *text = explained(model, DP2DP_EXPLAIN_ALL, NULL);
    (void)setlocale(LC_NUMERIC, "C");
    assert_non_null(strstr(text, "0.5000"));
    (void)german; /* absent on small systems: the claim is then trivial */
}
