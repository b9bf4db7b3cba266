#include "unit/export/data.h"

#include <locale.h>

static void refuses(const dp2dp_model *model, const dp2dp_export_options *options,
                    const char *words) {
    char *text = (char *)&text;
    size_t length = 1;
    assert_fails(dp2dp_export(model, options, &text, &length, &test_error), ARGUMENT, words);
    assert_null(text);
    assert_int_equal(length, 0);
}

TEST(every_format_writes_every_rule_in_the_same_bytes_twice) {
    for (int rule = DP2DP_RULE_OFFSET; rule <= DP2DP_RULE_WEIGHTED; rule++) {
        HANDLE(dp2dp_model) *model = small_model((dp2dp_rule)rule, 1);
        for (int format = DP2DP_EXPORT_DUCKDB; format <= DP2DP_EXPORT_C_HEADER; format++) {
            dp2dp_export_options options = export_to((dp2dp_export_format)format);
            char *bytes[2] = {NULL, NULL};
            size_t length[2] = {0, 0};
            for (int i = 0; i < 2; i++) {
                assert_ok(dp2dp_export(model, &options, &bytes[i], &length[i], &test_error));
            }
            assert_true(length[0] > 500);
            assert_int_equal(length[0], length[1]);
            assert_memory_equal(bytes[0], bytes[1], length[0]);
            dp2dp_text_free(bytes[0]);
            dp2dp_text_free(bytes[1]);
        }
    }
}

TEST(missing_arguments_are_refused) {
    HANDLE(dp2dp_model) *model = small_model(DP2DP_RULE_OFFSET, 1);
    dp2dp_export_options options = export_to(DP2DP_EXPORT_DUCKDB), unset = {0};
    char *text = NULL;
    size_t length = 0;
    assert_fails(dp2dp_export(model, &options, NULL, &length, &test_error), ARGUMENT, "bytes");
    assert_fails(dp2dp_export(model, &options, &text, NULL, &test_error), ARGUMENT, "length");
    refuses(NULL, &options, "model must not be NULL");
    refuses(model, NULL, "DP2DP_EXPORT_OPTIONS_INIT");
    refuses(model, &unset, "DP2DP_EXPORT_OPTIONS_INIT");
}

TEST(a_format_must_be_chosen) {
    HANDLE(dp2dp_model) *model = small_model(DP2DP_RULE_OFFSET, 1);
    dp2dp_export_options options = DP2DP_EXPORT_OPTIONS_INIT;
    refuses(model, &options, "format = 0");
    options.format = (dp2dp_export_format)7;
    refuses(model, &options, "format = 7");
}

TEST(a_model_without_a_rule_is_refused) {
    HANDLE(dp2dp_model) *model = NULL;
    assert_ok(dp2dpi_model_new(&(dp2dpi_model_kind) {.classes = 2}, &(dp2dp_names) {0}, &model,
                               &test_error));
    dp2dp_export_options options = export_to(DP2DP_EXPORT_ONNX);
    refuses(model, &options, "no fair rule");
}

TEST(a_dithered_rule_is_refused_with_what_to_do) {
    HANDLE(dp2dp_model) *model = small_model(DP2DP_RULE_LINEAR, 1);
    dp2dp_export_options options = export_to(DP2DP_EXPORT_C_HEADER);
    model->info.dither = (dp2dp_dither) {0.15, 1};
    refuses(model, &options, "equalized odds");
    assert_non_null(strstr(test_error.message, "--dither 0"));
}

TEST(sql_needs_names_and_other_formats_need_none) {
    static const char *const names[] = {"a", "b"}, *const twice[] = {"a", "a"},
                             *const empty[] = {"a", ""}, *const bad[] = {"a", "\xff"};
    HANDLE(dp2dp_model) *model = small_model(DP2DP_RULE_OFFSET, 0);
    HANDLE(dp2dp_model) *unaware = small_model(DP2DP_RULE_WEIGHTED, 0);
    dp2dp_export_options options = export_to(DP2DP_EXPORT_SPARK);
    refuses(model, &options, "--scores");
    options.scores = names;
    refuses(model, &options, "--sensitive");
    refuses(unaware, &options, "--group-scores");
    options.group_column = "g";
    dp2dp_text_free(export_of(model, &options));
    options.weights = names;
    refuses(model, &options, "sees the group");
    dp2dp_text_free(export_of(unaware, &options));
    options.scores = twice;
    refuses(unaware, &options, "given twice");
    options.scores = empty;
    refuses(unaware, &options, "not empty");
    options.scores = bad;
    refuses(unaware, &options, "UTF-8");
    options.format = DP2DP_EXPORT_ONNX;
    refuses(unaware, &options, "only for SQL");
}

TEST(numbers_have_a_dot_in_every_locale) {
    HANDLE(dp2dp_model) *model = small_model(DP2DP_RULE_OFFSET, 1);
    dp2dp_export_options options = export_to(DP2DP_EXPORT_DUCKDB);
    const char *german = setlocale(LC_NUMERIC, "de_DE.UTF-8");
    char *text = export_of(model, &options);
    (void)setlocale(LC_NUMERIC, "C");
    assert_non_null(strstr(text, "1.25000000e-01"));
    dp2dp_text_free(text);
    (void)german; /* absent on small systems: the claim is then trivial */
}
