/* One value of a row that is read with a schema. */
#ifndef DP2DPI_SCHEMA_CELL_H
#define DP2DPI_SCHEMA_CELL_H

#include "arrow/stream_read.h"

typedef struct dp2dpi_cell {
    int is_missing;
    int32_t level; /* position of the value's level in its column, once it has been looked up */
    double number;
    const char *text;
    size_t length;
    char buffer[DP2DPI_STREAM_TEXT_SIZE];
} dp2dpi_cell;

#endif
