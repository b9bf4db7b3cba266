#include "support.h"

enum {
    MOST_TESTS = 64
};

dp2dp_error test_error;

static struct CMUnitTest tests[MOST_TESTS];
static int lines[MOST_TESTS];
static size_t count;
static CMFixtureFunction group_setup, group_teardown;

void test_register(struct CMUnitTest test, int line) {
    if (count == MOST_TESTS) {
        fprintf(stderr, "%s: a file can have at most %d tests\n", test.name, MOST_TESTS);
        abort();
    }
    size_t at = count++;
    for (; at > 0 && lines[at - 1] > line; at--) {
        tests[at] = tests[at - 1];
        lines[at] = lines[at - 1];
    }
    tests[at] = test;
    lines[at] = line;
}

void test_register_group(CMFixtureFunction setup, CMFixtureFunction teardown) {
    group_setup = setup;
    group_teardown = teardown;
}

int main(void) {
    if (count == 0) {
        fputs("this file has no tests\n", stderr);
        return 1;
    }
    return _cmocka_run_group_tests("tests", tests, count, group_setup, group_teardown);
}
