/* Method none: the optimum of Σ loss + ½ Λ |W|², Λ the penalty, without a penalty on the bias, by
 * Newton's method. NOT PRIVATE. */
#ifndef DP2DPI_PHASE1_NEWTON_H
#define DP2DPI_PHASE1_NEWTON_H

#include "phase1/train.h"

enum {
    DP2DPI_NEWTON_CELLS_MAX = 1 << 13
};

/* Trains. weights: cells numbers, zero on entry. The options must be resolved
 * (dp2dpi_train_resolve). */
dp2dp_status dp2dpi_newton_train(const dp2dpi_examples *e, const dp2dp_train_options *options,
                                 double *weights, dp2dp_error *error);

#endif
