/* Calibration: the value found meets the target, and a slightly less protective value does not. */
#include "unit/accountant/events.h"

typedef struct answer {
    dp2dp_status status;
    dp2dp_event event;
    double reached;
    dp2dp_error error;
} answer;

static answer calibrate(dp2dp_adjacency adjacency, size_t n, const dp2dp_event *base,
                        dp2dp_unknown unknown, dp2dp_event event, double epsilon, double delta) {
    answer a = {.event = event, .reached = -1};
    HANDLE(dp2dp_accountant) *accountant = accountant_of(adjacency, n, base);
    a.status = dp2dp_accountant_calibrate(accountant, AUTO, unknown, epsilon, delta, &a.event,
                                          &a.reached, &a.error);
    return a;
}

/* Returns ε of the base events and one more, from a new accountant; INFINITY if there is no bound.
 */
static double epsilon_with(dp2dp_adjacency adjacency, size_t n, const dp2dp_event *base,
                           dp2dp_event event, double delta) {
    HANDLE(dp2dp_accountant) *accountant = accountant_of(adjacency, n, base);
    double epsilon = INFINITY;
    assert_ok(dp2dp_accountant_add(accountant, &event, NULL));
    dp2dp_status status = dp2dp_accountant_epsilon(accountant, delta, AUTO, &epsilon, NULL, NULL);
    assert_true(status == OK || status == DP2DP_STATUS_NO_BOUND);
    return epsilon;
}

static void succeeded(const answer *a, double target) {
    if (a->status != OK) {
        fail_msg("%s", a->error.message);
    }
    assert_true(a->reached > 0 && a->reached <= target);
}

/* Calibrates, and checks that the value found meets the target and that a slightly less protective
 * value does not. */
static answer calibrate_tightly(dp2dp_adjacency adjacency, size_t n, const dp2dp_event *base,
                                dp2dp_unknown unknown, dp2dp_event event, double target) {
    answer a = calibrate(adjacency, n, base, unknown, event, target, 1e-5);
    succeeded(&a, target);
    assert_true(epsilon_with(adjacency, n, base, a.event, 1e-5) == a.reached);
    dp2dp_event less = a.event;
    less.sigma *= unknown == DP2DP_FIND_SIGMA ? 0.999 : 1;
    less.rate *= unknown == DP2DP_FIND_RATE ? 1.001 : 1;
    less.count += unknown == DP2DP_FIND_COUNT;
    assert_true(epsilon_with(adjacency, n, base, less, 1e-5) > target);
    return a;
}

static const double targets[] = {0.1, 1, 8};

TEST(noise_found_is_enough_and_a_thousandth_less_is_not) {
    for (size_t s = 0; s < SETTINGS; s++) {
        dp2dp_adjacency adjacency = every_setting[s].adjacency;
        for (size_t i = 0; i < 3; i++) {
            dp2dp_event event =
                sampled(every_setting[s].mechanism, adjacency, 1, 0.02, i == 1 ? 1 : 100);
            (void)calibrate_tightly(adjacency, 0, NULL, DP2DP_FIND_SIGMA, event, targets[i]);
        }
    }
}

TEST(noise_of_a_gaussian_is_the_closed_form_rounded_up) {
    for (double mu = 0.01; mu < 10; mu *= 3) {
        for (uint64_t count = 1; count <= 10000; count *= 100) {
            double target = closed_form_epsilon(mu, 1e-6), exact = sqrt((double)count) / mu;
            answer a =
                calibrate(REPLACE, 0, NULL, DP2DP_FIND_SIGMA, gaussian(1, count), target, 1e-6);
            succeeded(&a, target);
            if (!(a.event.sigma >= exact * (1 - 1e-9) && a.event.sigma <= exact * (1 + 1e-6))) {
                fail_msg("mu %g, count %d: %.12g, not %.12g", mu, (int)count, a.event.sigma, exact);
            }
        }
    }
}

