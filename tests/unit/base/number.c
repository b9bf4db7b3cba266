#include "support.h"

#include <math.h>
#include <stdlib.h>

#include "base/number.h"

TEST(a_cost_is_never_rounded_down) {
    assert_string_equal(dp2dpi_number_up(0.99991, 4).text, "1");
    assert_string_equal(dp2dpi_number_up(0.12341, 4).text, "0.1235");
    assert_string_equal(dp2dpi_number_up(1e-5, 4).text, "1e-05");
    assert_string_equal(dp2dpi_number_up(1234.1, 4).text, "1235");
    assert_string_equal(dp2dpi_number_down(0.12349, 4).text, "0.1234");
    double x = 1e-9;
    for (int i = 0; i < 2000; i++, x *= 1.017) {
        assert_true(strtod(dp2dpi_number_up(x, 4).text, NULL) >= x);
        assert_true(strtod(dp2dpi_number_down(x, 4).text, NULL) <= x);
    }
}

TEST(an_exact_number_is_the_shortest_that_reads_back) {
    assert_string_equal(dp2dpi_number_exact(0.1).text, "0.1");
    assert_string_equal(dp2dpi_number_exact(1000).text, "1000");
    assert_string_equal(dp2dpi_number_exact(-0.0).text, "0");
    assert_string_equal(dp2dpi_number_exact(1.0 / 3).text, "0.3333333333333333");
    assert_true(strtod(dp2dpi_number_exact(0.1 + 0.2).text, NULL) == 0.1 + 0.2);
}
