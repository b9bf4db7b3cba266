#include "phase1/newton.h"

#include <string.h>

#include "base/alloc.h"
#include "num/cholesky.h"
#include "phase1/logloss.h"

enum {
    STEPS_MAX = 200,
    HALVINGS_MAX = 40,
    POLISHING = 2 /* full steps once the decrement is at the level of rounding */
};
/* On each bias: too small to move an optimum that exists, enough to have one where a class has no
 * row and the bias would go to infinity. */
static const double bias_penalty = 1e-9;

typedef struct problem {
    const dp2dpi_examples *e;
    double penalty;
    dp2dpi_logloss loss;
    double *step; /* cells */
    double *next; /* cells */
    double value; /* with penalties, where loss was taken last */
} problem;

static double penalty_of(const problem *p, size_t cell) {
    return cell < p->e->width * p->e->outputs ? p->penalty : bias_penalty;
}

static void evaluate(problem *p, const double *weights) {
    dp2dpi_logloss_at(&p->loss, weights);
    p->value = p->loss.value;
    for (size_t c = 0; c < p->loss.cells; c++) {
        p->value += 0.5 * penalty_of(p, c) * weights[c] * weights[c];
        p->loss.gradient[c] += penalty_of(p, c) * weights[c];
    }
}

/* The Newton step; returns the decrement gᵀ H⁻¹ g, or −1. Adding the same number to all biases
 * changes nothing, so their block gets a matrix of ones, which is orthogonal to the gradient. */
static double solve(problem *p) {
    size_t cells = p->loss.cells, outputs = p->e->outputs, first = cells - outputs;
    double *hessian = p->loss.hessian, decrement = 0.0;
    for (size_t c = 0; c < cells; c++) {
        hessian[c * cells + c] += penalty_of(p, c);
        p->step[c] = p->loss.gradient[c];
    }
    for (size_t g = first; g < cells && outputs > 1; g++) {
        for (size_t h = first; h < cells; h++) {
            hessian[g * cells + h] += 1.0;
        }
    }
    if (!dp2dpi_cholesky_solve(hessian, cells, p->step)) {
        return -1.0;
    }
    for (size_t c = 0; c < cells; c++) {
        decrement += p->loss.gradient[c] * p->step[c];
    }
    return decrement;
}

/* Halves the step until the objective falls by a fair part of what the slope promises. Returns 0 if
 * it never does. Leaves everything taken at the new weights. */
static int advance(problem *p, double *weights, double decrement) {
    double before = p->value, length = 1.0;
    for (int i = 0; i < HALVINGS_MAX; i++) {
        for (size_t c = 0; c < p->loss.cells; c++) {
            p->next[c] = weights[c] - length * p->step[c];
        }
        evaluate(p, p->next);
        if (p->value <= before - 1e-4 * length * decrement) {
            memcpy(weights, p->next, p->loss.cells * sizeof *weights);
            return 1;
        }
        length *= 0.5;
    }
    return 0;
}

static dp2dp_status iterate(problem *p, double *weights, dp2dp_error *error) {
    int polished = 0;
    evaluate(p, weights);
    for (int t = 0; t < STEPS_MAX && polished < POLISHING; t++) {
        double decrement = solve(p);
        if (decrement < 0.0) {
            break;
        }
        if (decrement <= 1e-10 + 1e-12 * p->value) {
            for (size_t c = 0; c < p->loss.cells; c++) {
                weights[c] -= p->step[c];
            }
            evaluate(p, weights);
            polished++;
        } else if (!advance(p, weights, decrement)) {
            break;
        }
    }
    return polished == POLISHING
               ? DP2DP_STATUS_OK
               : dp2dpi_fail(error, DP2DP_STATUS_INTERNAL,
                             "none: Newton's method did not reach the optimum; a larger penalty "
                             "or features of a smaller range help");
}

dp2dp_status dp2dpi_newton_train(const dp2dpi_examples *e, const dp2dp_train_options *options,
                                 double *weights, dp2dp_error *error) {
    size_t cells = dp2dpi_examples_cells(e);
    problem p = {.e = e, .penalty = options->penalty};
    void *memory = NULL;
    if (cells > DP2DPI_NEWTON_CELLS_MAX) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "none: %zu weights; it keeps a square matrix and takes at most %d",
                           cells, DP2DPI_NEWTON_CELLS_MAX);
    }
    dp2dp_status status = dp2dpi_logloss_new(e, DP2DPI_LOGLOSS_HESSIAN, &p.loss, error);
    if (status == DP2DP_STATUS_OK &&
        (status = dp2dpi_alloc_for("a Newton step", 2 * cells, sizeof(double), &memory, error)) ==
            DP2DP_STATUS_OK) {
        p.step = memory;
        p.next = p.step + cells;
        status = iterate(&p, weights, error);
    }
    dp2dpi_free(memory);
    dp2dpi_logloss_free(&p.loss);
    return status;
}
