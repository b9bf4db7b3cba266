/* Solver `sgd-as-published`: Algorithm 1 of the paper to the letter. For reproduction only: its ε
 * is not what the paper claims (docs/paper-notes/as-published.md). */
#ifndef DP2DPI_PHASE2_PUBLISHED_H
#define DP2DPI_PHASE2_PUBLISHED_H

#include <dp2dp/fit.h>

#include "phase2/model.h"

/* Checks sizes and options. ARGUMENT if no privacy bound is known for them. */
dp2dp_status dp2dpi_published_check(const dp2dp_pool *pool, const dp2dp_fit_options *options,
                                    dp2dp_error *error);

/* Writes offsets, shares, ledger and epsilon_claimed, and sets the reason NO_BOUND if no useful
 * bound is known. ARGUMENT unless the source is a pool of two groups. */
dp2dp_status dp2dpi_published_fit(const dp2dp_source *source, const dp2dp_fit_options *options,
                                  dp2dp_model *model, dp2dp_error *error);

#endif