TEST(rate_found_is_allowed_and_a_thousandth_more_is_not) {
    for (size_t s = 2; s < 5; s++) {
        dp2dp_adjacency adjacency = every_setting[s].adjacency;
        for (size_t i = 0; i < 3; i++) {
            dp2dp_event event = sampled(every_setting[s].mechanism, adjacency, 1.5, 0.5, 50);
            answer a = calibrate_tightly(adjacency, 0, NULL, DP2DP_FIND_RATE, event, targets[i]);
            assert_true(a.event.rate < 1);
        }
    }
}

TEST(count_found_is_allowed_and_one_more_is_not) {
    for (size_t s = 0; s < SETTINGS; s++) {
        dp2dp_adjacency adjacency = every_setting[s].adjacency;
        for (size_t i = 1; i < 3; i++) {
            dp2dp_event event = sampled(every_setting[s].mechanism, adjacency, 30, 0.3, 1);
            answer a = calibrate_tightly(adjacency, 0, NULL, DP2DP_FIND_COUNT, event, targets[i]);
            assert_true(a.event.count > 1);
        }
    }
    answer a = calibrate(REPLACE, 0, NULL, DP2DP_FIND_COUNT, declared(0.1, 0, 1), 1, 1e-9);
    succeeded(&a, 1);
    assert_int_equal(a.event.count, 10);
}

TEST(count_of_a_gaussian_is_the_closed_form_rounded_down) {
    for (double steps = 1.5; steps < 1e6; steps *= 1.7) {
        double mu = sqrt(steps) / 30, target = closed_form_epsilon(mu, 1e-3);
        answer a = calibrate(REPLACE, 0, NULL, DP2DP_FIND_COUNT, gaussian(30, 1), target, 1e-3);
        succeeded(&a, target);
        assert_true((double)a.event.count == floor(steps));
    }
}

TEST(a_generous_target_gives_the_end_of_the_range) {
    dp2dp_event event = sampled(DP2DP_POISSON, REPLACE, 50, 0.5, 1);
    answer a = calibrate(REPLACE, 0, NULL, DP2DP_FIND_RATE, event, 10, 1e-5);
    succeeded(&a, 10);
    assert_true(a.event.rate == 1);
    event = gaussian(1e12, 1);
    a = calibrate(REPLACE, 0, NULL, DP2DP_FIND_COUNT, event, 1, 1e-5);
    assert_int_equal(a.status, OK);
    assert_int_equal(a.event.count, (uint64_t)1 << 53);
}

TEST(what_came_before_is_taken_into_account) {
    dp2dp_event base[] = {gaussian(4, 1), sampled(DP2DP_POISSON, REPLACE, 3, 0.01, 30)};
    for (size_t n = 0; n <= 2; n++) {
        (void)calibrate_tightly(REPLACE, n, base, DP2DP_FIND_SIGMA, gaussian(1, 1), 2);
    }
    double mu = 0.7, rest = sqrt(mu * mu - 1 / 16.0);
    answer a = calibrate(REPLACE, 1, base, DP2DP_FIND_SIGMA, gaussian(1, 1),
                         closed_form_epsilon(mu, 1e-5), 1e-5);
    assert_true(fabs(a.event.sigma * rest - 1) < 1e-6);
    base[0].set = "train"; /* base is now about other people and costs nothing here */
    dp2dp_event event = gaussian(1, 1);
    event.set = "pool";
    a = calibrate(REPLACE, 1, base, DP2DP_FIND_SIGMA, event, closed_form_epsilon(mu, 1e-5), 1e-5);
    assert_true(fabs(a.event.sigma * mu - 1) < 1e-6);
}

/* Compares numbers; two NaN are equal. Events are compared field by field because padding bytes may
 * differ. */
static int same_number(double a, double b) {
    return a == b || (a != a && b != b);
}

static int same_event(const dp2dp_event *a, const dp2dp_event *b) {
    return a->struct_size == b->struct_size && a->mechanism == b->mechanism &&
           same_number(a->sensitivity, b->sensitivity) && same_number(a->sigma, b->sigma) &&
           same_number(a->rate, b->rate) && same_number(a->population, b->population) &&
           a->draws == b->draws && a->count == b->count && a->coordinates == b->coordinates &&
           a->rows_per_person == b->rows_per_person && same_number(a->scale, b->scale) &&
           same_number(a->epsilon, b->epsilon) && same_number(a->delta, b->delta);
}

