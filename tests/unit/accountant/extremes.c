/* Inputs near the limits of a double give an upper bound or an error, never a number that is too
 * small. */
#include <float.h>

#include "accountant/gaussian.h"

#include "unit/accountant/events.h"

/* e^ε overflows for ε above 709. By 60-digit arithmetic, the exact ε is between 5400 and 5426. */
TEST(one_release_with_a_huge_loss_is_not_reported_small) {
    dp2dp_event event = sampled(DP2DP_POISSON, REPLACE, 0.01, 0.5, 1);
    assert_true(epsilon_of(REPLACE, AUTO, event, 1e-5) >= 5400);
}

/* q is so small that (e^ε − 1)/q overflows. At T = 1, z = 0.03, q = 1e-60 and δ = 1e-70 the exact ε
 * is 628.5. */
TEST(a_tiny_rate_does_not_make_a_loss_vanish) {
    dp2dp_event event = sampled(DP2DP_POISSON, DP2DP_ADD_REMOVE, 0.03, 1e-60, 1);
    assert_true(epsilon_of(DP2DP_ADD_REMOVE, AUTO, event, 1e-70) >= 628);
    event = sampled(DP2DP_POISSON, DP2DP_ADD_REMOVE, 1.0 / 60, 1e-50, 1);
    assert_true(delta_of(DP2DP_ADD_REMOVE, AUTO, event, 596) > 1e-51);
}

/* K ~ q² underflows at q = 1e-170; δ(0) is 6.8e-171. */
TEST(a_divergence_that_underflows_is_not_taken_for_zero) {
    dp2dp_event event = sampled(DP2DP_POISSON, REPLACE, 1, 1e-170, 1);
    assert_true(delta_of(REPLACE, AUTO, event, 0) > 6e-171);
    assert_true(epsilon_of(REPLACE, AUTO, event, 1e-180) > 0);
}

/* ρ = 5e29: the best Rényi order exceeds 1 by less than an ulp. */
TEST(enormous_zcdp_is_not_zero) {
    dp2dp_event event = gaussian(2e-6, 10000000);
    event.sensitivity = 2;
    event.rows_per_person = 1000000;
    event = on_grid(event, 0x1p40, 1);
    HANDLE(dp2dp_accountant) *accountant = accountant_of(REPLACE, 1, &event);
    double epsilon = INFINITY;
    dp2dp_status status = dp2dp_accountant_epsilon(accountant, 1e-5, AUTO, &epsilon, NULL, NULL);
    assert_true(status == DP2DP_STATUS_NO_BOUND || epsilon > 1e20);
}

/* The exact values come from the multinomial distribution of two-point losses, in 40-digit
 * arithmetic. */
TEST(composed_declared_guarantees_with_large_epsilon_are_not_below_the_truth) {
    assert_true(delta_of(REPLACE, PLD, declared(37.3627, 0, 2), 74.7248) >= 5.9982003e-4);
    assert_true(delta_of(REPLACE, PLD, declared(35.7776, 0, 5), 178.8539) >= 0.03352514768);
    assert_true(delta_of(REPLACE, PLD, declared(26.7015, 0.001, 3), 78.4411) >= 0.8110743071);
}

/* Twenty guarantees (0.1, 0) at δ = 1e-5: the binomial distribution gives ε = 1.598, the Rényi
 * bound 1.716. */
TEST(composed_declared_guarantees_are_tight) {
    double epsilon = epsilon_of(REPLACE, AUTO, declared(0.1, 0, 20), 1e-5);
    assert_true(epsilon > 1.597 && epsilon < 1.599);
}

/* Both ε, and δ at that ε, come from the zCDP bound. */
TEST(delta_inverts_epsilon_on_a_grid) {
    dp2dp_event event = gaussian(0.2, 1);
    event.sensitivity = 2;
    event = on_grid(event, 0x1p40, 10);
    double epsilon = epsilon_of(REPLACE, AUTO, event, 1e-5);
    assert_true(epsilon < 100 && delta_of(REPLACE, AUTO, event, epsilon) <= 1.001e-5);
}

/* Compares with the closed form in long double for μ from 300 to 10^6, where ε/μ and μ/2 nearly
 * cancel. */
TEST(the_closed_form_is_a_bound_for_a_huge_mu) {
    int below = 0;
    for (int i = 0; LDBL_MANT_DIG >= 64 && i < 4000; i++) {
        double mu = 300 * pow(1.002, i), epsilon = mu * (0.5 * mu + 0.003 * (i % 4001));
        long double a = (long double)epsilon / mu - 0.5L * mu, b = a + mu;
        long double mills = (1 - 1 / (b * b) + 3 / (b * b * b * b)) / (b * 2.5066282746310005024L);
        long double exact = 0.5L * erfcl(a / sqrtl(2)) - expl(-0.5L * a * a) * mills;
        long double ours = dp2dpi_gaussian_delta(mu, epsilon);
        below += ours < exact;
        assert_true(ours <= exact * (1 + 1e-13L * mu + 1e-11L));
    }
    assert_int_equal(below, 0);
}
