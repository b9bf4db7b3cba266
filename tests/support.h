/* Every test in C includes this. TEST(a_claim) { ... } defines a test and registers it;
 * tests/support.c has main. */
#ifndef DP2DP_TESTS_SUPPORT_H
#define DP2DP_TESTS_SUPPORT_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <dp2dp/status.h>

#include "owned.h"

#define OK DP2DP_STATUS_OK

/* assert_ok(dp2dp_x(..., &test_error)) fails with the message of the call unless the call succeeds.
 */
extern dp2dp_error test_error;
#define assert_ok(call)                                    \
    do {                                                   \
        if ((call) != OK) {                                \
            fail_msg("%s: %s", #call, test_error.message); \
        }                                                  \
    } while (0)

/* assert_status(call, ARGUMENT) fails unless the call returns DP2DP_STATUS_ARGUMENT. */
#define assert_status(call, name) assert_int_equal(call, DP2DP_STATUS_##name)

/* Fails unless the message contains these words. */
#define assert_says(message, words)                                 \
    do {                                                            \
        if (strstr(message, words) == NULL) {                       \
            fail_msg("\"%s\" does not say \"%s\"", message, words); \
        }                                                           \
    } while (0)

/* assert_fails(dp2dp_x(..., &test_error), ARGUMENT, "rate") fails unless the call returns
 * DP2DP_STATUS_ARGUMENT and its message contains "rate". */
#define assert_fails(call, name, words)         \
    do {                                        \
        test_error = (dp2dp_error) {0};         \
        assert_status(call, name);              \
        assert_says(test_error.message, words); \
    } while (0)

#define assert_near(value, expected, tolerance)                                    \
    do {                                                                           \
        double near_value = (value), near_expected = (expected);                   \
        if (!(fabs(near_value - near_expected) <= (tolerance))) {                  \
            fail_msg("%s is %.17g, not %.17g", #value, near_value, near_expected); \
        }                                                                          \
    } while (0)

static inline dp2dp_ledger *new_ledger(void) {
    dp2dp_ledger *ledger = NULL;
    assert_ok(dp2dp_ledger_new(DP2DP_REPLACE_ONE, &ledger, &test_error));
    return ledger;
}

/* How many entries are charges; the others set a budget or name a published file. */
static inline size_t charges_in(const dp2dp_ledger *ledger) {
    size_t n = 0;
    for (size_t i = 0; i < dp2dp_ledger_size(ledger); i++) {
        dp2dp_entry_info info = DP2DP_ENTRY_INFO_INIT;
        assert_ok(dp2dp_ledger_entry_info(ledger, i, &info, &test_error));
        n += info.kind == DP2DP_ENTRY_CHARGE;
    }
    return n;
}

static inline dp2dpi_rng *seeded_rng(uint64_t seed) {
    dp2dpi_rng *rng = NULL;
    assert_ok(dp2dpi_rng_new_insecure(seed, &rng, &test_error));
    return rng;
}

static inline dp2dpi_rng *taped_rng(const uint64_t *words, size_t count) {
    dp2dpi_rng *rng = NULL;
    assert_ok(dp2dpi_rng_new_insecure_tape(words, count, &rng, &test_error));
    return rng;
}

/* The macros below call these before main. Tests run in the order of their lines in the file. */
void test_register(struct CMUnitTest test, int line);
void test_register_group(CMFixtureFunction setup, CMFixtureFunction teardown);

/* A test with its own setup and teardown, each of which may be NULL. test_error is empty at its
 * start. */
#define TEST_WITH(name, setup, teardown)                                                   \
    static void body_of_##name(void **state);                                              \
    static void name(void **state) {                                                       \
        test_error = (dp2dp_error) {0};                                                    \
        body_of_##name(state);                                                             \
    }                                                                                      \
    __attribute__((constructor)) static void register_##name(void) {                       \
        test_register((struct CMUnitTest) {#name, name, setup, teardown, NULL}, __LINE__); \
    }                                                                                      \
    static void body_of_##name(void **state __attribute__((unused)))

#define TEST(name) TEST_WITH(name, NULL, NULL)

/* A setup or teardown function; it returns 0 on success. */
#define FIXTURE(name) static inline int name(void **state __attribute__((unused)))

/* At most once in a test program: fixtures that run before the first and after the last test, or
 * NULL. */
#define GROUP(setup, teardown)                                      \
    __attribute__((constructor)) static void register_group(void) { \
        test_register_group(setup, teardown);                       \
    }

#endif
