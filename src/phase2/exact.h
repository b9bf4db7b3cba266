/* Solver `exact`: the dual, solved without noise and certified. Not private. */
#ifndef DP2DPI_PHASE2_EXACT_H
#define DP2DPI_PHASE2_EXACT_H

#include <dp2dp/model.h>

#include "phase2/pool.h"

/* Writes θ (J × K) and the shares (J). dual − primal is at most 1e-6, or the status is NO_BOUND and
 * the message gives the gap: never a rule that is quietly worse. */
dp2dp_status dp2dpi_exact_solve(const dp2dp_pool *pool, double rho, double *offsets, double *shares,
                                dp2dp_optimality *proof, dp2dp_error *error);

#endif
