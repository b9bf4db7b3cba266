/* Tries to falsify the sensitivity Δ that method output charges for its one release
 * (docs/proofs/output.md): first each of its three parts, then the whole, in the released integers.
 *
 *     Δ = 2L/(nΛ)       how far the exact minimisers of two neighbouring crowds are apart
 *       + 2γ/Λ          how far the computed minimisers are from the exact ones
 *       + 2^-36 √cells  rounding to the grid
 *
 * J is the penalised loss of n rows, Λ the penalty, L the Lipschitz constant of one row's loss and
 * γ the accuracy of the gradient. The same seed gives the same noise, so two releases differ as
 * much as the vectors before noise. Nothing else is random: a bound that holds cannot raise an
 * alarm. */
#include "privacy/output_data.h"

__extension__ typedef unsigned __int128 uint128;

enum {
    CELLS_MAX = 64,
    GRID_LEAST = 36
};

/* The minimiser of J as computed in this number of steps. */
static void solve(const crowd *c, dp2dpi_output_plan plan, uint64_t steps, double *weights) {
    dp2dpi_examples e = crowd_examples(c);
    OWNED(dp2dpi_output) output;
    memset(weights, 0, CELLS_MAX * sizeof *weights);
    plan.steps = steps;
    assert_ok(dp2dpi_output_new(&e, &output, NULL));
    dp2dpi_output_solve(&output, &plan, weights);
}

/* |∇J(weights)|, computed without the code under test. */
static double slope_at(const crowd *c, double penalty, const double *weights) {
    long double slope[CELLS_MAX] = {0}, at[CELLS_MAX], squares = 0;
    for (size_t k = 0; k < CELLS_MAX; k++) {
        at[k] = weights[k];
    }
    for (size_t i = 0; i < c->rows.count; i++) {
        add_slope(c, i, at, 1.0L / (long double)c->rows.count, slope);
    }
    for (size_t k = 0; k < CELLS_MAX; k++) {
        slope[k] += (long double)penalty * at[k];
        squares += slope[k] * slope[k];
    }
    return (double)sqrtl(squares);
}

static double distance(const double *a, const double *b) {
    double squares = 0;
    for (size_t i = 0; i < CELLS_MAX; i++) {
        squares += (a[i] - b[i]) * (a[i] - b[i]);
    }
    return sqrt(squares);
}

/* Makes two crowds that differ in their first record only, which is as long as a row may be.
 * Returns the penalty to use. In half of the pairs all other records lie on a line and agree with
 * the labels. The first record lies off the line and contradicts them, so that its gradient has
 * nearly full length in both crowds. */
static double hostile_pair(crowd *c, uint64_t *seed) {
    size_t classes = 2 + draw(seed) % 2;
    int sure = draw(seed) % 2;
    double line = classes == 2 ? 1 : 3, aside = classes == 2 ? 3 : 8;
    size_t n = sure ? 100 + draw(seed) % 100 : 2 + draw(seed) % 10;
    uint64_t others = draw(seed);
    for (int side = 0; side < 2; side++) {
        c[side] = crowd_random(n, 2, 0, classes, others);
        c[side].norm = sure ? hypot(line, aside) * (1 + 5e-7) : 3;
        for (size_t i = 0; i < n && sure; i++) {
            c[side].rows.x[2 * i] = (float)(i % 2 ? line : -line);
            c[side].rows.x[2 * i + 1] = 0;
            c[side].rows.scale[i] = 1;
            c[side].labels[i] = (int32_t)(i % 2);
        }
        c[side].rows.x[0] = (float)(sure ? (side ? -line : line) : normal(seed) * 1e6);
        c[side].rows.x[1] = (float)(sure ? aside : normal(seed) * 1e6);
        c[side].labels[0] = side;
        dp2dpi_rows_clip(&c[side].rows, 0, c[side].norm);
    }
    return sure ? (classes == 2 ? 0.1 : 1) : pow(10, 3 * uniform(seed) - 2);
}

/* Part one. J is Λ-strongly convex, so a point with gradient g is within |g|/Λ of the minimiser.
 * That is the slack allowed here. */
TEST(exact_minimisers_are_no_further_apart_than_2L_by_n_lambda) {
    uint64_t seed = 11;
    double most = 0;
    for (int run = 0; run < 100; run++) {
        crowd c[2];
        double penalty = hostile_pair(c, &seed), exact[2][CELLS_MAX], slack = 0;
        dp2dpi_output_plan plan = plan_for(&c[0], penalty);
        for (int side = 0; side < 2; side++) {
            solve(&c[side], plan, 4 * plan.steps, exact[side]);
            slack += slope_at(&c[side], penalty, exact[side]) / penalty;
        }
        double bound = 2 * plan.lipschitz / ((double)c[0].rows.count * penalty);
        double moved = distance(exact[0], exact[1]);
        assert_true(slack < 1e-6 * bound);
        assert_true(moved <= bound + slack);
        most = fmax(most, moved / bound);
        crowd_free(&c[0]);
        crowd_free(&c[1]);
    }
    print_message("exact minimisers: %.4f of the bound\n", most);
    assert_true(most > 0.75); /* so a bound without the 2, or without a √2, would fail above */
}

