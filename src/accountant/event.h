#ifndef DP2DPI_ACCOUNTANT_EVENT_H
#define DP2DPI_ACCOUNTANT_EVENT_H

#include <dp2dp/accountant.h>

#include "accountant/loss.h"

/* The direction in which add/remove adjacency compares two data sets. For REMOVE, P is the release
 * from the data with a record and Q the release from the data without it; for ADD, P is the release
 * without the record and Q the release with it. Replace-one adjacency is symmetric, so one
 * direction is enough. */
typedef enum dp2dpi_direction {
    DP2DPI_REMOVE = 0,
    DP2DPI_ADD = 1
} dp2dpi_direction;

/* Fails with ARGUMENT and the message "<name> = <value>: it must be <bound>" if holds is 0. */
dp2dp_status dp2dpi_require(int holds, const char *name, double value, const char *bound,
                            dp2dp_error *error);
/* dp2dpi_adjacency_check fails with ARGUMENT if the adjacency is not a value of its enum;
 * dp2dpi_delta_check fails with ARGUMENT if delta is not above 0 and below 1. */
dp2dp_status dp2dpi_adjacency_check(dp2dp_adjacency adjacency, dp2dp_error *error);
dp2dp_status dp2dpi_delta_check(double delta, dp2dp_error *error);

dp2dp_status dp2dpi_event_read(const dp2dp_event *event, dp2dp_adjacency adjacency,
                               dp2dp_event *out, dp2dp_error *error);

/* Copies a checked event and its texts. Ownership: free the copy with dp2dpi_event_clear. On
 * failure *out owns nothing. */
dp2dp_status dp2dpi_event_copy(const dp2dp_event *event, dp2dp_event *out, dp2dp_error *error);
void dp2dpi_event_clear(dp2dp_event *event);

/* Returns the privacy loss (loss.h) of one release of a checked event. The loss is about all rows
 * of one person together. */
dp2dpi_loss dp2dpi_event_loss(const dp2dp_event *event, dp2dp_adjacency adjacency,
                              dp2dpi_direction direction);

/* Returns what the event adds to the slack of a composition (compose.h): count × coordinates ×
 * 0.0203/s² for noise of scale s grid units, 0 for continuous noise. */
double dp2dpi_event_slack(const dp2dp_event *event);

#endif
