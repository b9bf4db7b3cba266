/* Tests composition: the Gaussian closed form, order and splitting of events, sets of people,
 * declared guarantees, Rényi divergences, trade-off and curve. */
#include "unit/accountant/events.h"

TEST(nothing_released_costs_nothing) {
    static const dp2dp_backend backends[] = {AUTO, ANALYTIC, PLD, RDP};
    for (int adjacency = 1; adjacency <= 2; adjacency++) {
        HANDLE(dp2dp_accountant) *accountant = accountant_of((dp2dp_adjacency)adjacency, 0, NULL);
        for (int i = 0; i < 4; i++) {
            double epsilon = -1, delta = -1;
            assert_ok(
                dp2dp_accountant_epsilon(accountant, 1e-12, backends[i], &epsilon, NULL, NULL));
            assert_ok(dp2dp_accountant_delta(accountant, 0, backends[i], &delta, NULL, NULL));
            assert_true(epsilon == 0 && delta == 0);
        }
        double other = -1;
        assert_ok(dp2dp_accountant_tradeoff(accountant, 0.25, &other, NULL));
        assert_true(fabs(other - 0.75) < 1e-12 && other <= 0.75);
        assert_ok(dp2dp_accountant_renyi(accountant, 2, &other, NULL));
        assert_true(other == 0);
    }
    dp2dp_accountant_free(NULL);
}

TEST(questions_outside_their_bounds_are_refused_by_name) {
    dp2dp_event event = gaussian(1, 1);
    HANDLE(dp2dp_accountant) *accountant = accountant_of(REPLACE, 1, &event);
    static const double bad_delta[] = {NAN, 0, -1e-9, 1, 2, INFINITY};
    static const double bad_epsilon[] = {NAN, -1e-9, INFINITY, -INFINITY};
    static const double bad_rate[] = {NAN, -1e-9, 1 + 1e-9, INFINITY};
    static const double bad_order[] = {NAN, 1, 0.5, -2, INFINITY, 2e9};
    double out = -1;
    for (size_t i = 0; i < 6; i++) {
        assert_fails(
            dp2dp_accountant_epsilon(accountant, bad_delta[i], AUTO, &out, NULL, &test_error),
            ARGUMENT, "delta");
        assert_fails(dp2dp_accountant_renyi(accountant, bad_order[i], &out, &test_error), ARGUMENT,
                     "order");
    }
    for (size_t i = 0; i < 4; i++) {
        assert_fails(
            dp2dp_accountant_delta(accountant, bad_epsilon[i], AUTO, &out, NULL, &test_error),
            ARGUMENT, "epsilon");
        assert_fails(dp2dp_accountant_tradeoff(accountant, bad_rate[i], &out, &test_error),
                     ARGUMENT, "false_positive");
    }
    assert_fails(
        dp2dp_accountant_epsilon(accountant, 1e-5, (dp2dp_backend)9, &out, NULL, &test_error),
        ARGUMENT, "accountant");
    assert_true(out == -1);
}

/* k Gaussians of any noise are one Gaussian of μ = √Σμᵢ². */
TEST(gaussians_compose_to_the_closed_form) {
    dp2dp_event events[] = {gaussian(0.9, 1), gaussian(7, 30), gaussian(25, 80), gaussian(2.5, 2)};
    double mu = sqrt(1 / 0.81 + 30 / 49.0 + 80 / 625.0 + 2 / 6.25);
    for (int adjacency = 1; adjacency <= 2; adjacency++) {
        for (int digits = 2; digits <= 10; digits++) {
            double delta = pow(10, -digits), expected = closed_form_epsilon(mu, delta);
            double epsilon = epsilon_of_all((dp2dp_adjacency)adjacency, AUTO, 4, events, delta);
            assert_true(epsilon >= expected * (1 - 1e-9) && epsilon <= expected * (1 + 1e-9));
        }
    }
    dp2dp_event scaled = gaussian(2.5 * 3, 2); /* only rows_per_person × Δ/σ matters */
    scaled.rows_per_person = 3;
    events[3] = scaled;
    double expected = closed_form_epsilon(mu, 1e-5);
    assert_true(fabs(epsilon_of_all(REPLACE, AUTO, 4, events, 1e-5) / expected - 1) < 1e-9);
}

