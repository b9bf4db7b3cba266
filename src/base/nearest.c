#include <stdint.h>
#include <string.h>

#include <dp2dp/words.h>

#include "base/edit_distance.h"

enum {
    EDITS_MAX = 2,
    BEGINNING = 3 /* least number of letters that count as the beginning of a word */
};

/* Returns the number of edits between two words. If one word begins with the other, as "population"
 * begins with "pop", returns EDITS_MAX, the largest distance that dp2dp_word_nearest accepts. */
static size_t distance(const char *typed, const char *word) {
    size_t n = strlen(typed), m = strlen(word), common = n < m ? n : m;
    if (n == 0 || n > DP2DPI_EDIT_MAX || m > DP2DPI_EDIT_MAX) {
        return SIZE_MAX;
    }
    return common >= BEGINNING && strncmp(word, typed, common) == 0
               ? EDITS_MAX
               : dp2dpi_edit_distance(typed, n, word, m);
}

const char *dp2dp_word_nearest(const char *typed, const char *const *words, size_t count) {
    const char *best = NULL;
    size_t least = EDITS_MAX + 1;
    for (size_t i = 0; typed && words && i < count; i++) {
        size_t edits = distance(typed, words[i]);
        /* Of two words with the same distance, prefers the word that has the same first letter as
         * `typed`. */
        int likelier = best && edits == least && words[i][0] == typed[0] && best[0] != words[i][0];
        if (edits < strlen(typed) && (edits < least || likelier)) {
            least = edits;
            best = words[i];
        }
    }
    return best;
}
