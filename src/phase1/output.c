#include "phase1/output.h"

#include <math.h>

#include "base/alloc.h"
#include "num/elementary.h"

enum {
    GRID_BITS_MIN = 36, /* the released weights are multiples of 2^-grid_bits; this is the smallest
                           grid_bits allowed */
    ROWS_MAX = 1000000  /* largest number of rows; with more, rounding errors would use up most of
                           the accuracy γ (output.h) */
};
/* The norm of a row that train.c accepts is at most this number times the schema's norm. The 1e-4
 * covers the rounding errors of the check in train.c, which sums as many as 2^19 squares. */
static const double norm_slack = 1.0 + DP2DPI_TRAIN_NORM_SLACK * (1.0 + 1e-4);
static const double penalty_min = 1e-4;
static const double penalty_max = 1e6;

static double square_of(const dp2dpi_examples *e) {
    return e->norm * norm_slack * e->norm * norm_slack + 1.0;
}

/* Returns the Lipschitz constant of one record's loss. The gradient is (softmax − onehot) ⊗ (row,
 * 1). The factor softmax − onehot has norm at most 1 with one output, and at most √2 with several
 * outputs. */
static double lipschitz_of(const dp2dpi_examples *e) {
    return sqrt((e->outputs == 1 ? 1.0 : 2.0) * square_of(e));
}

/* The default penalty Λ minimises the expected excess loss. The noise costs at most ⅛ |(row, 1)|²
 * (2L/(nΛμ))², and the penalty costs ½ Λ |W|². L is the Lipschitz constant, n the number of
 * records, μ the Gaussian privacy parameter and W the weights. The two costs together are least at
 * Λ³ = ⅛ |(row, 1)|² (2L/(nμ))² · 4/|W|²; the code assumes |W| = 2. */
dp2dp_status dp2dpi_output_resolve(const dp2dpi_examples *e, dp2dp_train_options *used,
                                   dp2dp_error *error) {
    double unit = 0.0;
    if (used->penalty > 0.0) {
        return DP2DP_STATUS_OK;
    }
    if (!isinf(used->epsilon)) {
        dp2dpi_release_terms terms = dp2dpi_train_terms(used, NULL);
        DP2DPI_TRY(dp2dpi_release_unit_sigma(&terms, 1, 0.0, &unit, error));
    }
    double noise = 2.0 * lipschitz_of(e) / (double)e->records * unit;
    double cube = 0.125 * square_of(e) * noise * noise;
    used->penalty = cube > 0.0 ? dp2dpi_exp(dp2dpi_log(cube) / 3.0) : 0.0;
    used->penalty = used->penalty > penalty_min ? used->penalty : penalty_min;
    used->penalty = used->penalty < penalty_max ? used->penalty : penalty_max;
    return DP2DP_STATUS_OK;
}

/* All rounding errors of one step together have the same effect as an error in the gradient.
 * Returns a bound on the norm of that error. `radius` is an upper bound on the norm of every
 * minimiser. docs/proofs/output.md counts the operations. */
static double rounding_of(const dp2dpi_examples *e, const dp2dpi_output_plan *plan, double radius) {
    double n = (double)e->records, outputs = (double)e->outputs;
    double entries = (double)(e->rows->numbers + e->rows->categories);
    return 0.5 * DP2DPI_ULP *
           (plan->lipschitz * (n + 36.0 + 2.0 * outputs) +
            plan->smoothness * radius * (3.0 * entries + 40.0));
}

/* Returns the accuracy γ. γ is small compared with the effect of one record on the weights, and
 * large enough to cover the rounding errors of training. */
static double accuracy_of(const dp2dpi_output_plan *plan, double n) {
    double small = plan->lipschitz * (1e-3 / n > 1e-9 ? 1e-3 / n : 1e-9);
    double accuracy_min = 8.0 * plan->rounding * (1.0 + 1e-9);
    return small > accuracy_min ? small : accuracy_min;
}

