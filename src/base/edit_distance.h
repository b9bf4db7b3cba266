#ifndef DP2DPI_BASE_EDIT_DISTANCE_H
#define DP2DPI_BASE_EDIT_DISTANCE_H

#include <stddef.h>

enum {
    DP2DPI_EDIT_MAX = 64 /* longest word, in bytes */
};

/* Returns the optimal string alignment distance (restricted Damerau-Levenshtein): the least number
 * of insertions, deletions, substitutions and swaps of adjacent letters that turns word a into word
 * b without editing swapped letters again. Both words must have at most DP2DPI_EDIT_MAX bytes. */
size_t dp2dpi_edit_distance(const char *a, size_t a_length, const char *b, size_t b_length);

#endif