/* The largest distance to the exact minimiser, in units of γ/Λ, after a part of the plan's steps.
 * The crowds converge slowly: a line separates their classes and penalties are small. */
static double worst_distance(double part) {
    static const double penalties[] = {1e-3, 1e-2, 0.1};
    double worst = 0;
    for (size_t i = 0; i < 12; i++) {
        OWNED(crowd) c = crowd_random(40, 2, 0, 2 + i % 2, 3 + i);
        double penalty = penalties[i % 3], reached[CELLS_MAX], exact[CELLS_MAX];
        for (size_t row = 0; row < c.rows.count; row++) {
            c.labels[row] = c.rows.x[2 * row] > 0;
        }
        dp2dpi_output_plan plan = plan_for(&c, penalty);
        solve(&c, plan, (uint64_t)(part * (double)plan.steps), reached);
        solve(&c, plan, 4 * plan.steps, exact);
        double slack = slope_at(&c, penalty, exact) / penalty;
        assert_true(slack < 1e-6 * plan.accuracy / penalty);
        assert_true(part < 1 || slope_at(&c, penalty, reached) <= plan.accuracy);
        worst = fmax(worst, (distance(reached, exact) + slack) * penalty / plan.accuracy);
    }
    return worst;
}

/* Part two. The plan's number of steps is enough for the worst J; these crowds need about a third
 * of it. */
TEST(the_minimiser_reached_is_within_gamma_by_lambda_and_with_fewer_steps_it_is_not) {
    double whole = worst_distance(1), fewer = worst_distance(0.3);
    print_message("distance: %.2e of the bound, with fewer steps %.2f\n", whole, fewer);
    assert_true(whole <= 1);
    assert_true(fewer > 1);
}

/* The weights that training releases, in units of its grid 2^-bits, and what it charges. */
typedef struct released {
    dp2dp_event event;
    int bits;
    int64_t units[CELLS_MAX];
} released;

static released release(const crowd *c, double epsilon, double penalty) {
    released r = {.event = DP2DP_EVENT_INIT};
    dp2dp_train_options options = options_for(epsilon, penalty);
    dp2dpi_examples e = crowd_examples(c);
    dp2dp_rng_kind kind;
    double weights[CELLS_MAX] = {0};
    HANDLE(dp2dp_ledger) *own = new_ledger();
    assert_ok(dp2dpi_output_train(&e, &options, own, weights, NULL));
    assert_ok(dp2dp_ledger_entry(own, 0, &r.event, &kind, NULL));
    r.event.label = r.event.set = r.event.role = r.event.release_id = NULL;
    r.bits = ilogb(r.event.scale / r.event.sigma);
    assert_true(ldexp(r.event.sigma, r.bits) == r.event.scale);
    for (size_t i = 0; i < CELLS_MAX; i++) {
        double units = ldexp(weights[i], r.bits);
        assert_true(fabs(units) < 0x1p53 && units == floor(units)); /* nothing was rounded */
        r.units[i] = (int64_t)units;
    }
    return r;
}

/* Part three. Without noise a released weight is the computed one rounded towards zero, by less
 * than one unit of the grid. With noise the grid is never coarser than the one that Δ covers. */
TEST(rounding_moves_no_weight_by_a_unit_of_a_grid_that_is_fine_enough) {
    for (size_t classes = 2; classes <= 3; classes++) {
        for (double penalty = 1e-2; penalty < 1e6; penalty *= 10) {
            OWNED(crowd) c = crowd_random(30, 3, 2, classes, 8);
            dp2dp_train_options options = options_for(INFINITY, penalty);
            dp2dpi_examples e = crowd_examples(&c);
            dp2dpi_output_plan plan = plan_for(&c, penalty);
            double reached[CELLS_MAX], weights[CELLS_MAX] = {0};
            solve(&c, plan, plan.steps, reached);
            assert_ok(dp2dpi_output_train(&e, &options, NULL, weights, NULL));
            for (size_t i = 0; i < dp2dpi_examples_cells(&e); i++) {
                assert_true(fabs(weights[i]) <= fabs(reached[i]));
                assert_true(fabs(weights[i] - reached[i]) < ldexp(1, -GRID_LEAST));
            }
        }
    }
    OWNED(crowd) c = crowd_random(5, 2, 0, 2, 8);
    for (double epsilon = 10; epsilon > 1e-4; epsilon /= 10) {
        for (double penalty = 1e-3; penalty < 1e6; penalty *= 10) {
            dp2dp_train_options options = options_for(epsilon, penalty);
            dp2dpi_examples e = crowd_examples(&c);
            dp2dp_event event = DP2DP_EVENT_INIT;
            dp2dp_rng_kind kind;
            double weights[CELLS_MAX] = {0};
            dp2dp_ledger *own = new_ledger();
            dp2dp_status status = dp2dpi_output_train(&e, &options, own, weights, NULL);
            assert_true(status == OK || status == DP2DP_STATUS_BUDGET);
            assert_int_equal(dp2dp_ledger_size(own), status == OK);
            if (status == OK) {
                assert_ok(dp2dp_ledger_entry(own, 0, &event, &kind, NULL));
                assert_true(ilogb(event.scale / event.sigma) >= GRID_LEAST);
            }
            dp2dp_ledger_free(own);
        }
    }
}