TEST(epsilon_and_delta_of_a_gaussian_undo_each_other_and_never_err_below) {
    for (double sigma = 0.3; sigma < 1000; sigma *= 2.3) {
        for (double delta = 1e-2; delta > 1e-13; delta *= 1e-2) {
            double epsilon = epsilon_of(REPLACE, AUTO, gaussian(sigma, 1), delta);
            double back = delta_of(REPLACE, AUTO, gaussian(sigma, 1), epsilon);
            assert_true(back <= delta * (1 + 1e-12));
            assert_true(epsilon == 0 || back >= delta * (1 - 1e-9));
        }
    }
}

TEST(order_of_events_does_not_matter) {
    dp2dp_event events[] = {sampled(DP2DP_POISSON, REPLACE, 2, 0.05, 50), gaussian(4, 3),
                            sampled(DP2DP_WITHOUT_REPLACEMENT, REPLACE, 3, 0.1, 20),
                            declared(0.2, 1e-7, 2)};
    dp2dp_event turned[] = {events[3], events[1], events[0], events[2]};
    dp2dp_event reversed[] = {events[3], events[2], events[1], events[0]};
    for (dp2dp_backend backend = PLD; backend <= RDP; backend++) {
        double epsilon = epsilon_of_all(REPLACE, backend, 4, events, 1e-5);
        assert_true(fabs(epsilon_of_all(REPLACE, backend, 4, turned, 1e-5) / epsilon - 1) < 1e-9);
        assert_true(fabs(epsilon_of_all(REPLACE, backend, 4, reversed, 1e-5) / epsilon - 1) < 1e-9);
    }
}

TEST(splitting_an_event_into_entries_changes_nothing) {
    for (size_t s = 0; s < SETTINGS; s++) {
        dp2dp_adjacency adjacency = every_setting[s].adjacency;
        dp2dp_event whole = sampled(every_setting[s].mechanism, adjacency, 3, 0.05, 60);
        dp2dp_event parts[] = {whole, whole, whole, whole};
        parts[0].count = 1;
        parts[1].count = 30;
        parts[2].count = 9;
        parts[3].count = 20;
        parts[1].label = "second";
        double together = epsilon_of(adjacency, AUTO, whole, 1e-5);
        double apart = epsilon_of_all(adjacency, AUTO, 4, parts, 1e-5);
        assert_true(together > 0 && fabs(apart / together - 1) < 1e-9);
    }
}

TEST(disjoint_sets_cost_their_maximum_and_common_events_add_to_each) {
    dp2dp_event train = gaussian(2, 1), pool = gaussian(1.25, 1), common = gaussian(3, 1);
    train.set = "train";
    pool.set = "pool";
    dp2dp_event apart[] = {train, pool};
    double expected = closed_form_epsilon(1 / 1.25, 1e-5);
    assert_true(fabs(epsilon_of_all(REPLACE, AUTO, 2, apart, 1e-5) / expected - 1) < 1e-9);
    dp2dp_event three[] = {train, common, pool};
    expected = closed_form_epsilon(sqrt(1 / 1.5625 + 1 / 9.0), 1e-5);
    assert_true(fabs(epsilon_of_all(REPLACE, AUTO, 3, three, 1e-5) / expected - 1) < 1e-9);
    dp2dp_event same[] = {train, common, pool};
    same[2].set = "train";
    expected = closed_form_epsilon(sqrt(0.25 + 1 / 1.5625 + 1 / 9.0), 1e-5);
    assert_true(fabs(epsilon_of_all(REPLACE, AUTO, 3, same, 1e-5) / expected - 1) < 1e-9);
    same[0].set = same[2].set = ""; /* the empty name is everybody */
    assert_true(fabs(epsilon_of_all(REPLACE, AUTO, 3, same, 1e-5) / expected - 1) < 1e-9);
}

TEST(the_name_of_a_set_is_copied) {
    char name[] = "a";
    dp2dp_event first = gaussian(2, 1), second = gaussian(2, 1);
    first.set = name;
    second.set = "b";
    HANDLE(dp2dp_accountant) *accountant = accountant_of(REPLACE, 1, &first);
    name[0] = 'b';
    assert_ok(dp2dp_accountant_add(accountant, &second, NULL));
    double epsilon = 0, expected = closed_form_epsilon(0.5, 1e-5);
    assert_ok(dp2dp_accountant_epsilon(accountant, 1e-5, AUTO, &epsilon, NULL, NULL));
    assert_true(fabs(epsilon / expected - 1) < 1e-9);
}

