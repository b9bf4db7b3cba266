#ifndef DP2DPI_PHASE2_NAMES_H
#define DP2DPI_PHASE2_NAMES_H

#include <dp2dp/fit.h>
#include <dp2dp/pool.h>

#include "base/error.h"

/* Fails with ARGUMENT if the names of a fit are very likely a mistake. One mistake is a number that
 * is listed as two groups or classes (1 and 1.0). Another is columns whose names contain the
 * classes or groups in another order (columns p_no, p_yes for the classes yes, no). Score columns
 * are compared with the classes, and columns of group scores with the groups. */
dp2dp_status dp2dpi_names_check(const dp2dp_fit_options *o, const dp2dp_source *source,
                                dp2dp_error *error);

#endif
