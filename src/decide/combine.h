/* The inner loop of the rules that multiply weights by offsets. Every number is a float32 and every
 * sum is added in the same order, so every instruction set gives the same decisions. */
#ifndef DP2DPI_DECIDE_COMBINE_H
#define DP2DPI_DECIDE_COMBINE_H

#include <stddef.h>
#include <stdint.h>

/* Records, stored column by column: score k of record i is scores[k × stride + i], and weight j of
 * record i is weights[j × stride + i]. If factors are given, `weights` has only parts / labels
 * columns, and weight j × labels + y of record i is weights[j × stride + i] times factors[y ×
 * stride + i], rounded to float32. */
typedef struct dp2dpi_combination {
    const float *scores, *weights;
    size_t stride;
    size_t classes, parts; /* number of scores and number of weights */
    const float *factors;  /* stored like the scores, one column for each label; or NULL */
    size_t labels;         /* number of columns of `factors` */
    const float *offsets;  /* one row for each weight, one column for each class */
} dp2dpi_combination;

enum {
    DP2DPI_COMBINE_BLOCK = 256 /* the columns of this many records fit into the cache */
};

/* Sets which[i] = argmax_k scores_k − Σ_j weights_j offsets[j classes + k] of record i, for i < n ≤
 * DP2DPI_COMBINE_BLOCK. The sum is added in the order j = 0, 1, …, and the lowest k wins a tie. */
void dp2dpi_combine(const dp2dpi_combination *c, size_t n, int32_t *which);

/* Decides like dp2dpi_combine for records whose sums Σ_j weights_j offsets[j classes + k] are
 * already in column k of shifts. */
void dp2dpi_combine_shifted(const float *scores, const float *shifts, size_t stride, size_t n,
                            size_t classes, int32_t *which);

/* Sets values[k] = scores_k − Σ_j weights_j offsets[j classes + k] of one record, for each class k.
 * All faster functions must agree with this function. The record's scores and weights must be
 * adjacent, and there must be no factors. */
void dp2dpi_combine_one(const dp2dpi_combination *c, float *values);

/* Adds to counts[k] the number of i < n with which[i] = k. */
void dp2dpi_combine_count(const int32_t *which, size_t n, size_t classes, int64_t *counts);

/* Adds to sums[k] the sum of shares[i] over all i < n with which[i] = k, for n ≤
 * DP2DPI_COMBINE_BLOCK. */
void dp2dpi_combine_sum(const int32_t *which, const int32_t *shares, size_t n, size_t classes,
                        int64_t *sums);

#endif
