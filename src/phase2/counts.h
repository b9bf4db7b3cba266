/* Solver `counts`: noisy subgradient steps on the dual, every gradient a released table of counts.
 */
#ifndef DP2DPI_PHASE2_COUNTS_H
#define DP2DPI_PHASE2_COUNTS_H

#include "phase2/counts_release.h"

enum {
    DP2DPI_COUNTS_STEPS = 80
};

/* Writes θ (J × K) and the shares (J). Options are resolved: no 0 stands for a default.
 * Post-processing of the releases. */
dp2dp_status dp2dpi_counts_solve(dp2dpi_counts_releases *releases, const dp2dp_fit_options *options,
                                 double *offsets, double *shares, dp2dp_error *error);

#endif
