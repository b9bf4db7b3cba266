/* Edit distance, to suggest the nearest word for a misspelt one. */
#ifndef DP2DPI_BASE_EDIT_DISTANCE_H
#define DP2DPI_BASE_EDIT_DISTANCE_H

#include <stddef.h>

enum {
    DP2DPI_EDIT_MAX = 64 /* longest word, in bytes */
};

/* Number of insertions, deletions, substitutions and swaps of adjacent letters that turn one word
 * into the other. */
size_t dp2dpi_edit_distance(const char *a, size_t a_length, const char *b, size_t b_length);

#endif
