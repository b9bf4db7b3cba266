#ifndef DP2DPI_TABLE_TABLE_H
#define DP2DPI_TABLE_TABLE_H

#include <dp2dp/table.h>

/* dp2dp_table_open with a first buffer of `block` bytes, at least 1: the result must not depend on
 * where blocks end. */
dp2dp_status dp2dpi_table_open(const char *path, const dp2dp_table_options *options, size_t block,
                               struct ArrowArrayStream *out, dp2dp_error *error);

#endif
