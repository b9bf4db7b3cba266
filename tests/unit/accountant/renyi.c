/* Compares Rényi divergences with the same integrals and sums in long double. At large orders the
 * step is an eighth as long. docs/proofs/renyi.md justifies the step of the trapezoid rule. */
#include "support.h"

#include <float.h>

#include "accountant/renyi.h"

/* log(1 − q + q e^a) */
static long double mix(long double q, long double a) {
    return a > 5000                ? a + logl(q)
           : a < -0.5L && q > 0.5L ? logl((1 - q) + q * expl(a))
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

/* e^{αℓ} − 1 − α(e^ℓ − 1) with α = 1 + λ */
static long double gap(long double lambda, long double l) {
    if (fabsl((1 + lambda) * l) > 0.1L) {
        return expl(l) * expm1l(lambda * l) - lambda * expm1l(l);
    }
    long double sum = 0, power = l;
    for (int n = 2; n < 16; n++) { /* Σ (αⁿ − α) ℓⁿ/n! */
        power *= l / n;
        sum += (1 + lambda) * expm1l((n - 1) * log1pl(lambda)) * power;
    }
    return sum;
}

/* E_Q of the gap at x, as a density in x. Without replacement: for x > 0, with the mirror image. */
static long double gap_density(const dp2dpi_loss *loss, long double lambda, long double x) {
    long double s = loss->shift, p, q;
    if (loss->kind == DP2DPI_LOSS_WITHOUT_REPLACEMENT) {
        p = mix(loss->q, s * x);
        long double lower = expl(-(x + s / 2) * (x + s / 2) / 2);
        return lower * (gap(lambda, p) + expl(p) * gap(lambda, -p));
    }
    logs_at(loss, x, &p, &q);
    return expl(q - x * x / 2) * gap(lambda, p - q);
}

/* The same number as long_cgf, for small divergences and for sampling without replacement. The half
 * line is mapped to a line by x = exp(t − e^{−t}), so that the trapezoid rule serves there too. */
static long double long_cgf_from_gap(const dp2dpi_loss *loss, long double lambda) {
    long double s = loss->shift, sum = 0, high = s * (3 + 2 * lambda) + 13;
    if (loss->kind == DP2DPI_LOSS_WITHOUT_REPLACEMENT) {
        long double h = 1 / (64 * (1 + s * (1 + lambda)));
        for (long double t = -4.5L; t < logl(high) + 0.1L; t += h) {
            long double x = expl(t - expl(-t));
            sum += h * x * (1 + expl(-t)) * gap_density(loss, lambda, x);
        }
    } else {
        long double h = fminl(0.2L / s, 0.25L) / 8;
        for (long double i = 0.37L, low = -3 * s - 13; low + i * h < high; i++) {
            sum += h * gap_density(loss, lambda, low + i * h);
        }
    }
    return log1pl(sum * 0.39894228040143267793994606L);
}

/* Near order 1, and without replacement at any order, a divergence is an upper bound that is not
 * even 1e-10 above the truth. */
TEST(no_divergence_at_a_small_order_or_without_replacement_is_too_small) {
    static const dp2dpi_loss_kind kinds[] = {DP2DPI_LOSS_POISSON_REPLACE, DP2DPI_LOSS_POISSON_ADD,
                                             DP2DPI_LOSS_POISSON_REMOVE,
                                             DP2DPI_LOSS_WITHOUT_REPLACEMENT};
    static const double shifts[] = {0.02, 0.5, 1.5, 6}, rates[] = {1e-9, 1e-3, 0.2, 0.97};
    static const double lambdas[] = {1e-7, 1e-5, 1e-3, 0.03, 0.4, 1, 2.7, 9, 31.5, 77};
    int bad = 0, seen = 0;
    for (int i = 0; LDBL_MANT_DIG >= 64 && i < 4 * 4 * 4 * 10; i++) {
        dp2dpi_loss loss = {
            .kind = kinds[i % 4], .shift = shifts[i / 4 % 4], .q = rates[i / 16 % 4], .count = 1};
        double lambda = lambdas[i / 64], ours;
        if (lambda > 3 && loss.kind != DP2DPI_LOSS_WITHOUT_REPLACEMENT) {
            continue;
        }
        if (lambda * loss.shift > 100) { /* beyond the range of a long double */
            continue;
        }
        assert_ok(dp2dpi_renyi_cgf(&loss, 1 + lambda, &ours, &test_error));
        long double exact = long_cgf_from_gap(&loss, (1 + lambda) - 1);
        seen++;
        if (!(ours >= exact * (1 - 2e-16L) && ours <= exact * (1 + 1e-10L))) {
            bad++;
            print_error("kind %d, shift %g, q %.15g, order 1 + %g: %.17g, not %.17Lg: %Lg\n",
                        loss.kind, loss.shift, loss.q, lambda, ours, exact, ours / exact - 1);
        }
    }
    print_message("%d divergences\n", seen);
    assert_int_equal(bad, 0);
    assert_true(LDBL_MANT_DIG < 64 || seen > 300);
}

/* The binomial series at integer orders, in long double. */
TEST(no_divergence_at_an_integer_order_is_too_small) {
    static const double shifts[] = {0.02, 0.5, 1.5, 6}, rates[] = {1e-9, 1e-3, 0.2, 0.97};
    static const int orders[] = {2, 3, 10, 64, 300, 2000};
    int bad = 0;
    for (int i = 0; LDBL_MANT_DIG >= 64 && i < 4 * 4 * 6; i++) {
        dp2dpi_loss loss = {.kind = DP2DPI_LOSS_POISSON_REMOVE,
                            .shift = shifts[i % 4],
                            .q = rates[i / 4 % 4],
                            .count = 1};
        int order = orders[i / 16];
        long double s = loss.shift, q = loss.q, most = -INFINITY, sum = 0;
        for (int k = 2; k <= order; k++) {
            long double e = s * s / 2 * k * (k - 1.0L);
            long double term = lgammal(order + 1.0L) - lgammal(k + 1.0L) -
                               lgammal(order - k + 1.0L) + k * logl(q) + (order - k) * log1pl(-q) +
                               (e > 60 ? e : logl(expm1l(e)));
            sum = term > most ? sum * expl(most - term) + 1 : sum + expl(term - most);
            most = term > most ? term : most;
        }
        long double excess = most + logl(sum);
        long double exact = excess > 60 ? excess : log1pl(expl(excess));
        double ours;
        assert_ok(dp2dpi_renyi_cgf(&loss, order, &ours, &test_error));
        if (!(ours >= exact * (1 - 1e-15L) && ours <= exact * (1 + 1e-9L))) {
            bad++;
            print_error("shift %g, q %g, order %d: %.17g, not %.17Lg\n", loss.shift, loss.q, order,
                        ours, exact);
        }
    }
    assert_int_equal(bad, 0);
}
