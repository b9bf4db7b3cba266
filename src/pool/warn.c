#include "pool/group_signal.h"
#include "pool/repeats.h"

unsigned dp2dp_pool_warnings(const dp2dp_pool *pool) {
    return (dp2dpi_pool_repeats(pool) ? (unsigned)DP2DP_WARNING_ROWS_REPEATED : 0U) |
           (dp2dpi_pool_has_wrong_weights(pool) ? (unsigned)DP2DP_WARNING_WEIGHTS_TELL_NOTHING
                                                : 0U);
}
