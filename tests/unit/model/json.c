/* Tests writing a model as text and reading it back: no bit changes. */
#include "unit/model/data.h"

#include "unit/locale_data.h"

static int same_number(double a, double b) {
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

static void assert_same_texts(const char *const *a, const char *const *b, size_t n) {
    assert_int_equal(a == NULL, b == NULL);
    for (size_t i = 0; a && i < n; i++) {
        assert_string_equal(a[i], b[i]);
    }
}

static void assert_same_info(const dp2dp_model_info *a, const dp2dp_model_info *b) {
    assert_int_equal(a->struct_size, b->struct_size);
    assert_int_equal(a->strata, b->strata);
    assert_int_equal(a->classes, b->classes);
    assert_memory_equal(a->offsets, b->offsets, a->strata * a->classes * sizeof(double));
    assert_memory_equal(a->shares, b->shares, a->strata * sizeof(double));
    assert_same_texts(a->names.groups, b->names.groups, a->strata);
    assert_same_texts(a->names.classes, b->names.classes, a->classes);
    assert_same_texts(a->names.scores, b->names.scores, a->classes);
    assert_same_texts(&a->names.group_column, &b->names.group_column,
                      a->names.group_column != NULL);
    assert_int_equal(a->row_sums, b->row_sums);
    assert_true(same_number(a->dither.width, b->dither.width));
    assert_true(a->dither.seed == b->dither.seed);
    assert_int_equal(a->solver, b->solver);
    assert_memory_equal(a->options, b->options, sizeof *a->options);
    assert_true(a->records == b->records);
    assert_int_equal(a->rng, b->rng);
    assert_true(a->insecure_seed == b->insecure_seed);
    assert_int_equal(a->not_private_because, b->not_private_because);
    assert_true(same_number(a->epsilon, b->epsilon));
    assert_true(same_number(a->delta, b->delta));
    assert_true(same_number(a->epsilon_claimed, b->epsilon_claimed));
    assert_int_equal(a->optimality == NULL, b->optimality == NULL);
    if (a->optimality && b->optimality) {
        assert_memory_equal(a->optimality, b->optimality, sizeof *a->optimality);
    }
    assert_string_equal(a->library_version, b->library_version);
}

TEST(a_model_reads_back_bit_for_bit_and_byte_for_byte) {
    for (int i = 0; i < SAMPLES; i++) {
        size_t length, length_again;
        HANDLE(dp2dp_model) *model = sample_model((sample)i);
        TEXT_FREED char *text = text_of(model, &length);
        HANDLE(dp2dp_model) *again = model_of(text);
        TEXT_FREED char *text_again = text_of(again, &length_again);
        assert_int_equal(length, length_again);
        assert_string_equal(text, text_again);
        assert_same_info(dp2dp_model_view(model), dp2dp_model_view(again));
    }
}

TEST(decisions_are_the_same_after_reading) {
    size_t length;
    OWNED(people) p = people_favoured(200, 3, 2, 99);
    dp2dp_matrix scores = scores_of(&p);
    dp2dp_column groups = groups_of(&p);
    HANDLE(dp2dp_model) *model = sample_model(SAMPLE_NAMED);
    TEXT_FREED char *text = text_of(model, &length);
    HANDLE(dp2dp_model) *again = model_of(text);
    int32_t before[200], after[200];
    dp2dp_predict_options options = DP2DP_PREDICT_OPTIONS_INIT;
    assert_ok(dp2dp_model_predict(model, &scores, &groups, &options, before, NULL));
    assert_ok(dp2dp_model_predict(again, &scores, &groups, &options, after, NULL));
    assert_memory_equal(before, after, sizeof before);
}

TEST(what_json_cannot_hold_is_written_as_documented) {
    size_t length;
    TEXT_FREED char *named = sample_text(SAMPLE_NAMED, &length);
    TEXT_FREED char *exact = sample_text(SAMPLE_EXACT, &length);
    TEXT_FREED char *noiseless_text = sample_text(SAMPLE_NOISELESS, &length);
    assert_says(named, "\"seed\": \"18446744073709551614\"");
    assert_says(named, "\"insecure_seed\": \"18446744073709551615\"");
    assert_says(named, "\"insecure-noise\",\n      \"labels-from-data\",");
    assert_says(noiseless_text, "\"epsilon\": \"infinity\"");
    assert_says(noiseless_text, "\"not_private_because\": [\n      \"no-noise\"\n    ],\n"
                                "    \"epsilon\": null,\n    \"delta\": null");
    assert_says(exact, "\"epsilon\": null,\n    \"delta\": null,\n    \"rows_per_person\"");
    assert_says(exact, "\"dual\": ");
}

/* The member "ledger" of a model is a complete ledger file. */
TEST(the_ledger_inside_is_the_text_of_the_ledger) {
    size_t length, ledger_length;
    TEXT_FREED char *ledger_text = NULL;
    HANDLE(dp2dp_model) *model = sample_model(SAMPLE_PRIVATE);
    TEXT_FREED char *text = text_of(model, &length);
    json_t *root = json_loads(text, 0, NULL);
    FREED char *inside =
        json_dumps(json_object_get(root, "ledger"), JSON_INDENT(2) | JSON_REAL_PRECISION(17));
    const dp2dp_ledger *ledger = dp2dp_model_view(model)->ledger;
    assert_int_equal(dp2dp_ledger_size(ledger), 2);
    assert_ok(dp2dp_ledger_to_json(ledger, &ledger_text, &ledger_length, NULL));
    assert_int_equal(strlen(inside) + 1, ledger_length); /* a file ends with a newline */
    assert_memory_equal(inside, ledger_text, strlen(inside));
    json_decref(root);
}

TEST(anybody_can_recompute_the_checksum) {
    for (int i = 0; i < SAMPLES; i++) {
        size_t length;
        TEXT_FREED char *text = sample_text((sample)i, &length);
        FREED char *sealed = malloc(length + 1);
        memcpy(sealed, text, length + 1);
        memset(strstr(sealed, CHECKSUM_LINE) + strlen(CHECKSUM_LINE), '0', 64);
        assert_string_not_equal(sealed, text);
        reseal(sealed);
        assert_string_equal(sealed, text);
    }
}

TEST(a_claim_is_kept_apart_from_the_bound) {
    size_t length;
    TEXT_FREED char *text = sample_text(SAMPLE_PUBLISHED, &length);
    HANDLE(dp2dp_model) *model = model_of(text);
    const dp2dp_model_info *info = dp2dp_model_view(model);
    assert_true(info->epsilon_claimed > 0 && isnan(info->epsilon));
    assert_int_equal(info->not_private_because, DP2DP_NOT_PRIVATE_NO_BOUND);
    assert_says(text, "\"no-bound\"\n    ],\n    \"epsilon\": null");
}

TEST(a_name_that_json_cannot_carry_is_refused) {
    static const char *const groups[] = {"fine", "\xff"};
    OWNED(people) p = people_favoured(50, 2, 2, 3);
    dp2dp_fit_options options = noiseless(0);
    HANDLE(dp2dp_pool) *pool = pool_of(&p);
    dp2dp_source source = dp2dp_pool_source(pool);
    HANDLE(dp2dp_model) *model = NULL;
    options.names.groups = groups;
    /* dp2dp_fit may already refuse the name. */
    if (dp2dp_fit(&source, &options, &model, NULL) == OK) {
        char *text = (char *)&text;
        size_t length = 1;
        dp2dp_error error = {0};
        assert_status(dp2dp_model_to_json(model, &text, &length, &error), ARGUMENT);
        assert_string_equal(error.message, "rule.groups: must be UTF-8");
        assert_null(text);
        assert_int_equal(length, 0);
    }
}

TEST(nothing_given_is_refused) {
    char *text = NULL;
    size_t length;
    dp2dp_model *model = NULL;
    assert_status(dp2dp_model_to_json(NULL, &text, &length, NULL), ARGUMENT);
    assert_status(dp2dp_model_from_json(NULL, 0, &model, NULL), ARGUMENT);
    assert_status(dp2dp_model_from_json("{}", 2, NULL, NULL), ARGUMENT);
    assert_status(dp2dp_model_from_json("", 0, &model, NULL), DATA);
    assert_status(dp2dp_model_save(NULL, "x", NULL), ARGUMENT);
    assert_status(dp2dp_model_load("", &model, NULL), ARGUMENT);
    assert_status(dp2dp_model_load("x", NULL, NULL), ARGUMENT);
}

TEST(the_locale_of_the_process_changes_nothing) {
    size_t length;
    TEXT_FREED char *plain = sample_text(SAMPLE_EXACT, &length);
    for (size_t i = 0; i < DECIMAL_POINTS; i++) {
        enter_locale(decimal_points[i]);
        HANDLE(dp2dp_model) *model = model_of(plain);
        TEXT_FREED char *text = text_of(model, &length);
        assert_string_equal(text, plain);
        leave_locale();
    }
}
