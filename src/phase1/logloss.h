/* The loss Σ_i −log softmax_label(W (row, 1)) and its derivatives in double precision: for `none`
 * and for the inner problem of `output`. Nothing here is private. The sizes fix the order of all
 * additions, so the number of threads changes nothing. */
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
    size_t every; /* the sums are over one row in `every` (1: all rows); set by the caller */
    size_t cells, size, tasks, short_tasks;
    double value;
    double *gradient; /* cells */
    double *blocks;   /* second derivatives in the weights of one output, for every output: H
                         triangles of width + 1 rows, as in num/triangles.h; NULL without */
    double *product;  /* cells; NULL for one output, which needs only its block */
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

/* Value, gradient and, if wanted, second derivatives at the weights. */
void dp2dpi_logloss_at(dp2dpi_logloss *loss, const double *weights);
/* Value and gradient only, for a fraction of the time. The blocks do not change. */
void dp2dpi_logloss_slope(dp2dpi_logloss *loss, const double *weights);
/* All second derivatives at the weights times a direction, into product. Only slope overwrites it.
 */
void dp2dpi_logloss_multiply(dp2dpi_logloss *loss, const double *weights, const double *direction);

#endif
