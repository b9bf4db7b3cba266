/* Noise on a grid: the cost of the discrete Gaussian beyond the continuous one, and the cases in
 * which this slack is too large. */
#include "unit/accountant/events.h"

/* Half the ℓ₁ distance between the discrete Gaussian of parameter s and a continuous one of
 * standard deviation s rounded to the nearest integer. */
static double total_variation(double s) {
    double norm = 0, sum = 0, reach = ceil(12 * s);
    for (double k = -reach; k <= reach; k++) {
        norm += exp(-k * k / (2 * s * s));
    }
    for (double k = 0; k <= reach; k++) {
        double rounded =
            0.5 * erfc((k - 0.5) / (s * sqrt(2))) - 0.5 * erfc((k + 0.5) / (s * sqrt(2)));
        double gap = fabs(exp(-k * k / (2 * s * s)) / norm - rounded);
        sum += k == 0 ? gap : 2 * gap;
    }
    return 0.5 * sum;
}

TEST(the_charge_bounds_the_distance_to_rounded_ideal_noise) {
    for (int s = 1; s <= 128; s++) { /* docs/proofs/discretisation.md has a proof for larger s */
        dp2dp_event ideal = gaussian(1, 1); /* at ε = 0 the charge counts twice */
        double charged = 0.5 * (delta_of(REPLACE, AUTO, on_grid(ideal, s, 1), 0) -
                                delta_of(REPLACE, AUTO, ideal, 0));
        double distance = total_variation(s);
        assert_true(distance > 0 && charged >= distance);
        assert_true(s < 4 || charged <= 1.02 * distance); /* the charge is tight */
    }
}

/* For every mechanism with noise and each back-end, a small slack c raises δ by c (1 + e^ε). */
TEST(delta_grows_by_the_charge_of_every_coordinate_of_every_release) {
    for (size_t i = 0; i < SETTINGS; i++) {
        setting s = every_setting[i];
        for (uint64_t count = 1; count <= 4; count += 3) {
            dp2dp_event ideal = sampled(s.mechanism, s.adjacency, 2, 0.05, count);
            dp2dp_event grid = on_grid(ideal, 1e4, 100);
            for (double epsilon = 0; epsilon < 3; epsilon += 1) {
                double charge =
                    (double)count * 100 * 0.0203 / 1e8 * (1 + exp(epsilon)) * (1 - 1e-9);
                for (dp2dp_backend backend = PLD; backend <= RDP; backend++) {
                    double before = delta_of(s.adjacency, backend, ideal, epsilon);
                    double after = delta_of(s.adjacency, backend, grid, epsilon);
                    assert_true(after - before >= charge - 1e-15);
                    assert_true(after - before <= charge * (1 + 1e-6) + 1e-15);
                }
            }
        }
    }
}

/* For slacks from negligible to noticeable, ε with the grid is only a little above ε without. */
TEST(a_small_slack_costs_little_whatever_its_size) {
    double delta = 1e-6;
    dp2dp_event ideal = gaussian(8, 1);
    double before = epsilon_of(REPLACE, AUTO, ideal, delta);
    for (double part = 1e-11; part < 1e-5; part *= 3) {
        double scale = sqrt(0.0203 * (1 + exp(before)) / (part * delta));
        double after = epsilon_of(REPLACE, AUTO, on_grid(ideal, ceil(scale), 1), delta);
        assert_true(after >= before);
        if (!(after < before * (1 + 1e-6 + part))) {
            fail_msg("slack %g of delta: %g against %g", part, after, before);
        }
    }
}

TEST(a_coarse_scale_of_ten_costs_what_the_formula_says) {
    dp2dp_event ideal = gaussian(5, 1), grid = on_grid(ideal, 10, 100);
    double charge = 100 * 0.0203 / 100 * (1 + exp(0.5));
    double added = delta_of(REPLACE, PLD, grid, 0.5) - delta_of(REPLACE, PLD, ideal, 0.5);
    assert_true(added >= charge * (1 - 1e-12) && added < charge * (1 + 1e-9));
    assert_true(delta_of(REPLACE, PLD, grid, 50) == 1);
    assert_true(delta_of(REPLACE, AUTO, grid, 50) < 1e-100); /* zCDP needs no charge */
}

TEST(charges_of_different_events_add_up) {
    dp2dp_event ideal[] = {gaussian(5, 2), sampled(DP2DP_POISSON, REPLACE, 4, 0.1, 3)};
    dp2dp_event grid[] = {on_grid(ideal[0], 1000, 6), on_grid(ideal[1], 500, 10)};
    double charge = 0.0203 * (2 * 6 / 1e6 + 3 * 10 / 25e4) * (1 + exp(0.3));
    double added =
        delta_of_all(REPLACE, PLD, 2, grid, 0.3) - delta_of_all(REPLACE, PLD, 2, ideal, 0.3);
    assert_true(fabs(added / charge - 1) < 1e-9);
}

