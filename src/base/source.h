/* Checks of a caller's source of count tables. */
#ifndef DP2DPI_BASE_SOURCE_H
#define DP2DPI_BASE_SOURCE_H

#include <dp2dp/pool.h>

#include "base/error.h"

/* ARGUMENT unless there are from 2 to DP2DPI_CODES_MAX groups and classes. */
dp2dp_status dp2dpi_sizes_check(size_t events, size_t classes, dp2dp_error *error);

/* ARGUMENT unless the source is complete and its numbers are within bounds. */
dp2dp_status dp2dpi_source_check(const dp2dp_source *source, dp2dp_error *error);

#endif
