#ifndef DP2DPI_BASE_MISSING_H
#define DP2DPI_BASE_MISSING_H

#include <stddef.h>

/* Returns 1 if people usually write this text for a missing value: "", ?, NA and the like. Only for
 * advice: the user declares which texts are missing values. */
int dp2dpi_looks_missing(const char *text, size_t length);

#endif
