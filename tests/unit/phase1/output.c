/* Tests the accuracy and the sensitivity on which the only release of method output relies. */
#include "phase1/output.h"

#include "phase1/logloss.h"
#include "unit/phase1/data.h"

enum {
    CELLS_MAX = 64
};

static dp2dpi_output_plan plan_for(const dp2dpi_examples *e, double penalty) {
    dp2dp_train_options options = train_seeded(DP2DP_TRAIN_OUTPUT, 1, 1);
    dp2dpi_output_plan plan;
    options.penalty = penalty;
    assert_ok(dp2dpi_output_plan_of(e, &options, &plan, NULL));
    return plan;
}

/* Computes the weights before noise is added. */
static void solve(const dp2dpi_examples *e, const dp2dpi_output_plan *plan, double *weights) {
    OWNED(dp2dpi_output) output;
    assert_ok(dp2dpi_output_new(e, &output, NULL));
    dp2dpi_output_solve(&output, plan, weights);
}

static double distance(const double *a, const double *b, size_t n) {
    double square = 0;
    for (size_t i = 0; i < n; i++) {
        square += (a[i] - b[i]) * (a[i] - b[i]);
    }
    return sqrt(square);
}

/* |∇J|. */
static double slope_at(const dp2dpi_examples *e, double penalty, const double *weights) {
    OWNED(dp2dpi_logloss) loss = {0};
    double square = 0;
    assert_ok(dp2dpi_logloss_new(e, DP2DPI_LOGLOSS_GRADIENT, &loss, NULL));
    dp2dpi_logloss_at(&loss, weights);
    for (size_t i = 0; i < dp2dpi_examples_cells(e); i++) {
        double slope = loss.gradient[i] / (double)e->rows->count + penalty * weights[i];
        square += slope * slope;
    }
    return sqrt(square);
}

TEST(the_steps_of_the_plan_reach_its_accuracy) {
    static const double penalties[] = {1e-3, 1e-2, 0.3, 10};
    for (size_t classes = 2; classes <= 4; classes++) {
        for (int p = 0; p < 4; p++) {
            for (int kind = 0; kind < 2; kind++) {
                OWNED(crowd) c = crowd_random(60, 2, 1, classes, 5 + classes);
                for (size_t i = 0; i < c.rows.count && kind; i++) { /* linearly separable */
                    c.labels[i] = c.rows.x[2 * i] > 0;
                }
                dp2dpi_examples e = crowd_examples(&c);
                dp2dpi_output_plan plan = plan_for(&e, penalties[p]);
                double weights[CELLS_MAX] = {0};
                solve(&e, &plan, weights);
                assert_true(slope_at(&e, penalties[p], weights) <= plan.accuracy);
                for (size_t i = 0; i < dp2dpi_examples_cells(&e); i++) {
                    assert_true(fabs(weights[i]) <= plan.bound);
                }
            }
        }
    }
}

/* The replaced record is as long as a row may be and changes its label or its direction. At a large
 * penalty the optimum is near zero, where a gradient has half its largest norm. */
TEST(a_replaced_record_moves_the_weights_by_no_more_than_charged) {
    double most = 0;
    uint64_t seed = 3;
    for (int run = 0; run < 300; run++) {
        size_t classes = 2 + draw(&seed) % 2;
        OWNED(crowd) c = crowd_random(2 + draw(&seed) % 10, 3, 0, classes, draw(&seed));
        dp2dpi_examples e = crowd_examples(&c);
        dp2dpi_output_plan plan = plan_for(&e, pow(10, 3 * uniform(&seed) - 2));
        double weights[2][CELLS_MAX] = {{0}};
        for (int side = 0; side < 2; side++) {
            for (size_t j = 0; j < 3; j++) {
                c.rows.x[j] = (j == 0) * (side && draw(&seed) % 2 ? -1e6F : 1e6F);
            }
            c.labels[0] = side;
            dp2dpi_rows_clip(&c.rows, 0, c.norm);
            solve(&e, &plan, weights[side]);
        }
        double moved = distance(weights[0], weights[1], dp2dpi_examples_cells(&e));
        assert_true(moved <= plan.sensitivity);
        most = fmax(most, moved / plan.sensitivity);
    }
    print_message("moved by at most %.4f of the sensitivity\n", most);
    assert_true(most > 0.4);
}

