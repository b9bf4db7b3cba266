/* Compares Rényi divergences at large orders with the same integral in long double, computed with
 * steps an eighth as long. docs/proofs/renyi.md justifies the step of the trapezoid rule. */
#include "support.h"

#include <float.h>

#include "accountant/renyi.h"

/* log(1 − q + q e^a) */
static long double mix(long double q, long double a) {
    return a > 0       ? a + logl(q + (1 - q) * expl(-a))
           : a < -0.5L ? logl((1 - q) + q * expl(a))
                       : log1pl(q * expm1l(a));
}

/* log P/φ and log Q/φ at x. */
static void logs_at(const dp2dpi_loss *loss, long double x, long double *p, long double *q) {
    long double s = loss->shift, up = mix(loss->q, s * x - s * s / 2);
    long double down = mix(loss->q, -s * x - s * s / 2);
    *p = loss->kind == DP2DPI_LOSS_POISSON_ADD ? 0 : up;
    *q = loss->kind == DP2DPI_LOSS_POISSON_REMOVE ? 0 : down;
}

/* log E_P (P/Q)^λ */
static long double long_cgf(const dp2dpi_loss *loss, long double lambda) {
    long double s = loss->shift, h = fminl(0.2L / s, 0.25L) / 8, most = -INFINITY, sum = 0;
    long double low = -s - 12, high = s * (1 + 2 * lambda) + 12;
    for (long double i = 0.37L; low + i * h < high; i++) {
        long double x = low + i * h, p, q;
        logs_at(loss, x, &p, &q);
        long double value = p - x * x / 2 + lambda * (p - q);
        if (value > most) {
            sum = sum * expl(most - value) + 1;
            most = value;
        } else if (value > most - 60) {
            sum += expl(value - most);
        }
    }
    return most + logl(sum * h) - 0.9189385332046727417803297L;
}

TEST(no_divergence_at_a_large_order_is_too_small) {
    static const dp2dpi_loss_kind kinds[] = {DP2DPI_LOSS_POISSON_REPLACE, DP2DPI_LOSS_POISSON_ADD};
    static const double shifts[] = {0.05, 0.5, 0.8, 1.5, 4}, lambdas[] = {7.3, 31, 99.5, 401, 1999};
    static const double rates[] = {1e-9, 1e-3, 0.5, 0.99, 1 - 1e-6, 1 - 1e-12};
    int bad = 0, seen = 0;
    for (int i = 0; LDBL_MANT_DIG >= 64 && i < 2 * 5 * 5 * 6; i++) {
        dp2dpi_loss loss = {
            .kind = kinds[i % 2], .shift = shifts[i / 2 % 5], .q = rates[i / 10 % 6], .count = 1};
        double lambda = lambdas[i / 60], ours;
        if (dp2dpi_renyi_cgf(&loss, 1 + lambda, &ours, NULL) != DP2DP_STATUS_OK) {
            continue;
        }
        long double exact = long_cgf(&loss, lambda);
        seen++;
        if (exact > 1e-3L && !(ours >= exact * (1 - 1e-13L) && ours <= exact * (1 + 1e-9L))) {
            bad++;
            print_error("kind %d, shift %g, q %.15g, order %g: %.17g, not %.17Lg\n", loss.kind,
                        loss.shift, loss.q, 1 + lambda, ours, exact);
        }
    }
    print_message("%d divergences\n", seen);
    assert_int_equal(bad, 0);
    assert_true(LDBL_MANT_DIG < 64 || seen > 200);
}
