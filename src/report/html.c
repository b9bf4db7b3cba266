#include "report/html.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PATH_SIZE = 128
};

static const char replacement[] = "\xEF\xBF\xBD"; /* U+FFFD */

void dp2dpi_html_bytes(dp2dpi_html *h, const char *bytes, size_t length) {
    dp2dpi_text_bytes(&h->out, bytes, length);
}

void dp2dpi_html_free(dp2dpi_html *h) {
    dp2dpi_text_clear(&h->out);
    *h = (dp2dpi_html) {0};
}

void dp2dpi_html_put(dp2dpi_html *h, const char *markup) {
    dp2dpi_html_bytes(h, markup, strlen(markup));
}

/* Returns the text that replaces a byte in HTML; NULL if the byte is written unchanged. */
static const char *escaped(unsigned char c) {
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return (c < 0x20 && c != '\t' && c != '\n') || c == 0x7F ? replacement : NULL;
    }
}

/* If the text begins with a mark that changes the direction of writing (U+061C, U+200E, U+200F,
 * U+202A to U+202E, U+2066 to U+2069), returns the mark's number of bytes. Otherwise returns 0. */
static size_t direction_mark(const char *text) {
    const unsigned char *c = (const unsigned char *)text;
    if (c[0] == 0xD8 && c[1] == 0x9C) {
        return 2;
    }
    if (c[0] != 0xE2) {
        return 0;
    }
    int found =
        (c[1] == 0x80 && (c[2] == 0x8E || c[2] == 0x8F || (c[2] >= 0xAA && c[2] <= 0xAE))) ||
        (c[1] == 0x81 && c[2] >= 0xA6 && c[2] <= 0xA9);
    return found ? 3 : 0;
}

static void put_escaped(dp2dpi_html *h, const char *text, int without_marks) {
    size_t from = 0, at = 0;
    while (text[at]) {
        const char *other = escaped((unsigned char)text[at]);
        size_t skipped = 1;
        if (without_marks && direction_mark(text + at) > 0) {
            other = replacement;
            skipped = direction_mark(text + at);
        }
        if (other) {
            dp2dpi_html_bytes(h, text + from, at - from);
            dp2dpi_html_put(h, other);
            from = at + skipped;
        }
        at += skipped;
    }
    dp2dpi_html_bytes(h, text + from, at - from);
}

void dp2dpi_html_text(dp2dpi_html *h, const char *text) {
    put_escaped(h, text, 0);
}

void dp2dpi_html_plain(dp2dpi_html *h, const char *text) {
    put_escaped(h, text, 1);
}

void dp2dpi_html_name(dp2dpi_html *h, const char *name) {
    dp2dpi_html_element(h, "bdi", name);
}

void dp2dpi_html_element(dp2dpi_html *h, const char *tag, const char *text) {
    dp2dpi_html_put(h, "<");
    dp2dpi_html_put(h, tag);
    dp2dpi_html_put(h, ">");
    dp2dpi_html_text(h, text);
    dp2dpi_html_put(h, "</");
    dp2dpi_html_put(h, tag);
    dp2dpi_html_put(h, ">");
}

void dp2dpi_html_absent(dp2dpi_html *h) {
    dp2dpi_html_put(h, "<span class=\"none\">not measured</span>");
}

static const json_t *walk(const json_t *value, const char *path) {
    char key[PATH_SIZE];
    while (value && *path == '/') {
        size_t length = strcspn(++path, "/");
        snprintf(key, sizeof key, "%.*s", (int)length, path);
        value = json_is_array(value) ? json_array_get(value, strtoul(key, NULL, 10))
                                     : json_object_get(value, key);
        path += length;
    }
    return value;
}

/* Formats a path; the arguments follow `path`. */
#define FORMAT_PATH(room, path)                       \
    do {                                              \
        va_list values_;                              \
        va_start(values_, path);                      \
        vsnprintf(room, sizeof(room), path, values_); \
        va_end(values_);                              \
    } while (0)

