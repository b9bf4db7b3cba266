#ifndef DP2DPI_TABLE_OPTIONS_H
#define DP2DPI_TABLE_OPTIONS_H

#include <string.h>

#include <dp2dp/table.h>

#include "arrow/column_names.h"
#include "base/utf8.h"

/* Reads the caller's struct, whatever its version, into *options. Fails with ARGUMENT, naming the
 * option, if an option is out of bounds. */
dp2dp_status dp2dpi_table_options_read(const char *path, const dp2dp_table_options *given,
                                       dp2dp_table_options *options, dp2dp_error *error);

/* Copies the options, the columns and the markers of missing values, without the blanks around the
 * markers. Other pointers stay borrowed. Ownership: the caller zero-fills *out first and frees it,
 * also after a failure. */
dp2dp_status dp2dpi_table_options_copy(const dp2dp_table_options *options, dp2dp_table_options *out,
                                       dp2dp_error *error);
/* If the options name no column, asks for every column of the file as text. `names` are the names
 * of the file's `count` columns in their order; NULL: the columns are named "0", "1", … */
dp2dp_status dp2dpi_table_options_take_all(dp2dp_table_options *options, const dp2dpi_name *names,
                                           size_t count, dp2dp_error *error);
void dp2dpi_table_options_free(dp2dp_table_options *options);

/* Returns 1 if the text, without the blanks around it, is a marker of missing values. */
static inline int dp2dpi_table_is_missing(const dp2dp_table_options *options, const char *text,
                                          size_t length) {
    if (options->missing_count > 0) {
        dp2dpi_trim(&text, &length);
    }
    for (size_t i = 0; i < options->missing_count; i++) {
        const char *marker = options->missing[i];
        if (strlen(marker) == length && memcmp(marker, text, length) == 0) {
            return 1;
        }
    }
    return 0;
}

#endif
