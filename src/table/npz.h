/* NPZ, NumPy's archive: a ZIP file of NPY arrays, stored or deflated. */
#ifndef DP2DPI_TABLE_NPZ_H
#define DP2DPI_TABLE_NPZ_H

#include "table/input.h"

enum {
    DP2DPI_NPZ_MAGIC_SIZE = 4
};

/* At least MAGIC_SIZE bytes, or all there are. */
int dp2dpi_npz_is(const char *bytes, size_t length);

/* The array that path names behind the last "::" of "….npz::name", or NULL. *length is the length
 * of the file's name. */
const char *dp2dpi_npz_member_of(const char *path, size_t *length);

/* Finds the array, the only one where name is NULL, and makes it what the input reads. */
dp2dp_status dp2dpi_npz_enter(dp2dpi_input *input, const char *name, dp2dp_error *error);

#endif
