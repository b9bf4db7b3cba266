/* Compares the incomplete beta function with 45-digit sums of its positive series (mpmath 1.3.0,
 * terms of 2F1(a+b, 1; a+1; x)), and its inverse with closed forms and with the function itself. */
#include "support.h"

#include "num/beta.h"

typedef struct row {
    double a, b, at, value;
} row;

static const row lower_rows[] = {
    {1.0, 1.0, 0.3, 0.2999999999999999889},
    {1.0, 1.0, 0.999, 0.99899999999999999911},
    {2.0, 5.0, 0.25, 0.466064453125},
    {0.5, 0.5, 0.1, 0.20483276469913345754},
    {10.0, 1.0, 0.9, 0.34867844010000008602},
    {1.0, 100.0, 0.001, 0.095207852886290959853},
    {3.5, 7.25, 0.4, 0.71523238246173117448},
    {30.0, 70.0, 0.2, 0.0096920857490070451771},
    {30.0, 70.0, 0.3, 0.51162510455860912129},
    {30.0, 70.0, 0.45, 0.99900718079242712804},
    {500.0, 4.0, 0.99, 0.25942566720517753773},
    {4.0, 500.0, 0.02, 0.99061502496624052824},
    {1000.0, 1000.0, 0.48, 0.036779483278639569417},
    {1.0, 1000000.0, 1e-06, 0.63212074276835488907},
    {250000.0, 750000.0, 0.2491, 0.018774563959224716734},
    {250000.0, 750000.0, 0.2515, 0.99972979975248365854},
    {20.0, 10000000.0, 1e-06, 0.0034543960925890316303},
    {12345.0, 98765.0, 0.108, 0.00045101348212723472797},
};

static const row quantile_rows[] = {
    {1.0, 1.0, 0.25, 0.25},
    {1.0, 10.0, 0.025, 0.0025285785444617846442},
    {10.0, 1.0, 0.025, 0.69150289218123917993},
    {3.0, 8.0, 0.025, 0.066739511177734468518},
    {8.0, 3.0, 0.025, 0.44390453769235846189},
    {51.0, 50.0, 0.025, 0.4080363291554537057},
    {1.0, 100000.0, 0.025, 2.5317804779333141655e-7},
};

static double worst(const row *rows, size_t n, double (*f)(double, double, double)) {
    double largest = 0.0;
    for (size_t i = 0; i < n; i++) {
        double error = fabs(f(rows[i].a, rows[i].b, rows[i].at) / rows[i].value - 1.0);
        largest = error > largest || isnan(error) ? error : largest;
    }
    print_message("%.3g\n", largest);
    return largest;
}

TEST(function_matches_the_series) {
    assert_true(worst(lower_rows, sizeof lower_rows / sizeof *lower_rows, dp2dpi_beta_lower) <
                1e-12);
}

TEST(quantile_matches_high_precision) {
    assert_true(worst(quantile_rows, sizeof quantile_rows / sizeof *quantile_rows,
                      dp2dpi_beta_quantile) < 1e-13);
}

/* I_x(1, b) = 1 − (1 − x)^b and I_x(a, 1) = x^a, up to a billion records. */
TEST(closed_forms_hold_up_to_a_billion) {
    for (double n = 1.0; n < 2e9; n *= 10.0) {
        for (double p = 1e-9; p < 0.5; p *= 10.0) {
            assert_true(fabs(dp2dpi_beta_quantile(1.0, n, p) / -expm1(log1p(-p) / n) - 1.0) <
                        1e-12);
            assert_true(fabs(dp2dpi_beta_quantile(n, 1.0, p) / exp(log(p) / n) - 1.0) < 1e-12);
        }
    }
}

TEST(quantile_inverts_the_function) {
    static const double sizes[] = {1.0, 2.0, 7.0, 40.0, 1000.0, 1e5, 1e7};
    for (size_t i = 0; i < 7; i++) {
        for (size_t j = 0; j < 7; j++) {
            for (double p = 1e-8; p < 0.5; p *= 7.0) {
                double x = dp2dpi_beta_quantile(sizes[i], sizes[j], p);
                assert_true(x > 0.0 && x <= 1.0);
                /* The relative change of the result if x changes by one unit in the last place. */
                double slack = 1e-11 + 1e-15 * (sizes[i] + sizes[j]) * 10.0;
                assert_true(fabs(dp2dpi_beta_lower(sizes[i], sizes[j], x) / p - 1.0) < slack);
            }
        }
    }
}

TEST(function_is_a_distribution) {
    double before = 0.0;
    assert_true(dp2dpi_beta_lower(3.0, 4.0, 0.0) == 0.0);
    assert_true(dp2dpi_beta_lower(3.0, 4.0, 1.0) == 1.0);
    for (double x = 0.001; x < 1.0; x += 0.001) {
        double value = dp2dpi_beta_lower(30.0, 12.0, x);
        assert_true(value > before || value == 1.0);
        assert_true(fabs(value + dp2dpi_beta_lower(12.0, 30.0, 1.0 - x) - 1.0) < 1e-14);
        before = value;
    }
}
