#include "pool/group_signal.h"
#include "pool/rows_repeated.h"
#include "pool/survey_weights.h"

/* Returns at most one warning about the weights. If the weights say nothing about the groups, a
 * warning that the mean weights are wrong would add nothing. */
static unsigned warn_of_weights(const dp2dp_pool *pool) {
    return dp2dpi_pool_has_wrong_weights(pool) ? (unsigned)DP2DP_WARNING_WEIGHTS_TELL_NOTHING
           : dp2dpi_pool_has_uncalibrated_weights(pool)
               ? (unsigned)DP2DP_WARNING_WEIGHTS_UNCALIBRATED
               : 0U;
}

unsigned dp2dp_pool_warnings(const dp2dp_pool *pool) {
    return (dp2dpi_pool_repeats(pool) ? (unsigned)DP2DP_WARNING_ROWS_REPEATED : 0U) |
           (dp2dpi_pool_has_survey_weights(pool) ? (unsigned)DP2DP_WARNING_SURVEY_WEIGHTS : 0U) |
           warn_of_weights(pool);
}
