/* Short names for events, accountants and their results, shared by the accounting tests. */
#ifndef DP2DP_TESTS_UNIT_ACCOUNTANT_EVENTS_H
#define DP2DP_TESTS_UNIT_ACCOUNTANT_EVENTS_H

#include "support.h"

#include <dp2dp/accountant.h>

#define REPLACE DP2DP_REPLACE_ONE
#define AUTO DP2DP_BACKEND_AUTO
#define PLD DP2DP_BACKEND_PLD
#define RDP DP2DP_BACKEND_RDP
#define ANALYTIC DP2DP_BACKEND_ANALYTIC

/* Records of norm at most 1, so that z = σ. */
static inline dp2dp_event sampled(dp2dp_mechanism mechanism, dp2dp_adjacency adjacency, double z,
                                  double rate, uint64_t count) {
    dp2dp_event event = DP2DP_EVENT_INIT;
    event.mechanism = mechanism;
    event.sensitivity = adjacency == DP2DP_REPLACE_ONE ? 2 : 1;
    event.sigma = z;
    event.count = count;
    if (mechanism == DP2DP_POISSON || mechanism == DP2DP_WITHOUT_REPLACEMENT) {
        event.rate = rate;
    } else if (mechanism == DP2DP_WITH_REPLACEMENT) {
        event.population = 1000;
        event.draws = (uint64_t)ceil(1000 * rate);
    }
    return event;
}

/* Unit sensitivity: μ = 1/σ. */
static inline dp2dp_event gaussian(double sigma, uint64_t count) {
    dp2dp_event event = DP2DP_EVENT_INIT;
    event.mechanism = DP2DP_GAUSSIAN;
    event.sensitivity = 1;
    event.sigma = sigma;
    event.count = count;
    return event;
}

static inline dp2dp_event declared(double epsilon, double delta, uint64_t count) {
    dp2dp_event event = DP2DP_EVENT_INIT;
    event.mechanism = DP2DP_DECLARED;
    event.epsilon = epsilon;
    event.delta = delta;
    event.count = count;
    return event;
}

static inline dp2dp_event on_grid(dp2dp_event event, double scale, uint64_t coordinates) {
    event.scale = scale;
    event.coordinates = coordinates;
    return event;
}

static inline dp2dp_accountant *accountant_of(dp2dp_adjacency adjacency, size_t n,
                                              const dp2dp_event *events) {
    dp2dp_accountant *accountant = NULL;
    assert_ok(dp2dp_accountant_new(adjacency, &accountant, NULL));
    for (size_t i = 0; i < n; i++) {
        assert_ok(dp2dp_accountant_add(accountant, &events[i], NULL));
    }
    return accountant;
}

static inline double epsilon_of_all(dp2dp_adjacency adjacency, dp2dp_backend backend, size_t n,
                                    const dp2dp_event *events, double delta) {
    HANDLE(dp2dp_accountant) *accountant = accountant_of(adjacency, n, events);
    double epsilon = NAN;
    assert_ok(dp2dp_accountant_epsilon(accountant, delta, backend, &epsilon, NULL, &test_error));
    return epsilon;
}

static inline double epsilon_of(dp2dp_adjacency adjacency, dp2dp_backend backend, dp2dp_event event,
                                double delta) {
    return epsilon_of_all(adjacency, backend, 1, &event, delta);
}

static inline double delta_of_all(dp2dp_adjacency adjacency, dp2dp_backend backend, size_t n,
                                  const dp2dp_event *events, double epsilon) {
    HANDLE(dp2dp_accountant) *accountant = accountant_of(adjacency, n, events);
    double delta = NAN;
    assert_ok(dp2dp_accountant_delta(accountant, epsilon, backend, &delta, NULL, &test_error));
    return delta;
}

static inline double delta_of(dp2dp_adjacency adjacency, dp2dp_backend backend, dp2dp_event event,
                              double epsilon) {
    return delta_of_all(adjacency, backend, 1, &event, epsilon);
}

static inline dp2dp_status status_of_epsilon(dp2dp_adjacency adjacency, dp2dp_backend backend,
                                             dp2dp_event event, double delta) {
    HANDLE(dp2dp_accountant) *accountant = accountant_of(adjacency, 1, &event);
    double epsilon = -1;
    dp2dp_status status =
        dp2dp_accountant_epsilon(accountant, delta, backend, &epsilon, NULL, NULL);
    assert_true(status == OK || epsilon == -1);
    return status;
}

/* δ(ε) of the Gaussian mechanism, computed with erfc of the system, for moderate μ. */
static inline double closed_form_delta(double mu, double epsilon) {
    return 0.5 * erfc(-(mu / 2 - epsilon / mu) / sqrt(2)) -
           exp(epsilon) * 0.5 * erfc(-(-mu / 2 - epsilon / mu) / sqrt(2));
}

static inline double closed_form_epsilon(double mu, double delta) {
    double low = 0, high = 1;
    while (closed_form_delta(mu, high) > delta) {
        high *= 2;
    }
    for (int i = 0; i < 200; i++) {
        double middle = 0.5 * (low + high);
        *(closed_form_delta(mu, middle) > delta ? &low : &high) = middle;
    }
    return high;
}

/* ε of ρ-zCDP by the Rényi conversion at the best order, found by a fine scan. */
static inline double closed_form_zcdp(double rho, double delta) {
    double best = INFINITY;
    for (int i = -8000; i <= 8000; i++) {
        double excess = sqrt(-log(delta) / rho) * exp(0.001 * i), order = 1 + excess;
        double epsilon = order * rho + log(excess / order) - log(delta * order) / excess;
        best = epsilon < best ? epsilon : best;
    }
    return best;
}

/* Every mechanism with noise, under every adjacency that it allows. */
typedef struct setting {
    dp2dp_mechanism mechanism;
    dp2dp_adjacency adjacency;
} setting;

static const setting every_setting[] = {
    {DP2DP_GAUSSIAN, DP2DP_REPLACE_ONE},
    {DP2DP_GAUSSIAN, DP2DP_ADD_REMOVE},
    {DP2DP_POISSON, DP2DP_REPLACE_ONE},
    {DP2DP_POISSON, DP2DP_ADD_REMOVE},
    {DP2DP_WITHOUT_REPLACEMENT, DP2DP_REPLACE_ONE},
    {DP2DP_WITH_REPLACEMENT, DP2DP_REPLACE_ONE},
};
enum {
    SETTINGS = sizeof every_setting / sizeof *every_setting
};

#endif
