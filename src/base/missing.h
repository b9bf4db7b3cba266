#ifndef DP2DPI_BASE_MISSING_H
#define DP2DPI_BASE_MISSING_H

#include <stddef.h>

/* Returns whether people usually mean a missing value by this text: an empty one, ?, NA and the
 * like. Only for advice: the user declares which texts are missing values. */
int dp2dpi_looks_missing(const char *text, size_t length);

#endif
