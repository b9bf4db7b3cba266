#include "pool/group_signal.h"
#include "pool/rows_repeated.h"
#include "pool/score_signal.h"
#include "pool/survey_weights.h"

/* Returns at most one warning or oddity about the weights. If the weights are in the wrong order,
 * or say nothing about the groups, a warning that the mean weights are wrong would add nothing. */
static unsigned warn_of_weights(const dp2dp_pool *pool) {
    return dp2dpi_pool_has_groups_as_weights(pool)  ? (unsigned)DP2DP_ODDITY_GROUP_SCORES_ARE_GROUPS
           : dp2dpi_pool_has_transposed_pairs(pool) ? (unsigned)DP2DP_ODDITY_PAIRS_TRANSPOSED
           : dp2dpi_pool_has_wrong_weights(pool)    ? (unsigned)DP2DP_WARNING_WEIGHTS_TELL_NOTHING
           : dp2dpi_pool_has_uncalibrated_weights(pool)
               ? (unsigned)DP2DP_WARNING_WEIGHTS_UNCALIBRATED
               : 0U;
}

unsigned dp2dp_pool_warnings(const dp2dp_pool *pool) {
    return (dp2dpi_pool_repeats(pool) ? (unsigned)DP2DP_WARNING_ROWS_REPEATED : 0U) |
           (dp2dpi_pool_has_survey_weights(pool) ? (unsigned)DP2DP_WARNING_SURVEY_WEIGHTS : 0U) |
           warn_of_weights(pool) | dp2dpi_pool_warn_of_labels(pool) | dp2dpi_pool_odd_scores(pool);
}
