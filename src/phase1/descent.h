/* Implements the methods dpgd and dpsgd: noisy gradient descent with momentum. The trained weights
 * are the average of the last iterates. The code reads rows only to compute sums, and releases
 * these sums with noise. Everything else is post-processing of the noisy sums. train.h defines
 * width, cells, levels and n. */
#ifndef DP2DPI_PHASE1_DESCENT_H
#define DP2DPI_PHASE1_DESCENT_H

#include "phase1/sums.h"

typedef struct dp2dpi_descent {
    const dp2dpi_examples *examples;
    dp2dpi_gradient gradient; /* computes the sums over the rows; not used if a caller's source
                                 computes the sums */
    dp2dpi_release release;   /* release.sum is the buffer for one sum */
    int has_rows;    /* 1 if release.sum already holds the sum of the rows. A caller's source gives
                        this sum before the charge */
    uint8_t *mask;   /* one byte per record, 1 if the record is sampled; NULL for dpgd */
    double *levels;  /* one factor for each feature, 1 at first. Training changes only the factors
                        of levels of categorical columns (train.h) */
    double *applied; /* one number per cell: the weight times the factor of its feature */
    double batch;    /* expected number of records in one sum */
} dp2dpi_descent;

/* Calibrates the noise of all releases and charges them, first to options->ledger, then to *own.
 * Reads only public numbers in *e, not the rows. The options must come from dp2dpi_train_resolve.
 * Ownership: free with dp2dpi_release_free. */
dp2dp_status dp2dpi_descent_open(const dp2dpi_examples *e, const dp2dp_train_options *options,
                                 dp2dp_ledger *own, dp2dpi_release *out, dp2dp_error *error);

/* Allocates the memory of a training run, and calibrates and charges its releases. If the sums come
 * from a caller's source, asks the source for the first sum before it charges. Ownership: free with
 * dp2dpi_descent_free, also after failure. */
dp2dp_status dp2dpi_descent_new(const dp2dpi_examples *e, const dp2dp_train_options *options,
                                dp2dp_ledger *own, dp2dpi_descent *out, dp2dp_error *error);
void dp2dpi_descent_free(dp2dpi_descent *d);

/* Computes one term for each record, with feature j of its row multiplied by d->levels[j]. `term`
 * says which term: the gradient, the row or the slope (dp2dp_term). Clips each term to norm `clip`,
 * and writes the noisy mean of the clipped terms to out, one number per cell (weight). */
dp2dp_status dp2dpi_descent_release(dp2dpi_descent *d, dp2dp_term term, const double *weights,
                                    double clip, double *out, dp2dp_error *error);

/* Trains a classifier. weights has dp2dpi_examples_cells(e) numbers, which must be zero on
 * entry. */
dp2dp_status dp2dpi_descent_train(const dp2dpi_examples *e, const dp2dp_train_options *options,
                                  dp2dp_ledger *own, double *weights, dp2dp_error *error);
/* Fills in the defaults of steps, step_size and batch. The defaults depend only on public
 * numbers. */
dp2dp_status dp2dpi_descent_resolve(const dp2dpi_examples *e, dp2dp_train_options *used,
                                    dp2dp_error *error);

#endif
