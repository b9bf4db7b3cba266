#include "input/unicode_form.h"

/* Returns the length in bytes of the combining marks (U+0300 to U+036F) that a text begins with. */
static size_t marks_at(const unsigned char *text, size_t length) {
    size_t at = 0;
    while (length - at >= 2 && ((text[at] == 0xCC && text[at + 1] >= 0x80) ||
                                (text[at] == 0xCD && text[at + 1] < 0xB0))) {
        at += 2;
    }
    return at;
}

/* Returns the size in bytes of the letter with marks that a text begins with; 0 if there is
 * none. */
static size_t marked_letter(const unsigned char *text, size_t length) {
    size_t marks = length > 1 && text[0] < 0x80 ? marks_at(text + 1, length - 1) : 0;
    return marks > 0 ? 1 + marks : 0;
}

/* Returns 2 or 3 if a text begins with a character of that many bytes; otherwise 0. */
static size_t accented(const unsigned char *text, size_t length) {
    size_t size = length == 0 ? 0 : (text[0] >> 5) == 0x6 ? 2 : (text[0] >> 4) == 0xE ? 3 : 0;
    return size <= length ? size : 0;
}

int cli_is_other_form(const char *a, size_t a_length, const char *b, size_t b_length) {
    const unsigned char *p = (const unsigned char *)a, *q = (const unsigned char *)b;
    int differs = 0;
    while (a_length > 0 && b_length > 0) {
        size_t p_marked = marked_letter(p, a_length), q_marked = marked_letter(q, b_length);
        size_t p_step = p_marked ? p_marked : accented(p, a_length);
        size_t q_step = q_marked ? q_marked : accented(q, b_length);
        if (p_step > 0 && q_step > 0 && (p_marked > 0) != (q_marked > 0)) {
            differs = 1;
        } else if (*p == *q) {
            p_step = q_step = 1;
        } else {
            return 0;
        }
        p += p_step;
        a_length -= p_step;
        q += q_step;
        b_length -= q_step;
    }
    return differs && a_length == 0 && b_length == 0;
}