/* All rows lie on a line and their labels are nearly certain, so a record that contradicts them has
 * a gradient of nearly full length on both sides. With three classes the change stays below √2 L
 * because of the third class; with two, because the other records soften it. */
TEST(the_sensitivity_has_every_factor_of_the_proof) {
    static const struct {
        size_t classes;
        double line, aside, penalty, least;
        const char *otherwise;
    } pairs[] = {
        {2, 1, 3, 0.1, 0.7, "half of it would do"},
        {3, 3, 8, 1, 0.75, "one root of two would do"},
        {2, 0.1, 0, 1, 0.39, "the bias would add nothing"},
    };
    for (size_t p = 0; p < sizeof pairs / sizeof pairs[0]; p++) {
        OWNED(crowd) c = crowd_new(200, 2, 0, pairs[p].classes);
        double weights[2][CELLS_MAX] = {{0}};
        c.norm = hypot(pairs[p].line, pairs[p].aside) * (1 + 5e-7);
        for (size_t i = 0; i < c.rows.count; i++) {
            c.rows.x[2 * i] = (float)(i % 2 ? pairs[p].line : -pairs[p].line);
            c.labels[i] = (int32_t)(i % 2);
        }
        c.rows.x[1] = (float)pairs[p].aside;
        dp2dpi_examples e = crowd_examples(&c);
        dp2dpi_output_plan plan = plan_for(&e, pairs[p].penalty);
        for (int side = 0; side < 2; side++) {
            c.rows.x[0] = (float)(side ? -pairs[p].line : pairs[p].line);
            c.labels[0] = side;
            solve(&e, &plan, weights[side]);
        }
        double moved = distance(weights[0], weights[1], dp2dpi_examples_cells(&e));
        if (!(moved > pairs[p].least * plan.sensitivity)) {
            fail_msg("%.4f: %s", moved / plan.sensitivity, pairs[p].otherwise);
        }
        assert_true(moved <= plan.sensitivity);
    }
}

/* Compares every term of the sensitivity, at sizes where each term matters. */
TEST(the_sensitivity_is_that_of_the_proof) {
    static const double penalties[] = {1e-2, 1, 1e3, 1e6};
    for (size_t classes = 2; classes <= 3; classes++) {
        for (int p = 0; p < 4; p++) {
            OWNED(crowd) c = crowd_random(500, 3, 2, classes, 1);
            dp2dpi_examples e = crowd_examples(&c);
            dp2dpi_output_plan plan = plan_for(&e, penalties[p]);
            double n = 500, radius = c.norm * (1 + 1e-6);
            double cells = (double)(c.width + 1) * (classes == 2 ? 1 : 3);
            double lipschitz = sqrt((classes == 2 ? 1 : 2) * (radius * radius + 1));
            double gamma = fmax(1e-3 / n, 1e-9) * lipschitz;
            double wanted = 2 * lipschitz / (n * penalties[p]) + 2 * gamma / penalties[p] +
                            0x1p-36 * sqrt(cells);
            assert_true(fabs(plan.sensitivity / wanted - 1) < 1e-9);
            assert_true(fabs(plan.accuracy / gamma - 1) < 1e-9);
        }
    }
}

/* The default penalty is within the bounds of the option, even for extreme budgets. */
TEST(a_default_penalty_is_one_that_may_be_given) {
    OWNED(crowd) c = crowd_random(5, 3, 1, 3, 1);
    dp2dpi_examples e = crowd_examples(&c);
    for (double epsilon = 1e-8; epsilon < 100; epsilon *= 10) {
        dp2dp_train_options options = train_seeded(DP2DP_TRAIN_OUTPUT, epsilon, 1);
        options.rows_per_person = 1000000;
        assert_ok(dp2dpi_output_resolve(&e, &options, NULL));
        assert_true(options.penalty >= 1e-4 && options.penalty <= 1e6);
        assert_true(epsilon > 1e-7 || options.penalty == 1e6);
    }
}

