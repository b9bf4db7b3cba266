/* The header that a program was compiled with and the library that it runs with have the same
 * version. */
#include "support.h"

#include <dp2dp/dp2dp.h>

TEST(compiled_version_is_run_time_version) {
    assert_string_equal(dp2dp_version(), DP2DP_VERSION);
}

TEST(version_text_is_made_of_its_numbers) {
    char text[64];
    snprintf(text, sizeof text, "%d.%d.%d", DP2DP_VERSION_MAJOR, DP2DP_VERSION_MINOR,
             DP2DP_VERSION_PATCH);
    assert_string_equal(text, DP2DP_VERSION);
}
