#ifndef DP2DPI_BASE_MEANT_H
#define DP2DPI_BASE_MEANT_H

#include <stddef.h>

enum {
    DP2DPI_MEANT_SIZE = 48 /* size of the buffer for a hint */
};

/* Guesses which of the words an unknown word was meant to be: a word that differs by at most one
 * edit per three letters, or a word for the same thing (list DP2DP_MEANT in dp2dp/schema.def).
 * Writes " (did you mean X?)" to `hint`, or "" if nothing is likely, and returns the hint. */
const char *dp2dpi_meant(const char *typed, const char *const *words, size_t count,
                         char hint[DP2DPI_MEANT_SIZE]);

#endif
