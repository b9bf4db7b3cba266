/* Two classes and two groups: sorting finds the same optimum as Newton's method, with a smaller
 * gap. */
#include "phase2/exact.h"
#include "phase2/smooth.h"

#include "unit/phase2/data.h"

typedef struct solution {
    double offsets[4], shares[2];
    dp2dp_optimality proof;
} solution;

static dp2dp_fit_options at(double rho) {
    dp2dp_fit_options options = DP2DP_FIT_OPTIONS_INIT;
    options.solver = DP2DP_SOLVER_EXACT;
    options.rho = rho;
    return options;
}

static solution solve(const dp2dp_pool *pool, double rho) {
    solution s = {.shares = {0}};
    dp2dp_fit_options options = at(rho);
    assert_ok(dp2dpi_exact_solve(pool, &options, s.offsets, s.shares, &s.proof, &test_error));
    return s;
}

static dp2dp_optimality solve_by_newton(const dp2dp_pool *pool, double rho, const double *shares) {
    dp2dp_optimality proof;
    double offsets[4];
    dp2dp_fit_options options = at(rho);
    assert_ok(dp2dpi_exact_newton(pool, &options, shares, offsets, &proof, &test_error));
    return proof;
}

/* With few score levels many people tie. With unequal groups, the slope of the dual changes in
 * large steps at the members of the small group. */
static people crowd(uint64_t seed) {
    static const uint64_t levels[5] = {1U << 20, 2, 3, 8, 1U << 20};
    static const uint64_t one_in[3] = {2, 5, 40};
    people p = people_random(3 + seed * 7 % 200, 2, 2, levels[seed % 5], seed);
    for (size_t i = 0; i < p.n; i++) {
        p.group[i] = draw(&seed) % one_in[p.n % 3] == 0;
    }
    return p;
}

TEST(sorting_agrees_with_newton) {
    static const double rhos[6] = {0, 0.01, 0.05, 0.2, 0.5, 1};
    for (uint64_t seed = 1; seed <= 300; seed++) {
        OWNED(people) p = crowd(seed);
        HANDLE(dp2dp_pool) *pool = pool_of(&p);
        double rho = rhos[seed % 6];
        solution s = solve(pool, rho);
        dp2dp_optimality newton = solve_by_newton(pool, rho, s.shares);
        if (!(fabs(s.proof.dual - newton.dual) <= 1e-6) ||
            !(fabs(s.proof.primal - newton.primal) <= 1e-6) ||
            !(fabs(s.proof.dual - s.proof.primal) <= 1e-10)) {
            fail_msg("seed %d, rho %g: dual %.12f, primal %.12f; Newton %.12f, %.12f", (int)seed,
                     rho, s.proof.dual, s.proof.primal, newton.dual, newton.primal);
        }
    }
}

/* For every θ with Σ π_g θ_gk = 0, f(θ) = (1/N) Σ max_k (p_ik − θ_gk) + (ρ/2) Σ π_g |θ_gk| is an
 * upper bound on the accuracy. The proof's dual is its minimum, so no θ has a lower f(θ). */
static double dual_at(const people *p, const solution *s, double rho, double u) {
    double sum = 0, shift[2] = {u / s->shares[0], -u / s->shares[1]};
    for (size_t i = 0; i < p->n; i++) {
        double half = 0.5 * shift[p->group[i]];
        sum += fmax((double)p->scores[2 * i] + half, (double)p->scores[2 * i + 1] - half);
    }
    return sum / (double)p->n + rho * fabs(u);
}

TEST(no_other_offset_has_a_lower_dual) {
    for (uint64_t seed = 1; seed <= 60; seed++) {
        OWNED(people) p = crowd(seed);
        HANDLE(dp2dp_pool) *pool = pool_of(&p);
        double rho = seed % 2 ? 0 : 0.04;
        solution s = solve(pool, rho);
        for (double u = -0.6; s.shares[0] > 0 && s.shares[1] > 0 && u <= 0.6; u += 0.001) {
            assert_true(dual_at(&p, &s, rho, u) >= s.proof.dual - 1e-12);
        }
    }
}

TEST(offsets_keep_the_constraint_and_stay_small) {
    for (uint64_t seed = 1; seed <= 200; seed++) {
        OWNED(people) p = crowd(seed);
        HANDLE(dp2dp_pool) *pool = pool_of(&p);
        solution s = solve(pool, 0);
        for (int k = 0; k < 2; k++) {
            double sum = s.shares[0] * s.offsets[k] + s.shares[1] * s.offsets[2 + k];
            assert_true(fabs(sum) <= 1e-7);
            assert_true(fabs(s.offsets[k]) <= 2 && fabs(s.offsets[2 + k]) <= 2);
        }
    }
}

/* If the plain argmax is fair enough, all offsets stay 0. */
TEST(a_rule_that_is_fair_already_is_left_alone) {
    OWNED(people) p = people_random(400, 2, 2, 1U << 20, 3);
    HANDLE(dp2dp_pool) *pool = pool_of(&p);
    solution s = solve(pool, 0.5);
    for (int c = 0; c < 4; c++) {
        assert_true(s.offsets[c] == 0);
    }
    assert_true(s.proof.dual == s.proof.primal && s.proof.rule == s.proof.primal);
}

