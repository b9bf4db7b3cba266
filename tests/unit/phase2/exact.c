/* Solver exact finds the optimum and proves it. exact_lp.csv has the optima that a linear program
 * found. */
#include <inttypes.h>

#include "unit/phase2/data.h"

static dp2dp_optimality solve(const people *p, double rho, double *unfairness, double *accuracy) {
    dp2dp_fit_options options = DP2DP_FIT_OPTIONS_INIT;
    options.solver = DP2DP_SOLVER_EXACT;
    options.rho = rho;
    HANDLE(dp2dp_model) *model = fit_people(p, &options);
    assert_non_null(dp2dp_model_view(model)->optimality);
    dp2dp_optimality proof = *dp2dp_model_view(model)->optimality;
    if (unfairness) {
        *unfairness = unfairness_of(model, p, accuracy);
    }
    return proof;
}

/* Draws the same people as exact_lp.py, which documents how. */
static people people_of_the_oracle(uint64_t seed, size_t classes, size_t groups, size_t n) {
    static const uint64_t all_levels[4] = {1U << 20, 2, 3, 8};
    people p = people_new(n, classes, groups);
    uint64_t state = seed, levels = all_levels[seed % 4];
    double raw[8];
    for (size_t i = 0; i < n; i++) {
        p.group[i] = seed % 3 == 0 && draw(&state) % 8 != 0 ? 0 : (int32_t)(draw(&state) % groups);
        for (size_t k = 0; k < classes; k++) {
            raw[k] = (double)(1 + draw(&state) % levels);
        }
        people_set(&p, i, raw);
    }
    return p;
}

static void proof_is_sound(const char *where, const dp2dp_optimality *proof, double objective) {
    if (!(fabs(proof->dual - objective) <= 1e-6) || !(fabs(proof->primal - objective) <= 1e-6) ||
        !(proof->dual - proof->primal <= 1e-6) || !(proof->dual >= proof->primal - 1e-9)) {
        fail_msg("%s: dual %.9f, primal %.9f, the oracle %.9f", where, proof->dual, proof->primal,
                 objective);
    }
}

TEST(objective_is_the_linear_programs) {
    char line[256];
    unsigned instances = 0;
    FILE *in = fopen(DP2DP_TEST_DIR "/reference/exact_lp.csv", "r");
    assert_non_null(in);
    while (fgets(line, sizeof line, in)) {
        uint64_t seed;
        size_t classes, groups, n;
        double rho, objective;
        if (sscanf(line, "%" SCNu64 ",%zu,%zu,%zu,%lf,%lf", &seed, &classes, &groups, &n, &rho,
                   &objective) != 6) {
            continue;
        }
        OWNED(people) p = people_of_the_oracle(seed, classes, groups, n);
        dp2dp_optimality proof = solve(&p, rho, NULL, NULL);
        proof_is_sound(line, &proof, objective);
        instances++;
    }
    fclose(in);
    assert_int_equal(instances, 1200);
}

/* For two classes and two groups: the most accurate rule with given rates of class 1 gives class 1
 * to the people with the largest p_1 − p_0 of each group. Its accuracy is linear between multiples
 * of 1/n_g, with n_g the size of group g. So for ρ = 0 and equal group sizes the best common rate
 * is a multiple of 1/n_g. */
static int descending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

static double best_at_parity(const people *p, size_t size) {
    double gain[2][64], total = 0, best = 0;
    size_t filled[2] = {0, 0};
    for (size_t i = 0; i < p->n; i++) {
        int g = p->group[i];
        gain[g][filled[g]++] = (double)p->scores[2 * i + 1] - (double)p->scores[2 * i];
        total += (double)p->scores[2 * i];
    }
    qsort(gain[0], size, sizeof(double), descending);
    qsort(gain[1], size, sizeof(double), descending);
    double sum = total;
    best = total;
    for (size_t m = 0; m < size; m++) {
        sum += gain[0][m] + gain[1][m];
        best = sum > best ? sum : best;
    }
    return best / (double)p->n;
}

TEST(two_classes_and_two_groups_agree_with_brute_force) {
    for (uint64_t seed = 1; seed <= 300; seed++) {
        size_t size = 1 + seed % 40;
        OWNED(people) p = people_random(2 * size, 2, 2, seed % 2 ? 1U << 20 : 4, seed);
        for (size_t i = 0; i < p.n; i++) {
            p.group[i] = i % 2 == 0;
        }
        dp2dp_optimality proof = solve(&p, 0, NULL, NULL);
        char where[32];
        (void)snprintf(where, sizeof where, "seed %d", (int)seed);
        proof_is_sound(where, &proof, best_at_parity(&p, size));
    }
}

/* ρ = 1 is no constraint, and no rule is more accurate than choosing everybody's largest
 * probability. */
TEST(without_a_constraint_it_is_the_plain_argmax) {
    OWNED(people) p = people_favoured(500, 4, 3, 5);
    double unfairness, accuracy, best = 0;
    dp2dp_optimality proof = solve(&p, 1, &unfairness, &accuracy);
    for (size_t i = 0; i < p.n; i++) {
        float most = 0;
        for (size_t k = 0; k < 4; k++) {
            most = fmaxf(most, p.scores[4 * i + k]);
        }
        best += (double)most / (double)p.n;
    }
    proof_is_sound("rho = 1", &proof, best);
    assert_true(fabs(accuracy - best) < 1e-9);
}

