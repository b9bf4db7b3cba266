/* Columns of weights in another order than in the fit are told by their means. */
#include "support.h"

#include <dp2dp/fit.h>
#include <dp2dp/metrics.h>

static dp2dp_model_info info_of(const double *shares, size_t strata, size_t columns) {
    return (dp2dp_model_info) {.strata = strata,
                               .shares = shares,
                               .records = 10000,
                               .rule = DP2DP_RULE_WEIGHTED,
                               .weight_columns = columns};
}

TEST(swapped_columns_of_two_groups_are_told) {
    static const double shares[] = {0.35, 0.65}, swapped[] = {0.64, 0.36}, right[] = {0.36, 0.64};
    static const double between[] = {0.5, 0.5}, beyond[] = {0.9, 0.1};
    dp2dp_model_info info = info_of(shares, 2, 2);
    size_t order[2];
    assert_true(dp2dp_weights_order(&info, swapped, 1000, order));
    assert_true(order[0] == 1 && order[1] == 0);
    assert_false(dp2dp_weights_order(&info, right, 1000, order));
    assert_false(dp2dp_weights_order(&info, between, 1000, order)); /* balanced training */
    assert_false(dp2dp_weights_order(&info, beyond, 1000, order));  /* other people */
    assert_false(dp2dp_weights_order(&info, swapped, 99, order));
    info.warnings = DP2DP_WARNING_GROUP_TOO_SMALL;
    assert_false(dp2dp_weights_order(&info, swapped, 1000, order));
    info.warnings = 0;
    info.rule = DP2DP_RULE_OFFSET;
    assert_false(dp2dp_weights_order(&info, swapped, 1000, order));
}

TEST(groups_of_nearly_equal_size_are_not_judged) {
    static const double shares[] = {0.45, 0.55}, swapped[] = {0.55, 0.45};
    dp2dp_model_info info = info_of(shares, 2, 2);
    size_t order[2];
    assert_false(dp2dp_weights_order(&info, swapped, 100000, order));
}

TEST(the_order_of_several_columns_is_found) {
    static const double shares[] = {0.6, 0.3, 0.1}, means[] = {0.1, 0.6, 0.3};
    dp2dp_model_info info = info_of(shares, 3, 3);
    size_t order[3];
    assert_true(dp2dp_weights_order(&info, means, 1000, order));
    assert_true(order[0] == 1 && order[1] == 2 && order[2] == 0);
}

/* Four strata, of two groups and two labels, in the order y * G + g in place of g * K + y. */
TEST(pairs_of_group_and_label_are_judged_too) {
    static const double shares[] = {0.5, 0.2, 0.05, 0.25}, transposed[] = {0.5, 0.05, 0.2, 0.25};
    static const double groups[] = {0.3, 0.7};
    dp2dp_model_info info = info_of(shares, 4, 4);
    size_t order[4];
    assert_true(dp2dp_weights_order(&info, transposed, 1000, order));
    assert_true(order[0] == 0 && order[1] == 2 && order[2] == 1 && order[3] == 3);
    assert_false(dp2dp_weights_order(&info, shares, 1000, order));
    info.weight_columns = 2; /* weights of the groups alone */
    assert_true(dp2dp_weights_order(&info, groups, 1000, order));
}
