/* accountant: every allocation fails once, and no bound ever comes out of a failed computation. */
#include "fault/fault_alloc.h"

#include <dp2dp/accountant.h>

/* Short runs, so that the grid stays small; every back-end and every kind of event takes part. */
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

/* What the runs below try, since a run takes no other argument. */
static unsigned mechanisms;
static dp2dp_backend backend;
static dp2dp_unknown unknown;

static dp2dp_status make(size_t at, fault_mode how) {
    HANDLE(dp2dp_accountant) *accountant = (dp2dp_accountant *)&accountant;
    fault_arm(at, how);
    dp2dp_status status = dp2dp_accountant_new(DP2DP_REPLACE_ONE, &accountant, NULL);
    assert_int_equal(accountant == NULL, fault_happened);
    return status;
}

static double epsilon_of(const dp2dp_accountant *accountant) {
    double epsilon = NAN;
    assert_ok(dp2dp_accountant_epsilon(accountant, 1e-5, DP2DP_BACKEND_AUTO, &epsilon, NULL, NULL));
    return epsilon;
}

/* An event that could not be added must not count: not in part, and not later. */
static dp2dp_status add(size_t at, fault_mode how) {
    HANDLE(dp2dp_accountant) *accountant = accountant_of(1u << DP2DP_GAUSSIAN);
    double before = epsilon_of(accountant);
    dp2dp_event event = event_of(DP2DP_GAUSSIAN);
    event.set = "another";
    event.sigma = 2;
    fault_arm(at, how);
    dp2dp_status status = dp2dp_accountant_add(accountant, &event, NULL);
    fault_disarm();
    double after = epsilon_of(accountant);
    assert_true(status == OK ? after > before : after == before);
    return status;
}

static dp2dp_status epsilon(size_t at, fault_mode how) {
    HANDLE(dp2dp_accountant) *accountant = accountant_of(mechanisms);
    double value = -1;
    fault_arm(at, how);
    dp2dp_status status =
        dp2dp_accountant_epsilon(accountant, 1e-5, backend, &value, NULL, &fault_error);
    assert_true(status == OK ? value > 0 : value == -1);
    return status;
}

static dp2dp_status delta(size_t at, fault_mode how) {
    HANDLE(dp2dp_accountant) *accountant = accountant_of(mechanisms);
    double value = -1;
    fault_arm(at, how);
    dp2dp_status status =
        dp2dp_accountant_delta(accountant, 1, backend, &value, NULL, &fault_error);
    assert_true(status == OK ? value > 0 : value == -1);
    return status;
}

static dp2dp_status curve(size_t at, fault_mode how) {
    HANDLE(dp2dp_accountant) *accountant = accountant_of(mechanisms);
    const double at_epsilon[2] = {0.5, 1};
    double values[2];
    fault_arm(at, how);
    dp2dp_status status =
        dp2dp_accountant_curve(accountant, backend, 2, at_epsilon, values, &fault_error);
    return status;
}

static dp2dp_status tradeoff(size_t at, fault_mode how) {
    HANDLE(dp2dp_accountant) *accountant = accountant_of(mechanisms);
    double value = -1;
    fault_arm(at, how);
    dp2dp_status status = dp2dp_accountant_tradeoff(accountant, 0.1, &value, &fault_error);
    assert_true(status == OK ? value > 0 : value == -1);
    return status;
}

static dp2dp_status renyi(size_t at, fault_mode how) {
    HANDLE(dp2dp_accountant) *accountant =
        accountant_of(1u << DP2DP_POISSON | 1u << DP2DP_GAUSSIAN);
    double value = -1;
    fault_arm(at, how);
    dp2dp_status status = dp2dp_accountant_renyi(accountant, 3.5, &value, &fault_error);
    assert_true(status == OK ? value > 0 : value == -1);
    return status;
}

static dp2dp_status calibrate(size_t at, fault_mode how) {
    HANDLE(dp2dp_accountant) *accountant = accountant_of(0);
    dp2dp_event event = event_of(mechanisms == 0 ? DP2DP_GAUSSIAN : DP2DP_POISSON);
    dp2dp_event asked = event;
    fault_arm(at, how);
    dp2dp_status status = dp2dp_accountant_calibrate(accountant, backend, unknown, 10, 1e-5, &event,
                                                     NULL, &fault_error);
    if (status != OK) {
        assert_true(event.sigma == asked.sigma && event.rate == asked.rate &&
                    event.count == asked.count);
    }
    return status;
}

TEST(an_accountant_is_whole_or_absent) {
    assert_true(fault_every_allocation(make) >= 1);
    assert_true(fault_every_allocation(add) >= 1);
}

TEST(no_epsilon_without_memory) {
    const unsigned all = (2u << DP2DP_DECLARED) - 2;
    backend = DP2DP_BACKEND_AUTO;
    mechanisms = all;
    assert_true(fault_every_allocation(epsilon) >= 1);
    mechanisms = 1u << DP2DP_GAUSSIAN;
    assert_true(fault_every_allocation(epsilon) >= 1);
    mechanisms = 1u << DP2DP_POISSON;
    assert_true(fault_every_allocation(epsilon) >= 1);
    assert_true(fault_every_allocation(delta) >= 1);
    backend = DP2DP_BACKEND_RDP;
    mechanisms = all & ~(1u << DP2DP_DECLARED);
    (void)fault_every_allocation(epsilon);
    (void)fault_every_allocation(delta);
    (void)fault_every_allocation(renyi);
}

TEST(no_curve_without_memory) {
    backend = DP2DP_BACKEND_AUTO;
    mechanisms = 1u << DP2DP_POISSON;
    assert_true(fault_every_allocation(curve) >= 1);
    assert_true(fault_every_nth_allocation(23, tradeoff) >= 5);
}

TEST(no_calibration_without_memory) {
    backend = DP2DP_BACKEND_AUTO;
    mechanisms = 0;
    unknown = DP2DP_FIND_SIGMA;
    assert_true(fault_every_allocation(calibrate) >= 1);
    unknown = DP2DP_FIND_COUNT;
    assert_true(fault_every_allocation(calibrate) >= 1);
    mechanisms = 1;
    backend = DP2DP_BACKEND_RDP;
    unknown = DP2DP_FIND_RATE;
    (void)fault_every_allocation(calibrate);
}
