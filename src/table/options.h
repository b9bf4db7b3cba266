#ifndef DP2DPI_TABLE_OPTIONS_H
#define DP2DPI_TABLE_OPTIONS_H

#include <dp2dp/table.h>

/* ARGUMENT with the name of what is out of bounds. */
dp2dp_status dp2dpi_table_options_check(const char *path, const dp2dp_table_options *options,
                                        dp2dp_error *error);

/* A copy of all that the options point at, but for cancel_context. Ownership: *out is zero-filled
 * before and freed by the caller, after a failure too. */
dp2dp_status dp2dpi_table_options_copy(const dp2dp_table_options *options, dp2dp_table_options *out,
                                       dp2dp_error *error);
void dp2dpi_table_options_free(dp2dp_table_options *options);

#endif
