/* Decides for rows in the caller's memory by the rules that see the group, eight rows at a time. A
 * register holds one offset of every group, and each row looks up the offset of its own group. Sums
 * are float32 and are added in the same order as in dp2dpi_combine_one, so the decisions are the
 * same. */
#ifndef DP2DPI_DECIDE_GROUP_LOOKUP_H
#define DP2DPI_DECIDE_GROUP_LOOKUP_H

#include "decide/columns.h"

/* Aligns a table of offsets, because the kernels read it as aligned vectors. */
#define DP2DPI_TABLE _Alignas(64)

/* Writes the offsets to the tables. `cells` is the number of offsets of a group: one for each class
 * (rule `offset`), or one for each label and class (rule `linear`). Returns 0 if there are too many
 * groups or classes, or if the processor lacks AVX2. */
int dp2dpi_group_lookup_tabulate(const float *offsets, size_t groups, size_t classes, size_t cells,
                                 float *tables);

/* Decides for up to n rows by the rule `offset`: which[i] = argmax_k p_k − offset_k. Returns the
 * number of rows decided, counted from the first row. This number may be less than n, and it is 0
 * if a row may be invalid. */
size_t dp2dpi_group_lookup_offset(const dp2dpi_plain_rows *rows, size_t n, size_t classes,
                                  const float *tables, const int32_t *groups, int32_t *which);

/* Decides like dp2dpi_group_lookup_offset, but by the rule `linear`: which[i] = argmax_k p_k − Σ_j
 * p_j offset_jk. */
size_t dp2dpi_group_lookup_linear(const dp2dpi_plain_rows *rows, size_t n, size_t classes,
                                  const float *tables, const int32_t *groups, int32_t *which);

#endif
