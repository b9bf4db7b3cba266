/* Method output: the proven bounds on rounding (docs/proofs/output.md) against computations in long
 * double. The crowds have many rows but few different ones, so that the same number is added many
 * times and its rounding errors do not cancel. Nothing here is random but the fixed seeds. */
#include <float.h>

#include "privacy/output_data.h"

enum {
    LONG_IS_WIDER = LDBL_MANT_DIG >= 64,
    KINDS = 6,
    CELLS_MAX = 4096
};

/* n rows of KINDS different ones, in blocks. For two seeds of three all rows are equal. */
static crowd alike(size_t n, size_t numbers, size_t classes, uint64_t seed) {
    OWNED(crowd) kinds = crowd_random(KINDS, numbers, 0, classes, seed);
    crowd c = crowd_new(n, numbers, 0, classes);
    for (size_t i = 0; i < n; i++) {
        size_t kind = seed % 3 ? 0 : i * KINDS / n;
        memcpy(c.rows.x + i * numbers, kinds.rows.x + kind * numbers, numbers * sizeof *c.rows.x);
        c.labels[i] = (int32_t)(kind % classes);
        dp2dpi_rows_clip(&c.rows, i, c.norm);
    }
    return c;
}

/* The mean of the gradients of all rows, from one row of each kind. */
static void mean_slope(const crowd *c, size_t cells, const long double *weights,
                       long double *slope) {
    size_t n = c->rows.count;
    memset(slope, 0, cells * sizeof *slope);
    for (size_t kind = 0; kind < KINDS; kind++) {
        size_t first = (kind * n + KINDS - 1) / KINDS, end = ((kind + 1) * n + KINDS - 1) / KINDS;
        add_slope(c, first, weights, (long double)(end - first) / (long double)n, slope);
    }
}

static double distance(const double *a, const long double *b, size_t cells) {
    long double squares = 0;
    for (size_t i = 0; i < cells; i++) {
        squares += ((long double)a[i] - b[i]) * ((long double)a[i] - b[i]);
    }
    return (double)sqrtl(squares);
}

/* Random weights of a given norm. */
static void fill_weights(size_t cells, double norm, uint64_t *seed, double *weights) {
    double squares = 0;
    for (size_t i = 0; i < cells; i++) {
        weights[i] = normal(seed);
        squares += weights[i] * weights[i];
    }
    for (size_t i = 0; i < cells; i++) {
        weights[i] *= norm / sqrt(squares);
    }
}

/* The error of the computed gradient over its bound η, at weights as long as an iterate may be. */
static double slope_part(size_t n, size_t numbers, size_t classes, double penalty, uint64_t *seed) {
    static double weights[CELLS_MAX], ours[CELLS_MAX];
    static long double exact[CELLS_MAX], slope[CELLS_MAX];
    OWNED(crowd) c = alike(n, numbers, classes, draw(seed));
    dp2dpi_examples e = crowd_examples(&c);
    dp2dpi_output_plan plan = plan_for(&c, penalty);
    OWNED(dp2dpi_logloss) loss;
    size_t cells = dp2dpi_examples_cells(&e);
    fill_weights(cells, (double)(draw(seed) % 3) * plan.bound, seed, weights);
    assert_ok(dp2dpi_logloss_new(&e, DP2DPI_LOGLOSS_GRADIENT, &loss, NULL));
    dp2dpi_logloss_at(&loss, weights);
    for (size_t i = 0; i < cells; i++) {
        exact[i] = weights[i];
        ours[i] = loss.gradient[i] / (double)n;
    }
    mean_slope(&c, cells, exact, slope);
    return distance(ours, slope, cells) / plan.rounding;
}

TEST(no_slope_is_off_by_more_than_the_plan_says) {
    uint64_t seed = 2;
    double many = 0, wide = 0;
    for (int run = 0; LONG_IS_WIDER && run < 24; run++) {
        size_t classes = 2 + (size_t)run % 2;
        many = fmax(many, slope_part(3000 + (draw(&seed) % 100000), 2, classes, 0.1, &seed));
        wide = fmax(wide, slope_part(KINDS, 1000, classes, 1e-3, &seed));
        assert_true(many <= 1 && wide <= 1);
    }
    print_message("slopes: %.4f of the bound for many rows, %.4f for wide ones\n", many, wide);
    assert_true(!LONG_IS_WIDER || many > 0.005);
}

/* The method under test in long double, with four times the steps, until the gradient is far below
 * η. */
