/* Computes sums of per-record gradients of the smoothed dual on an integer grid. docs/proofs/sgd.md
 * proves the bounds that a release of these sums relies on. */
#ifndef DP2DPI_PHASE2_SGD_SUM_H
#define DP2DPI_PHASE2_SGD_SUM_H

#include "pool/pool.h"

typedef struct dp2dpi_sgd_point {
    const double *shares; /* estimated share π̄ of each stratum (group) */
    const double *nu;     /* strata × classes: the variables ν of the dual */
    double beta;
} dp2dpi_sgd_point;

/* Adds sign · t_k to sum[k] for each class k, where t = ⌊weight · softmax_β(π̄ p − ν)⌋. p are the
 * scores of one record, π̄ and ν the share and the variables of its stratum. weight is in grid
 * units, at most 2^62. x is scratch for one number per class.
 *
 * Every t_k is at least 0, and the sum of all t_k is at most `bound`, for any scores, ν and
 * rounding, because the code enforces this in integers. So `bound` limits both the ℓ₁ and the ℓ₂
 * norm of what is added. */
void dp2dpi_sgd_add(const dp2dp_pool *pool, size_t stratum, size_t member,
                    const dp2dpi_sgd_point *point, double weight, int64_t bound, int64_t sign,
                    double *x, int64_t *sum);

/* Writes to `sum` a sum over the records i with mask[i] = 1 (mask is in the order of the pool):
 *     two groups, one cell per class:        Σ_i (s_i/π̄_i) softmax_i
 *     more groups, a groups × classes table: Σ_i (1/π̄_i) e_i ⊗ softmax_i
 * π̄_i is the share of the record's group, and e_i the unit vector of that group. s_i is −1 for the
 * first group and +1 for the second. The unit of the sum is C = 1/min π̄, so the term of one record
 * has norm at most 1, which is 2^grid_bits grid units. A record that is left out adds nothing. The
 * sum is exact and is the same for any number of threads. */
void dp2dpi_sgd_sum(const dp2dp_pool *pool, const uint8_t *mask, const dp2dpi_sgd_point *point,
                    int grid_bits, int64_t *sum);

size_t dp2dpi_sgd_cells(const dp2dp_pool *pool);

#endif
