#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

enum {
    FORMAT_SIZE = 256
};

void dp2dpi_text_clear(dp2dpi_text *t) {
    dp2dpi_free(t->bytes);
    t->bytes = NULL;
    t->length = t->capacity = 0;
}

void dp2dpi_text_bytes(dp2dpi_text *t, const void *bytes, size_t length) {
    if (t->status != DP2DP_STATUS_OK) {
        return;
    }
    if (length >= t->capacity - t->length) {
        size_t capacity = 2 * (t->capacity + length) + 1024;
        char *larger = NULL;
        t->status = dp2dpi_alloc_raw("a text", capacity, 1, &larger, t->error);
        if (t->status != DP2DP_STATUS_OK) {
            return;
        }
        if (t->length > 0) {
            memcpy(larger, t->bytes, t->length);
        }
        dp2dpi_free(t->bytes);
        t->bytes = larger;
        t->capacity = capacity;
    }
    if (length > 0) {
        memcpy(t->bytes + t->length, bytes, length);
    }
    t->length += length;
    t->bytes[t->length] = '\0';
}

void dp2dpi_text_put(dp2dpi_text *t, const char *text) {
    dp2dpi_text_bytes(t, text, strlen(text));
}

void dp2dpi_text_format(dp2dpi_text *t, const char *format, ...) {
    char text[FORMAT_SIZE];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    dp2dpi_text_put(t, text);
}

void dp2dpi_text_quoted(dp2dpi_text *t, const char *text, char mark) {
    dp2dpi_text_bytes(t, &mark, 1);
    for (const char *c = text; *c; c++) {
        dp2dpi_text_bytes(t, c, 1);
        if (*c == mark) {
            dp2dpi_text_bytes(t, c, 1);
        }
    }
    dp2dpi_text_bytes(t, &mark, 1);
}