dp2dp_status dp2dpi_output_plan_of(const dp2dpi_examples *e, const dp2dp_train_options *options,
                                   dp2dpi_output_plan *plan, dp2dp_error *error) {
    double n = (double)e->records, log_classes = dp2dpi_log((double)e->classes), steps;
    if (e->records > ROWS_MAX) {
        return dp2dpi_fail(
            error, DP2DP_STATUS_ARGUMENT,
            "method output: there are %zu rows, but at most %d are allowed; use method dpgd",
            e->records, ROWS_MAX);
    }
    plan->penalty = options->penalty;
    plan->lipschitz = lipschitz_of(e);
    plan->smoothness = (e->outputs == 1 ? 0.25 : 0.5) * square_of(e) + plan->penalty;
    plan->smoothness = dp2dpi_round_up(plan->smoothness, 8);
    double radius = sqrt(2.0 * log_classes / plan->penalty);
    plan->rounding = rounding_of(e, plan, radius);
    plan->accuracy = accuracy_of(plan, n);
    plan->bound = radius + plan->accuracy / plan->penalty;
    plan->sensitivity = 2.0 * plan->lipschitz / (n * plan->penalty) +
                        2.0 * plan->accuracy / plan->penalty +
                        ldexp(sqrt((double)dp2dpi_examples_cells(e)), -GRID_BITS_MIN);
    plan->sensitivity = dp2dpi_round_up(plan->sensitivity, 16);
    if (!(8.0 * plan->rounding <= 0.1 * plan->penalty * radius)) {
        return dp2dpi_fail(
            error, DP2DP_STATUS_ARGUMENT,
            "penalty = %g is too small for the norm of these rows, because rounding errors would "
            "dominate; choose a larger penalty",
            plan->penalty);
    }
    /* The number of steps T satisfies √(2β (1 − √(Λ/β))^T log K) ≤ γ/2, where β is the smoothness,
     * Λ the penalty, K the number of classes and γ the accuracy. Rounding may use the other half of
     * γ. */
    double root = sqrt(plan->penalty / plan->smoothness);
    steps = 2.0 * dp2dpi_log(2.0 * sqrt(2.0 * plan->smoothness * log_classes) / plan->accuracy) /
            -dp2dpi_log1p(-root);
    if (!(steps < 1e6)) {
        return dp2dpi_fail(
            error, DP2DP_STATUS_ARGUMENT,
            "penalty = %g: too small, because training would take more than a million "
            "steps; choose a larger penalty",
            plan->penalty);
    }
    plan->steps = (uint64_t)(steps < 1.0 ? 1.0 : ceil(steps));
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dpi_output_new(const dp2dpi_examples *e, dp2dpi_output *out, dp2dp_error *error) {
    *out = (dp2dpi_output) {.examples = e};
    DP2DPI_TRY(dp2dpi_logloss_new(e, DP2DPI_LOGLOSS_GRADIENT, &out->loss, error));
    DP2DPI_TRY(DP2DPI_ALLOC(out->ahead, dp2dpi_examples_cells(e), "an iterate", error));
    return DP2DP_STATUS_OK;
}

void dp2dpi_output_free(dp2dpi_output *o) {
    size_t cells = o->examples ? dp2dpi_examples_cells(o->examples) : 0;
    dp2dpi_wipe_and_free(o->ahead, cells * sizeof(double));
    dp2dpi_logloss_free(&o->loss);
    *o = (dp2dpi_output) {0};
}

void dp2dpi_output_solve(dp2dpi_output *o, const dp2dpi_output_plan *plan, double *weights) {
    size_t cells = dp2dpi_examples_cells(o->examples);
    double root = sqrt(plan->penalty / plan->smoothness);
    double n = (double)o->examples->records, *ahead = o->ahead;
    for (uint64_t t = 0; t < plan->steps; t++) {
        dp2dpi_logloss_at(&o->loss, ahead);
        for (size_t c = 0; c < cells; c++) {
            double slope = o->loss.gradient[c] / n + plan->penalty * ahead[c];
            double next = ahead[c] - slope / plan->smoothness;
            ahead[c] = next + (1.0 - root) / (1.0 + root) * (next - weights[c]);
            weights[c] = next;
        }
    }
}

static void to_grid(const double *weights, size_t cells, double bound, int grid_bits,
                    int64_t *out) {
    for (size_t c = 0; c < cells; c++) {
        double w = weights[c] > -bound ? weights[c] : -bound;
        out[c] = (int64_t)ldexp(w < bound ? w : bound, grid_bits);
    }
}

dp2dp_status dp2dpi_output_open(const dp2dpi_examples *e, const dp2dp_train_options *options,
                                dp2dp_ledger *own, dp2dpi_output_plan *plan, dp2dpi_release *out,
                                dp2dp_error *error) {
    dp2dpi_release_terms terms = dp2dpi_train_terms(options, own);
    DP2DPI_TRY(dp2dpi_output_plan_of(e, options, plan, error));
    dp2dpi_release_plan weights = {
        .events = {dp2dpi_release_gaussian(plan->sensitivity, plan->sensitivity,
                                           dp2dpi_examples_cells(e), "weights")},
        .n = 1,
        .most = plan->bound,
        .least_bits = GRID_BITS_MIN};
    return dp2dpi_release_new(&terms, &weights, out, error);
}

dp2dp_status dp2dpi_output_train(const dp2dpi_examples *e, const dp2dp_train_options *options,
                                 dp2dp_ledger *own, double *weights, dp2dp_error *error) {
    size_t cells = dp2dpi_examples_cells(e);
    dp2dpi_output_plan plan;
    dp2dpi_release release = {0};
    dp2dpi_output output = {0};
    dp2dp_status status = DP2DP_STATUS_OK;
    /* All memory is allocated before the charge. A failure after the charge would waste budget. */
    DP2DPI_TRY_OR_DONE(dp2dpi_output_new(e, &output, error));
    DP2DPI_TRY_OR_DONE(dp2dpi_output_open(e, options, own, &plan, &release, error));
    dp2dpi_output_solve(&output, &plan, weights);
    to_grid(weights, cells, plan.bound, release.grid_bits, release.sum);
    DP2DPI_TRY_OR_DONE(dp2dpi_release_draw(&release, 0, cells, release.sum, weights, error));
done:
    dp2dpi_release_free(&release);
    dp2dpi_output_free(&output);
    return status;
}
