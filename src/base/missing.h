#ifndef DP2DPI_BASE_MISSING_H
#define DP2DPI_BASE_MISSING_H

#include <stddef.h>

/* Returns 1 if people usually write this text for a missing value: "", or a word of
 * DP2DP_WORDS_MISSING in upper or lower case. Use this only for advice in messages: the user
 * declares which texts are missing values. */
int dp2dpi_looks_missing(const char *text, size_t length);

#endif
