/* The sums behind solver sgd: gradients of the smoothed dual, bounded record by record. */
#include "unit/phase2/sgd_data.h"

/* Compares the gradient with central differences of the smoothed dual: for two groups along λ¹,
 * with ν = s λ¹, for more groups along each ν. */
TEST(gradients_are_those_of_the_smoothed_dual) {
    static const double shares[2][3] = {{0.3, 0.7, 0}, {0.2, 0.5, 0.3}};
    for (size_t groups = 2; groups <= 3; groups++) {
        OWNED(people) p = people_favoured(300, 4, groups, 70);
        open_fit f = begin(&p, full_batch(0));
        const double *pi = shares[groups - 2];
        double nu[12], out[12], ignored[12];
        uint64_t seed = 5;
        for (size_t c = 0; c < 4; c++) {
            nu[4 + c] = 0.2 * uniform(&seed) - 0.1;
            nu[c] = -nu[4 + c];
            nu[8 + c] = 0.1 * uniform(&seed);
        }
        assert_ok(dp2dpi_sgd_gradient(&f.releases, pi, nu, out, NULL));
        for (size_t c = 0; c < (groups == 2 ? 4 : 12); c++) {
            double value[2], h = 1e-5;
            for (int side = 0; side < 2; side++) {
                double moved[12];
                memcpy(moved, nu, sizeof moved);
                moved[groups == 2 ? 4 + c : c] += side ? h : -h;
                if (groups == 2) {
                    moved[c] -= side ? h : -h;
                }
                value[side] = smoothed_dual(&p, pi, moved, 0.05, ignored);
            }
            double slope = (value[1] - value[0]) / (2 * h);
            if (!(fabs(slope + out[c]) < 1e-7)) {
                fail_msg("%zu groups, cell %zu: slope %.9g, minus gradient %.9g", groups, c, slope,
                         out[c]);
            }
        }
        end(&f);
    }
}

/* The two blocks of the gradient, ρ − v and ρ + v, cannot both be smaller than ρ. */
TEST(the_larger_block_of_the_gradient_is_never_below_rho) {
    OWNED(people) p = people_favoured(500, 3, 2, 73);
    open_fit f = begin(&p, full_batch(0.1));
    uint64_t seed = 9;
    static const double shares[2] = {0.5, 0.5};
    for (int i = 0; i < 200; i++) {
        double nu[6], v[3], largest = 0;
        for (size_t k = 0; k < 3; k++) {
            nu[3 + k] = uniform(&seed) - 0.5;
            nu[k] = -nu[3 + k];
        }
        assert_ok(dp2dpi_sgd_gradient(&f.releases, shares, nu, v, NULL));
        for (size_t k = 0; k < 3; k++) {
            largest = fmax(largest, fmax(fabs(0.1 - v[k]), fabs(0.1 + v[k])));
        }
        assert_true(largest >= 0.1);
    }
    end(&f);
}

/* Ĥ(λ) = Σ_s Ê_s LSE_β + ρ Σ (λ¹ + λ²) and its 2K derivatives, λ from ν of the second group. */
static double penalised(const people *p, const double *shares, const double *nu, double rho,
                        double beta, double *gradient) {
    double both[32] = {0}, rates[32], value = 0;
    for (size_t k = 0; k < 3; k++) {
        both[k] = -nu[k];
        both[3 + k] = nu[k];
        value += rho * fabs(nu[k]);
    }
    value += smoothed_dual(p, shares, both, beta, rates);
    for (size_t k = 0; k < 3; k++) {
        gradient[k] = rho - (rates[3 + k] - rates[k]);
        gradient[3 + k] = rho + (rates[3 + k] - rates[k]);
    }
    return value;
}

/* ‖∇Ĥ(λ) − ∇Ĥ(λ̂)‖₁² ≤ (16/β)(Ĥ(λ) − Ĥ(λ̂)), λ̂ the minimiser; without the second gradient, as
 * printed, it fails at λ̂ itself, where the right side is 0 and the left at least ρ². */
