/* Lays out text for people, in lines of 80 columns. Control characters become '?'. */
#ifndef DP2DPI_EXPLAIN_LAYOUT_H
#define DP2DPI_EXPLAIN_LAYOUT_H

#include <stdint.h>

#include "base/text.h"

void dp2dpi_layout_section(dp2dpi_text *t, const char *title);
/* Appends a name and, wrapped beside the name, a formatted value. */
void dp2dpi_layout_row(dp2dpi_text *t, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Appends prose, indented by two columns. */
void dp2dpi_layout_prose(dp2dpi_text *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Appends a name on one line, however long it is. */
void dp2dpi_layout_name(dp2dpi_text *t, const char *name);
/* Appends the first `width` bytes of a name; a shorter name is padded with spaces to `width`. */
void dp2dpi_layout_padded(dp2dpi_text *t, const char *name, int width);

/* A table of numbers in four decimals. A name too long for its cell is cut. A table of more than 8
 * columns is replaced by a line that refers to --json. */
typedef struct dp2dpi_layout_table {
    size_t rows, columns;
    const char *const *row_names;
    const char *const *column_names;
    const double *values; /* rows × columns numbers, row by row */
} dp2dpi_layout_table;
void dp2dpi_layout_numbers(dp2dpi_text *t, const dp2dpi_layout_table *table);

/* Writes the names to `text` as a list: "a, b or c" if `last` is " or ". Names for which there is
 * no room become "...". Returns `text`. */
const char *dp2dpi_layout_list(const char *const *names, size_t count, const char *last, char *text,
                               size_t size);
const char *dp2dpi_layout_noun(uint64_t count, const char *one, const char *many);

#endif
