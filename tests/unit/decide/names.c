/* Names of groups, classes and score columns that are very likely a mistake. */
#include "support.h"

#include "phase2/names.h"

static dp2dp_status check(const char *const *scores, const char *const *classes, size_t count) {
    static const char *const groups[] = {"f", "m"};
    const dp2dp_names names = {.groups = groups, .classes = classes, .scores = scores};
    const dp2dp_source source = {.strata = 2, .labels = 1, .classes = count};
    return dp2dpi_names_check(&names, &source, &test_error);
}

#define CHECK(count, scores, classes) \
    check((const char *const[]) {UNPACK scores}, (const char *const[]) {UNPACK classes}, count)
#define UNPACK(...) __VA_ARGS__

TEST(classes_in_another_order_than_the_columns_that_bear_their_names_are_refused) {
    assert_fails(CHECK(2, ("p_no", "p_yes"), ("yes", "no")), ARGUMENT,
                 "the scores 'p_no' would be those of the class 'yes'");
    assert_fails(CHECK(2, ("No_score", "Yes_score"), ("yes", "no")), ARGUMENT, "No_score");
    assert_fails(CHECK(3, ("a", "c", "b"), ("a", "b", "c")), ARGUMENT, "'c'");
    const char *const back[] = {"p1", "p0"};
    assert_fails(check(back, NULL, 2), ARGUMENT, "the scores 'p1' would be those of the class '0'");
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

TEST(a_number_is_one_class) {
    assert_fails(CHECK(2, ("a", "b"), ("1", "1.0")), ARGUMENT,
                 "classes: '1' and '1.0' are the same number");
}
