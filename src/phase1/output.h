/* Implements method `output`: minimises a strongly convex objective J and adds noise once, to the
 * weights. docs/proofs/output.md derives the sensitivity. */
#ifndef DP2DPI_PHASE1_OUTPUT_H
#define DP2DPI_PHASE1_OUTPUT_H

#include "phase1/logloss.h"
#include "phase1/train.h"

/* The parameters of a run, computed from public numbers alone. n is the number of records, and
 * cells the number of weights. */
typedef struct dp2dpi_output_plan {
    double penalty;    /* the penalty Λ */
    double smoothness; /* smoothness of J: the smoothness of the loss, plus Λ */
    double lipschitz;  /* Lipschitz constant L of one record's loss */
    double rounding;   /* bound on the rounding error of a step, stated as an error of J's
                          gradient */
    double accuracy;   /* accuracy γ: the final weights are within γ/Λ of the minimiser */
    double bound;      /* upper bound on the absolute value of every weight */
    double sensitivity; /* 2L/(nΛ) + 2γ/Λ + h √cells, where h is the largest spacing that the grid
                           can have */
    uint64_t steps;     /* number of steps, enough to reach accuracy γ from zero weights for any
                           rows */
} dp2dpi_output_plan;

/* Computes the plan. Fails with ARGUMENT if the penalty needs too many steps, if the penalty is too
 * small for the rounding errors, or if there are more rows than the proof covers. */
dp2dp_status dp2dpi_output_plan_of(const dp2dpi_examples *e, const dp2dp_train_options *options,
                                   dp2dpi_output_plan *plan, dp2dp_error *error);

/* Fills in the default penalty, which depends only on public numbers. */
dp2dp_status dp2dpi_output_resolve(const dp2dpi_examples *e, dp2dp_train_options *used,
                                   dp2dp_error *error);

/* The memory of a run. It is allocated before anything is charged. */
typedef struct dp2dpi_output {
    const dp2dpi_examples *examples;
    dp2dpi_logloss loss;
    double *ahead; /* the weights at which the next gradient is computed; zero at first */
} dp2dpi_output;

/* Ownership: free with dp2dpi_output_free, also after failure. */
dp2dp_status dp2dpi_output_new(const dp2dpi_examples *e, dp2dpi_output *out, dp2dp_error *error);
void dp2dpi_output_free(dp2dpi_output *output);

/* Computes the weights without noise, by Nesterov's method with constant momentum. weights must be
 * zero on entry. Call this once after each dp2dpi_output_new. */
void dp2dpi_output_solve(dp2dpi_output *output, const dp2dpi_output_plan *plan, double *weights);

/* Trains a classifier. weights has dp2dpi_examples_cells(e) numbers, which must be zero on
 * entry. */
dp2dp_status dp2dpi_output_train(const dp2dpi_examples *e, const dp2dp_train_options *options,
                                 dp2dp_ledger *own, double *weights, dp2dp_error *error);
/* Computes the plan, calibrates the noise of the only release and charges this release to
 * options->ledger, then to *own. Reads only public numbers in *e, not the rows. Ownership: free
 * with dp2dpi_release_free. */
dp2dp_status dp2dpi_output_open(const dp2dpi_examples *e, const dp2dp_train_options *options,
                                dp2dp_ledger *own, dp2dpi_output_plan *plan, dp2dpi_release *out,
                                dp2dp_error *error);

#endif
