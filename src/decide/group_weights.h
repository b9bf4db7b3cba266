/* Decides for rows in the caller's memory by the rule `weighted` with one weight per group, eight
 * or sixteen rows at a time, without a copy. Sums are float32 and are added in the same order as in
 * dp2dpi_combine_one, so the decisions are the same. */
#ifndef DP2DPI_DECIDE_GROUP_WEIGHTS_H
#define DP2DPI_DECIDE_GROUP_WEIGHTS_H

#include "decide/columns.h"

/* Returns 1 if dp2dpi_group_weights_decide may be called for these sizes on this processor. */
int dp2dpi_group_weights_can(size_t classes, size_t groups);

/* Decides for up to n rows:
 *     which[i] = argmax_k p_k − Σ_g Σ_y (w_g p_y) offsets[(g classes + y) classes + k],
 * where w_g is the weight of group g and p_k the score of class k. Returns the number of rows
 * decided, counted from the first row. This number may be less than n, and it is 0 if a row may be
 * invalid. */
size_t dp2dpi_group_weights_decide(const dp2dpi_plain_rows *scores,
                                   const dp2dpi_plain_rows *weights, size_t n, size_t classes,
                                   size_t groups, const float *offsets, int32_t *which);

#endif
