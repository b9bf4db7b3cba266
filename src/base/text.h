/* Builds a text in memory from pieces. After a failure all later calls do nothing, so the caller
 * needs to check `status` only once, at the end. */
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
/* Appends a text formatted as by printf, cut to 255 bytes. If the format prints numbers, the
 * calling thread must be in the C locale (base/c_locale.h). */
void dp2dpi_text_format(dp2dpi_text *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Appends `text` with the character `mark` before and after it; doubles each `mark` inside `text`.
 */
void dp2dpi_text_quoted(dp2dpi_text *t, const char *text, char mark);

#endif
