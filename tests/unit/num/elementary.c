/* exp, log and related functions: accurate compared with 60-digit values, and the same bits on
 * every machine. */
#include "unit/num/reference.h"

#include <float.h>

#include "num/elementary.h"

typedef double (*function_of_one)(double);

static double worst_ulps(const char *name, size_t expected, function_of_one f) {
    num_row rows[NUM_ROWS_MAX];
    size_t n = num_rows("num_elementary.csv", name, expected, rows);
    double worst = 0.0;
    for (size_t i = 0; i < n; i++) {
        double error = num_ulps(f(rows[i].x), &rows[i]);
        if (!(error <= worst)) {
            worst = error;
        }
    }
    print_message("%s: %.3f ulp\n", name, worst);
    return worst;
}

TEST(exp_log_and_their_relatives_are_within_two_ulp) {
    assert_true(worst_ulps("exp", 89, dp2dpi_exp) < 2);
    assert_true(worst_ulps("expm1", 84, dp2dpi_expm1) < 2);
    assert_true(worst_ulps("log", 68, dp2dpi_log) < 2);
    assert_true(worst_ulps("log1p", 84, dp2dpi_log1p) < 2);
    assert_true(worst_ulps("sinh", 85, dp2dpi_sinh) < 2);
    assert_true(worst_ulps("asinh_of_exp", 64, dp2dpi_asinh_of_exp) < 2);
}

/* Near its roots 1 and 2, log Γ has a small absolute but no small relative error. */
TEST(log_gamma_is_within_sixteen_ulp_of_the_value_or_of_four) {
    num_row rows[NUM_ROWS_MAX];
    size_t n = num_rows("num_elementary.csv", "log_gamma", 67, rows);
    for (size_t i = 0; i < n; i++) {
        double error = fabs((dp2dpi_log_gamma(rows[i].x) - rows[i].value) - rows[i].rest);
        if (!(error <= 16 * DBL_EPSILON * fmax(4.0, fabs(rows[i].value)))) {
            fail_msg("log_gamma(%a): error %g of %g", rows[i].x, error, rows[i].value);
        }
    }
}

/* log(1 − q + q e^a) has a relative error of a few ulp even where it is 1e-20. */
TEST(log_mix_is_within_four_ulp) {
    num_row rows[NUM_ROWS_MAX];
    size_t n = num_rows("num_elementary.csv", "log_mix", 88, rows);
    double worst = 0.0;
    for (size_t i = 0; i < n; i++) {
        double error = num_ulps(dp2dpi_log_mix(rows[i].x, rows[i].y), &rows[i]);
        if (!(error <= 4)) {
            fail_msg("log_mix(%a, %a): %g ulp", rows[i].x, rows[i].y, error);
        }
        worst = error > worst ? error : worst;
    }
    print_message("log_mix: %.3f ulp\n", worst);
}

TEST(the_ends_of_the_range_are_exact) {
    assert_true(dp2dpi_exp(0) == 1 && dp2dpi_exp(-0.0) == 1 && dp2dpi_expm1(0) == 0);
    assert_true(dp2dpi_exp(INFINITY) == INFINITY && dp2dpi_exp(709.79) == INFINITY);
    assert_true(dp2dpi_exp(-INFINITY) == 0 && dp2dpi_exp(-746) == 0 && dp2dpi_exp(-745.13) > 0);
    assert_true(dp2dpi_expm1(-INFINITY) == -1 && dp2dpi_expm1(-800) == -1);
    assert_true(dp2dpi_expm1(INFINITY) == INFINITY);
    assert_true(dp2dpi_log(1) == 0 && dp2dpi_log(0) == -INFINITY && dp2dpi_log(-0.0) == -INFINITY);
    assert_true(dp2dpi_log(INFINITY) == INFINITY && isnan(dp2dpi_log(-1)));
    assert_true(isnan(dp2dpi_log(-INFINITY)));
    assert_true(dp2dpi_log1p(0) == 0 && dp2dpi_log1p(-1) == -INFINITY && isnan(dp2dpi_log1p(-2)));
    assert_true(dp2dpi_log1p(INFINITY) == INFINITY);
    assert_true(dp2dpi_sinh(0) == 0 && dp2dpi_sinh(INFINITY) == INFINITY);
    assert_true(dp2dpi_sinh(-INFINITY) == -INFINITY && dp2dpi_sinh(711) == INFINITY);
    assert_true(isnan(dp2dpi_exp(NAN)) && isnan(dp2dpi_expm1(NAN)) && isnan(dp2dpi_log(NAN)));
    assert_true(isnan(dp2dpi_log1p(NAN)) && isnan(dp2dpi_sinh(NAN)));
    assert_true(dp2dpi_log_mix(0.3, 0) == 0 && dp2dpi_log_mix(1, 5) == 5);
    assert_true(dp2dpi_log_mix(0.3, 1e6) > 999998 && isfinite(dp2dpi_log_mix(0.3, 1e6)));
}

TEST(fast_exp_equals_exp_inside_its_range_and_clamps_outside) {
    for (int i = -7000; i <= 7000; i++) {
        double x = 0.0999999 * i;
        assert_true(dp2dpi_exp_fast(x) == dp2dpi_exp(x));
    }
    assert_true(dp2dpi_exp_fast(-1e9) == dp2dpi_exp(-700));
    assert_true(dp2dpi_exp_fast(1e9) == dp2dpi_exp(700));
}

