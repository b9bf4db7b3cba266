/* Plans and exact gradients for the tests of method output. */
#ifndef DP2DP_TESTS_PRIVACY_OUTPUT_DATA_H
#define DP2DP_TESTS_PRIVACY_OUTPUT_DATA_H

#include "phase1/output.h"

#include "unit/phase1/data.h"

enum {
    CLASSES_MAX = 3
};

static inline dp2dp_train_options options_for(double epsilon, double penalty) {
    dp2dp_train_options options = train_seeded(DP2DP_TRAIN_OUTPUT, epsilon, 1);
    options.penalty = penalty;
    return options;
}

static inline dp2dpi_output_plan plan_for(const crowd *c, double penalty) {
    dp2dp_train_options options = options_for(1, penalty);
    dp2dpi_examples e = crowd_examples(c);
    dp2dpi_output_plan plan;
    assert_ok(dp2dpi_output_plan_of(&e, &options, &plan, NULL));
    return plan;
}

/* Adds `factor` times the gradient of row i, (softmax − onehot) ⊗ (row, 1), to `slope`: in long
 * double, for rows of numbers only, without any of the code under test. */
static inline void add_slope(const crowd *c, size_t i, const long double *weights,
                             long double factor, long double *slope) {
    size_t H = c->classes == 2 ? 1 : c->classes, D = c->rows.numbers;
    long double z[CLASSES_MAX] = {0}, total = H == 1;
    for (size_t h = 0; h < H; h++) {
        for (size_t j = 0; j <= D; j++) {
            long double v = j < D ? (long double)c->rows.scale[i] * c->rows.x[i * D + j] : 1;
            z[h] += v * weights[j * H + h];
        }
        total += z[h] = expl(z[h]);
    }
    for (size_t h = 0; h < H; h++) {
        long double rest = z[h] / total - ((size_t)c->labels[i] == (H == 1 ? 1 : h));
        for (size_t j = 0; j <= D; j++) {
            long double v = j < D ? (long double)c->rows.scale[i] * c->rows.x[i * D + j] : 1;
            slope[j * H + h] += factor * rest * v;
        }
    }
}

#endif
