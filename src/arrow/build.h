/* Arrow structs of our own. Each frees what it owns and its remaining children: a child may be
 * moved out of its parent and live longer. */
#ifndef DP2DPI_ARROW_BUILD_H
#define DP2DPI_ARROW_BUILD_H

#include <dp2dp/table.h>

/* An array with `children` that are still to be made. values (may be NULL): the buffer of its
 * values; *values is taken and set to NULL, on failure it stays the caller's. */
dp2dp_status dp2dpi_array_new(size_t length, size_t children, void **values, struct ArrowArray *out,
                              dp2dp_error *error);

/* The type of an array. The texts are copied. */
dp2dp_status dp2dpi_type_new(const char *name, const char *format, int64_t flags, size_t children,
                             struct ArrowSchema *out, dp2dp_error *error);

#endif