TEST(a_single_declared_guarantee_is_given_back_exactly) {
    static const double epsilons[] = {1e-6, 0.1, 1, 3, 20, 500};
    for (size_t i = 0; i < 6; i++) {
        double epsilon = epsilon_of(REPLACE, AUTO, declared(epsilons[i], 1e-6, 1), 1e-6);
        assert_true(epsilon >= epsilons[i] && epsilon <= epsilons[i] * (1 + 1e-9));
        assert_true(delta_of(REPLACE, AUTO, declared(epsilons[i], 1e-6, 1), epsilons[i]) == 1e-6);
        assert_status(status_of_epsilon(REPLACE, AUTO, declared(epsilons[i], 1e-6, 1), 0.99e-6),
                      NO_BOUND);
        epsilon = epsilon_of(REPLACE, AUTO, declared(epsilons[i], 0, 1), 1e-12);
        assert_true(epsilon <= epsilons[i] && epsilon >= epsilons[i] - 1e-5);
    }
}

TEST(declared_guarantees_compose_no_worse_than_by_basic_composition) {
    for (uint64_t count = 2; count <= 512; count *= 4) {
        for (double each = 0.003; each < 2; each *= 6) {
            double basic = (double)count * each, budget = (double)count * 1e-9 * (1 + 1e-6) + 1e-8;
            double epsilon = epsilon_of(REPLACE, AUTO, declared(each, 1e-9, count), budget);
            if (!(epsilon <= basic * (1 + 1e-9))) {
                fail_msg("%g, not %g, for %d times %g", epsilon, basic, (int)count, each);
            }
        }
    }
}

/* By basic composition, Σεᵢ is a bound at δ = Σδᵢ. */
TEST(declared_guarantees_at_the_sum_of_their_deltas_cost_at_most_the_sum) {
    dp2dp_event two[] = {declared(0.5, 1e-6, 1), declared(1, 2e-6, 1)};
    static const double above[] = {1e-14, 1e-6, 1e-3, 1};
    for (int i = 3; i >= 0; i--) {
        double epsilon = epsilon_of_all(REPLACE, AUTO, 2, two, 3e-6 * (1 + above[i]));
        if (!(epsilon <= 1.5 * (1 + 1e-9) && epsilon > 1.4)) {
            fail_msg("%.12g at 3e-6 (1 + %g)", epsilon, above[i]);
        }
    }
}

TEST(renyi_divergences_have_their_closed_forms) {
    static const double orders[] = {1.0001, 1.5, 2, 3, 10.25, 64, 1000};
    dp2dp_event events[] = {gaussian(2, 3), gaussian(5, 10), declared(0.7, 0, 2)};
    HANDLE(dp2dp_accountant) *accountant = accountant_of(REPLACE, 3, events);
    for (size_t i = 0; i < 7; i++) {
        double a = orders[i], p = 1 / (1 + exp(-0.7)), divergence = -1;
        double coin = a > 500
                          ? 0.7 + log(p) / (a - 1)
                          : log(p * exp((a - 1) * 0.7) + (1 - p) * exp((1 - a) * 0.7)) / (a - 1);
        double expected = a / 2 * (3 / 4.0 + 10 / 25.0) + 2 * coin;
        assert_ok(dp2dp_accountant_renyi(accountant, a, &divergence, NULL));
        assert_true(divergence >= expected * (1 - 1e-9) && divergence <= expected * (1 + 1e-9));
    }
    dp2dp_event unbounded = declared(0.7, 1e-9, 1);
    double untouched = -1;
    assert_ok(dp2dp_accountant_add(accountant, &unbounded, NULL));
    assert_status(dp2dp_accountant_renyi(accountant, 2, &untouched, NULL), NO_BOUND);
    assert_true(untouched == -1);
}

/* A published table has 0.186 for order 2, q = ½, z = 1, add/remove. That is the smaller of the two
 * directions. */
TEST(renyi_divergence_of_poisson_is_that_of_the_larger_direction) {
    dp2dp_event event = sampled(DP2DP_POISSON, DP2DP_ADD_REMOVE, 1, 0.5, 1);
    HANDLE(dp2dp_accountant) *accountant = accountant_of(DP2DP_ADD_REMOVE, 1, &event);
    double divergence = 0, expected = log(1 + 0.25 * expm1(1.0));
    assert_ok(dp2dp_accountant_renyi(accountant, 2, &divergence, NULL));
    assert_true(fabs(divergence - expected) < 1e-9 && fabs(divergence - 0.357) < 1e-3);
}

