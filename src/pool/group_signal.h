/* For a rule that does not see the group: compares the weights with the groups of the records. */
#ifndef DP2DPI_POOL_GROUP_SIGNAL_H
#define DP2DPI_POOL_GROUP_SIGNAL_H

#include "pool/pool.h"

/* Returns 1 if the weights predict the groups clearly worse than chance. Also returns 1 if the
 * weights differ much between records but predict the groups no better than chance. Returns 0
 * without judging if the pool has no groups, no weights, fewer than 100 records or too many groups.
 */
int dp2dpi_pool_has_wrong_weights(const dp2dp_pool *pool);

/* Returns 1 if the mean weight of a group differs from the share of the group by more than 0.1 and
 * by more than 5 standard errors. The weights are then not the probabilities of the groups. */
int dp2dpi_pool_has_uncalibrated_weights(const dp2dp_pool *pool);

/* Returns 1 if there is one weight for each pair of group and label, and the weights would fit the
 * pairs of the records clearly better if their columns were taken to be listed label by label. */
int dp2dpi_pool_has_transposed_pairs(const dp2dp_pool *pool);

/* Returns 1 if the weights of the groups are 0 or 1 in every row, and there are at least
 * DP2DPI_ODD_ROWS rows. */
int dp2dpi_pool_has_groups_as_weights(const dp2dp_pool *pool);

#endif
