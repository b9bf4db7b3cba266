/* Writes the page's data as JSON inside a <script> element. "<" is written as \u003c, so no text
 * can end the element or open a comment. */
#include <stdio.h>
#include <string.h>

#include "report/html.h"

static void put_string(dp2dpi_html *h, const char *text) {
    dp2dpi_html_put(h, "\"");
    for (; *text; text++) {
        size_t plain =
            strcspn(text, "\"\\<\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0A\x0B\x0C\x0D\x0E\x0F"
                          "\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1A\x1B\x1C\x1D\x1E\x1F");
        dp2dpi_html_bytes(h, text, plain);
        text += plain;
        if (*text == '\0') {
            break;
        }
        char escaped[8];
        snprintf(escaped, sizeof escaped, "\\u%04x", (unsigned char)*text);
        dp2dpi_html_put(h, escaped);
    }
    dp2dpi_html_put(h, "\"");
}

static void put_object(dp2dpi_html *h, const json_t *object) {
    const char *key;
    json_t *value;
    int first = 1;
    dp2dpi_html_put(h, "{");
    json_object_foreach((json_t *)object, key, value) {
        dp2dpi_html_put(h, first ? "" : ",");
        put_string(h, key);
        dp2dpi_html_put(h, ":");
        dp2dpi_html_json(h, value);
        first = 0;
    }
    dp2dpi_html_put(h, "}");
}

/* NOLINTNEXTLINE(misc-no-recursion): only as deep as the page's data */
void dp2dpi_html_json(dp2dpi_html *h, const json_t *value) {
    char number[DP2DPI_FORM_SIZE];
    double x;
    if (json_is_object(value)) {
        put_object(h, value);
    } else if (json_is_array(value)) {
        dp2dpi_html_put(h, "[");
        for (size_t i = 0; i < json_array_size(value); i++) {
            dp2dpi_html_put(h, i > 0 ? "," : "");
            dp2dpi_html_json(h, json_array_get(value, i));
        }
        dp2dpi_html_put(h, "]");
    } else if (json_is_string(value)) {
        put_string(h, json_string_value(value));
    } else if (json_is_number(value) && dp2dpi_json_number(value, &x)) {
        dp2dpi_html_put(h, dp2dpi_form_write(DP2DPI_FORM_EXACT, x, number));
    } else {
        dp2dpi_html_put(h, json_is_true(value) ? "true" : json_is_false(value) ? "false" : "null");
    }
}