TEST(an_impossible_target_is_refused_with_budget_and_the_event_is_untouched) {
    dp2dp_event spent = gaussian(0.5, 1);
    static const dp2dp_unknown unknowns[] = {DP2DP_FIND_SIGMA, DP2DP_FIND_RATE, DP2DP_FIND_COUNT};
    for (int i = 0; i < 3; i++) {
        dp2dp_event event = sampled(DP2DP_POISSON, REPLACE, 3, 0.1, 7);
        answer a = calibrate(REPLACE, 1, &spent, unknowns[i], event, 1, 1e-5);
        assert_int_equal(a.status, DP2DP_STATUS_BUDGET);
        assert_int_equal(a.error.status, DP2DP_STATUS_BUDGET);
        assert_says(a.error.message, "epsilon = 1");
        assert_true(same_event(&a.event, &event));
        assert_true(a.reached == -1);
    }
    answer a = calibrate(REPLACE, 0, NULL, DP2DP_FIND_COUNT, gaussian(0.5, 1), 1, 1e-5);
    assert_int_equal(a.status, DP2DP_STATUS_BUDGET);
    dp2dp_event coarse = sampled(DP2DP_POISSON, REPLACE, 1, 0.1, 1);
    coarse.scale = 2; /* the slack of so coarse a grid alone exceeds the target, except for a
                         Gaussian, which has the zCDP bound */
    coarse.coordinates = 100;
    a = calibrate(REPLACE, 0, NULL, DP2DP_FIND_SIGMA, coarse, 1, 1e-5);
    assert_int_equal(a.status, DP2DP_STATUS_BUDGET);
    coarse.mechanism = DP2DP_GAUSSIAN;
    a = calibrate(REPLACE, 0, NULL, DP2DP_FIND_SIGMA, coarse, 1, 1e-5);
    succeeded(&a, 1);
}

TEST(the_field_to_be_found_is_not_read) {
    dp2dp_event event = sampled(DP2DP_POISSON, REPLACE, 3, 0.01, 50);
    answer expected = calibrate(REPLACE, 0, NULL, DP2DP_FIND_SIGMA, event, 1, 1e-5);
    static const double odd[] = {0, NAN, -1, INFINITY, 1e300};
    for (int i = 0; i < 5; i++) {
        event.sigma = odd[i];
        answer a = calibrate(REPLACE, 0, NULL, DP2DP_FIND_SIGMA, event, 1, 1e-5);
        succeeded(&a, 1);
        assert_true(a.event.sigma == expected.event.sigma);
    }
    event = sampled(DP2DP_POISSON, REPLACE, 3, NAN, 50);
    answer a = calibrate(REPLACE, 0, NULL, DP2DP_FIND_RATE, event, 1, 1e-5);
    succeeded(&a, 1);
    event = sampled(DP2DP_POISSON, REPLACE, 3, 0.01, 0);
    a = calibrate(REPLACE, 0, NULL, DP2DP_FIND_COUNT, event, 1, 1e-5);
    succeeded(&a, 1);
    assert_true(a.event.sigma == 3 && a.event.rate == 0.01);
}

static void refused(dp2dp_unknown unknown, dp2dp_event event, double epsilon, double delta,
                    const char *name) {
    dp2dp_event before = event;
    answer a = calibrate(REPLACE, 0, NULL, unknown, event, epsilon, delta);
    assert_int_equal(a.status, DP2DP_STATUS_ARGUMENT);
    assert_says(a.error.message, name);
    assert_true(same_event(&a.event, &before));
    assert_true(a.reached == -1);
}

