/* Makes Arrow structs. The release callback of a struct frees its memory and its children. A child
 * that was moved out is not freed and may outlive its parent. */
#ifndef DP2DPI_ARROW_BUILD_H
#define DP2DPI_ARROW_BUILD_H

#include <dp2dp/table.h>

/* Makes an array with room for `children` children, which the caller fills in. *values is the
 * buffer with the array's values; values is NULL for an array without values. Ownership: the array
 * takes the buffer, and *values becomes NULL; on failure the caller keeps the buffer. */
dp2dp_status dp2dpi_array_new(size_t length, size_t children, void **values, struct ArrowArray *out,
                              dp2dp_error *error);

/* Gives an array without values a validity bitmap: bit i is 0 if element i is null. Ownership: the
 * array frees the bitmap. */
void dp2dpi_array_take_validity(struct ArrowArray *array, unsigned char *bitmap);

dp2dp_status dp2dpi_type_new(const char *name, const char *format, int64_t flags, size_t children,
                             struct ArrowSchema *out, dp2dp_error *error);

#endif
