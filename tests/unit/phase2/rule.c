/* Tests the shares from noisy counts, and the proximal step by its optimality conditions. */
#include "phase2/rule.h"

#include "unit/phase2/data.h"

enum {
    GROUPS_MAX = 6,
    STRIDE = 3
};

TEST(shares_sum_to_one) {
    uint64_t seed = 1;
    for (int round = 0; round < 2000; round++) {
        size_t groups = 2 + (size_t)round % (GROUPS_MAX - 1);
        double counts[GROUPS_MAX], shares[GROUPS_MAX], sum = 0;
        for (size_t g = 0; g < groups; g++) {
            counts[g] = 4000 * uniform(&seed) - 1000;
        }
        dp2dpi_rule_shares(counts, groups, 1000, 0.002, shares);
        for (size_t g = 0; g < groups; g++) {
            assert_true(shares[g] > 0 && shares[g] < 1);
            sum += shares[g];
        }
        assert_true(fabs(sum - 1) < 1e-14);
    }
}

/* Counts 300 and 760 exceed 1,000 by 60: 30 are subtracted from each. Counts −50 and 1,030 fall
 * short by 20: 10 are added to each, then the floor applies. */
TEST(the_excess_is_taken_off_equally_and_then_floored) {
    static const double over[2] = {300, 760}, under[2] = {-50, 1030};
    double shares[2];
    dp2dpi_rule_shares(over, 2, 1000, 0.002, shares);
    assert_true(fabs(shares[0] - 0.27) < 1e-15 && fabs(shares[1] - 0.73) < 1e-15);
    dp2dpi_rule_shares(under, 2, 1000, 0.002, shares);
    assert_true(fabs(shares[0] - 0.002 / 1.042) < 1e-15);
    assert_true(fabs(shares[1] - 1.04 / 1.042) < 1e-15);
}

/* θ minimises ½ Σ π (θ − x)²/η + κ Σ π |θ| under Σ π θ = 0 if and only if, for some τ, (x − θ)/η −
 * τ is κ sign(θ) where θ ≠ 0 and at most κ where θ = 0. */
static void is_optimal(const double *x, const double *theta, const double *lengths, size_t groups,
                       const double *shares, double kappa) {
    double low = -INFINITY, high = INFINITY, sum = 0;
    for (size_t g = 0; g < groups; g++) {
        double rest = (x[g] - theta[g]) / lengths[g * STRIDE];
        double least = theta[g] > 0 ? rest - kappa : theta[g] < 0 ? rest + kappa : rest - kappa;
        double most = theta[g] > 0 ? rest - kappa : theta[g] < 0 ? rest + kappa : rest + kappa;
        low = least > low ? least : low;
        high = most < high ? most : high;
        sum += shares[g] * theta[g];
    }
    if (!(low <= high + 1e-12) || !(fabs(sum) < 1e-12)) {
        fail_msg("kappa %g: no multiplier between %g and %g; weighted sum %g", kappa, low, high,
                 sum);
    }
}

TEST(the_proximal_step_is_optimal) {
    uint64_t seed = 2;
    static const double kappas[5] = {0, 1e-3, 0.05, 0.3, 2};
    for (int round = 0; round < 5000; round++) {
        size_t groups = 2 + (size_t)round % (GROUPS_MAX - 1);
        double counts[GROUPS_MAX], shares[GROUPS_MAX], x[GROUPS_MAX], theta[GROUPS_MAX];
        double strided[GROUPS_MAX * STRIDE], lengths[GROUPS_MAX * STRIDE];
        for (size_t i = 0; i < GROUPS_MAX * STRIDE; i++) {
            strided[i] = 77;
            lengths[i] = round % 2 ? 1 : pow(2, -10 * uniform(&seed));
        }
        for (size_t g = 0; g < groups; g++) {
            counts[g] = 1 + 1000 * uniform(&seed);
            x[g] = round % 3 ? uniform(&seed) - 0.5 : (double)(draw(&seed) % 3) * 0.25;
            strided[g * STRIDE] = x[g];
        }
        dp2dpi_rule_shares(counts, groups, 1000, 0.002, shares);
        const dp2dpi_rule_class class = {.strata = groups,
                                         .stride = STRIDE,
                                         .shares = shares,
                                         .lengths = round % 4 == 1 ? NULL : lengths,
                                         .kappa = kappas[round % 5],
                                         .offset_max = 100};
        dp2dpi_rule_prox(&class, strided);
        for (size_t i = 0; i < GROUPS_MAX * STRIDE; i++) {
            assert_true((i % STRIDE == 0 && i < groups * STRIDE) || strided[i] == 77);
        }
        for (size_t g = 0; g < groups; g++) {
            theta[g] = strided[g * STRIDE];
        }
        is_optimal(x, theta, lengths, groups, shares, kappas[round % 5]);
    }
}

TEST(offsets_stay_within_their_bound) {
    static const double shares[2] = {0.002, 0.998};
    double x[2] = {500, -1};
    dp2dpi_rule_class class = {.strata = 2, .stride = 1, .shares = shares, .offset_max = 2};
    dp2dpi_rule_prox(&class, x);
    assert_true(x[0] == 2 && x[1] >= -2 && x[1] < 0);
    double y[2] = {-500, 1};
    class.kappa = 0.1;
    dp2dpi_rule_prox(&class, y);
    assert_true(y[0] == -2 && y[1] <= 2 && y[1] > 0);
}