TEST(large_pools_are_as_fair_as_asked) {
    static const size_t classes[3] = {3, 6, 10}, groups[2] = {2, 4};
    static const double rhos[3] = {0.05, 0.10, 0};
    for (size_t c = 0; c < 3; c++) {
        for (size_t g = 0; g < 2; g++) {
            OWNED(people) p = people_favoured(20000, classes[c], groups[g], 10 * c + g);
            for (size_t r = 0; r < (c == 0 ? 3 : 2); r++) {
                double unfairness, accuracy;
                dp2dp_optimality proof = solve(&p, rhos[r], &unfairness, &accuracy);
                if (!(unfairness <= rhos[r] + 0.003) || !(proof.dual - proof.primal <= 1e-6)) {
                    fail_msg("K = %zu, G = %zu, rho %g: U %.5f, gap %g", classes[c], groups[g],
                             rhos[r], unfairness, proof.dual - proof.primal);
                }
            }
        }
    }
}

/* The proof states accuracy and unfairness of the very rule that the model has. */
TEST(the_proof_describes_the_rule_that_is_returned) {
    for (uint64_t seed = 1; seed <= 24; seed++) {
        size_t classes = 2 + seed % 5, groups = 2 + seed % 3;
        OWNED(people) p = people_random(1000, classes, groups, seed % 2 ? 1U << 20 : 3, seed);
        double unfairness, accuracy, rho = seed % 3 ? 0.05 : 0;
        dp2dp_optimality proof = solve(&p, rho, &unfairness, &accuracy);
        assert_near(proof.rule, accuracy, 1e-7);
        assert_near(proof.unfairness, unfairness, 1e-7);
    }
}

/* All members of a group have the same scores, so at the optimum for ρ > 0 a whole group is tied,
 * and the last bit of an offset decides. */
TEST(the_proof_describes_a_rule_that_sits_on_a_tie) {
    for (int i = 0; i < 12; i++) {
        OWNED(people) p = people_random(1000, 2, 2, 8, 1);
        for (size_t j = 0; j < p.n; j++) {
            double high = i % 2 ? 1 : 0.7, raw[2] = {1 - high, 1 - high};
            raw[p.group[j]] = high;
            people_set(&p, j, raw);
        }
        double unfairness, accuracy;
        dp2dp_optimality proof = solve(&p, 0.05 * i, &unfairness, &accuracy);
        assert_near(proof.rule, accuracy, 1e-7);
        assert_near(proof.unfairness, unfairness, 1e-7);
    }
}

/* Ties may make a rule less fair than ρ. A rule that is within ρ has an accuracy of at most the
 * dual. */
TEST(no_fair_rule_is_above_the_dual) {
    unsigned fair = 0;
    for (uint64_t seed = 1; seed <= 24; seed++) {
        OWNED(people) p = people_favoured(400, 2 + seed % 4, 2, seed);
        double unfairness, accuracy, rho = 0.02;
        dp2dp_optimality proof = solve(&p, rho, &unfairness, &accuracy);
        double allowed = unfairness > rho ? (unfairness - rho) * (double)p.classes : 0;
        assert_true(accuracy <= proof.dual + allowed + 1e-7);
        fair += unfairness <= rho;
    }
    assert_true(fair > 0);
}

TEST(it_needs_no_budget_and_charges_nothing) {
    OWNED(people) p = people_favoured(200, 3, 2, 1);
    dp2dp_fit_options options = DP2DP_FIT_OPTIONS_INIT;
    options.solver = DP2DP_SOLVER_EXACT;
    HANDLE(dp2dp_model) *model = fit_people(&p, &options);
    assert_int_equal(dp2dp_model_view(model)->not_private_because == 0, 0);
    assert_int_equal(dp2dp_ledger_size(dp2dp_model_view(model)->ledger), 0);
}

TEST(groups_without_people_do_not_bind) {
    OWNED(people) p = people_favoured(600, 3, 2, 8);
    dp2dp_optimality two = solve(&p, 0.05, NULL, NULL);
    p.groups = 4;
    dp2dp_optimality four = solve(&p, 0.05, NULL, NULL);
    assert_true(fabs(two.dual - four.dual) <= 1e-6);
    memset(p.group, 0, p.n * sizeof *p.group);
    dp2dp_optimality one = solve(&p, 0, NULL, NULL);
    assert_true(one.dual > two.dual && one.dual - one.primal <= 1e-6);
}

TEST(threads_change_nothing) {
    OWNED(people) p = people_favoured(3000, 4, 3, 77);
    dp2dp_fit_options options = DP2DP_FIT_OPTIONS_INIT;
    options.solver = DP2DP_SOLVER_EXACT;
    options.rho = 0.03;
    HANDLE(dp2dp_model) *base = fit_people(&p, &options);
    for (unsigned threads = 2; threads <= 7; threads += 5) {
        HANDLE(dp2dp_pool) *pool = pool_on(&p, threads);
        dp2dp_source source = dp2dp_pool_source(pool);
        HANDLE(dp2dp_model) *model = fit_source(&source, &options);
        assert_memory_equal(dp2dp_model_view(model)->offsets, dp2dp_model_view(base)->offsets,
                            12 * sizeof(double));
    }
}
