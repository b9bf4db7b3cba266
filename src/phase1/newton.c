#include "phase1/newton.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "num/triangles.h"
#include "phase1/logloss.h"

enum {
    STEPS_MAX = 200,
    HALVINGS_MAX = 40,
    PRODUCTS_MAX = 500, /* in one step */
    POLISHING = 2,      /* full steps once the decrement is at the level of rounding */
    VECTORS = 5
};
/* On each bias: too small to move an optimum that exists, enough to have one where a class has no
 * row and the bias would go to infinity. */
static const double bias_penalty = 1e-9;
/* What a step may leave of the gradient, in the norm of the blocks. */
static const double rest_most = 0.1;
static const double rest_least = 1e-3;

typedef struct problem {
    const dp2dpi_examples *e;
    double penalty;
    dp2dpi_logloss loss;
    double *step, *next;               /* cells each */
    double *rest, *direction, *scaled; /* for conjugate gradients */
    double value;                      /* with penalties, where loss was taken last */
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

static double dot(const double *a, const double *b, size_t n) {
    double sum = 0.0;
    for (size_t c = 0; c < n; c++) {
        sum += a[c] * b[c];
    }
    return sum;
}

/* Adding the same vector to the weights of all outputs changes no probability. At the optimum the
 * weights of a feature sum to zero, and so do those of all steps towards it. */
static void centre(const problem *p, double *x) {
    size_t outputs = p->e->outputs;
    for (size_t c = 0; c < p->loss.cells; c += outputs) {
        double mean = 0.0;
        for (size_t h = 0; h < outputs; h++) {
            mean += x[c + h] / (double)outputs;
        }
        for (size_t h = 0; h < outputs; h++) {
            x[c + h] -= mean;
        }
    }
}

/* scaled ← B⁻¹ rest, B the blocks of the outputs. Returns their product. */
static double scale_rest(problem *p) {
    size_t cells = p->loss.cells;
    memcpy(p->scaled, p->rest, cells * sizeof *p->scaled);
    dp2dpi_triangles_solve(p->loss.blocks, p->e->width + 1, p->e->outputs, p->scaled);
    centre(p, p->scaled);
    return dot(p->rest, p->scaled, cells);
}

/* H⁻¹ times the gradient by conjugate gradients, preconditioned by the blocks: they hold what
 * features have to do with each other, and what outputs have is little. Whatever is left, the step
 * goes downhill. */
static void conjugate(problem *p, const double *weights, double tolerance) {
    size_t cells = p->loss.cells;
    memset(p->step, 0, cells * sizeof *p->step);
    memcpy(p->rest, p->loss.gradient, cells * sizeof *p->rest);
    centre(p, p->rest);
    double size = scale_rest(p), enough = tolerance * tolerance * size;
    memcpy(p->direction, p->scaled, cells * sizeof *p->direction);
    for (int i = 0; i < PRODUCTS_MAX && size > enough; i++) {
        dp2dpi_logloss_multiply(&p->loss, weights, p->direction);
        for (size_t c = 0; c < cells; c++) {
            p->loss.product[c] += penalty_of(p, c) * p->direction[c];
        }
        double length = size / dot(p->direction, p->loss.product, cells);
        for (size_t c = 0; c < cells; c++) {
            p->step[c] += length * p->direction[c];
            p->rest[c] -= length * p->loss.product[c];
        }
        double before = size;
        size = scale_rest(p);
        for (size_t c = 0; c < cells; c++) {
            p->direction[c] = p->scaled[c] + size / before * p->direction[c];
        }
    }
}

/* The Newton step from the weights where loss was taken; returns the decrement gᵀ H⁻¹ g, or −1. */
static double solve(problem *p, const double *weights, double tolerance) {
    size_t cells = p->loss.cells, outputs = p->e->outputs;
    for (size_t c = 0; c < cells; c++) {
        size_t place = c / outputs, diagonal = dp2dpi_triangle_size(place) + place;
        p->loss.blocks[diagonal * outputs + c % outputs] += penalty_of(p, c);
    }
    if (!dp2dpi_triangles_factor(p->loss.blocks, p->e->width + 1, outputs)) {
        return -1.0;
    }
    if (outputs == 1) { /* the block is all of H */
        memcpy(p->step, p->loss.gradient, cells * sizeof *p->step);
        dp2dpi_triangles_solve(p->loss.blocks, p->e->width + 1, 1, p->step);
    } else {
        conjugate(p, weights, tolerance);
    }
    return dot(p->loss.gradient, p->step, cells);
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
    double tolerance = rest_most;
    evaluate(p, weights);
    for (int t = 0; t < STEPS_MAX && polished < POLISHING; t++) {
        double decrement = solve(p, weights, tolerance);
        if (!(decrement >= 0.0)) {
            break;
        }
        /* As exact as the quadratic is: that keeps the convergence of exact steps. */
        tolerance = fmax(fmin(rest_most, sqrt(decrement / p->value)), rest_least);
        if (decrement <= 1e-10 + 1e-12 * p->value) {
            for (size_t c = 0; c < p->loss.cells; c++) {
                weights[c] -= p->step[c];
            }
            evaluate(p, weights);
            tolerance = rest_least;
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
                           "none: %zu weights; it keeps square matrices and takes at most %d",
                           cells, DP2DPI_NEWTON_CELLS_MAX);
    }
    dp2dp_status status = dp2dpi_logloss_new(e, DP2DPI_LOGLOSS_HESSIAN, &p.loss, error);
    if (status == DP2DP_STATUS_OK &&
        (status = dp2dpi_alloc_for("a Newton step", VECTORS * cells, sizeof(double), &memory,
                                   error)) == DP2DP_STATUS_OK) {
        p.step = memory;
        p.next = p.step + cells;
        p.rest = p.next + cells;
        p.direction = p.rest + cells;
        p.scaled = p.direction + cells;
        status = iterate(&p, weights, error);
    }
    dp2dpi_free(memory);
    dp2dpi_logloss_free(&p.loss);
    return status;
}
