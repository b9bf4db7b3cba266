/* Reads an NPY file, which holds one NumPy array: versions 1 to 3, one or two dimensions,
 * little-endian numbers. */
#ifndef DP2DPI_TABLE_NPY_H
#define DP2DPI_TABLE_NPY_H

#include <stdint.h>

#include <dp2dp/table.h>

#include "arrow/batch.h"
#include "table/input.h"

typedef struct dp2dpi_npy {
    dp2dpi_input *input;                /* borrowed */
    const dp2dp_table_options *options; /* borrowed */
    char kind;                          /* 'f' float, 'i' signed, 'u' unsigned or 'b' boolean */
    size_t size;                        /* number of bytes in one item */
    int is_by_column;                   /* 1: the array is in Fortran order */
    uint64_t rows, width;
    size_t *positions;   /* for each column in options->columns, its position in the file */
    uint64_t data_start; /* bytes before the first item */
    uint64_t row;        /* next row to read, from 0 */
    int is_checked;      /* 1: it was already checked that nothing follows the last item */
} dp2dpi_npy;

enum {
    DP2DPI_NPY_MAGIC_SIZE = 6
};

/* Returns 1 if a file that begins with these bytes is NPY. `length` must be at least MAGIC_SIZE; of
 * a shorter file, give all bytes. */
int dp2dpi_npy_is(const char *bytes, size_t length);

/* Open, read and free an NPY file, like the functions of dp2dpi_csv. */
dp2dp_status dp2dpi_npy_open(dp2dpi_npy *npy, dp2dpi_input *input, dp2dp_table_options *options,
                             dp2dp_error *error);
void dp2dpi_npy_free(dp2dpi_npy *npy);
dp2dp_status dp2dpi_npy_next(dp2dpi_npy *npy, dp2dpi_batch *batch, dp2dp_error *error);

/* Returns 1 if the items are float32; the batches then hold float32 too. */
int dp2dpi_npy_is_float32(const dp2dpi_npy *npy);

/* Sets kind, size, is_by_column, rows and width from the text of the header. */
dp2dp_status dp2dpi_npy_read_header(dp2dpi_npy *npy, const char *text, size_t length,
                                    dp2dp_error *error);

#endif