TEST(gradients_near_the_least_differ_by_no_more_than_the_gap_allows) {
    OWNED(people) p = people_favoured(200, 3, 2, 75);
    dp2dp_fit_options options = full_batch(0.05);
    const double beta = options.beta;
    options.step_size = 0.2;
    options.steps = 20000;
    options.tail = 0;
    HANDLE(dp2dp_model) *model = fit_people(&p, &options);
    const dp2dp_model_info *info = dp2dp_model_view(model);
    double least[3], at_least[6], gradient[6], nu[3], tightest = 0;
    uint64_t seed = 13;
    for (size_t k = 0; k < 3; k++) {
        least[k] = info->offsets[3 + k] * info->shares[1];
    }
    double bottom = penalised(&p, info->shares, least, 0.05, beta, at_least);
    assert_true(fabs(least[0]) > 0.01); /* the constraint binds */
    for (int i = 0; i < 2000; i++) {
        double size = pow(10, -2 * uniform(&seed)), moved = 0, printed = 0;
        for (size_t k = 0; k < 3; k++) {
            nu[k] = least[k] + size * (uniform(&seed) - 0.5);
        }
        double gap = penalised(&p, info->shares, nu, 0.05, beta, gradient) - bottom;
        for (size_t c = 0; c < 6; c++) {
            moved += fabs(gradient[c] - at_least[c]);
            printed += fabs(gradient[c]);
        }
        assert_true(gap > -1e-9);
        assert_true(moved * moved <= 16 / beta * gap + 1e-6);
        assert_true(printed >= 0.05);
        tightest = fmax(tightest, moved * moved / (16 / beta * gap + 1e-6));
    }
    assert_true(tightest > 0.01);
    double printed = 0;
    for (size_t c = 0; c < 6; c++) {
        printed += fabs(at_least[c]);
    }
    assert_true(printed >= 0.05);
}

enum {
    BITS = 44,
    CROWD = 12
};

/* Draws the scores of a record that may move the sum most: one sure class, equal scores, near ties,
 * or random scores. */
static void mischief(people *p, size_t row, uint64_t *seed) {
    double raw[8];
    uint64_t kind = draw(seed) % 4;
    size_t sure = draw(seed) % p->classes;
    for (size_t k = 0; k < p->classes; k++) {
        raw[k] = kind == 0   ? (double)(k == sure)
                 : kind == 1 ? 1
                 : kind == 2 ? 1 + 1e-6 * uniform(seed)
                             : uniform(seed) + 1e-9;
    }
    people_set(p, row, raw);
    p->group[row] = (int32_t)(draw(seed) % p->groups);
}

/* ‖a − b‖ in units of C; squares of sums up to 2^46 are exact enough in 64 bits of mantissa. */
static double distance(const int64_t *a, const int64_t *b, size_t n) {
    long double squares = 0;
    for (size_t i = 0; i < n; i++) {
        long double d = (long double)(a[i] - b[i]);
        squares += d * d;
    }
    return (double)(sqrtl(squares) / (long double)((int64_t)1 << BITS));
}

/* 20,000 pairs of neighbouring pools with many kinds of shares, offsets, β and ties. The replaced
 * record is always sampled, which is the worst case. The sum over one record has an ℓ₁ norm of at
 * most 1. */
