#ifndef DP2DPI_ARROW_COLUMN_NAMES_H
#define DP2DPI_ARROW_COLUMN_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include <dp2dp/table.h>

typedef struct dp2dpi_name {
    const char *text;
    size_t length;
    size_t position;
} dp2dpi_name;

void dp2dpi_names_sort(dp2dpi_name *names, size_t count);
/* Returns a name that occurs twice among sorted names, or NULL. */
const dp2dpi_name *dp2dpi_names_twice(const dp2dpi_name *sorted, size_t count);

/* Sorts `names`, the names of a file's columns, and sets positions[i] to the position of columns[i]
 * in the file. Fails with DATA if a column is missing or occurs twice. For a missing column the
 * message suggests the most similar name in the file, if the name is similar enough and cannot be a
 * number. Otherwise the message lists the names in the file, or no names if all of `columns` are
 * missing. `file` is the file's name for the message. */
dp2dp_status dp2dpi_names_find(dp2dpi_name *names, size_t count, const dp2dp_table_column *columns,
                               size_t column_count, size_t *positions, const char *file,
                               dp2dp_error *error);

/* Does the same as dp2dpi_names_find for a file without column names. The `count` columns of the
 * file are called "0", "1", … */
dp2dp_status dp2dpi_names_find_numbered(size_t count, const dp2dp_table_column *columns,
                                        size_t column_count, size_t *positions, const char *file,
                                        dp2dp_error *error);

#endif