TEST(exp_and_log_are_monotone_and_undo_each_other) {
    for (int i = -7300; i < 7097; i++) {
        double x = 0.1 * i;
        assert_true(dp2dpi_exp(x) <= dp2dpi_exp(nextafter(x, INFINITY)) ||
                    fabs(dp2dpi_exp(x) / dp2dpi_exp(nextafter(x, INFINITY)) - 1) <= DBL_EPSILON);
        assert_true(dp2dpi_exp(x) < dp2dpi_exp(x + 0.1));
        if (i > -7080) {
            assert_true(fabs(dp2dpi_log(dp2dpi_exp(x)) - x) <= 3 * DBL_EPSILON * fmax(1, fabs(x)));
        }
    }
}

/* Bits of this implementation, the same on every machine. A system libm, a fused multiply-add or
 * another order of operations would change some of them. */
TEST(chosen_results_have_these_bits) {
    assert_true(dp2dpi_exp(1) == 0x1.5bf0a8b14576ap+1);
    assert_true(dp2dpi_exp(-37.25) == 0x1.3278bcd70e981p-54);
    assert_true(dp2dpi_expm1(0.3) == 0x1.6641632306a56p-2);
    assert_true(dp2dpi_log(10) == 0x1.26bb1bbb55516p+1);
    assert_true(dp2dpi_log1p(0.7) == 0x1.0fae81914a991p-1);
    assert_true(dp2dpi_sinh(1.3) == 0x1.b2c9310045c64p+0);
    assert_true(dp2dpi_asinh_of_exp(0.4) == 0x1.30b23eb9f2ebfp+0);
    assert_true(dp2dpi_log_gamma(7.3) == 0x1.c97712336d062p+2);
    assert_true(dp2dpi_log_mix(0.01, 2.5) == 0x1.b22ff1e1d818fp-4);
}

TEST(twenty_thousand_results_of_each_function_have_this_checksum) {
    static const num_golden golden[] = {
        {"exp", dp2dpi_exp, -708.3, 0.0708, UINT64_C(0x44c3deb5250f2e55)},
        {"expm1", dp2dpi_expm1, -3, 0.0003, UINT64_C(0x88270c447878abfb)},
        {"log", dp2dpi_log, 0.001, 0.00071, UINT64_C(0x1e4c8b8479d7a2d0)},
        {"log1p", dp2dpi_log1p, -0.99, 0.00023, UINT64_C(0xa0ab8cfe6b331294)},
        {"sinh", dp2dpi_sinh, -20, 0.002, UINT64_C(0xfdfe2b9614b44114)},
        {"asinh_of_exp", dp2dpi_asinh_of_exp, -20, 0.0031, UINT64_C(0xb5bd615bda2a04bb)},
        {"log_gamma", dp2dpi_log_gamma, 0.01, 0.0021, UINT64_C(0xe26e17890f3ae819)},
    };
    num_assert_checksums(golden, sizeof golden / sizeof *golden);
}

TEST(unit_roots_lie_on_the_circle_and_keep_its_symmetries) {
    for (uint64_t n = 1; n <= 4096; n = n < 40 ? n + 1 : 2 * n) {
        for (uint64_t k = 0; k < n; k++) {
            double c, s, mirror_c, mirror_s, exact = 6.283185307179586477 * (double)k / (double)n;
            dp2dpi_unit_root(k, n, &c, &s);
            assert_true(fabs(c * c + s * s - 1) <= 4 * DBL_EPSILON);
            assert_true(fabs(c - cos(exact)) < 2e-15 && fabs(s - sin(exact)) < 2e-15);
            if (k > 0) {
                dp2dpi_unit_root(n - k, n, &mirror_c, &mirror_s);
                double diagonal = 8 * k % n == 0 ? DBL_EPSILON / 2 : 0;
                assert_true(fabs(mirror_c - c) <= diagonal && fabs(mirror_s + s) <= diagonal);
            }
        }
    }
}

TEST(unit_roots_of_the_axes_and_diagonals_are_exact) {
    static const double half = 0.70710678118654752440;
    static const double expected[8][2] = {{1, 0},  {half, half},   {0, 1},  {-half, half},
                                          {-1, 0}, {-half, -half}, {0, -1}, {half, -half}};
    for (uint64_t n = 8; n <= (uint64_t)1 << 40; n *= 8) {
        for (uint64_t k = 0; k < 8; k++) {
            double c, s;
            dp2dpi_unit_root(k * (n / 8), n, &c, &s);
            assert_true(fabs(c - expected[k][0]) <= (k & 1 ? DBL_EPSILON / 2 : 0));
            assert_true(fabs(s - expected[k][1]) <= (k & 1 ? DBL_EPSILON / 2 : 0));
        }
    }
    double c, s, x = 6.283185307179586477 * 0x1p-26;
    dp2dpi_unit_root(1, (uint64_t)1 << 26, &c, &s);
    assert_true(fabs(s / (x - x * x * x / 6) - 1) <= DBL_EPSILON);
    assert_true(fabs(c - (1 - x * x / 2)) <= DBL_EPSILON);
}

TEST(rounding_up_moves_by_that_many_steps) {
    assert_true(dp2dpi_round_up(1, 0) == 1);
    assert_true(dp2dpi_round_up(1, 3) == 1 + 3 * DBL_EPSILON);
    assert_true(dp2dpi_round_up(0, 1) == 0x1p-1074);
    assert_true(dp2dpi_round_up(-1, 1) > -1);
    assert_true(dp2dpi_round_up(INFINITY, 2) == INFINITY);
}
