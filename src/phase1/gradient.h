/* Computes sums of clipped per-record terms on an integer grid. The methods dpgd and dpsgd read
 * rows only through these sums. docs/proofs/dpgd.md proves a bound on one record's term; the noise
 * relies on this bound. */
#ifndef DP2DPI_PHASE1_GRADIENT_H
#define DP2DPI_PHASE1_GRADIENT_H

#include "base/thread_pool.h"
#include "phase1/train.h"

/* Returns the number of tasks that compute one sum. Each task has its own partial sum. The number
 * of tasks depends only on public sizes. */
size_t dp2dpi_gradient_tasks(const dp2dpi_examples *e);

enum {
    DP2DPI_LEVEL_UNITS = 1 << 12 /* the factor of a level (train.h) is a multiple of 2^-12 */
};

/* Says which sum to compute. Has the members of dp2dp_gradient_question except the sizes, which are
 * in dp2dpi_examples. */
typedef struct dp2dpi_look {
    dp2dp_term term;
    /* The weights of the model (cells), already multiplied by the factors of the levels. NULL for
     * TERM_ROW. */
    const double *weights;
    const double *levels; /* the factor of each feature, a multiple of 1/DP2DPI_LEVEL_UNITS from 0
                             to 1; any other number is rounded down; ignored for numeric features */
    double clip;
    int grid_bits;
} dp2dpi_look;

typedef struct dp2dpi_gradient {
    const dp2dpi_examples *examples;
    const uint8_t *mask; /* one byte per row, 1 if the row is to be summed; NULL means all rows.
                            Used only by the source that dp2dpi_sums_of makes */
    size_t tasks;
    dp2dpi_thread_pool *workers;
    int64_t *sum; /* the result, one number per cell, that is, per weight of the model */
    int64_t *partial;
    int64_t *units; /* the factors of the features in units of 1/DP2DPI_LEVEL_UNITS */
    float *x;       /* copies of the current rows */
    double *z;
    int32_t *codes;
    double *table;
} dp2dpi_gradient;

/* Ownership: free with dp2dpi_gradient_free, also after failure. */
dp2dp_status dp2dpi_gradient_new(const dp2dpi_examples *e, dp2dpi_gradient *out,
                                 dp2dp_error *error);
void dp2dpi_gradient_free(dp2dpi_gradient *g);

/* Computes one term for every row, or for the rows with mask[i] = 1 if mask is not NULL, and writes
 * the sum of the terms to g->sum. Each term is clipped to norm look->clip and rounded towards zero,
 * in units of clip/2^grid_bits, where grid_bits ≤ 62. A term consists of integers and has ℓ₂ norm
 * at most 2^grid_bits, for any row and any *look. A term that is not finite counts as zero.
 *
 * The sum is exact and is the same for any number of threads. A row's term does not depend on other
 * rows. */
void dp2dpi_gradient_sum(dp2dpi_gradient *g, const uint8_t *mask, const dp2dpi_look *look);

#endif
