#ifndef DP2DPI_BASE_COLUMN_H
#define DP2DPI_BASE_COLUMN_H

#include <stdint.h>
#include <string.h>

#include <dp2dp/data.h>

static inline int32_t dp2dpi_column_read(const dp2dp_column *column, size_t row) {
    const char *at = (const char *)column->data + (ptrdiff_t)row * column->stride;
    int8_t narrow;
    int16_t middle;
    int32_t wide;
    switch (column->type) {
    case DP2DP_INT8:
        memcpy(&narrow, at, sizeof narrow);
        return narrow;
    case DP2DP_INT16:
        memcpy(&middle, at, sizeof middle);
        return middle;
    default:
        memcpy(&wide, at, sizeof wide);
        return wide;
    }
}

/* Reads n codes, starting at row `first`. Each type has a loop of its own, so the type is not
 * tested for every code. */
void dp2dpi_column_read_many(const dp2dp_column *column, size_t first, size_t n, int32_t *out);

#endif
