#ifndef DP2DPI_BASE_MEANT_H
#define DP2DPI_BASE_MEANT_H

#include <stddef.h>

enum {
    DP2DPI_MEANT_SIZE = 48 /* size of the buffer for a hint */
};

/* Guesses which of `words` the user meant by the unknown word `typed`. A word is likely if it
 * differs from `typed` by at most one edit per three letters, or if `typed` is a common mistake for
 * it (list DP2DP_MEANT in dp2dp/schema.def). Writes " (did you mean X?)" to `hint`, or "" if no
 * word is likely. Returns `hint`. */
const char *dp2dpi_meant(const char *typed, const char *const *words, size_t count,
                         char hint[DP2DPI_MEANT_SIZE]);

#endif
