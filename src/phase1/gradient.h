/* Sums of clipped per-record terms on an integer grid. dpgd and dpsgd read rows only through these.
 * docs/proofs/dpgd.md has the bound that a release of such a sum relies on. */
#ifndef DP2DPI_PHASE1_GRADIENT_H
#define DP2DPI_PHASE1_GRADIENT_H

#include "base/thread_pool.h"
#include "phase1/train.h"

/* Tasks of one sum, fixed by the sizes; each has its own partial sum. */
size_t dp2dpi_gradient_tasks(const dp2dpi_examples *e);

enum {
    DP2DPI_LEVEL_UNITS = 1 << 12 /* steps of a level between 0 and 1 */
};

/* What a record adds to a sum; v is (its row, 1) with level j counted as levels[j]. */
typedef enum dp2dpi_term {
    DP2DPI_TERM_GRADIENT = 1, /* (softmax − onehot) ⊗ v: the gradient of its loss in the weights */
    DP2DPI_TERM_ROW = 2,      /* v, to the cells of the first output */
    DP2DPI_TERM_SLOPE = 3 /* (softmax − onehot)·z, to the first cell: the derivative of its loss
                             in a common factor of the logits z */
} dp2dpi_term;

typedef struct dp2dpi_look {
    dp2dpi_term term;
    const double *weights; /* cells; they act on unscaled levels; NULL for ROW */
    const double *levels; /* width, from 0 to 1, rounded down to whole units; ignored for numbers */
    double clip;
    int grid_bits;
} dp2dpi_look;

/* Memory for dp2dpi_gradient_sum. */
typedef struct dp2dpi_gradient {
    const dp2dpi_examples *examples;
    size_t tasks;
    dp2dpi_thread_pool *workers;
    int64_t *sum; /* cells: the result */
    int64_t *partial;
    int64_t *units; /* width: the levels */
    float *x;       /* copies of the current rows */
    double *z;
    int32_t *codes;
    double *table;
} dp2dpi_gradient;

/* Ownership: free with dp2dpi_gradient_free, also after failure. */
dp2dp_status dp2dpi_gradient_new(const dp2dpi_examples *e, dp2dpi_gradient *out,
                                 dp2dp_error *error);
void dp2dpi_gradient_free(dp2dpi_gradient *g);

/* The sum over all rows, or over those with mask[i] = 1, of each row's term, clipped to norm clip
 * and rounded towards zero, in units of clip/2^grid_bits. For any row and look, a row's term
 * consists of integers and has ℓ₂ norm at most 2^grid_bits (at most 62); a term that is not finite
 * counts as zero. Exact, and the same for any number of threads and whatever the other rows are. */
void dp2dpi_gradient_sum(dp2dpi_gradient *g, const uint8_t *mask, const dp2dpi_look *look);

#endif
