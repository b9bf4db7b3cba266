/* Solver `exact`: solves the dual without noise and certifies the result. NOT PRIVATE. */
#ifndef DP2DPI_PHASE2_EXACT_H
#define DP2DPI_PHASE2_EXACT_H

#include <dp2dp/fit.h>

#include "base/criterion.h"
#include "pool/pool.h"

/* Writes the offsets (strata × classes), the share of each stratum (here a group) and the proof of
 * optimality. Fails with NO_BOUND, and a message that gives the gap, if `proof->dual −
 * proof->primal` is above 1e-6. Fails with DATA if all records are left out. Rates count only
 * records that are not left out. Uses only rho and the progress callback of the options. */
dp2dp_status dp2dpi_exact_solve(const dp2dp_pool *pool, const dp2dp_fit_options *options,
                                double *offsets, double *shares, dp2dp_optimality *proof,
                                dp2dp_error *error);

/* Fails with DATA if all records are left out. */
dp2dp_status dp2dpi_exact_check(const dp2dp_pool *pool, dp2dp_error *error);
/* Fails with NO_BOUND if `proof->dual − proof->primal` is above 1e-6. */
dp2dp_status dp2dpi_exact_check_gap(const dp2dp_optimality *proof, dp2dp_error *error);

/* dp2dpi_exact_solve computes the shares and then calls one of these two functions.
 * dp2dpi_exact_newton works for any number of groups and classes. dp2dpi_exact_binary solves by
 * sorting, and works only for two groups and two classes. */
dp2dp_status dp2dpi_exact_newton(const dp2dp_pool *pool, const dp2dp_fit_options *options,
                                 const double *shares, double *offsets, dp2dp_optimality *proof,
                                 dp2dp_error *error);
dp2dp_status dp2dpi_exact_binary(const dp2dp_pool *pool, const dp2dp_fit_options *options,
                                 const double *shares, double *offsets, dp2dp_optimality *proof,
                                 dp2dp_error *error);

/* Solves the dual of any criterion, for rules that use weights: each record has a weight (a
 * probability) for each stratum (pair of group and label), and the rule multiplies this weight by
 * the stratum's offsets. A record's own label is not used: the record counts for every label, in
 * proportion to its weight for that label.
 *
 * Writes the offsets (strata × classes), the shares of the strata and the proof. The proof allows
 * an unfairness up to ρ + 1e-7. Fails like dp2dpi_exact_solve. */
dp2dp_status dp2dpi_exact_combined(const dp2dp_pool *pool, const dp2dp_fit_options *options,
                                   const dp2dpi_statistics *statistics, double *offsets,
                                   double *shares, dp2dp_optimality *proof, dp2dp_error *error);

/* Returns DP2DP_WARNING_MOST_LEFT_OUT if most records of the pool are left out, else 0. Not
 * private, because the result depends on the exact number of records left out. */
unsigned dp2dpi_exact_warn(const dp2dp_pool *pool);

#endif
