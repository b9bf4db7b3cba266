/* Detects rows that are in a pool more than once, for example because a table was joined to itself.
 */
#ifndef DP2DPI_POOL_ROWS_REPEATED_H
#define DP2DPI_POOL_ROWS_REPEATED_H

#include "pool/pool.h"

/* Returns 1 if far more rows are equal than chance allows. Two rows are equal if they have the same
 * bin, scores and weights. Rows that were dithered by their position are never equal. Returns 0 if
 * rows have a multiplicity, because a row then stands for several equal records. */
int dp2dpi_pool_repeats(const dp2dp_pool *pool);

#endif
