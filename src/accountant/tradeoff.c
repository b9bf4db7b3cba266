#include "accountant/accountant_internal.h"
#include "accountant/event.h"
#include "num/elementary.h"

/* Computes the lower bound that one ε gives on the trade-off f(a), the smallest false-negative rate
 * at false-positive rate a. Every (ε, δ) guarantee implies
 *     f(a) ≥ max{0, 1 − δ − e^ε a, e^{−ε}(1 − δ − a)}. */
static dp2dp_status tradeoff_at(const dp2dp_accountant *accountant, dp2dp_backend backend,
                                double epsilon, double a, double *bound, dp2dp_error *error) {
    double delta;
    DP2DPI_TRY(dp2dp_accountant_delta(accountant, epsilon, backend, &delta, NULL, error));
    double first = 1.0 - delta - dp2dpi_exp(epsilon) * a;
    double second = dp2dpi_exp(-epsilon) * (1.0 - delta - a);
    *bound = (first > second ? first : second) * (1.0 - 4.0 * DP2DPI_ULP);
    return DP2DP_STATUS_OK;
}

/* Searches for the ε that gives the largest lower bound on the trade-off at false-positive rate a,
 * first on a coarse grid of ε, then on finer grids. Every ε gives a valid lower bound, so a search
 * that misses the best ε only gives a weaker bound. */
static dp2dp_status scan(const dp2dp_accountant *accountant, dp2dp_backend backend,
                         double epsilon_max, double a, double *best, double *centre,
                         dp2dp_error *error) {
    double low = 0.0, high = epsilon_max;
    *best = 0.0;
    *centre = 0.0;
    for (int round = 0; round < 6; round++) {
        int points = round == 0 ? 24 : 6;
        double width = (high - low) / points;
        for (int i = 0; i <= points; i++) {
            double bound = 0.0, epsilon = low + i * width;
            DP2DPI_TRY(tradeoff_at(accountant, backend, epsilon, a, &bound, error));
            if (bound >= *best) {
                *best = bound;
                *centre = epsilon;
            }
        }
        low = *centre > width ? *centre - width : 0.0;
        high = *centre + width < epsilon_max ? *centre + width : epsilon_max;
    }
    return DP2DP_STATUS_OK;
}

/* Searches like `scan`, but with few convolutions, because these are slow. First finds the best ε
 * for the Rényi bound, which needs no convolution. Then computes the bound of the tightest back-end
 * only at this ε and at four smaller ones. */
static dp2dp_status scan_cheaply(const dp2dp_accountant *accountant, double epsilon_max, double a,
                                 double *best, dp2dp_error *error) {
    static const double shares[] = {1.0, 0.95, 0.85, 0.7, 0.5};
    double centre = 0.0;
    DP2DPI_TRY(scan(accountant, DP2DP_BACKEND_RDP, epsilon_max, a, best, &centre, error));
    for (int i = 0; i < 5; i++) {
        double bound = 0.0;
        DP2DPI_TRY(
            tradeoff_at(accountant, DP2DP_BACKEND_AUTO, centre * shares[i], a, &bound, error));
        *best = bound > *best ? bound : *best;
    }
    return DP2DP_STATUS_OK;
}

static int is_cheap(const dp2dp_accountant *accountant) {
    int gaussian = 1;
    for (size_t i = 0; i < accountant->n; i++) {
        gaussian = gaussian && accountant->events[i].mechanism == DP2DP_GAUSSIAN;
    }
    return gaussian || (accountant->n == 1 && accountant->events[0].count == 1);
}

dp2dp_status dp2dp_accountant_tradeoff(const dp2dp_accountant *accountant, double false_positive,
                                       double *false_negative, dp2dp_error *error) {
    double epsilon_max;
    DP2DPI_TRY(dp2dpi_require(false_positive >= 0.0 && false_positive <= 1.0, "false_positive",
                              false_positive, "from 0 to 1", error));
    /* Finds epsilon_max, the upper end of the scans below: the ε at the smallest δ in `deltas` that
     * has a finite ε. For example, a δ below that of a declared guarantee has no finite ε. */
    dp2dp_status status = DP2DP_STATUS_NO_BOUND;
    static const double deltas[] = {1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 0.5, 0.9};
    for (int i = 0; i < 8 && status == DP2DP_STATUS_NO_BOUND; i++) {
        status = dp2dp_accountant_epsilon(accountant, deltas[i], DP2DP_BACKEND_AUTO, &epsilon_max,
                                          NULL, error);
    }
    if (status == DP2DP_STATUS_NO_BOUND) {
        *false_negative = 0.0;
        return DP2DP_STATUS_OK;
    }
    DP2DPI_TRY(status);
    /* The best ε may lie just above epsilon_max, where the privacy curve has a corner, so the scans
     * go a little further. */
    epsilon_max = 1.1 * epsilon_max + 0.01;
    double best = 0.0, centre;
    DP2DPI_TRY(is_cheap(accountant)
                   ? scan(accountant, DP2DP_BACKEND_AUTO, epsilon_max, false_positive, &best,
                          &centre, error)
                   : scan_cheaply(accountant, epsilon_max, false_positive, &best, error));
    *false_negative = best;
    return DP2DP_STATUS_OK;
}
