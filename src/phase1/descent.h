/* Methods dpgd and dpsgd: noisy gradient descent with momentum. The result is the average of the
 * last iterates. Everything here except the released sums is post-processing. train.h defines
 * width, cells and n. */
#ifndef DP2DPI_PHASE1_DESCENT_H
#define DP2DPI_PHASE1_DESCENT_H

#include "phase1/gradient.h"

typedef struct dp2dpi_descent {
    dp2dpi_gradient gradient;
    dp2dpi_release release;
    uint8_t *mask;   /* n bytes: 1 for a sampled record, those with a row first; NULL for dpgd */
    double *levels;  /* width numbers: the weight of each level, 1 at first */
    double *applied; /* one number per cell: weights times levels */
    double batch;    /* expected number of records in one sum */
} dp2dpi_descent;

/* Calibrates the noise of all releases and charges the releases to options->ledger, then to *own.
 * Uses only the sizes of the rows. The options must be resolved (dp2dpi_train_resolve). Ownership:
 * free with dp2dpi_release_free. */
dp2dp_status dp2dpi_descent_open(const dp2dpi_examples *e, const dp2dp_train_options *options,
                                 dp2dp_ledger *own, dp2dpi_release *out, dp2dp_error *error);

/* Allocates the memory of a run and opens its releases. Ownership: free with dp2dpi_descent_free,
 * also after failure. */
dp2dp_status dp2dpi_descent_new(const dp2dpi_examples *e, const dp2dp_train_options *options,
                                dp2dp_ledger *own, dp2dpi_descent *out, dp2dp_error *error);
void dp2dpi_descent_free(dp2dpi_descent *d);

/* Releases the noisy mean of the records' terms, each clipped to norm clip, and writes its cells
 * numbers to out. The terms are those of rows in which level j counts as d->levels[j] instead of
 * 1. */
dp2dp_status dp2dpi_descent_release(dp2dpi_descent *d, dp2dpi_term term, const double *weights,
                                    double clip, double *out, dp2dp_error *error);

/* Trains a classifier. weights: one number per cell, zero on entry. */
dp2dp_status dp2dpi_descent_train(const dp2dpi_examples *e, const dp2dp_train_options *options,
                                  dp2dp_ledger *own, double *weights, dp2dp_error *error);
/* Fills in the defaults of steps, step_size and batch, which depend only on public numbers. */
dp2dp_status dp2dpi_descent_resolve(const dp2dpi_examples *e, dp2dp_train_options *used,
                                    dp2dp_error *error);

#endif