const json_t *dp2dpi_data_at(const json_t *data, const char *path, ...) {
    char room[PATH_SIZE];
    FORMAT_PATH(room, path);
    return walk(data, room);
}

static double number_at(const json_t *data, const char *path) {
    double x;
    const json_t *value = walk(data, path);
    return json_is_number(value) && dp2dpi_json_number(value, &x) ? x : NAN;
}

double dp2dpi_data_number(const json_t *data, const char *path, ...) {
    char room[PATH_SIZE];
    FORMAT_PATH(room, path);
    return number_at(data, room);
}

static void open_number(dp2dpi_html *h, const char *path, const char *last, double x) {
    char text[DP2DPI_FORM_SIZE];
    dp2dpi_html_put(h, "<data value=\"");
    dp2dpi_html_put(h, dp2dpi_form_write(DP2DPI_FORM_EXACT, x, text));
    dp2dpi_html_put(h, "\" data-path=\"");
    dp2dpi_html_text(h, path);
    dp2dpi_html_put(h, last);
    dp2dpi_html_put(h, "\">");
}

static void put_number(dp2dpi_html *h, dp2dpi_form form, const char *path, const char *last,
                       double x) {
    char text[DP2DPI_FORM_SIZE];
    open_number(h, path, last, x);
    dp2dpi_html_put(h, dp2dpi_form_write(form, x, text));
    dp2dpi_html_put(h, "</data>");
}

void dp2dpi_html_number(dp2dpi_html *h, dp2dpi_form form, const char *path, ...) {
    char room[PATH_SIZE];
    FORMAT_PATH(room, path);
    double x = number_at(h->data, room);
    if (isnan(x)) {
        dp2dpi_html_absent(h);
    } else {
        put_number(h, form, room, "", x);
    }
}

static void put_form(dp2dpi_html *h, dp2dpi_form form, double x) {
    char text[DP2DPI_FORM_SIZE];
    dp2dpi_html_put(h, dp2dpi_form_write(form, x, text));
}

/* Writes all numbers of a proportion as one element, so that a page of 1,000 cells stays small. */
void dp2dpi_html_proportion(dp2dpi_html *h, const char *path, ...) {
    char room[PATH_SIZE];
    FORMAT_PATH(room, path);
    const json_t *cell = walk(h->data, room);
    double rate = number_at(cell, "/rate"), low = number_at(cell, "/low");
    if (isnan(rate)) {
        dp2dpi_html_absent(h);
        return;
    }
    open_number(h, room, "/rate", rate);
    put_form(h, DP2DPI_FORM_PERCENT, rate);
    dp2dpi_html_put(h, " <small>");
    if (!isnan(low)) {
        put_form(h, DP2DPI_FORM_POINTS, low);
        dp2dpi_html_put(h, "–");
        put_form(h, DP2DPI_FORM_POINTS, number_at(cell, "/high"));
        dp2dpi_html_put(h, "; ");
    }
    put_form(h, DP2DPI_FORM_ROUND, number_at(cell, "/part"));
    dp2dpi_html_put(h, " of ");
    put_form(h, DP2DPI_FORM_ROUND, number_at(cell, "/whole"));
    dp2dpi_html_put(h, "</small></data>");
}

void dp2dpi_html_interval(dp2dpi_html *h, dp2dpi_form form, const char *path, ...) {
    char room[PATH_SIZE];
    FORMAT_PATH(room, path);
    const json_t *cell = walk(h->data, room);
    double value = number_at(cell, "/value"), low = number_at(cell, "/low");
    if (isnan(value)) {
        dp2dpi_html_absent(h);
        return;
    }
    put_number(h, form, room, "/value", value);
    if (!isnan(low)) {
        dp2dpi_html_put(h, " <small>");
        put_number(h, form, room, "/low", low);
        dp2dpi_html_put(h, " to ");
        put_number(h, form, room, "/high", number_at(cell, "/high"));
        dp2dpi_html_put(h, "</small>");
    }
}
