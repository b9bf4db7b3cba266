/* The smoothed dual objective of rules that multiply weights by offsets, summed over the pool.
 *
 * A record has scores q_k and weights w_e over the strata. With θ_gs the offset of statistic s in
 * group g, and ω_gs = Σ w_(g,y) over the labels y in the set of s, the rule compares
 *     v_k = q_k − Σ_gs ω_gs θ_gs [class of s is k].
 * The objective is Σ_i β log Σ_k exp(v_ik/β). The variables fall into blocks: one for each group if
 * the rule sees the group, because ω is then 0 for all other groups; otherwise a single one. */
#ifndef DP2DPI_PHASE2_SMOOTH_COMBINED_H
#define DP2DPI_PHASE2_SMOOTH_COMBINED_H

#include "base/criterion.h"
#include "phase2/pool.h"

/* Sums over all records, not divided by N. h_ik is the softmax weight of class k. D is the number
 * of variables of a block. */
typedef struct dp2dpi_sums {
    const dp2dp_pool *pool;
    const dp2dpi_statistics *statistics;
    size_t groups, blocks, size; /* G, number of blocks, D */
    double value;                /* Σ β log Σ exp, and at β = 0 Σ max */
    double accuracy;             /* Σ_i Σ_k h_ik q_ik */
    double *constant; /* K numbers: Σ_i q_ik, the accuracy of always deciding for class k */
    double *given;    /* G × S: Σ_i ω_igs h_ik, with k the class of s */
    double *people;   /* G × S: Σ_i ω_igs */
    double *strata;   /* J: Σ_i w_ie */
    double *hessian;  /* blocks × D × D, on and below the diagonal */
    double *memory, *scratch;
    size_t length, tasks;
} dp2dpi_sums;

/* Bytes that dp2dpi_sums_new allocates. */
double dp2dpi_sums_memory(const dp2dp_pool *pool, const dp2dpi_statistics *statistics);
/* Ownership: free with dp2dpi_sums_free, also after failure; borrows both arguments. */
dp2dp_status dp2dpi_sums_new(const dp2dp_pool *pool, const dp2dpi_statistics *statistics,
                             dp2dpi_sums *out, dp2dp_error *error);
void dp2dpi_sums_free(dp2dpi_sums *sums);

/* Fills all sums at θ (G × S). β = 0 uses the maximum itself, with the lowest class on a tie, and
 * gives no Hessian. The order of additions is the same for any number of threads. */
void dp2dpi_sums_fill(dp2dpi_sums *sums, const double *theta, double beta);
/* Fills the same sums for the rule with the offsets table (J × K) as executed: in float32. */
void dp2dpi_sums_rule(dp2dpi_sums *sums, const float *table);

#endif
