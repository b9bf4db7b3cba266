#ifndef DP2DPI_TABLE_TABLE_H
#define DP2DPI_TABLE_TABLE_H

#include <dp2dp/table.h>

/* Opens a table like dp2dp_table_open, but with a first buffer of `block` ≥ 1 bytes. The rows do
 * not depend on this size. */
dp2dp_status dp2dpi_table_open(const char *path, const dp2dp_table_options *options, size_t block,
                               struct ArrowArrayStream *out, dp2dp_error *error);

#endif
