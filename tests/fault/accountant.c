/* accountant: every allocation fails once, and a failed computation returns no bound. */
#include "fault/fault_alloc.h"

#include <dp2dp/accountant.h>

static const unsigned GAUSSIAN = 1U << DP2DP_GAUSSIAN, POISSON = 1U << DP2DP_POISSON;
static const unsigned EVERY_MECHANISM = (2U << DP2DP_DECLARED) - 2;

/* Three releases only, so that the grid stays small. */
static dp2dp_event event_of(dp2dp_mechanism mechanism) {
    dp2dp_event event = DP2DP_EVENT_INIT;
    event.mechanism = mechanism;
    event.count = 3;
    if (mechanism == DP2DP_DECLARED) {
        event.epsilon = 0.1;
        event.delta = 1e-7;
        return event;
    }
    event.sensitivity = 2;
    event.sigma = 4;
    event.coordinates = 2;
    event.scale = 0x1p40;
    event.label = "label";
    event.set = "pool";
    if (mechanism == DP2DP_POISSON || mechanism == DP2DP_WITHOUT_REPLACEMENT) {
        event.rate = 0.1;
    }
    if (mechanism == DP2DP_WITH_REPLACEMENT) {
        event.population = 1000;
        event.draws = 3;
    }
    return event;
}

/* An accountant with one event of each mechanism m whose bit 1 << m is set. */
static dp2dp_accountant *accountant_of(unsigned mechanisms) {
    dp2dp_accountant *accountant = NULL;
    assert_ok(dp2dp_accountant_new(DP2DP_REPLACE_ONE, &accountant, NULL));
    for (int m = DP2DP_GAUSSIAN; m <= DP2DP_DECLARED; m++) {
        dp2dp_event event = event_of((dp2dp_mechanism)m);
        if (mechanisms >> m & 1u) {
            assert_ok(dp2dp_accountant_add(accountant, &event, NULL));
        }
    }
    return accountant;
}

static double epsilon_of(const dp2dp_accountant *accountant) {
    double epsilon = NAN;
    assert_ok(dp2dp_accountant_epsilon(accountant, 1e-5, DP2DP_BACKEND_AUTO, &epsilon, NULL, NULL));
    return epsilon;
}

TEST(an_accountant_is_whole_or_absent) {
    FAIL_EACH_ALLOCATION(1) {
        HANDLE(dp2dp_accountant) *accountant = (dp2dp_accountant *)&accountant;
        FAULTY(dp2dp_accountant_new(DP2DP_REPLACE_ONE, &accountant, NULL));
        assert_int_equal(accountant == NULL, fault_happened);
    }
    /* An event that could not be added does not count: not in part, and not later. */
    FAIL_EACH_ALLOCATION(1) {
        HANDLE(dp2dp_accountant) *accountant = accountant_of(GAUSSIAN);
        double before = epsilon_of(accountant);
        dp2dp_event event = event_of(DP2DP_GAUSSIAN);
        event.set = "another";
        event.sigma = 2;
        FAULTY(dp2dp_accountant_add(accountant, &event, NULL));
        double after = epsilon_of(accountant);
        assert_true(fault_status == OK ? after > before : after == before);
    }
}

typedef enum quantity {
    EPSILON,
    DELTA,
    TRADEOFF,
    RENYI
} quantity;

static dp2dp_status compute(quantity what, const dp2dp_accountant *accountant,
                            dp2dp_backend backend, double *value) {
    switch (what) {
    case EPSILON:
        return dp2dp_accountant_epsilon(accountant, 1e-5, backend, value, NULL, &fault_error);
    case DELTA:
        return dp2dp_accountant_delta(accountant, 1, backend, value, NULL, &fault_error);
    case TRADEOFF:
        return dp2dp_accountant_tradeoff(accountant, 0.1, value, &fault_error);
    default:
        return dp2dp_accountant_renyi(accountant, 3.5, value, &fault_error);
    }
}

static void is_positive_or_untouched(quantity what, unsigned mechanisms, dp2dp_backend backend,
                                     size_t stride, size_t least) {
    FAIL_EACH_NTH_ALLOCATION(stride, least) {
        HANDLE(dp2dp_accountant) *accountant = accountant_of(mechanisms);
        double value = -1;
        FAULTY(compute(what, accountant, backend, &value));
        assert_true(fault_status == OK ? value > 0 : value == -1);
    }
}

TEST(no_epsilon_without_memory) {
    const unsigned undeclared = EVERY_MECHANISM & ~(1U << DP2DP_DECLARED);
    is_positive_or_untouched(EPSILON, EVERY_MECHANISM, DP2DP_BACKEND_AUTO, 1, 1);
    is_positive_or_untouched(EPSILON, GAUSSIAN, DP2DP_BACKEND_AUTO, 1, 1);
    is_positive_or_untouched(EPSILON, POISSON, DP2DP_BACKEND_AUTO, 1, 1);
    is_positive_or_untouched(DELTA, POISSON, DP2DP_BACKEND_AUTO, 1, 1);
    is_positive_or_untouched(EPSILON, undeclared, DP2DP_BACKEND_RDP, 1, 0);
    is_positive_or_untouched(DELTA, undeclared, DP2DP_BACKEND_RDP, 1, 0);
    is_positive_or_untouched(RENYI, POISSON | GAUSSIAN, DP2DP_BACKEND_RDP, 1, 0);
}

TEST(no_curve_without_memory) {
    const double at_epsilon[2] = {0.5, 1};
    double values[2];
    FAIL_EACH_ALLOCATION(1) {
        HANDLE(dp2dp_accountant) *accountant = accountant_of(POISSON);
        FAULTY(dp2dp_accountant_curve(accountant, DP2DP_BACKEND_AUTO, 2, at_epsilon, values,
                                      &fault_error));
    }
    is_positive_or_untouched(TRADEOFF, POISSON, DP2DP_BACKEND_AUTO, 23, 5);
}

static void is_calibrated_or_untouched(dp2dp_mechanism mechanism, dp2dp_backend backend,
                                       dp2dp_unknown unknown, size_t least) {
    FAIL_EACH_ALLOCATION(least) {
        HANDLE(dp2dp_accountant) *accountant = accountant_of(0);
        dp2dp_event event = event_of(mechanism), asked = event;
        FAULTY(dp2dp_accountant_calibrate(accountant, backend, unknown, 10, 1e-5, &event, NULL,
                                          &fault_error));
        assert_true(fault_status == OK || (event.sigma == asked.sigma && event.rate == asked.rate &&
                                           event.count == asked.count));
    }
}

TEST(no_calibration_without_memory) {
    is_calibrated_or_untouched(DP2DP_GAUSSIAN, DP2DP_BACKEND_AUTO, DP2DP_FIND_SIGMA, 1);
    is_calibrated_or_untouched(DP2DP_GAUSSIAN, DP2DP_BACKEND_AUTO, DP2DP_FIND_COUNT, 1);
    is_calibrated_or_untouched(DP2DP_POISSON, DP2DP_BACKEND_RDP, DP2DP_FIND_RATE, 0);
}
