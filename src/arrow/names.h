/* The columns that were asked for, found among those that a file has. */
#ifndef DP2DPI_ARROW_NAMES_H
#define DP2DPI_ARROW_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include <dp2dp/table.h>

typedef struct dp2dpi_name {
    const char *text;
    size_t length;
    size_t position;
} dp2dpi_name;

/* Sorts names by their text. */
void dp2dpi_names_sort(dp2dpi_name *names, size_t count);
/* Of sorted names: one that occurs twice, or NULL. */
const dp2dpi_name *dp2dpi_names_twice(const dp2dpi_name *sorted, size_t count);

/* positions[i] is where column i is in the header, whose names are sorted. DATA if one is missing,
 * with the nearest name if one is near and cannot be a number, or else the names there are, or if
 * it occurs twice. `file` is for the message. */
dp2dp_status dp2dpi_names_find(const dp2dpi_name *sorted, size_t count,
                               const dp2dp_table_column *columns, size_t column_count,
                               size_t *positions, const char *file, dp2dp_error *error);

/* The same for a file without names, of `count` columns: "0", "1", … */
dp2dp_status dp2dpi_names_find_numbered(size_t count, const dp2dp_table_column *columns,
                                        size_t column_count, size_t *positions, const char *file,
                                        dp2dp_error *error);

#endif
