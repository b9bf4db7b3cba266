#ifndef DP2DPI_TABLE_OPTIONS_H
#define DP2DPI_TABLE_OPTIONS_H

#include <string.h>

#include <dp2dp/table.h>

/* The caller's options in our own form. ARGUMENT with the name of what is out of bounds. */
dp2dp_status dp2dpi_table_options_read(const char *path, const dp2dp_table_options *given,
                                       dp2dp_table_options *options, dp2dp_error *error);

/* Copies everything the options point to, except cancel_context. Ownership: *out is zero-filled
 * before and freed by the caller, after a failure too. */
dp2dp_status dp2dpi_table_options_copy(const dp2dp_table_options *options, dp2dp_table_options *out,
                                       dp2dp_error *error);
void dp2dpi_table_options_free(dp2dp_table_options *options);

/* 1 if a text without blanks around it is one of the markers of missing values. */
static inline int dp2dpi_table_is_missing(const char *const *markers, size_t count,
                                          const char *text, size_t length) {
    for (size_t i = 0; i < count; i++) {
        if (strlen(markers[i]) == length && memcmp(markers[i], text, length) == 0) {
            return 1;
        }
    }
    return 0;
}

#endif