TEST(a_replaced_record_moves_the_sum_by_no_more_than_charged) {
    double most[2] = {0, 0};
    uint64_t seed = 11;
    for (int run = 0; run < 20000; run++) {
        size_t groups = 2 + draw(&seed) % 2, classes = 2 + draw(&seed) % 4;
        OWNED(people) p = people_new(CROWD, classes, groups);
        double shares[3], nu[15], size = pow(10, 6 * uniform(&seed) - 5);
        uint8_t mask[CROWD], only[CROWD] = {0};
        int64_t sum[2][15], zero[15] = {0};
        dp2dpi_sgd_point point = {shares, nu, pow(10, 7 * uniform(&seed) - 7)};
        for (size_t c = 0; c < 15; c++) {
            shares[c % 3] = draw(&seed) % 3 ? 0.5 : 0.002 + uniform(&seed);
            nu[c] = draw(&seed) % 3 ? 0 : size * (uniform(&seed) - 0.5);
        }
        for (size_t i = 0; i < CROWD; i++) {
            mischief(&p, i, &seed);
            mask[i] = 1;
        }
        for (int side = 0; side < 2; side++) {
            HANDLE(dp2dp_pool) *pool = pool_of(&p);
            size_t cells = dp2dpi_sgd_cells(pool);
            dp2dpi_sgd_sum(pool, mask, &point, BITS, sum[side]);
            for (size_t i = 0; i < CROWD && run % 20 == 0; i++) {
                int64_t alone[15], total = 0;
                only[i] = 1;
                dp2dpi_sgd_sum(pool, only, &point, BITS, alone);
                only[i] = 0;
                for (size_t c = 0; c < cells; c++) {
                    total += alone[c] < 0 ? -alone[c] : alone[c];
                }
                assert_true(total <= (int64_t)1 << BITS);
                assert_true(distance(alone, zero, cells) <= 1);
            }
            if (side == 1) {
                most[groups - 2] = fmax(most[groups - 2], distance(sum[0], sum[1], cells));
            }
            mischief(&p, 0, &seed);
        }
    }
    print_message("moved by %.9f (two groups) and %.9f (three), in units of C\n", most[0], most[1]);
    assert_true(most[0] <= 2 && most[0] > 1.999);
    assert_true(most[1] <= sqrt(2) && most[1] > 1.414);
}

/* Integer arithmetic enforces the bound: with a weight 1.5 times too large, the terms still add up
 * to the bound. */
TEST(the_norm_is_checked_in_integers) {
    OWNED(people) p = people_random(4, 3, 2, 1000, 74);
    HANDLE(dp2dp_pool) *pool = pool_of(&p);
    static const double shares[2] = {0.5, 0.5}, nu[6] = {0};
    dp2dpi_sgd_point point = {shares, nu, 1};
    const int64_t bound = (int64_t)1 << BITS;
    double x[3];
    for (size_t e = 0; e < 2; e++) {
        for (size_t i = 0; i < pool->begin[e + 1] - pool->begin[e]; i++) {
            int64_t sum[3] = {0};
            dp2dpi_sgd_add(pool, e, i, &point, 1.5 * (double)bound, bound, 1, x, sum);
            assert_true(sum[0] >= 0 && sum[1] >= 0 && sum[2] >= 0);
            assert_true(sum[0] + sum[1] + sum[2] == bound);
        }
    }
}

/* Offsets of a small group may be large; bringing them within the bound changes no decision. */
TEST(bounded_offsets_decide_as_the_others_do) {
    uint64_t seed = 21;
    int cut = 0;
    for (int run = 0; run < 5000; run++) {
        double nu[8], plain[8], shares[2] = {0.002 + 0.3 * uniform(&seed), 0.9};
        double bound = 1 + uniform(&seed);
        for (int c = 0; c < 8; c++) {
            nu[c] = 2 * uniform(&seed) - 1;
            plain[c] = nu[c] / shares[c / 4];
        }
        dp2dpi_sgd_offsets(nu, shares, 2, 4, bound);
        for (int c = 0; c < 8; c++) {
            assert_true(fabs(nu[c]) <= bound);
            cut += fabs(nu[c] - plain[c]) > 1e-9;
        }
        for (size_t e = 0; e < 2; e++) {
            size_t best[2] = {0, 0};
            double p[4];
            for (size_t k = 0; k < 4; k++) {
                p[k] = 2 * uniform(&seed);
                best[0] = p[k] - nu[4 * e + k] > p[best[0]] - nu[4 * e + best[0]] ? k : best[0];
                best[1] =
                    p[k] - plain[4 * e + k] > p[best[1]] - plain[4 * e + best[1]] ? k : best[1];
            }
            assert_int_equal(best[0], best[1]);
        }
    }
    assert_true(cut > 5000);
}
