/* NPY, the array file of NumPy: versions 1 to 3, one or two dimensions, plain little-endian
 * numbers.
 */
#ifndef DP2DPI_TABLE_NPY_H
#define DP2DPI_TABLE_NPY_H

#include <stdint.h>

#include <dp2dp/table.h>

#include "arrow/batch.h"
#include "table/input.h"

typedef struct dp2dpi_npy {
    dp2dpi_input *input; /* borrowed */
    const dp2dp_table_column *columns;
    size_t column_count;
    char kind;        /* 'f', 'i', 'u' or 'b' */
    size_t size;      /* bytes of an item */
    int is_by_column; /* Fortran order */
    uint64_t rows, width;
    size_t *positions;   /* column of the batch -> column of the file */
    uint64_t data_start; /* bytes before the first item */
    uint64_t row;        /* the next one */
    int is_checked;      /* it was checked that nothing follows the last row */
} dp2dpi_npy;

enum {
    DP2DPI_NPY_MAGIC_SIZE = 6
};

/* At least MAGIC_SIZE bytes, or all there are. */
int dp2dpi_npy_is(const char *bytes, size_t length);

/* As dp2dpi_csv_open and the other csv functions. */
dp2dp_status dp2dpi_npy_open(dp2dpi_npy *npy, dp2dpi_input *input,
                             const dp2dp_table_options *options, dp2dp_error *error);
void dp2dpi_npy_free(dp2dpi_npy *npy);
dp2dp_status dp2dpi_npy_next(dp2dpi_npy *npy, dp2dpi_batch *batch, dp2dp_error *error);

int dp2dpi_npy_is_float32(const dp2dpi_npy *npy);

/* kind, size, is_by_column, rows and width from the text of the header. */
dp2dp_status dp2dpi_npy_read_header(dp2dpi_npy *npy, const char *text, size_t length,
                                    dp2dp_error *error);

#endif
