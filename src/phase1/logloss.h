/* Computes the loss Σ_i −log p_i and its derivatives with respect to the weights W, in double
 * precision. p_i is the probability that softmax(W (row_i, 1)) gives to the label of row i. Method
 * `none` and the optimisation inside method `output` minimise this loss.
 *
 * Adds no noise, so the results are not private. The order of all additions depends only on the
 * sizes, so the result is the same for any number of threads. */
#ifndef DP2DPI_PHASE1_LOGLOSS_H
#define DP2DPI_PHASE1_LOGLOSS_H

#include "phase1/train.h"

typedef enum dp2dpi_logloss_order {
    DP2DPI_LOGLOSS_GRADIENT = 1,
    DP2DPI_LOGLOSS_HESSIAN = 2
} dp2dpi_logloss_order;

typedef struct dp2dpi_logloss {
    const dp2dpi_examples *examples;
    dp2dpi_logloss_order order;
    size_t every; /* the sums use one row in `every`; 1 means all rows. Set by the caller */
    size_t cells, size, tasks, short_tasks;
    double value;
    double *gradient; /* one number per cell (weight) */
    double *blocks;   /* for each output, the second derivatives with respect to its weights: a
                         triangle of width + 1 rows (num/triangles.h). NULL for order GRADIENT */
    double *product;  /* result of dp2dpi_logloss_multiply, one number per cell (weight). NULL for
                         order GRADIENT. Also NULL if there is one output, because its block is then
                         the whole Hessian */
    double *partial, *short_sums;
    double *scratch;
    float *floats; /* copies of the current rows */
    int32_t *words;
    size_t *places;
} dp2dpi_logloss;

/* Ownership: free with dp2dpi_logloss_free, also after failure. */
dp2dp_status dp2dpi_logloss_new(const dp2dpi_examples *e, dp2dpi_logloss_order order,
                                dp2dpi_logloss *out, dp2dp_error *error);
void dp2dpi_logloss_free(dp2dpi_logloss *loss);

/* Computes value and gradient at these weights. For order HESSIAN, also computes blocks. */
void dp2dpi_logloss_at(dp2dpi_logloss *loss, const double *weights);
/* Computes only value and gradient, which is much faster. Leaves the blocks of the Hessian
 * unchanged. */
void dp2dpi_logloss_slope(dp2dpi_logloss *loss, const double *weights);
/* Sets loss->product to the product of the Hessian at these weights and the direction. Only this
 * function and dp2dpi_logloss_slope overwrite product. */
void dp2dpi_logloss_multiply(dp2dpi_logloss *loss, const double *weights, const double *direction);

#endif
