/* Methods dpgd and dpsgd: noisy gradient descent with momentum. The result is the average of the
 * last iterates. Rows are read only to compute the sums that are released; the rest is
 * post-processing. train.h defines width, cells, levels and n. */
#ifndef DP2DPI_PHASE1_DESCENT_H
#define DP2DPI_PHASE1_DESCENT_H

#include "phase1/sums.h"

typedef struct dp2dpi_descent {
    const dp2dpi_examples *examples;
    dp2dpi_gradient gradient; /* sums the rows; unused if a caller's source does that */
    dp2dpi_release release;   /* release.sum is the buffer for one sum */
    int has_rows;   /* 1 if release.sum already holds the sum of the rows, which the caller's source
                       gave before the charge */
    uint8_t *mask;  /* one byte per record, 1 if the record is sampled; NULL for dpgd */
    double *levels; /* the factor of each feature, 1 at first. Training changes the factors of
                       levels (train.h), not those of numeric features */
    double *applied; /* one number per cell: the weight times the factor of its feature */
    double batch;    /* expected number of records in one sum */
} dp2dpi_descent;

/* Calibrates the noise of all releases and charges them to options->ledger, then to *own. Reads
 * only the number of rows and their sizes, not the rows themselves. The options must come from
 * dp2dpi_train_resolve. Ownership: free with dp2dpi_release_free. */
dp2dp_status dp2dpi_descent_open(const dp2dpi_examples *e, const dp2dp_train_options *options,
                                 dp2dp_ledger *own, dp2dpi_release *out, dp2dp_error *error);

/* Allocates the memory of a training run, and calibrates and charges its releases. If the sums come
 * from a caller's source, asks it the first question before the charge. Ownership: free with
 * dp2dpi_descent_free, also after failure. */
dp2dp_status dp2dpi_descent_new(const dp2dpi_examples *e, const dp2dp_train_options *options,
                                dp2dp_ledger *own, dp2dpi_descent *out, dp2dp_error *error);
void dp2dpi_descent_free(dp2dpi_descent *d);

/* Releases the noisy mean of the records' terms. Each term is clipped to norm `clip`. Multiplies
 * feature j of every row by d->levels[j] before clipping. Writes one number per cell to out. */
dp2dp_status dp2dpi_descent_release(dp2dpi_descent *d, dp2dp_term term, const double *weights,
                                    double clip, double *out, dp2dp_error *error);

/* Trains a classifier. weights has one number per cell and must be zero on entry. */
dp2dp_status dp2dpi_descent_train(const dp2dpi_examples *e, const dp2dp_train_options *options,
                                  dp2dp_ledger *own, double *weights, dp2dp_error *error);
/* Fills in the defaults of steps, step_size and batch. The defaults depend only on public
 * numbers. */
dp2dp_status dp2dpi_descent_resolve(const dp2dpi_examples *e, dp2dp_train_options *used,
                                    dp2dp_error *error);

#endif