TEST(noise_on_a_grid_never_costs_less_than_ideal_noise) {
    static const double scales[] = {100, 1e4, 0x1p20, 0x1p40, 0x1p50};
    for (size_t i = 0; i < SETTINGS; i++) {
        setting s = every_setting[i];
        dp2dp_event ideal = sampled(s.mechanism, s.adjacency, 3, 0.05, 20);
        double exact = epsilon_of(s.adjacency, AUTO, ideal, 1e-5), before = INFINITY;
        for (size_t k = 0; k < 5; k++) {
            dp2dp_event grid = on_grid(ideal, scales[k], 10);
            if (status_of_epsilon(s.adjacency, AUTO, grid, 1e-5) == DP2DP_STATUS_NO_BOUND) {
                assert_true(k < 2 && s.mechanism != DP2DP_GAUSSIAN);
                continue;
            }
            double epsilon = epsilon_of(s.adjacency, AUTO, grid, 1e-5);
            assert_true(epsilon >= exact * (1 - 1e-4) && epsilon <= before * (1 + 1e-4));
            before = epsilon;
        }
        assert_true(before <= exact * (1 + 3e-4)); /* at the finest scale it is negligible */
    }
}

/* zCDP holds for the discrete Gaussian itself: ρ = μ²/2, no slack. */
TEST(a_gaussian_on_a_coarse_grid_falls_back_to_zcdp) {
    static const double sigmas[] = {0.2, 0.5, 2};
    for (size_t i = 0; i < 3; i++) {
        dp2dp_event ideal = gaussian(sigmas[i], 1);
        double zcdp = closed_form_zcdp(0.5 / (sigmas[i] * sigmas[i]), 1e-5);
        double epsilon = epsilon_of(REPLACE, AUTO, on_grid(ideal, 2, 1000), 1e-5);
        assert_true(epsilon >= zcdp * (1 - 1e-9) && epsilon <= zcdp * (1 + 1e-4));
        assert_true(epsilon > epsilon_of(REPLACE, AUTO, ideal, 1e-5));
    }
}

TEST(sampled_noise_on_a_coarse_grid_has_no_bound) {
    for (size_t i = 2; i < SETTINGS; i++) {
        setting s = every_setting[i];
        for (uint64_t count = 1; count <= 10; count += 9) {
            dp2dp_event event = on_grid(sampled(s.mechanism, s.adjacency, 1, 0.5, count), 10, 100);
            for (dp2dp_backend backend = AUTO; backend <= RDP; backend++) {
                if (backend != ANALYTIC) {
                    assert_status(status_of_epsilon(s.adjacency, backend, event, 1e-5), NO_BOUND);
                }
            }
        }
    }
}

/* A bound exists if δ(ε) + c (1 + e^ε) ≤ δ at some ε. The grid is chosen so that this holds just
 * above the ideal ε. */
TEST(a_bound_that_exists_beside_the_charge_is_found) {
    int bad = 0;
    for (size_t i = 0; i < SETTINGS; i++) {
        setting s = every_setting[i];
        for (int k = 0; k < 6; k++) {
            uint64_t count = k < 3 ? 1 : 5;
            dp2dp_event ideal = sampled(s.mechanism, s.adjacency, 3.0 / (1 + k % 3), 0.2, count);
            double at = epsilon_of(s.adjacency, PLD, ideal, 0.8e-5) * 1.001;
            double slack = 0.15e-5 / (1 + exp(at)); /* total δ at that ε: 0.95e-5 */
            dp2dp_event grid = on_grid(ideal, ceil(sqrt((double)count * 0.0203 / slack)), 1);
            assert_true(at < 60 && grid.scale < 0x1p50);
            double found = status_of_epsilon(s.adjacency, AUTO, grid, 1e-5) == OK
                               ? epsilon_of(s.adjacency, AUTO, grid, 1e-5)
                               : INFINITY;
            if (!(found <= at * 1.1)) {
                bad++;
                print_error("%s, %s, count %d, sigma %g, scale %.0f: %g, not %g\n",
                            dp2dp_mechanism_name(s.mechanism), dp2dp_adjacency_name(s.adjacency),
                            (int)count, grid.sigma, grid.scale, found, at);
            }
        }
    }
    assert_int_equal(bad, 0);
}

TEST(declared_guarantees_are_charged_no_slack) {
    dp2dp_event event = on_grid(declared(1, 1e-6, 1), 2, 100);
    assert_true(delta_of(REPLACE, AUTO, event, 1) == 1e-6);
}
