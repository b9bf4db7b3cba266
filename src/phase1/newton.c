/* Method `none`: minimises Σ loss + ½ Λ |W|² by Newton's method. W are the weights without the
 * bias, and Λ is the penalty. NOT PRIVATE. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "num/elementary.h"
#include "num/triangles.h"
#include "phase1/logloss.h"

enum {
    CELLS_MAX = 1 << 13, /* largest number of weights; limits the memory of second derivatives */
    STEPS_MAX = 200,
    HALVINGS_MAX = 40,
    PRODUCTS_MAX = 500, /* largest number of products with the Hessian per step */
    PART = 8,           /* training starts on samples of the rows; each sample has one eighth of the
                           rows of the next larger sample */
    PART_ROWS_MIN = 16, /* the smallest sample has at least this many rows per weight */
    PART_STEPS = 20,
    KEPT_MAX = 6, /* computing new second derivatives costs about as much as this many steps with
                     old ones */
    VECTORS = 5
};
/* The penalty on each bias. It is too small to change the trained weights noticeably. If a class
 * has no row, the bias of that class would diverge without this penalty. */
static const double bias_penalty = 1e-9;
/* Largest and smallest tolerance with which conjugate() solves for a step. The size of a residual r
 * is √(rᵀ B⁻¹ r), where B is the matrix of precondition(). conjugate() stops once the size is at
 * most the tolerance times the size at the start. */
static const double residual_max = 0.1;
static const double residual_min = 1e-3;
/* Iteration ends with the first step whose decrement (see solve) is below this fraction of the
 * objective. After this step, any further decrease would be rounding error. */
static const double last_part = 1e-24;
/* If the decrement is above this fraction of the previous decrement, the second derivatives are
 * outdated or rounding errors dominate. iterate() then computes new second derivatives, or stops.
 */
static const double decrease_max = 0.25;

typedef struct problem {
    const dp2dpi_examples *e;
    /* The penalties divided by loss.every, because the loss sums only one row in `every`. */
    double penalty, bias_penalty;
    dp2dpi_logloss loss;
    int fresh; /* 1 if loss.blocks were computed at the weights where loss was last evaluated */
    double *step, *next;
    double *residual, *direction, *scaled; /* for conjugate gradients */
    double value; /* loss plus penalties at the weights where loss was last evaluated */
} problem;

static double penalty_of(const problem *p, size_t cell) {
    return cell < p->e->width * p->e->outputs ? p->penalty : p->bias_penalty;
}

