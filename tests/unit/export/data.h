/* Models and exports for the tests of exports. */
#ifndef DP2DP_TESTS_UNIT_EXPORT_DATA_H
#define DP2DP_TESTS_UNIT_EXPORT_DATA_H

#include "support.h"

#include <dp2dp/export.h>

#include "decide/model.h"
#include "owned.h"

/* A model of two groups and two classes, whose offsets are 1/8, 1/4, 3/8, … Its columns have names
 * if `named` is 1. */
static inline dp2dp_model *small_model(dp2dp_rule rule, int named) {
    static const char *const groups[] = {"f", "m's"}, *const classes[] = {"no", "yes"};
    static const char *const scores[] = {"p\"0", "p1"}, *const weights[] = {"w0", "w1"};
    size_t labels = rule == DP2DP_RULE_OFFSET ? 1 : 2;
    const dp2dpi_model_kind kind = {.strata = 2 * labels,
                                    .classes = 2,
                                    .labels = labels,
                                    .rule = rule,
                                    .weight_columns = rule == DP2DP_RULE_WEIGHTED ? 2 : 0,
                                    .weights =
                                        named && rule == DP2DP_RULE_WEIGHTED ? weights : NULL};
    const dp2dp_names names = {groups, classes, named ? scores : NULL, named ? "sex" : NULL};
    dp2dp_model *model = NULL;
    assert_ok(dp2dpi_model_new(&kind, &names, &model, &test_error));
    for (size_t i = 0; i < kind.strata * kind.classes; i++) {
        model->offsets[i] = 0.125 * (double)(i + 1);
    }
    dp2dpi_model_publish(model);
    return model;
}

static inline dp2dp_export_options export_to(dp2dp_export_format format) {
    dp2dp_export_options options = DP2DP_EXPORT_OPTIONS_INIT;
    options.format = format;
    return options;
}

/* Freed with dp2dp_text_free. */
__attribute__((noinline, unused)) static char *export_of(const dp2dp_model *model,
                                                         const dp2dp_export_options *options) {
    char *text = NULL;
    size_t length = 0;
    assert_ok(dp2dp_export(model, options, &text, &length, &test_error));
    assert_int_equal(text[length], 0);
    return text;
}

/* What a question about a table `people` is written from. */
__attribute__((unused)) static dp2dp_counts_options counts_in(dp2dp_export_format format,
                                                              dp2dp_rule rule) {
    static const char *const groups[] = {"f", "m's"}, *const classes[] = {"no", "yes"};
    static const char *const scores[] = {"p\"0", "p1"}, *const weights[] = {"w0", "w1"};
    int weighted = rule == DP2DP_RULE_WEIGHTED;
    dp2dp_counts_options options = DP2DP_COUNTS_OPTIONS_INIT;
    options.format = format;
    options.table = "people";
    options.groups = options.classes = 2;
    options.group_names = groups;
    options.class_names = classes;
    options.scores = scores;
    options.group_column = "sex";
    options.label_column = rule == DP2DP_RULE_OFFSET ? NULL : "paid";
    options.weights = weighted ? weights : NULL;
    options.weight_columns = weighted ? 2 : 0;
    return options;
}

/* Freed with dp2dp_text_free. */
__attribute__((noinline, unused)) static char *counts_of(const dp2dp_counts_options *options,
                                                         const float *offsets) {
    char *text = NULL;
    size_t length = 0;
    assert_ok(dp2dp_export_counts(options, offsets, &text, &length, &test_error));
    assert_int_equal(text[length], 0);
    return text;
}

#endif
