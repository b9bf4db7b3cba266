/* Small symmetric systems are solved or inverted, or refused if they are not positive definite. */
#include "num/cholesky.h"

#include "unit/phase2/data.h"

enum {
    SIZE_MAX_HERE = 12
};

/* B Bᵀ + ridge I. */
static void positive_definite(double *a, size_t n, double ridge, uint64_t *state) {
    double b[SIZE_MAX_HERE * SIZE_MAX_HERE];
    for (size_t i = 0; i < n * n; i++) {
        b[i] = 2 * uniform(state) - 1;
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            a[i * n + j] = i == j ? ridge : 0;
            for (size_t k = 0; k < n; k++) {
                a[i * n + j] += b[i * n + k] * b[j * n + k];
            }
        }
    }
}

TEST(a_solution_solves) {
    uint64_t seed = 3;
    for (int round = 0; round < 200; round++) {
        size_t n = 1 + (size_t)round % SIZE_MAX_HERE;
        double a[SIZE_MAX_HERE * SIZE_MAX_HERE], kept[SIZE_MAX_HERE * SIZE_MAX_HERE];
        double right[SIZE_MAX_HERE], x[SIZE_MAX_HERE];
        positive_definite(a, n, 0.1, &seed);
        memcpy(kept, a, sizeof a);
        for (size_t i = 0; i < n; i++) {
            x[i] = right[i] = 2 * uniform(&seed) - 1;
        }
        assert_int_equal(dp2dpi_cholesky_solve(a, n, x), 1);
        for (size_t i = 0; i < n; i++) {
            double rest = right[i];
            for (size_t j = 0; j < n; j++) {
                rest -= kept[i * n + j] * x[j];
            }
            assert_true(fabs(rest) < 1e-11);
        }
    }
}

TEST(an_inverse_inverts_and_is_symmetric) {
    uint64_t seed = 4;
    for (int round = 0; round < 200; round++) {
        size_t n = 1 + (size_t)round % SIZE_MAX_HERE;
        double a[SIZE_MAX_HERE * SIZE_MAX_HERE], kept[SIZE_MAX_HERE * SIZE_MAX_HERE];
        positive_definite(a, n, 0.1, &seed);
        memcpy(kept, a, sizeof a);
        assert_int_equal(dp2dpi_cholesky_invert(a, n), 1);
        for (size_t i = 0; i < n; i++) {
            for (size_t j = 0; j < n; j++) {
                double sum = i == j ? -1 : 0;
                for (size_t k = 0; k < n; k++) {
                    sum += kept[i * n + k] * a[k * n + j];
                }
                assert_true(fabs(sum) < 1e-10);
                assert_true(a[i * n + j] == a[j * n + i]);
            }
        }
    }
}

TEST(what_is_not_positive_definite_is_refused) {
    static const double bad[4][4] = {{0, 0, 0, 0}, {1, 2, 2, 1}, {-1, 0, 0, 1}, {NAN, 0, 0, 1}};
    for (size_t i = 0; i < 4; i++) {
        double a[4], x[2] = {1, 1};
        memcpy(a, bad[i], sizeof a);
        assert_int_equal(dp2dpi_cholesky_solve(a, 2, x), 0);
        memcpy(a, bad[i], sizeof a);
        assert_int_equal(dp2dpi_cholesky_invert(a, 2), 0);
    }
}