static void evaluate(problem *p, const double *weights, int second) {
    if (second) {
        dp2dpi_logloss_at(&p->loss, weights);
    } else {
        dp2dpi_logloss_slope(&p->loss, weights);
    }
    p->fresh = second;
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

/* Subtracts the mean over the outputs from the weights of each feature. This changes no
 * probability, and the mean is zero at the optimum. */
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

/* Computes scaled ← B⁻¹ residual, where B is the block-diagonal part of the Hessian, with one block
 * per output. Returns the dot product of residual and scaled. */
static double precondition(problem *p) {
    size_t cells = p->loss.cells;
    memcpy(p->scaled, p->residual, cells * sizeof *p->scaled);
    dp2dpi_triangles_solve(p->loss.blocks, p->e->width + 1, p->e->outputs, p->scaled);
    centre(p, p->scaled);
    return dot(p->residual, p->scaled, cells);
}

/* Solves H step = gradient, where H is the Hessian, by conjugate gradients. The preconditioner is
 * the block-diagonal part of H, one block per output. It contains the coupling between features but
 * not the coupling between outputs, which is weak. Even an inexact step is a descent direction. */
static void conjugate(problem *p, const double *weights, double tolerance) {
    size_t cells = p->loss.cells;
    memset(p->step, 0, cells * sizeof *p->step);
    memcpy(p->residual, p->loss.gradient, cells * sizeof *p->residual);
    centre(p, p->residual);
    double size = precondition(p), enough = tolerance * tolerance * size;
    memcpy(p->direction, p->scaled, cells * sizeof *p->direction);
    for (int i = 0; i < PRODUCTS_MAX && size > enough; i++) {
        dp2dpi_logloss_multiply(&p->loss, weights, p->direction);
        for (size_t c = 0; c < cells; c++) {
            p->loss.product[c] += penalty_of(p, c) * p->direction[c];
        }
        double length = size / dot(p->direction, p->loss.product, cells);
        for (size_t c = 0; c < cells; c++) {
            p->step[c] += length * p->direction[c];
            p->residual[c] -= length * p->loss.product[c];
        }
        double before = size;
        size = precondition(p);
        for (size_t c = 0; c < cells; c++) {
            p->direction[c] = p->scaled[c] + size / before * p->direction[c];
        }
    }
}

static int factor(problem *p) {
    size_t outputs = p->e->outputs;
    for (size_t c = 0; c < p->loss.cells; c++) {
        size_t place = c / outputs, diagonal = dp2dpi_triangle_size(place) + place;
        p->loss.blocks[diagonal * outputs + c % outputs] += penalty_of(p, c);
    }
    return dp2dpi_triangles_factor(p->loss.blocks, p->e->width + 1, outputs);
}

/* Computes the Newton step at the weights where loss was last evaluated. Factors the blocks only if
 * they are fresh. Returns the decrement gᵀ H⁻¹ g, where g is the gradient and H the Hessian, or −1
 * if a block is not positive definite. */
static double solve(problem *p, const double *weights, double tolerance) {
    size_t cells = p->loss.cells;
    if (p->fresh && !factor(p)) {
        return -1.0;
    }
    if (p->e->outputs == 1) { /* the block is the whole Hessian */
        memcpy(p->step, p->loss.gradient, cells * sizeof *p->step);
        dp2dpi_triangles_solve(p->loss.blocks, p->e->width + 1, 1, p->step);
    } else {
        conjugate(p, weights, tolerance);
    }
    return dot(p->loss.gradient, p->step, cells);
}

static void take_step(const problem *p, const double *weights, double length, double *to) {
    for (size_t c = 0; c < p->loss.cells; c++) {
        to[c] = weights[c] - length * p->step[c];
    }
}

/* Halves the step until the objective falls by at least 1e-4 of the decrease that the slope
 * predicts (Armijo's rule). Then moves the weights, evaluates loss at the new weights and returns
 * 1. Returns 0 if no step length succeeds. */
static int advance(problem *p, double *weights, double decrement, int second) {
    double before = p->value, length = 1.0;
    for (int i = 0; i < HALVINGS_MAX; i++) {
        take_step(p, weights, length, p->next);
        evaluate(p, p->next, second);
        if (p->value <= before - 1e-4 * length * decrement) {
            memcpy(weights, p->next, p->loss.cells * sizeof *weights);
            return 1;
        }
        length *= 0.5;
    }
    return 0;
}

/* Returns the tolerance for the next step. A step need not be more exact than the quadratic model
 * of the objective, which is itself an approximation. */
static double tolerance_for(const problem *p, double decrement) {
    return fmax(fmin(residual_max, sqrt(decrement / p->value)), residual_min);
}

static void restrict_to(problem *p, size_t every, double penalty) {
    p->loss.every = every;
    p->penalty = penalty / (double)every;
    p->bias_penalty = bias_penalty / (double)every;
}

/* Finds a first guess from a small sample of the rows and improves the guess on larger samples.
 * Iteration on a sample ends once the decrement (see solve) is at most the number of weights. At
 * the optimum of all rows, the decrement on a sample is about that large, so more steps on the
 * sample would not bring the weights closer to this optimum. */
static void approach(problem *p, double *weights, double penalty) {
    size_t count = p->e->rows->count, cells = p->loss.cells, every = 1;
    while (count / every / PART >= PART_ROWS_MIN * cells) {
        every *= PART;
    }
    for (; every > 1; every /= PART) {
        double decrement = INFINITY, tolerance = residual_max;
        restrict_to(p, every, penalty);
        evaluate(p, weights, 1);
        for (int t = 0; t < PART_STEPS && decrement > (double)cells; t++) {
            decrement = solve(p, weights, tolerance);
            tolerance = tolerance_for(p, decrement);
            if (!(decrement >= 0.0) ||
                (decrement > (double)cells && !advance(p, weights, decrement, 1))) {
                break;
            }
        }
        if (decrement >= 0.0 && decrement <= (double)cells) {
            take_step(p, weights, 1.0, weights);
        }
    }
    restrict_to(p, 1, penalty);
}

/* Returns 1 if the next step should compute new second derivatives, because KEPT_MAX more steps
 * with the present ones would not reach the end of the iteration (see last_part). Assumes that each
 * of these steps multiplies the decrement by `left`, as the last step did. If the present second
 * derivatives are fresh or there are several outputs, assumes left² instead. */
static int is_far(const problem *p, double decrement, double left) {
    double leaves = p->fresh || p->e->outputs > 1 ? left * left : left;
    for (int i = 0; i < KEPT_MAX; i++) {
        decrement *= leaves;
    }
    return decrement > last_part * p->value;
}

/* Evaluates the objective at the first guess in `weights`. If it is clearly larger than the
 * objective at zero weights, sets the weights to zero. At zero weights the loss of every row is the
 * logarithm of the number of classes. */
static void begin(problem *p, double *weights) {
    double at_zero = (double)p->e->rows->count * dp2dpi_log((double)p->e->classes);
    evaluate(p, weights, 1);
    if (!(p->value <= 1.1 * at_zero)) {
        memset(weights, 0, p->loss.cells * sizeof *weights);
        evaluate(p, weights, 1);
    }
}

static int iterate(problem *p, double *weights) {
    double tolerance = residual_max, before = INFINITY, left = 1.0;
    begin(p, weights);
    for (int t = 0; t < STEPS_MAX; t++) {
        int fresh = p->fresh;
        double decrement = solve(p, weights, tolerance);
        double rounding = 1e-10 + 1e-12 * p->value;
        if (!(decrement >= 0.0)) {
            return 0;
        }
        int falls = decrement <= decrease_max * before;
        if (decrement <= last_part * p->value || (decrement <= rounding && fresh && !falls)) {
            take_step(p, weights, 1.0, weights);
            return 1;
        }
        if (!fresh && !falls) {
            evaluate(p, weights, 1);
            continue;
        }
        left = before < INFINITY ? fmin(decrement / before, 1.0) : 1.0;
        before = decrement;
        tolerance = tolerance_for(p, decrement);
        int second = is_far(p, decrement, left);
        if (decrement <= rounding) {
            tolerance = residual_min;
            take_step(p, weights, 1.0, weights);
            evaluate(p, weights, second);
        } else if (!advance(p, weights, decrement, second)) {
            if (fresh) {
                return 0;
            }
            evaluate(p, weights, 1);
        }
    }
    return 0;
}

dp2dp_status dp2dpi_newton_train(const dp2dpi_examples *e, const dp2dp_train_options *options,
                                 double *weights, dp2dp_error *error) {
    size_t cells = dp2dpi_examples_cells(e);
    problem p = {.e = e};
    if (cells > CELLS_MAX) {
        return dp2dpi_fail(
            error, DP2DP_STATUS_ARGUMENT,
            "method none: the classifier has %zu weights, but this method allows at most "
            "%d; use fewer features or another method",
            cells, CELLS_MAX);
    }
    dp2dp_status status = DP2DP_STATUS_OK;
    DP2DPI_TRY_OR_DONE(dp2dpi_logloss_new(e, DP2DPI_LOGLOSS_HESSIAN, &p.loss, error));
    DP2DPI_TRY_OR_DONE(DP2DPI_ALLOC(p.step, VECTORS * cells, "a Newton step", error));
    p.next = p.step + cells;
    p.residual = p.next + cells;
    p.direction = p.residual + cells;
    p.scaled = p.direction + cells;
    approach(&p, weights, options->penalty);
    if (!iterate(&p, weights)) {
        status =
            dp2dpi_fail(error, DP2DP_STATUS_INTERNAL,
                        "training with method \"none\" did not converge; try a larger penalty, or "
                        "features with a smaller range");
    }
done:
    dp2dpi_free(p.step);
    dp2dpi_logloss_free(&p.loss);
    return status;
}