static double tradeoff_of(dp2dp_event event, double a) {
    HANDLE(dp2dp_accountant) *accountant = accountant_of(REPLACE, 1, &event);
    double b = -1;
    assert_ok(dp2dp_accountant_tradeoff(accountant, a, &b, &test_error));
    return b;
}

/* The trade-off is f(a) = Φ(Φ⁻¹(1−a) − μ). The test moves along t, with a = Φ(−t) and f = Φ(t − μ).
 */
TEST(tradeoff_of_a_gaussian_is_its_closed_form_from_below) {
    static const double mus[] = {0.1, 0.5, 1, 2, 4};
    for (size_t i = 0; i < 5; i++) {
        double before = 2, slope_before = -INFINITY, a_before = 0;
        for (double t = 4; t > -4; t -= 0.21) {
            double a = 0.5 * erfc(t / sqrt(2)), exact = 0.5 * erfc((mus[i] - t) / sqrt(2));
            double b = tradeoff_of(gaussian(1 / mus[i], 1), a);
            assert_true(b <= exact + 1e-12 && b >= exact - 1e-3);
            assert_true(b <= 1 - a && b >= 0 && b <= before);
            if (before <= 1) {
                double slope = (b - before) / (a - a_before);
                assert_true(slope >= slope_before - 2e-3 / (a - a_before));
                slope_before = slope;
            }
            before = b;
            a_before = a;
        }
        double start = tradeoff_of(gaussian(1 / mus[i], 1), 0);
        assert_true(start <= 1 && start >= 1 - 2e-6);
        assert_true(tradeoff_of(gaussian(1 / mus[i], 1), 1) == 0);
    }
}

/* A declared (ε, δ) is the trade-off max{0, 1 − δ − e^ε a, e^−ε (1 − δ − a)}. */
TEST(tradeoff_of_a_declared_guarantee_is_its_two_lines) {
    static const double deltas[] = {0, 1e-7, 1e-5, 1e-3};
    for (size_t i = 0; i < 4; i++) {
        for (double a = 0; a <= 1; a += 0.0625) {
            double first = 1 - deltas[i] - M_E * a, second = (1 - deltas[i] - a) / M_E;
            double exact = fmax(0, fmax(first, second));
            double b = tradeoff_of(declared(1, deltas[i], 1), a);
            assert_true(b <= exact + 1e-12 && b >= exact - 2e-3);
        }
    }
}

TEST(curve_is_delta_at_every_point) {
    dp2dp_event event = sampled(DP2DP_POISSON, REPLACE, 2, 0.05, 40);
    HANDLE(dp2dp_accountant) *accountant = accountant_of(REPLACE, 1, &event);
    double epsilon[] = {2, 0, 0.5, 1e-3, 5}, delta[] = {-1, -1, -1, -1, -1};
    assert_ok(dp2dp_accountant_curve(accountant, PLD, 5, epsilon, delta, NULL));
    for (int i = 0; i < 5; i++) {
        assert_true(delta[i] == delta_of(REPLACE, PLD, event, epsilon[i]));
    }
    assert_ok(dp2dp_accountant_curve(accountant, PLD, 0, NULL, NULL, NULL));
    epsilon[2] = NAN;
    assert_status(dp2dp_accountant_curve(accountant, PLD, 5, epsilon, delta, NULL), ARGUMENT);
}

TEST(the_back_end_that_answered_is_named) {
    dp2dp_event events[] = {gaussian(1, 5), sampled(DP2DP_POISSON, REPLACE, 2, 0.1, 10)};
    dp2dp_backend used = AUTO;
    double epsilon;
    HANDLE(dp2dp_accountant) *one = accountant_of(REPLACE, 1, events);
    HANDLE(dp2dp_accountant) *two = accountant_of(REPLACE, 2, events);
    assert_ok(dp2dp_accountant_epsilon(one, 1e-5, AUTO, &epsilon, &used, NULL));
    assert_int_equal(used, ANALYTIC);
    assert_ok(dp2dp_accountant_epsilon(two, 1e-5, AUTO, &epsilon, &used, NULL));
    assert_int_equal(used, PLD);
    assert_ok(dp2dp_accountant_epsilon(two, 1e-5, RDP, &epsilon, &used, NULL));
    assert_int_equal(used, RDP);
    assert_fails(dp2dp_accountant_epsilon(two, 1e-5, ANALYTIC, &epsilon, &used, &test_error),
                 ARGUMENT, "analytic");
}
