#include "base/missing.h"

#include <string.h>
#include <strings.h>

#include <dp2dp/words.h>

#include "base/utf8.h"

int dp2dpi_looks_missing(const char *text, size_t length) {
    size_t count;
    const dp2dp_word *usual = dp2dp_words(DP2DP_WORDS_MISSING, &count);
    dp2dpi_trim(&text, &length);
    for (size_t i = 0; i < count; i++) {
        if (strlen(usual[i].word) == length && strncasecmp(usual[i].word, text, length) == 0) {
            return 1;
        }
    }
    return length == 0;
}