/* A large penalty bounds the weights below 1, which needs a very fine grid. */
TEST(large_penalties_work) {
    OWNED(crowd) c = crowd_random(100, 3, 1, 3, 1);
    for (double penalty = 1; penalty <= 1e6; penalty *= 10) {
        dp2dp_train_options options = train_seeded(DP2DP_TRAIN_OUTPUT, 1, 1);
        options.penalty = penalty;
        FREED double *weights = train_crowd(&c, &options, NULL);
        assert_true(weights[0] != 0 && fabs(weights[0]) < 100);
    }
}

/* The refusal comes before any charge and does not read the rows. */
TEST(more_rows_than_the_proof_is_for_are_refused) {
    OWNED(crowd) c = crowd_random(5, 3, 1, 3, 1);
    dp2dpi_rows many = c.rows;
    dp2dpi_examples e = crowd_examples(&c);
    dp2dp_train_options options = train_seeded(DP2DP_TRAIN_OUTPUT, 1, 1);
    options.penalty = 1;
    e.rows = &many;
    e.records = many.count = 1000001;
    HANDLE(dp2dp_ledger) *own = new_ledger();
    assert_fails(dp2dpi_output_train(&e, &options, own, NULL, &test_error), ARGUMENT,
                 "1000001 rows");
    assert_int_equal(dp2dp_ledger_size(own), 0);
}

TEST(a_plan_depends_on_public_numbers_alone) {
    OWNED(crowd) a = crowd_random(50, 3, 1, 3, 1), b = crowd_random(50, 3, 1, 3, 2);
    dp2dpi_examples e[2] = {crowd_examples(&a), crowd_examples(&b)};
    dp2dpi_output_plan plan[2];
    for (int i = 0; i < 2; i++) {
        dp2dp_train_options options = train_seeded(DP2DP_TRAIN_OUTPUT, 1, 1);
        assert_ok(dp2dpi_output_resolve(&e[i], &options, NULL));
        assert_true(options.penalty > 0);
        assert_ok(dp2dpi_output_plan_of(&e[i], &options, &plan[i], NULL));
    }
    assert_memory_equal(&plan[0], &plan[1], sizeof plan[0]);
}

TEST(a_penalty_that_would_take_forever_is_refused) {
    OWNED(crowd) c = crowd_random(50, 3, 1, 3, 1);
    dp2dpi_examples e = crowd_examples(&c);
    dp2dp_train_options options = train_seeded(DP2DP_TRAIN_OUTPUT, 1, 1);
    dp2dpi_output_plan plan;
    options.penalty = 1e-10;
    assert_fails(dp2dpi_output_plan_of(&e, &options, &plan, &test_error), ARGUMENT, "penalty");
}

/* The squares of 400 runs with 7 weights each are within 5 standard deviations of their chi-squared
 * mean. The false-alarm rate is 6e-7; the seeds are fixed. */
TEST(the_noise_charged_is_there) {
    OWNED(crowd) c = crowd_random(20, 2, 1, 2, 1);
    dp2dp_train_options options = train_seeded(DP2DP_TRAIN_OUTPUT, INFINITY, 1);
    options.penalty = 1;
    double *bare = train_crowd(&c, &options, NULL), squares = 0, draws = 0;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        dp2dp_event event = DP2DP_EVENT_INIT;
        dp2dp_rng_kind kind;
        options.epsilon = 1;
        options.insecure_seed = seed;
        HANDLE(dp2dp_ledger) *own = new_ledger();
        FREED double *weights = train_crowd(&c, &options, own);
        assert_ok(dp2dp_ledger_entry(own, 0, &event, &kind, NULL));
        assert_true(event.coordinates == c.width + 1 && event.count == 1);
        for (size_t i = c.width + 1; i < 2 * (c.width + 1); i++, draws++) {
            double z = (weights[i] - bare[i]) / event.sigma;
            squares += z * z;
        }
    }
    assert_true(fabs(squares - draws) < 5 * sqrt(2 * draws));
    free(bare);
}
