#include "base/utf8.h"

#include <stdint.h>
#include <string.h>

/* The limits `low` and `high` on the second byte exclude overlong forms (after the first byte E0 or
 * F0), surrogates (after ED) and values above U+10FFFF (after F4). */
size_t dp2dpi_utf8_character(const char *text, size_t left) {
    const unsigned char *p = (const unsigned char *)text;
    unsigned lead = p[0];
    size_t length = lead < 0x80 ? 1 : lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    if (length < 2) {
        return length;
    }
    if (lead > 0xF4 || left < length) {
        return 0;
    }
    unsigned low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    unsigned high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    if (p[1] < low || p[1] > high) {
        return 0;
    }
    for (size_t i = 2; i < length; i++) {
        if ((p[i] & 0xC0) != 0x80) {
            return 0;
        }
    }
    return length;
}

int dp2dpi_utf8_valid(const char *text, size_t length) {
    const unsigned char *p = (const unsigned char *)text;
    size_t i = 0;
    while (i < length) {
        uint64_t eight;
        if (length - i >= sizeof eight) {
            memcpy(&eight, p + i, sizeof eight);
            if ((eight & UINT64_C(0x8080808080808080)) == 0) {
                i += sizeof eight;
                continue;
            }
        }
        size_t step = dp2dpi_utf8_character(text + i, length - i);
        if (step == 0) {
            return 0;
        }
        i += step;
    }
    return 1;
}

const char *dp2dpi_utf8_show(const char *text, size_t length, char out[DP2DPI_SHOWN_SIZE]) {
    static const char cut[] = "...";
    const unsigned char *p = (const unsigned char *)text;
    size_t used = 0, i = 0;
    while (i < length) {
        size_t step = dp2dpi_utf8_character(text + i, length - i);
        if (used + (step ? step : 1) + sizeof cut > DP2DPI_SHOWN_SIZE) {
            memcpy(out + used, cut, sizeof cut);
            return out;
        }
        if (step == 0 || p[i] < 0x20 || p[i] == 0x7F) {
            out[used++] = '?';
            i++;
        } else {
            memcpy(out + used, text + i, step);
            used += step;
            i += step;
        }
    }
    out[used] = '\0';
    return out;
}
