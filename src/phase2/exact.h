/* Solver `exact`: solves the dual without noise and certifies the result. NOT PRIVATE. J is the
 * number of groups, K the number of classes. */
#ifndef DP2DPI_PHASE2_EXACT_H
#define DP2DPI_PHASE2_EXACT_H

#include <dp2dp/fit.h>

#include "base/criterion.h"
#include "phase2/pool.h"

/* Divides by the records that are not left out; DATA if there are none. Writes the offsets θ (J ×
 * K), the group shares (J) and the proof. On success, dual − primal is at most 1e-6; otherwise the
 * status is NO_BOUND and the message gives the gap, so a worse rule is never returned silently. Of
 * the options it uses only ρ and the progress callback. */
dp2dp_status dp2dpi_exact_solve(const dp2dp_pool *pool, const dp2dp_fit_options *options,
                                double *offsets, double *shares, dp2dp_optimality *proof,
                                dp2dp_error *error);

/* DATA if all records are left out. */
dp2dp_status dp2dpi_exact_check(const dp2dp_pool *pool, dp2dp_error *error);
/* NO_BOUND unless dual − primal is at most 1e-6. */
dp2dp_status dp2dpi_exact_check_gap(const dp2dp_optimality *proof, dp2dp_error *error);

/* The two algorithms behind dp2dpi_exact_solve; the caller gives the shares. Newton's method is for
 * any J and K, sorting for J = K = 2. */
dp2dp_status dp2dpi_exact_newton(const dp2dp_pool *pool, const dp2dp_fit_options *options,
                                 const double *shares, double *offsets, dp2dp_optimality *proof,
                                 dp2dp_error *error);
dp2dp_status dp2dpi_exact_binary(const dp2dp_pool *pool, const dp2dp_fit_options *options,
                                 const double *shares, double *offsets, dp2dp_optimality *proof,
                                 dp2dp_error *error);

/* Solves the dual of any criterion for rules that multiply weights by offsets, with the weights in
 * place of labels. Writes Θ (J × K), the shares of the strata, and the proof, in which "unfairness
 * at most ρ" means at most ρ + 1e-7. Errors as dp2dpi_exact_solve. */
dp2dp_status dp2dpi_exact_combined(const dp2dp_pool *pool, const dp2dp_fit_options *options,
                                   const dp2dpi_statistics *statistics, double *offsets,
                                   double *shares, dp2dp_optimality *proof, dp2dp_error *error);

#endif
