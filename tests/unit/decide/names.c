/* Names of groups, classes and score columns that are very likely a mistake. */
#include "support.h"

#include "phase2/names.h"

static dp2dp_status check_both(const char *const *scores, const char *const *classes, size_t count,
                               const char *const *weights) {
    static const char *const groups[] = {"f", "m"};
    const dp2dp_fit_options options = {
        .names = {.groups = groups, .classes = classes, .scores = scores}, .weight_names = weights};
    const dp2dp_source source = {.strata = 2, .labels = 1, .classes = count, .weight_columns = 2};
    return dp2dpi_names_check(&options, &source, &test_error);
}

static dp2dp_status check(const char *const *scores, const char *const *classes, size_t count) {
    return check_both(scores, classes, count, NULL);
}

#define CHECK(count, scores, classes) \
    check((const char *const[]) {UNPACK scores}, (const char *const[]) {UNPACK classes}, count)
#define UNPACK(...) __VA_ARGS__

TEST(classes_in_another_order_than_the_columns_that_bear_their_names_are_refused) {
    assert_fails(CHECK(2, ("p_no", "p_yes"), ("yes", "no")), ARGUMENT,
                 "the column 'p_no' would be used as the scores of the class 'yes'");
    assert_fails(CHECK(2, ("No_score", "Yes_score"), ("yes", "no")), ARGUMENT, "No_score");
    assert_fails(CHECK(3, ("a", "c", "b"), ("a", "b", "c")), ARGUMENT, "'c'");
    const char *const back[] = {"p1", "p0"};
    assert_fails(check(back, NULL, 2), ARGUMENT,
                 "the column 'p1' would be used as the scores of the class '0'");
}

TEST(other_names_are_the_users_choice) {
    assert_ok(CHECK(2, ("p_no", "p_yes"), ("no", "yes")));
    assert_ok(CHECK(2, ("p_no", "p_yes"), ("reject", "accept")));
    assert_ok(CHECK(2, ("p_not_a", "p_not_b"), ("b", "a")));
    assert_ok(CHECK(2, ("1-a", "1-b"), ("b", "a")));
    assert_ok(CHECK(2, ("x1", "x2"), ("0", "1")));
    assert_ok(CHECK(3, ("p_no", "p_yes", "p_x"), ("yes", "no", "other")));
    const char *const ahead[] = {"p0", "p1"};
    assert_ok(check(ahead, NULL, 2));
    assert_ok(check(NULL, NULL, 2));
}

TEST(names_that_differ_in_case_alone_are_told_apart) {
    assert_ok(CHECK(2, ("p_a", "p_A"), ("a", "A")));
}

TEST(group_scores_that_bear_the_names_of_the_groups_in_another_order_are_refused) {
    const char *const back[] = {"p_M", "p_F"}, *const ahead[] = {"p_F", "p_M"};
    assert_fails(check_both(NULL, NULL, 2, back), ARGUMENT,
                 "the column 'p_M' would be used as the scores of the group 'f'");
    assert_ok(check_both(NULL, NULL, 2, ahead));
}

static dp2dp_status check_groups(const char *const *scores, const char *const *classes,
                                 const char *const *groups) {
    const dp2dp_fit_options options = {
        .names = {.groups = groups, .classes = classes, .scores = scores}};
    const dp2dp_source source = {.strata = 2, .labels = 1, .classes = 2};
    return dp2dpi_names_check(&options, &source, &test_error);
}

#define CHECK_GROUPS(scores, classes, groups)                                                   \
    check_groups((const char *const[]) {UNPACK scores}, (const char *const[]) {UNPACK classes}, \
                 (const char *const[]) {UNPACK groups})

TEST(score_columns_with_the_names_of_the_groups_are_refused) {
    const char *const columns[] = {"p_deny", "p_accept"}, *const groups[] = {"deny", "accept"};
    const char words[] = "the score columns, such as 'p_deny', have the names of groups, and none "
                         "has the name of a class. Are groups and classes exchanged?";
    assert_fails(check_groups(columns, NULL, groups), ARGUMENT, words);
    assert_fails(CHECK_GROUPS(("p_deny", "p_accept"), ("1", "2"), ("deny", "accept")), ARGUMENT,
                 words);
    assert_fails(CHECK_GROUPS(("Accept", "Deny"), ("old", "young"), ("deny", "accept")), ARGUMENT,
                 "such as 'Accept'");
    /* The names of the groups are also those of the classes, or say nothing. */
    assert_ok(CHECK_GROUPS(("p_deny", "p_accept"), ("deny", "accept"), ("deny", "accept")));
    assert_ok(CHECK_GROUPS(("p_deny", "p_accept"), ("deny", "accept"), ("old", "young")));
    assert_ok(CHECK_GROUPS(("p0", "p1"), ("no", "yes"), ("0", "1")));
    assert_ok(CHECK_GROUPS(("pa", "pb"), ("no", "yes"), ("a", "b")));
    assert_ok(CHECK_GROUPS(("p_old_no", "p_old_yes"), ("no", "yes"), ("old", "young")));
    assert_ok(CHECK_GROUPS(("p_old", "q"), ("no", "yes"), ("old", "young")));
}

TEST(columns_of_the_model_in_another_place_are_refused) {
    const char *const own[] = {"x", "y", "z"}, *const names[] = {"a", "b", "c"};
    const char *const same[] = {"x", "y", "z"}, *const others[] = {"u", "v", "Y"};
    const char *const turned[] = {"y", "z", "x"}, *const one[] = {"x", "new", "y"};
    const char *const named[] = {"p_a", "p_c", "p_b"};
    assert_ok(dp2dp_check_order("class", same, own, names, 3, &test_error));
    assert_ok(dp2dp_check_order("class", others, own, names, 3, &test_error));
    assert_fails(dp2dp_check_order("class", turned, own, names, 3, &test_error), ARGUMENT,
                 "the column 'y' stands where the model has its column 'x'");
    assert_fails(dp2dp_check_order("class", one, own, NULL, 3, &test_error), ARGUMENT,
                 "the column 'y' stands where the model has its column 'z'");
    assert_fails(dp2dp_check_order("class", named, own, names, 3, &test_error), ARGUMENT,
                 "the column 'p_c' would be used as the scores of the class 'b'");
    assert_ok(dp2dp_check_order("class", named, own, NULL, 3, &test_error));
    assert_fails(dp2dp_check_order("class", NULL, own, names, 3, &test_error), ARGUMENT, "NULL");
}

TEST(a_number_is_one_class) {
    assert_fails(CHECK(2, ("a", "b"), ("1", "1.0")), ARGUMENT,
                 "classes: '1' and '1.0' are the same number");
}