TEST(bad_input_is_refused_by_name) {
    static const double bad_epsilon[] = {0, -1, NAN, INFINITY, 2e6};
    static const double bad_delta[] = {0, 1, -1e-5, NAN, INFINITY};
    for (int i = 0; i < 5; i++) {
        refused(DP2DP_FIND_SIGMA, gaussian(1, 1), bad_epsilon[i], 1e-5, "epsilon");
        refused(DP2DP_FIND_SIGMA, gaussian(1, 1), 1, bad_delta[i], "delta");
    }
    refused((dp2dp_unknown)0, gaussian(1, 1), 1, 1e-5, "unknown");
    refused((dp2dp_unknown)4, gaussian(1, 1), 1, 1e-5, "unknown");
    refused(DP2DP_FIND_RATE, gaussian(1, 1), 1, 1e-5, "rate");
    refused(DP2DP_FIND_RATE, sampled(DP2DP_WITH_REPLACEMENT, REPLACE, 1, 0.1, 1), 1, 1e-5, "rate");
    refused(DP2DP_FIND_SIGMA, declared(1, 0, 1), 1, 1e-5, "declared");
    dp2dp_event event = gaussian(1, 1);
    event.sensitivity = NAN;
    refused(DP2DP_FIND_SIGMA, event, 1, 1e-5, "sensitivity");
    event.sensitivity = 1e308;
    refused(DP2DP_FIND_SIGMA, event, 1, 1e-5, "sensitivity");
    event.sensitivity = 1e285;
    event.rows_per_person = 1000000;
    refused(DP2DP_FIND_SIGMA, event, 1, 1e-5, "sensitivity");
    refused(DP2DP_FIND_SIGMA, gaussian(1, 0), 1, 1e-5, "count");
    refused(DP2DP_FIND_COUNT, gaussian(0, 1), 1, 1e-5, "sigma");
    refused(DP2DP_FIND_SIGMA, sampled(DP2DP_POISSON, REPLACE, 1, 1.5, 1), 1, 1e-5, "rate");
    event = gaussian(1, 1);
    event.struct_size = 3;
    refused(DP2DP_FIND_SIGMA, event, 1, 1e-5, "DP2DP_EVENT_INIT");
    event = gaussian(1, 1);
    event.mechanism = (dp2dp_mechanism)9;
    refused(DP2DP_FIND_SIGMA, event, 1, 1e-5, "mechanism");
}

/* The struct is allocated with its old size, so a memory checker detects a read beyond it. */
TEST(an_older_shorter_struct_is_read_no_further_than_its_size) {
    const size_t size = offsetof(dp2dp_event, label);
    dp2dp_event whole = gaussian(1, 1), *event = malloc(size);
    assert_non_null(event);
    whole.struct_size = size;
    memcpy(event, &whole, size);
    HANDLE(dp2dp_accountant) *accountant = accountant_of(REPLACE, 0, NULL);
    assert_ok(dp2dp_accountant_calibrate(accountant, AUTO, DP2DP_FIND_SIGMA,
                                         closed_form_epsilon(1, 1e-5), 1e-5, event, NULL, NULL));
    memcpy(&whole, event, size);
    assert_true(fabs(whole.sigma - 1) < 1e-5);
    free(event);
}

TEST(each_back_end_can_be_asked_for) {
    HANDLE(dp2dp_accountant) *accountant = accountant_of(REPLACE, 0, NULL);
    dp2dp_event pld = sampled(DP2DP_POISSON, REPLACE, 1, 0.05, 50), rdp = pld;
    assert_ok(
        dp2dp_accountant_calibrate(accountant, PLD, DP2DP_FIND_SIGMA, 1, 1e-5, &pld, NULL, NULL));
    assert_ok(
        dp2dp_accountant_calibrate(accountant, RDP, DP2DP_FIND_SIGMA, 1, 1e-5, &rdp, NULL, NULL));
    assert_true(pld.sigma < rdp.sigma && rdp.sigma < 1.3 * pld.sigma);
    assert_status(dp2dp_accountant_calibrate(accountant, ANALYTIC, DP2DP_FIND_SIGMA, 1, 1e-5, &rdp,
                                             NULL, NULL),
                  ARGUMENT);
}