/* Rows that are too long or not numbers are refused before training. If they got here, the steps
 * could lead anywhere, but the released weights would still be inside the box |weight| ≤ bound. */
TEST(whatever_the_steps_lead_to_nothing_outside_the_box_is_released) {
    static const double lengths[] = {1e4, 1e30, INFINITY, NAN};
    for (int i = 0; i < 4; i++) {
        OWNED(crowd) c = crowd_random(20, 2, 0, 2, 1);
        dp2dp_train_options options = options_for(INFINITY, 1e-2);
        dp2dpi_examples e = crowd_examples(&c);
        dp2dpi_output_plan plan = plan_for(&c, 1e-2);
        double weights[CELLS_MAX] = {0}, longest = 0;
        for (size_t row = 0; row < c.rows.count; row++) {
            c.rows.x[2 * row] *= (float)lengths[i];
        }
        assert_ok(dp2dpi_output_train(&e, &options, NULL, weights, NULL));
        for (size_t cell = 0; cell < dp2dpi_examples_cells(&e); cell++) {
            assert_true(fabs(weights[cell]) <= plan.bound);
            longest = fmax(longest, fabs(weights[cell]));
        }
        assert_true(longest > 0.999 * plan.bound); /* the box did stop a weight */
    }
}

/* The charged Δ is at least the sum of the three parts and exceeds it by less than half of any
 * part, so that a part left out would be seen. */
TEST(what_is_charged_covers_all_three_parts) {
    for (size_t classes = 2; classes <= 3; classes++) {
        for (double penalty = 1; penalty <= 1e6; penalty *= 10) {
            OWNED(crowd) c = crowd_random(50, 3, 2, classes, 1);
            released r = release(&c, 1, penalty);
            dp2dpi_examples e = crowd_examples(&c);
            long double n = 50, radius = (long double)c.norm * (1 + DP2DPI_TRAIN_NORM_SLACK);
            long double L = sqrtl((classes == 2 ? 1 : 2) * (radius * radius + 1));
            long double gamma = (long double)plan_for(&c, penalty).accuracy;
            long double parts[] = {
                2 * L / (n * penalty), 2 * gamma / penalty,
                ldexpl(sqrtl((long double)dp2dpi_examples_cells(&e)), -GRID_LEAST)};
            long double whole = parts[0] + parts[1] + parts[2];
            assert_true((long double)r.event.sensitivity >= whole);
            for (int i = 0; i < 3; i++) {
                assert_true((long double)r.event.sensitivity - parts[i] < whole - parts[i] / 2);
            }
        }
    }
}

/* The whole Δ. Squares are added up in 128 bits, without rounding. */
TEST(released_vectors_are_no_further_apart_than_charged) {
    uint64_t seed = 29;
    double most = 0;
    for (int run = 0; run < 200; run++) {
        crowd c[2];
        double penalty = hostile_pair(c, &seed);
        released a = release(&c[0], 1, penalty), b = release(&c[1], 1, penalty);
        double charged = ldexp(a.event.sensitivity, a.bits);
        uint128 squares = 0, bound = (uint128)(uint64_t)charged * (uint64_t)charged;
        assert_true(a.bits == b.bits && a.event.sensitivity == b.event.sensitivity);
        for (size_t i = 0; i < CELLS_MAX; i++) {
            int64_t apart = a.units[i] - b.units[i];
            uint64_t size = (uint64_t)(apart < 0 ? -apart : apart);
            squares += (uint128)size * size;
        }
        assert_true(squares <= bound);
        most = fmax(most, sqrt((double)squares / (double)bound));
        crowd_free(&c[0]);
        crowd_free(&c[1]);
    }
    print_message("released: %.4f of what is charged\n", most);
    assert_true(most > 0.75);
}