TEST(a_large_pool_is_as_fair_as_asked) {
    static const double rhos[3] = {0, 0.05, 0.1};
    OWNED(people) p = people_favoured(100000, 2, 2, 12);
    HANDLE(dp2dp_pool) *pool = pool_of(&p);
    for (int r = 0; r < 3; r++) {
        solution s = solve(pool, rhos[r]);
        if (!(fabs(s.proof.unfairness - rhos[r]) <= 5e-5) ||
            !(s.proof.dual - s.proof.primal <= 1e-10)) {
            fail_msg("rho %g: U %.7f, gap %g", rhos[r], s.proof.unfairness,
                     s.proof.dual - s.proof.primal);
        }
    }
}

TEST(one_empty_group_binds_nothing) {
    for (int32_t only = 0; only < 2; only++) {
        OWNED(people) p = people_favoured(300, 2, 2, 4);
        double best = 0;
        for (size_t i = 0; i < p.n; i++) {
            p.group[i] = only;
            best += (double)fmaxf(p.scores[2 * i], p.scores[2 * i + 1]) / (double)p.n;
        }
        HANDLE(dp2dp_pool) *pool = pool_of(&p);
        solution s = solve(pool, 0);
        assert_true(fabs(s.proof.dual - best) <= 1e-12 && fabs(s.proof.primal - best) <= 1e-12);
        assert_true(s.proof.unfairness == 0);
    }
}

TEST(threads_and_the_order_of_rows_change_nothing) {
    OWNED(people) p = people_favoured(5000, 2, 2, 6), turned = people_new(5000, 2, 2);
    for (size_t i = 0; i < p.n; i++) {
        memcpy(turned.scores + 2 * i, p.scores + 2 * (p.n - 1 - i), 2 * sizeof(float));
        turned.group[i] = p.group[p.n - 1 - i];
    }
    HANDLE(dp2dp_pool) *one = pool_on(&p, 1), *two = pool_on(&p, 2), *other = pool_on(&turned, 2);
    solution a = solve(one, 0.02), b = solve(two, 0.02), c = solve(other, 0.02);
    assert_memory_equal(&a, &b, sizeof a);
    assert_memory_equal(a.offsets, c.offsets, sizeof a.offsets);
}

static dp2dp_status fit_watched(const people *p, watch *w) {
    dp2dp_fit_options options = at(0.02);
    HANDLE(dp2dp_pool) *pool = pool_of(p);
    dp2dp_source source = dp2dp_pool_source(pool);
    HANDLE(dp2dp_model) *model = (dp2dp_model *)&source;
    dp2dp_error error = {0};
    options.progress = on_progress;
    options.progress_context = w;
    dp2dp_status status = dp2dp_fit(&source, &options, &model, &error);
    assert_int_equal(model == NULL, status != OK);
    return status;
}

/* The total number of steps does not depend on the data: it is the same for other people. */
TEST(progress_is_told_and_a_fit_can_be_cancelled) {
    for (size_t classes = 2; classes <= 3; classes++) {
        OWNED(people) p = people_favoured(300, classes, 2, 1),
                      q = people_random(70, classes, 2, 3, 2);
        watch whole = {0}, other = {0};
        assert_ok(fit_watched(&p, &whole));
        assert_ok(fit_watched(&q, &other));
        assert_true(whole.calls >= 2 && whole.total == other.total);
        for (uint64_t stop = 1; stop <= whole.calls; stop++) {
            watch w = {.stop_at = stop};
            assert_status(fit_watched(&p, &w), CANCELLED);
            assert_int_equal(w.calls, stop);
        }
    }
}

/* The solver refuses before it allocates memory. */
TEST(what_would_not_fit_in_memory_is_refused) {
    OWNED(people) p = people_new(4, 4000, 40);
    for (size_t i = 0; i < p.n; i++) {
        p.scores[i * p.classes + i] = 1;
        p.group[i] = (int32_t)i;
    }
    HANDLE(dp2dp_pool) *pool = pool_of(&p);
    dp2dp_source source = dp2dp_pool_source(pool);
    dp2dp_fit_options options = at(0);
    dp2dp_model *model = (dp2dp_model *)&source;
    assert_status(dp2dp_fit(&source, &options, &model, &test_error), MEMORY);
    assert_null(model);
    assert_says(test_error.message, "4000 classes and 40 groups");
}

/* For any number of records and classes, all tasks together use at most 256 MB, unless one task
 * alone needs more. */
TEST(sums_over_a_large_pool_stay_within_their_memory) {
    static const size_t classes[5] = {2, 64, 500, 1500, 4096};
    for (size_t c = 0; c < 5; c++) {
        dp2dp_pool pool = {.records = (size_t)1 << 40, .strata = 2, .classes = classes[c]};
        double one = 16.0 * (double)(classes[c] * (classes[c] + 1) + 2);
        double most = one > 0x1p28 ? one : 0x1p28;
        double needed = dp2dpi_smooth_memory(&pool);
        assert_true(needed >= 2 * one);
        assert_true(needed <= most + one + 64 * 8.0 * (double)classes[c]);
    }
}

/* The pool has more records than one task sums. */
TEST(threads_do_not_change_the_order_of_additions) {
    OWNED(people) p = people_favoured(20000, 5, 3, 9);
    HANDLE(dp2dp_pool) *one = pool_on(&p, 1), *three = pool_on(&p, 3);
    dp2dp_source first = dp2dp_pool_source(one), second = dp2dp_pool_source(three);
    dp2dp_fit_options options = at(0.03);
    HANDLE(dp2dp_model) *a = fit_source(&first, &options), *b = fit_source(&second, &options);
    assert_memory_equal(dp2dp_model_view(a)->offsets, dp2dp_model_view(b)->offsets,
                        15 * sizeof(double));
    assert_memory_equal(dp2dp_model_view(a)->optimality, dp2dp_model_view(b)->optimality,
                        sizeof(dp2dp_optimality));
}
