#include "input/codes.h"

cli_codes cli_codes_of(const char *const *names, size_t count) {
    cli_codes out = {.names = names, .count = count, .is_short = count <= CLI_CODES_SHORT};
    for (size_t i = 0; i <= CLI_CODES_WORD; i++) {
        memset(&out.masks[i], 0xFF, i);
    }
    for (size_t i = 0; i < count && out.is_short; i++) {
        out.lengths[i] = strlen(names[i]);
        out.is_short = out.lengths[i] <= CLI_CODES_WORD;
        if (out.is_short) {
            memcpy(&out.words[i], names[i], out.lengths[i]);
        }
    }
    return out;
}

int32_t cli_code_search(const cli_codes *codes, const char *text, size_t length) {
    for (size_t i = 0; i < codes->count; i++) {
        const char *name = codes->names[i];
        size_t same = 0;
        while (same < length && name[same] != '\0' && name[same] == text[same]) {
            same++;
        }
        if (same == length && name[length] == '\0') {
            return (int32_t)i;
        }
    }
    return -1;
}
