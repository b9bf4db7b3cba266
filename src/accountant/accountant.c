#include <math.h>
#include <string.h>

#include "accountant/account.h"
#include "accountant/accountant_internal.h"
#include "accountant/event.h"
#include "base/alloc.h"
#include "num/elementary.h"

dp2dp_status dp2dp_accountant_new(dp2dp_adjacency adjacency, dp2dp_accountant **out,
                                  dp2dp_error *error) {
    *out = NULL;
    DP2DPI_TRY(dp2dpi_adjacency_check(adjacency, error));
    DP2DPI_TRY(DP2DPI_ALLOC(*out, 1, "an accountant", error));
    (*out)->adjacency = adjacency;
    return DP2DP_STATUS_OK;
}

void dp2dp_accountant_free(dp2dp_accountant *accountant) {
    if (accountant) {
        for (size_t i = 0; i < accountant->n; i++) {
            dp2dpi_free((char *)accountant->events[i].set);
        }
        dp2dpi_free(accountant->events);
        dp2dpi_free(accountant);
    }
}

dp2dp_status dp2dp_accountant_add(dp2dp_accountant *accountant, const dp2dp_event *event,
                                  dp2dp_error *error) {
    dp2dp_event copy;
    char *set;
    DP2DPI_TRY(dp2dpi_event_read(event, accountant->adjacency, &copy, error));
    void *events = accountant->events;
    DP2DPI_TRY(dp2dpi_grow("events", accountant->n, sizeof(dp2dp_event), &events,
                           &accountant->capacity, error));
    accountant->events = events;
    DP2DPI_TRY(dp2dpi_strdup(copy.set, &set, error));
    copy.set = set;
    copy.label = NULL;
    accountant->events[accountant->n++] = copy;
    return DP2DP_STATUS_OK;
}

static dp2dpi_account view(const dp2dp_accountant *accountant, dp2dp_backend backend) {
    return (dp2dpi_account) {accountant->events, accountant->n, accountant->adjacency, backend};
}

dp2dp_status dp2dp_accountant_epsilon(const dp2dp_accountant *accountant, double delta,
                                      dp2dp_backend backend, double *epsilon, dp2dp_backend *used,
                                      dp2dp_error *error) {
    dp2dpi_account account = view(accountant, backend);
    return dp2dpi_account_epsilon(&account, delta, epsilon, used, error);
}

dp2dp_status dp2dp_accountant_delta(const dp2dp_accountant *accountant, double epsilon,
                                    dp2dp_backend backend, double *delta, dp2dp_backend *used,
                                    dp2dp_error *error) {
    dp2dpi_account account = view(accountant, backend);
    return dp2dpi_account_delta(&account, epsilon, delta, used, error);
}

dp2dp_status dp2dp_accountant_curve(const dp2dp_accountant *accountant, dp2dp_backend backend,
                                    size_t n, const double *epsilon, double *delta,
                                    dp2dp_error *error) {
    dp2dpi_account account = view(accountant, backend);
    for (size_t i = 0; i < n; i++) {
        DP2DPI_TRY(dp2dpi_account_delta(&account, epsilon[i], &delta[i], NULL, error));
    }
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dp_accountant_renyi(const dp2dp_accountant *accountant, double order,
                                    double *divergence, dp2dp_error *error) {
    dp2dpi_account account = view(accountant, DP2DP_BACKEND_RDP);
    return dp2dpi_account_renyi(&account, order, divergence, error);
}

/* Every (ε, δ) guarantee bounds the trade-off f(a), the smallest false-negative rate at
 * false-positive rate a, from below: f(a) ≥ max{0, 1 − δ − e^ε a, e^{−ε}(1 − δ − a)}. */
static dp2dp_status tradeoff_at(const dp2dpi_account *account, double epsilon, double a,
                                double *bound, dp2dp_error *error) {
    double delta;
    DP2DPI_TRY(dp2dpi_account_delta(account, epsilon, &delta, NULL, error));
    double first = 1.0 - delta - dp2dpi_exp(epsilon) * a;
    double second = dp2dpi_exp(-epsilon) * (1.0 - delta - a);
    *bound = (first > second ? first : second) * (1.0 - 4.0 * DP2DPI_ULP);
    return DP2DP_STATUS_OK;
}

/* Every ε gives a valid lower bound on the trade-off at a. This scans for the ε with the largest
 * bound, first coarsely, then finer; a missed optimum costs only tightness. */
static dp2dp_status scan_tradeoff(const dp2dpi_account *account, double epsilon_max, double a,
                                  double *best, double *centre, dp2dp_error *error) {
    double low = 0.0, high = epsilon_max;
    *best = 0.0;
    *centre = 0.0;
    for (int round = 0; round < 6; round++) {
        int points = round == 0 ? 24 : 6;
        double width = (high - low) / points;
        for (int i = 0; i <= points; i++) {
            double bound = 0.0, epsilon = low + i * width;
            DP2DPI_TRY(tradeoff_at(account, epsilon, a, &bound, error));
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

/* Convolutions are too slow for a full scan. So a scan of the Rényi bound finds the best ε, and the
 * account's own back-end bounds the trade-off only there and at smaller ε, where its tighter
 * profile has its optimum. */
static dp2dp_status scan_cheaply(const dp2dpi_account *account, double epsilon_max, double a,
                                 double *best, dp2dp_error *error) {
    static const double shares[] = {1.0, 0.95, 0.85, 0.7, 0.5};
    dp2dpi_account renyi = *account;
    double centre = 0.0;
    renyi.backend = DP2DP_BACKEND_RDP;
    DP2DPI_TRY(scan_tradeoff(&renyi, epsilon_max, a, best, &centre, error));
    for (int i = 0; i < 5; i++) {
        double bound = 0.0;
        DP2DPI_TRY(tradeoff_at(account, centre * shares[i], a, &bound, error));
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
    dp2dpi_account account = view(accountant, DP2DP_BACKEND_AUTO);
    double epsilon_max;
    if (!(false_positive >= 0.0 && false_positive <= 1.0)) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "false_positive = %g: it must be from 0 to 1", false_positive);
    }
    /* epsilon_max, the end of the scan, is the ε at the first of these δ that gives a finite bound.
     * A δ below a declared δ gives none. */
    dp2dp_status status = DP2DP_STATUS_NO_BOUND;
    static const double deltas[] = {1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 0.5, 0.9};
    for (int i = 0; i < 8 && status == DP2DP_STATUS_NO_BOUND; i++) {
        status = dp2dpi_account_epsilon(&account, deltas[i], &epsilon_max, NULL, error);
    }
    if (status == DP2DP_STATUS_NO_BOUND) {
        *false_negative = 0.0;
        return DP2DP_STATUS_OK;
    }
    DP2DPI_TRY(status);
    /* The best ε may lie just above epsilon_max, at a corner of the profile. */
    epsilon_max = 1.1 * epsilon_max + 0.01;
    double best = 0.0, centre;
    DP2DPI_TRY(is_cheap(accountant)
                   ? scan_tradeoff(&account, epsilon_max, false_positive, &best, &centre, error)
                   : scan_cheaply(&account, epsilon_max, false_positive, &best, error));
    *false_negative = best;
    return DP2DP_STATUS_OK;
}
