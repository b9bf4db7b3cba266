/* Appends bytes to a text in memory, which grows as needed. After a failure later calls do nothing,
 * so the caller checks `status` once, at the end. */
#ifndef DP2DPI_BASE_TEXT_H
#define DP2DPI_BASE_TEXT_H

#include <stddef.h>

#include "base/error.h"

typedef struct dp2dpi_text {
    char *bytes; /* a NUL follows the last byte */
    size_t length, capacity;
    dp2dp_status status;
    dp2dp_error *error;
} dp2dpi_text;

void dp2dpi_text_clear(dp2dpi_text *t);
void dp2dpi_text_bytes(dp2dpi_text *t, const void *bytes, size_t length);
void dp2dpi_text_put(dp2dpi_text *t, const char *text);
/* Appends a text formatted as by printf, cut to 255 bytes. Numbers need the C locale. */
void dp2dpi_text_format(dp2dpi_text *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Appends the text between two characters `mark`; doubles each `mark` inside the text. */
void dp2dpi_text_quoted(dp2dpi_text *t, const char *text, char mark);

#endif
