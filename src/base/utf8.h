#ifndef DP2DPI_BASE_UTF8_H
#define DP2DPI_BASE_UTF8_H

#include <stddef.h>

/* Returns 1 if the bytes are well-formed UTF-8: shortest form, no surrogates, nothing above
 * U+10FFFF. */
int dp2dpi_utf8_valid(const char *text, size_t length);

/* Returns the length in bytes of the character at text; 0 if the character is malformed or does not
 * end within `left` bytes. `left` must be at least 1. */
size_t dp2dpi_utf8_character(const char *text, size_t left);

enum {
    DP2DPI_SHOWN_SIZE = 72
};

/* Copies a name to `out` for use in a message. A name that is too long is cut after a whole
 * character; control characters and malformed bytes become '?'. Returns out. */
const char *dp2dpi_utf8_show(const char *text, size_t length, char out[DP2DPI_SHOWN_SIZE]);

static inline void dp2dpi_trim(const char **text, size_t *length) {
    while (*length > 0 && (**text == ' ' || **text == '\t')) {
        (*text)++;
        (*length)--;
    }
    while (*length > 0 && ((*text)[*length - 1] == ' ' || (*text)[*length - 1] == '\t')) {
        (*length)--;
    }
}

#endif
