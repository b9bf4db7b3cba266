/* Computes the smoothed dual objective of rules that multiply weights by offsets, summed over the
 * pool.
 *
 * A record has a score q_k for each class k and a weight w_(g,y) for each group g and label y. A
 * statistic s is the rate of one class among the people whose label is in a set. θ_gs is the offset
 * of s in group g, and ω_gs is the sum of w_(g,y) over the labels y in the set of s. The rule
 * compares
 *     v_k = q_k − Σ_gs ω_gs θ_gs [class of s is k].
 * The objective is Σ_i β log Σ_k exp(v_ik/β), where i counts records and β is the smoothing. If the
 * rule sees the group, the variables θ form one block for each group, because a record's ω is 0 for
 * all groups but its own. Otherwise there is a single block. */
#ifndef DP2DPI_PHASE2_SMOOTH_COMBINED_H
#define DP2DPI_PHASE2_SMOOTH_COMBINED_H

#include "base/criterion.h"
#include "pool/pool.h"

/* Sums over all records i, not divided by the number of records. h_ik is the softmax weight of
 * class k. The other symbols are defined at the top of this file. */
typedef struct dp2dpi_sums {
    const dp2dp_pool *pool;
    const dp2dpi_statistics *statistics;
    size_t groups, blocks, size; /* number of groups, of blocks, and of variables in a block */
    double value;     /* Σ_i β log Σ_k exp(v_ik/β), or the sum of the maxima if β = 0 */
    double accuracy;  /* Σ_i Σ_k h_ik q_ik */
    double *constant; /* one per class k: Σ_i q_ik, the accuracy of giving everybody class k */
    double *given;    /* groups × statistics: Σ_i ω_igs h_ik, where k is the class of s */
    double *people;   /* groups × statistics: Σ_i ω_igs */
    double *strata;   /* one per stratum (g,y): sum of the weights */
    double *hessian;  /* blocks × size × size, on and below the diagonal */
    double *memory, *scratch;
    size_t length, tasks;
} dp2dpi_sums;

double dp2dpi_sums_memory(const dp2dp_pool *pool, const dp2dpi_statistics *statistics);
/* Ownership: free with dp2dpi_sums_free, also after failure. Borrows pool and statistics. */
dp2dp_status dp2dpi_sums_new(const dp2dp_pool *pool, const dp2dpi_statistics *statistics,
                             dp2dpi_sums *out, dp2dp_error *error);
void dp2dpi_sums_free(dp2dpi_sums *sums);

/* Fills all sums at θ (groups × statistics). With β = 0, uses the maximum itself, takes the lowest
 * class on a tie, and computes no Hessian. The order of additions is the same for any number of
 * threads. */
void dp2dpi_sums_fill(dp2dpi_sums *sums, const double *theta, double beta);
/* Fills all sums for the rule as it is executed, in float32, with the offsets in table (strata ×
 * classes). */
void dp2dpi_sums_rule(dp2dpi_sums *sums, const float *table);

#endif
