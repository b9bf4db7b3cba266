/* Computes the smoothed dual objective and its derivatives, summed over the pool.
 *
 * The objective is F_β(θ) = (1/N) Σ_i β log Σ_k exp((p_ik − θ_ek)/β). p_ik is the score of record i
 * for class k, e the stratum (group) of record i, θ_ek the offset of that stratum, β the smoothing
 * and N the number of records. The Hessian has one block for each stratum. */
#ifndef DP2DPI_PHASE2_SMOOTH_H
#define DP2DPI_PHASE2_SMOOTH_H

#include "base/error.h"
#include "pool/pool.h"

/* Sums over the records of each stratum, not divided by the number of records. For record i and
 * class k, s_ik is the softmax weight and p_ik the score; β is the smoothing. */
typedef struct dp2dpi_smooth {
    double *value; /* one per stratum: Σ_i β log Σ_k exp((p_ik − θ_ek)/β), or the sum of the maxima
                      if β = 0 */
    double *accuracy; /* one per stratum: Σ_i Σ_k s_ik p_ik, the accuracy of the softmax rule */
    double *rates;    /* strata × classes: Σ_i s_ik */
    double *hessian; /* one classes × classes block per stratum: Σ_i (diag s − s sᵀ)/β, on and below
                        the diagonal */
    double *memory;
    size_t size;     /* number of doubles in the array `memory` */
    double *partial; /* for each task, an array laid out like `memory` */
    double *scratch; /* one double per class for each task */
    size_t tasks;
} dp2dpi_smooth;

double dp2dpi_smooth_memory(const dp2dp_pool *pool);
dp2dp_status dp2dpi_smooth_new(const dp2dp_pool *pool, dp2dpi_smooth *out, dp2dp_error *error);
void dp2dpi_smooth_free(dp2dpi_smooth *smooth);

/* Replaces x, the numbers that a rule compares, by their softmax at temperature β, and writes the
 * smoothed maximum of the numbers to *value. With β = 0 the largest number gets all the weight; on
 * a tie, the number of the lowest class gets all the weight. Returns 1 if more than one class has
 * weight. */
int dp2dpi_soften(double *x, size_t classes, double beta, double *value);

/* Fills all sums at the offsets. With β = 0, uses the maximum itself, takes the lowest class on a
 * tie, and computes no Hessian. The order of additions is the same for any number of threads. */
void dp2dpi_smooth_sum(const dp2dp_pool *pool, const double *offsets, double beta,
                       dp2dpi_smooth *smooth);

/* Fills all sums for the rule as it is executed: argmax in float32, without smoothing. */
void dp2dpi_smooth_rule(const dp2dp_pool *pool, const double *offsets, dp2dpi_smooth *smooth);

#endif