static void long_minimiser(const crowd *c, const dp2dpi_output_plan *plan, size_t cells,
                           long double *weights) {
    static long double ahead[CELLS_MAX], slope[CELLS_MAX];
    long double root = sqrtl((long double)plan->penalty / plan->smoothness), squares = 0;
    memset(ahead, 0, sizeof ahead);
    memset(weights, 0, cells * sizeof *weights);
    for (uint64_t t = 0; t < 4 * plan->steps; t++) {
        mean_slope(c, cells, ahead, slope);
        for (size_t i = 0; i < cells; i++) {
            long double next =
                ahead[i] - (slope[i] + (long double)plan->penalty * ahead[i]) / plan->smoothness;
            ahead[i] = next + (1 - root) / (1 + root) * (next - weights[i]);
            weights[i] = next;
        }
    }
    mean_slope(c, cells, weights, slope);
    for (size_t i = 0; i < cells; i++) {
        slope[i] += (long double)plan->penalty * weights[i];
        squares += slope[i] * slope[i];
    }
    assert_true(sqrtl(squares) < 1e-3L * plan->rounding);
}

/* The minimiser is off by at most γ/Λ after the plan's steps, and by at most 4η/Λ, from rounding
 * alone, after four times as many. (η bounds the gradient's error, γ is the plan's accuracy, Λ the
 * penalty.) */
TEST(rounding_moves_the_minimiser_by_no_more_than_proven) {
    static double weights[CELLS_MAX];
    static long double exact[CELLS_MAX];
    double most = 0;
    for (uint64_t run = 0; LONG_IS_WIDER && run < 4; run++) {
        OWNED(crowd) c = alike(20000, 2, 2 + run % 2, 40 + run);
        dp2dpi_examples e = crowd_examples(&c);
        dp2dpi_output_plan plan = plan_for(&c, run < 2 ? 1.0 : 0.05), longer = plan;
        size_t cells = dp2dpi_examples_cells(&e);
        long_minimiser(&c, &plan, cells, exact);
        longer.steps *= 4;
        for (int more = 0; more < 2; more++) {
            OWNED(dp2dpi_output) output;
            double allowed = more ? 4 * plan.rounding : plan.accuracy;
            memset(weights, 0, sizeof weights);
            assert_ok(dp2dpi_output_new(&e, &output, NULL));
            dp2dpi_output_solve(&output, more ? &longer : &plan, weights);
            double part = distance(weights, exact, cells) * plan.penalty / allowed;
            assert_true(part <= 1);
            most = more ? fmax(most, part) : most;
        }
    }
    print_message("minimisers: rounding moved them by %.5f of the bound\n", most);
    assert_true(!LONG_IS_WIDER || most > 1e-5);
}

/* The proof's conditions on the steps, on γ and on η, term by term in long double. A plan depends
 * on no row, so the number of rows may be a million. In fewer than half of the cases, but in some,
 * γ is as small as rounding allows. */
TEST(a_plan_is_what_the_proof_asks_for) {
    static const double penalties[] = {1e-4, 1e-2, 1, 1e3, 1e6};
    static const size_t counts[] = {50, 3000, 1000000};
    int asked = 0;
    for (size_t i = 0; i < 90; i++) {
        size_t classes = 2 + i % 3, numbers = i % 2 ? 3 : 700;
        OWNED(crowd) c = crowd_random(5, numbers, 2, classes, 1);
        c.rows.count = counts[i / 6 % 3];
        dp2dpi_output_plan plan = plan_for(&c, penalties[i / 18]);
        long double penalty = plan.penalty, square = (long double)c.norm * c.norm + 1;
        long double H = classes == 2 ? 1 : (long double)classes, log_k = logl(classes);
        long double beta = (classes == 2 ? 0.25L : 0.5L) * square + penalty, m = numbers + 2;
        long double L = sqrtl((classes == 2 ? 1 : 2) * square), n = c.rows.count;
        long double reach = sqrtl(2 * log_k / penalty), kappa = penalty / plan.smoothness;
        long double eta = 0x1p-53L * (L * (n + 36 + 2 * H) + beta * reach * (3 * m + 40));
        assert_true(plan.smoothness >= beta && plan.lipschitz >= L);
        assert_true(plan.rounding >= eta && plan.rounding < 1.001L * eta);
        assert_true(plan.accuracy >= 8 * plan.rounding);
        asked += plan.accuracy < 8.001 * plan.rounding;
        assert_true(plan.bound >= (reach + plan.accuracy / penalty) * (1 - 1e-12L));
        long double left = powl(1 - sqrtl(kappa), (long double)plan.steps) * log_k;
        assert_true(2 * plan.smoothness * left <= powl(0.5L * plan.accuracy, 2) * (1 + 1e-9L));
    }
    assert_true(asked > 0 && asked < 45);
}

/* The refusal depends on public sizes only and charges nothing. */
TEST(a_penalty_too_small_for_rounding_is_refused) {
    OWNED(crowd) c = crowd_random(5, 3, 0, 2, 1);
    dp2dpi_examples e = crowd_examples(&c);
    dp2dpi_rows wide = c.rows;
    dp2dp_train_options options = options_for(1, 1e-6);
    dp2dpi_output_plan plan;
    e.rows = &wide;
    wide.numbers = 500000;
    e.norm = 1000;
    assert_fails(dp2dpi_output_plan_of(&e, &options, &plan, &test_error), ARGUMENT, "rounding");
}
