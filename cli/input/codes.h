/* Texts as their places in a list of names. */
#ifndef CLI_CODES_H
#define CLI_CODES_H

#include <stdint.h>
#include <string.h>

enum {
    CLI_CODES_SHORT = 8, /* so few names of at most so many bytes are compared as words */
    CLI_CODES_WORD = sizeof(uint64_t)
};

/* Ownership: the names are borrowed. */
typedef struct cli_codes {
    const char *const *names;
    size_t count;
    int is_short;
    uint64_t words[CLI_CODES_SHORT];
    uint64_t lengths[CLI_CODES_SHORT];
    uint64_t masks[CLI_CODES_WORD + 1]; /* all bits of the first so many bytes */
} cli_codes;

/* The names differ. */
cli_codes cli_codes_of(const char *const *names, size_t count);

int32_t cli_code_search(const cli_codes *codes, const char *text, size_t length);

/* The code of a text that is not NUL-terminated, -1: it is none of the names. `readable` bytes may
 * be read from its start on. Groups follow each other as chance has it, so that a branch for each
 * would mostly go wrong: short names need none. */
static inline int32_t cli_code(const cli_codes *codes, const char *text, size_t length,
                               size_t readable) {
    if (!codes->is_short || length > CLI_CODES_WORD || readable < CLI_CODES_WORD) {
        return cli_code_search(codes, text, length);
    }
    uint64_t word;
    int32_t found = 0; /* one more than the code */
    memcpy(&word, text, CLI_CODES_WORD);
    word &= codes->masks[length];
    for (size_t i = 0; i < codes->count; i++) {
        uint64_t difference = (word ^ codes->words[i]) | (length ^ codes->lengths[i]);
        found |= (int32_t)(i + 1) & -(int32_t)(difference == 0);
    }
    return found - 1;
}

#endif
