/* The smoothed dual objective and its derivatives, summed over the pool.
 *
 * F_β(θ) = (1/N) Σ_i β log Σ_k exp((p_ik − θ_ek)/β), where p_ik is the score of record i for class
 * k, e the stratum of record i, and β the smoothing. The Hessian has one block for each stratum. */
#ifndef DP2DPI_PHASE2_SMOOTH_H
#define DP2DPI_PHASE2_SMOOTH_H

#include "base/error.h"
#include "phase2/pool.h"

/* Sums over the records of each stratum, not divided by N. s_ik is the softmax weight of class k
 * for record i; J is the number of strata, K the number of classes. */
typedef struct dp2dpi_smooth {
    double *value;    /* J: Σ β log Σ exp, and at β = 0 Σ max */
    double *accuracy; /* J: Σ_i Σ_k s_ik p_ik, of the softmax rule */
    double *rates;    /* J × K: Σ_i s_ik */
    double *hessian;  /* J × K × K: Σ_i (diag s − s sᵀ)/β, on and below the diagonal */
    double *memory;
    size_t size;     /* number of doubles in the array `memory` */
    double *partial; /* one copy of memory per task */
    double *scratch; /* K doubles per task */
    size_t tasks;
} dp2dpi_smooth;

/* Bytes that dp2dpi_smooth_new allocates. */
double dp2dpi_smooth_memory(const dp2dp_pool *pool);
dp2dp_status dp2dpi_smooth_new(const dp2dp_pool *pool, dp2dpi_smooth *out, dp2dp_error *error);
void dp2dpi_smooth_free(dp2dpi_smooth *smooth);

/* Replaces x, the K numbers that a rule compares, by their softmax with the temperature β, and
 * writes their smoothed maximum to *value. β = 0 puts all weight on the largest, the lowest class
 * on a tie. Returns 1 if more than one class has weight. */
int dp2dpi_soften(double *x, size_t classes, double beta, double *value);

/* Fills all sums at θ. β = 0 uses the maximum itself, with the lowest class on a tie, and gives no
 * Hessian. The order of additions is the same for any number of threads. */
void dp2dpi_smooth_sum(const dp2dp_pool *pool, const double *offsets, double beta,
                       dp2dpi_smooth *smooth);

/* Fills the same sums for the rule as executed: argmax in float32. */
void dp2dpi_smooth_rule(const dp2dp_pool *pool, const double *offsets, dp2dpi_smooth *smooth);

#endif
