/* Solver `sgd-as-published`: Algorithm 1 of the paper exactly as printed, for reproduction only.
 * Its ε is not what the paper claims (docs/paper-notes/as-published.md). */
#ifndef DP2DPI_PHASE2_SGD_AS_PUBLISHED_H
#define DP2DPI_PHASE2_SGD_AS_PUBLISHED_H

#include <dp2dp/fit.h>

#include "decide/model.h"

/* Writes offsets, shares, ledger and epsilon_claimed. Adds the reason NO_BOUND if no useful bound
 * is known. Fails with ARGUMENT if the pool does not have two groups. */
dp2dp_status dp2dpi_published_fit(const dp2dp_pool *pool, const dp2dp_fit_options *options,
                                  dp2dp_model *model, dp2dp_error *error);

#endif
