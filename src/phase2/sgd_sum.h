/* Sums of per-record gradients of the smoothed dual, on an integer grid. docs/proofs/sgd.md proves
 * the bounds that a release of such a sum relies on. J is the number of groups, K the number of
 * classes. */
#ifndef DP2DPI_PHASE2_SGD_SUM_H
#define DP2DPI_PHASE2_SGD_SUM_H

#include "phase2/pool.h"

/* The point at which the gradient is evaluated. */
typedef struct dp2dpi_sgd_point {
    const double *shares; /* π̄, J */
    const double *nu;     /* ν, J × K */
    double beta;
} dp2dpi_sgd_point;

/* Adds sign · ⌊weight · softmax_β(π̄_e p − ν_e)⌋ to sum (K), one term per class; p are the scores
 * of one record. weight is in grid units, at most 2^62. For any scores, point and rounding the
 * terms are at least 0 and add up to at most bound: this is checked in integers, and it bounds both
 * the ℓ₁ and the ℓ₂ norm. x is scratch for K numbers. */
void dp2dpi_sgd_add(const dp2dp_pool *pool, size_t stratum, size_t member,
                    const dp2dpi_sgd_point *point, double weight, int64_t bound, int64_t sign,
                    double *x, int64_t *sum);

/* Writes to sum the sum over the records with mask[i] = 1, where i counts in the order of the pool.
 * With two groups it has K cells, Σ_i (s_i/π̄_i) softmax_i with s = −1 for the first group and +1
 * for the second. With more groups it is the J × K table Σ_i (1/π̄_i) e_i ⊗ softmax_i, where e_i is
 * the unit vector of the record's group. The unit is C = 1/min π̄, so every record's norm is at
 * most 1 = 2^grid_bits grid units; a record that is left out adds nothing. The sum is exact and the
 * same for any number of threads. */
void dp2dpi_sgd_sum(const dp2dp_pool *pool, const uint8_t *mask, const dp2dpi_sgd_point *point,
                    int grid_bits, int64_t *sum);

/* Number of cells of dp2dpi_sgd_sum. */
size_t dp2dpi_sgd_cells(const dp2dp_pool *pool);

#endif
