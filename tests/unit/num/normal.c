/* The normal distribution has a small relative error in both tails, and the same bits on every
 * machine. */
#include "unit/num/reference.h"

#include <float.h>

#include "num/elementary.h"
#include "num/normal.h"

typedef double (*function_of_one)(double);

/* Worst error relative to the value, over rows whose value is at least `least`. */
static double worst_relative(const char *name, size_t expected, function_of_one f, double least) {
    num_row rows[NUM_ROWS_MAX];
    size_t n = num_rows("num_normal.csv", name, expected, rows);
    double worst = 0.0;
    for (size_t i = 0; i < n; i++) {
        double error = fabs((f(rows[i].x) - rows[i].value) - rows[i].rest) / fabs(rows[i].value);
        if (fabs(rows[i].value) >= least && !(error <= worst)) {
            worst = error;
        }
    }
    print_message("%s: %.3g\n", name, worst);
    return worst;
}

TEST(the_upper_tail_its_logarithm_and_its_mills_form_are_within_1e_14) {
    assert_true(worst_relative("normal_upper", 84, dp2dpi_normal_upper, 1e-300) < 1e-14);
    assert_true(worst_relative("normal_mills", 47, dp2dpi_normal_mills, 0) < 1e-14);
    assert_true(worst_relative("normal_log_upper", 64, dp2dpi_normal_log_upper, 1e-300) < 1e-14);
}

TEST(quantile_is_within_1e_12) {
    assert_true(worst_relative("normal_upper_quantile", 41, dp2dpi_normal_upper_quantile, 1e-3) <
                1e-12);
}

/* The quantile is rounded up: the tail above it is at most p, up to the error of the tail function.
 */
TEST(quantile_never_leaves_more_than_p) {
    for (int i = 1; i <= 300; i++) {
        double p = pow(10, -i), x = dp2dpi_normal_upper_quantile(p);
        double excess = dp2dpi_normal_log_upper(x) - dp2dpi_log(p);
        assert_true(excess <= 1e-13 * (1 + fabs(dp2dpi_log(p))) && excess > -1e-9);
    }
    assert_true(dp2dpi_normal_upper_quantile(0.5) >= 0 &&
                dp2dpi_normal_upper_quantile(0.5) < 1e-12);
}

TEST(extreme_arguments_have_their_limits) {
    assert_true(dp2dpi_normal_upper(0) == 0.5);
    assert_true(dp2dpi_normal_upper(40) == 0 && dp2dpi_normal_upper(1e300) == 0);
    assert_true(dp2dpi_normal_upper(INFINITY) == 0 && dp2dpi_normal_upper(-INFINITY) == 1);
    assert_true(dp2dpi_normal_upper(-40) == 1);
    assert_true(dp2dpi_normal_upper(38.4) > 0 && dp2dpi_normal_upper(38.4) < 1e-320);
    assert_true(dp2dpi_normal_log_upper(-1e300) == 0);
    assert_true(fabs(dp2dpi_normal_log_upper(1e100) / -5e199 - 1) < 1e-14);
    assert_true(fabs(dp2dpi_normal_mills(1e300) * 1e300 - 0.39894228040143267794) < 1e-14);
}

TEST(tails_are_monotone_and_add_up_to_one) {
    for (int i = -700; i < 3800; i++) {
        double x = 0.01 * i, here = dp2dpi_normal_upper(x);
        assert_true(dp2dpi_normal_upper(x + 0.01) < here);
        assert_true(fabs(here + dp2dpi_normal_upper(-x) - 1) <= DBL_EPSILON);
    }
}

TEST(twenty_thousand_results_of_each_function_have_this_checksum) {
    static const num_golden golden[] = {
        {"normal_upper", dp2dpi_normal_upper, -5, 0.002, UINT64_C(0x77438cdddf40ca34)},
        {"normal_log_upper", dp2dpi_normal_log_upper, -10, 0.003, UINT64_C(0xc9dabc5dcb0e90c4)},
        {"normal_mills", dp2dpi_normal_mills, -5, 0.004, UINT64_C(0xaa4d6dc3ba07556b)},
        {"normal_upper_quantile", dp2dpi_normal_upper_quantile, 1e-6, 2.4e-5,
         UINT64_C(0x9f2c8041e8cff665)},
    };
    num_assert_checksums(golden, sizeof golden / sizeof *golden);
    assert_true(dp2dpi_normal_upper(1.5) == 0x1.11a46d89647eep-4);
    assert_true(dp2dpi_normal_log_upper(20.5) == -0x1.ac222a4c75d4p+7);
    assert_true(dp2dpi_normal_mills(3) == 0x1.f1b89c231e9b8p-4);
    assert_true(dp2dpi_normal_upper_quantile(1e-5) == 0x1.10f3f8843a4d7p+2);
}
