/* Reads NPZ, NumPy's archive: a ZIP file of NPY arrays, stored or deflated. */
#ifndef DP2DPI_TABLE_NPZ_H
#define DP2DPI_TABLE_NPZ_H

#include "table/input.h"

/* Returns 1 if a file that begins with these bytes is a ZIP archive. `length` must be at least 4;
 * of a shorter file, give all bytes. */
int dp2dpi_npz_is(const char *bytes, size_t length);

/* Splits a path "file.npz::array" at its last ".npz::". Returns the name of the array; NULL if the
 * path names no array. *length is the length of "file.npz". */
const char *dp2dpi_npz_member_of(const char *path, size_t *length);

/* Makes the input read the array `name` of the archive, or the only array if name is NULL. */
dp2dp_status dp2dpi_npz_enter(dp2dpi_input *input, const char *name, dp2dp_error *error);

#endif
