#ifndef DP2DPI_PHASE2_NAMES_H
#define DP2DPI_PHASE2_NAMES_H

#include <dp2dp/fit.h>
#include <dp2dp/pool.h>

#include "base/error.h"

/* Fails with ARGUMENT if the names of a fit are very likely a mistake: if a number is listed as two
 * groups or classes, as in 1 and 1.0, or if the score columns bear the names of the classes in
 * another order, as p_no and p_yes do for the classes yes and no, or the group scores those of the
 * groups. */
dp2dp_status dp2dpi_names_check(const dp2dp_fit_options *o, const dp2dp_source *source,
                                dp2dp_error *error);

#endif
