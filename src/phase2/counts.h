/* Solver `counts`: minimises the dual of the fit by subgradient steps. Every subgradient is
 * computed from a table of counts that was released with noise. */
#ifndef DP2DPI_PHASE2_COUNTS_H
#define DP2DPI_PHASE2_COUNTS_H

#include "base/criterion.h"
#include "decide/model.h"
#include "phase2/counts_release.h"

enum {
    DP2DPI_COUNTS_STEPS = 80,
    DP2DPI_COUNTS_STEPS_LABELLED = 160
};

/* Writes the offsets, shares and ledger of *model. In the options, the caller must have replaced
 * every 0 that stands for a default. Everything except the releases is post-processing. */
dp2dp_status dp2dpi_counts_fit(const dp2dp_source *source, const dp2dp_fit_options *options,
                               const dp2dpi_statistics *statistics, dp2dp_model *model,
                               dp2dp_error *error);

#endif
