/* The inner loop of the rules that multiply weights by offsets. Every number is a float32, and
 * every sum is added in the same order, so every instruction set gives the same decisions. */
#ifndef DP2DPI_PHASE2_COMBINE_H
#define DP2DPI_PHASE2_COMBINE_H

#include <stddef.h>
#include <stdint.h>

/* Records column by column: score k of record i is scores[k stride + i], weight j is
 * weights[j stride + i]. */
typedef struct dp2dpi_combination {
    const float *scores, *weights;
    size_t stride;
    size_t classes, parts; /* number of scores, and of weights */
    const float *offsets;  /* parts × classes */
} dp2dpi_combination;

enum {
    DP2DPI_COMBINE_BLOCK = 256 /* most records at a time; their columns stay in the cache */
};

/* which[i] = argmax_k scores_k − Σ_j weights_j offsets[j classes + k] of record i, for i < n ≤
 * DP2DPI_COMBINE_BLOCK; the sum begins with j = 0, and the lowest k wins a tie. */
void dp2dpi_combine(const dp2dpi_combination *c, size_t n, int32_t *which);

/* The same numbers for one record whose scores and weights are adjacent: the definition of the
 * rule. Writes them to values. */
void dp2dpi_combine_one(const dp2dpi_combination *c, float *values);

/* counts[k] += number of i < n with which[i] = k. */
void dp2dpi_combine_count(const int32_t *which, size_t n, size_t classes, int64_t *counts);

/* sums[k] += Σ of shares[i] over the i < n ≤ DP2DPI_COMBINE_BLOCK with which[i] = k. */
void dp2dpi_combine_sum(const int32_t *which, const int32_t *shares, size_t n, size_t classes,
                        int64_t *sums);

#endif
