/* The header a program was compiled with and the library it runs with are the same version. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include <dp2dp/dp2dp.h>

static void compiled_version_is_run_time_version(void **state) {
    (void)state;
    assert_string_equal(dp2dp_version(), DP2DP_VERSION);
}

static void version_text_is_made_of_its_numbers(void **state) {
    (void)state;
    char text[64];
    snprintf(text, sizeof text, "%d.%d.%d", DP2DP_VERSION_MAJOR, DP2DP_VERSION_MINOR,
             DP2DP_VERSION_PATCH);
    assert_string_equal(text, DP2DP_VERSION);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compiled_version_is_run_time_version),
        cmocka_unit_test(version_text_is_made_of_its_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
