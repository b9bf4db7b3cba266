/* Compares texts that look alike. */
#ifndef CLI_UNICODE_FORM_H
#define CLI_UNICODE_FORM_H

#include <stddef.h>

/* Returns whether two texts in UTF-8 differ only in how accents are written. An accented letter is
 * either one character (ü, form NFC), or a letter and marks after the letter (u and U+0308, form
 * NFD). Does not check that the accents are the same, so the result is only a guess, for use in
 * messages. */
int cli_is_other_form(const char *a, size_t a_length, const char *b, size_t b_length);

#endif
