/* Methods dpgd and dpsgd: noisy gradient descent with momentum and an average of the last iterates.
 * Everything here but the released sums is post-processing. */
#ifndef DP2DPI_PHASE1_DESCENT_H
#define DP2DPI_PHASE1_DESCENT_H

#include "phase1/gradient.h"

enum {
    DP2DPI_DESCENT_STEPS = 200
};

typedef struct dp2dpi_descent {
    dp2dpi_gradient gradient;
    dp2dpi_release release;
    uint8_t *mask;   /* dpsgd: n; else NULL */
    double *levels;  /* width: the weight of each level, at first 1 */
    double *applied; /* cells: weights times levels */
    double batch;    /* expected records in a sum */
} dp2dpi_descent;

/* Calibrates and charges. options as used. Ownership: free with dp2dpi_descent_free, also after
 * failure. */
dp2dp_status dp2dpi_descent_new(const dp2dpi_examples *e, const dp2dp_train_options *options,
                                dp2dp_ledger *own, dp2dpi_descent *out, dp2dp_error *error);
void dp2dpi_descent_free(dp2dpi_descent *d);

/* The mean of the records' terms, each clipped to norm clip, with noise: cells numbers. Weights
 * apply to rows whose levels count as d->levels says. */
dp2dp_status dp2dpi_descent_release(dp2dpi_descent *d, dp2dpi_term term, const double *weights,
                                    double clip, double *out, dp2dp_error *error);

/* weights: cells numbers, zero on entry. */
dp2dp_status dp2dpi_descent_train(const dp2dpi_examples *e, const dp2dp_train_options *options,
                                  dp2dp_ledger *own, double *weights, dp2dp_error *error);
/* Charges the same to options->ledger and does nothing else: the rows are not read. */
dp2dp_status dp2dpi_descent_charge(const dp2dpi_examples *e, const dp2dp_train_options *options,
                                   dp2dp_error *error);

/* The defaults of steps, step_size and batch, from public numbers alone. */
dp2dp_status dp2dpi_descent_resolve(const dp2dpi_examples *e, dp2dp_train_options *used,
                                    dp2dp_error *error);

#endif
