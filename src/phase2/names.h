#ifndef DP2DPI_PHASE2_NAMES_H
#define DP2DPI_PHASE2_NAMES_H

#include <dp2dp/model.h>
#include <dp2dp/pool.h>

#include "base/error.h"

/* Fails with ARGUMENT if the names of a fit are very likely a mistake: if a number is listed as two
 * groups or classes, as in 1 and 1.0, or if the score columns are named after the classes in
 * another order, such as p_no and p_yes for the classes yes and no. */
dp2dp_status dp2dpi_names_check(const dp2dp_names *names, const dp2dp_source *source,
                                dp2dp_error *error);

#endif
