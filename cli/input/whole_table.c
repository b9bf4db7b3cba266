#include "input/whole_table.h"

#include <stdio.h>

/* Fills in a caution that the library has a text for. */
static void explain(dp2dp_warning warning, cli_whole *out) {
    size_t count;
    const dp2dp_word *words = dp2dp_words(DP2DP_WORDS_WARNING, &count);
    for (size_t i = 0; i < count; i++) {
        if (words[i].value == (int)warning) {
            out->word = words[i].word;
            snprintf(out->text, sizeof out->text, "CAUTION: %s.", words[i].help);
        }
    }
}

size_t cli_whole_find(const cli_watch *watch, cli_whole found[CLI_WHOLE_MOST]) {
    size_t count = 0;
    if (watch->rows_repeated) {
        explain(DP2DP_WARNING_ROWS_REPEATED, &found[count++]);
    }
    return count;
}
