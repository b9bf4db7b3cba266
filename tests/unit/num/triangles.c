/* Triangles that are factored and solved together give the same solutions as one by one. */
#include "num/triangles.h"

#include "unit/phase2/data.h"

enum {
    ROWS_MOST = 12,
    COUNT_MOST = 5
};

typedef struct systems {
    double full[COUNT_MOST][ROWS_MOST][ROWS_MOST];
    double a[COUNT_MOST * ROWS_MOST * (ROWS_MOST + 1) / 2];
    double right[COUNT_MOST * ROWS_MOST];
} systems;

/* B Bᵀ + 0.1 I for every matrix. */
static void fill(systems *s, size_t n, size_t count, uint64_t *state) {
    for (size_t h = 0; h < count; h++) {
        double b[ROWS_MOST][ROWS_MOST];
        for (size_t i = 0; i < n; i++) {
            s->right[i * count + h] = 2 * uniform(state) - 1;
            for (size_t j = 0; j < n; j++) {
                b[i][j] = 2 * uniform(state) - 1;
            }
        }
        for (size_t i = 0; i < n; i++) {
            for (size_t j = 0; j < n; j++) {
                double sum = i == j ? 0.1 : 0;
                for (size_t k = 0; k < n; k++) {
                    sum += b[i][k] * b[j][k];
                }
                s->full[h][i][j] = sum;
                if (j <= i) {
                    s->a[(dp2dpi_triangle_size(i) + j) * count + h] = sum;
                }
            }
        }
    }
}

TEST(a_solution_solves_every_system) {
    uint64_t seed = 3;
    for (int round = 0; round < 300; round++) {
        size_t n = 1 + (size_t)round % ROWS_MOST, count = 1 + (size_t)round % COUNT_MOST;
        systems s;
        double x[COUNT_MOST * ROWS_MOST];
        fill(&s, n, count, &seed);
        memcpy(x, s.right, sizeof x);
        assert_int_equal(dp2dpi_triangles_factor(s.a, n, count), 1);
        dp2dpi_triangles_solve(s.a, n, count, x);
        for (size_t h = 0; h < count; h++) {
            for (size_t i = 0; i < n; i++) {
                double rest = s.right[i * count + h];
                for (size_t j = 0; j < n; j++) {
                    rest -= s.full[h][i][j] * x[j * count + h];
                }
                assert_true(fabs(rest) < 1e-11);
            }
        }
    }
}

TEST(one_matrix_that_is_not_positive_definite_is_enough_to_refuse) {
    for (size_t bad = 0; bad < 3; bad++) {
        double a[3 * 3] = {1, 1, 1, 0.5, 0.5, 0.5, 1, 1, 1};
        a[2 * 3 + bad] = 0.25;
        assert_int_equal(dp2dpi_triangles_factor(a, 2, 3), 0);
        double nan[3 * 3] = {1, 1, 1, 0.5, 0.5, 0.5, 1, 1, 1};
        nan[1 * 3 + bad] = NAN;
        assert_int_equal(dp2dpi_triangles_factor(nan, 2, 3), 0);
    }
}
