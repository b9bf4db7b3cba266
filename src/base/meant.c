#include "base/meant.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/edit_distance.h"

static const struct meaning {
    const char *typed, *word, *advice;
} meanings[] = {
#define DP2DP_MEANT(typed, word, advice) {typed, word, advice},
#include <dp2dp/schema.def>
#undef DP2DP_MEANT
};

static const char *usual_word(const char *typed, const char *word) {
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++) {
        if (strcmp(meanings[i].typed, typed) == 0 && strcmp(meanings[i].word, word) == 0) {
            return meanings[i].advice;
        }
    }
    return NULL;
}

const char *dp2dpi_meant(const char *typed, const char *const *words, size_t count,
                         char hint[DP2DPI_MEANT_SIZE]) {
    char plain[DP2DPI_EDIT_MAX + 1] = "";
    const char *best = NULL;
    size_t length = strlen(typed), least = SIZE_MAX;
    hint[0] = '\0';
    if (length > DP2DPI_EDIT_MAX) {
        return hint;
    }
    for (size_t i = 0; i < length; i++) {
        plain[i] = (char)(typed[i] >= 'A' && typed[i] <= 'Z' ? typed[i] + ('a' - 'A') : typed[i]);
    }
    for (size_t i = 0; i < count; i++) {
        const char *usual = usual_word(plain, words[i]);
        size_t other = strlen(words[i]);
        size_t d = usual ? 0 : dp2dpi_edit_distance(plain, length, words[i], other);
        if (d < least && 3 * d <= (length > other ? length : other)) {
            least = d;
            best = usual ? usual : words[i];
        }
    }
    if (best) {
        (void)snprintf(hint, DP2DPI_MEANT_SIZE, " (did you mean %s?)", best);
    }
    return hint;
}
