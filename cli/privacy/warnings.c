#include <string.h>

#include "privacy/privacy.h"

void cli_words_json(dp2dp_word_table table, const char *key, unsigned bits, cli_json *json) {
    size_t count;
    const dp2dp_word *words = dp2dp_words(table, &count);
    cli_json_open_array(json, key);
    for (size_t i = 0; i < count; i++) {
        if (bits & (unsigned)words[i].value) {
            cli_json_text(json, NULL, words[i].word);
        }
    }
    cli_json_close_array(json);
}

void cli_warnings_json(unsigned bits, cli_json *json) {
    cli_words_json(DP2DP_WORDS_WARNING, "warnings", bits, json);
}

void cli_warnings_text(unsigned bits, cli_out *out) {
    size_t count;
    const dp2dp_word *warnings = dp2dp_words(DP2DP_WORDS_WARNING, &count);
    for (size_t i = 0; i < count; i++) {
        if (bits & (unsigned)warnings[i].value) {
            const char *help = warnings[i].help;
            cli_out_prose(out, "CAUTION: %s%s", help, help[strlen(help) - 1] == '?' ? "" : ".");
        }
    }
}
