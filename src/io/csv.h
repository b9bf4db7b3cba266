/* CSV after RFC 4180, read strictly: a file that readers could understand differently is refused.
 */
#ifndef DP2DPI_IO_CSV_H
#define DP2DPI_IO_CSV_H

#include <stdint.h>

#include <dp2dp/table.h>

#include "io/batch.h"
#include "io/input.h"
#include "io/names.h"

typedef struct dp2dpi_csv {
    dp2dpi_input *input; /* borrowed */
    const dp2dp_table_column *columns;
    char separator;
    unsigned char stops[256]; /* which bytes end a run, in a field and in quotes */
    size_t fields;            /* of every record */
    size_t *slots;            /* field -> column of the batch, SIZE_MAX: skipped */
    dp2dpi_name *names;       /* of the fields, in file order; NULL without a header */
    char *names_text;
    uint64_t line;       /* the one that the record at the cursor begins on, from 1 */
    uint64_t empty_line; /* the first of the empty lines before the cursor; 0: none */
    int is_closed;       /* the last line has its line end */
    dp2dp_error *error;  /* of the call under way */
    dp2dp_status status; /* why it fails */
} dp2dpi_csv;

/* Reads the header and finds the columns. The csv is zero-filled before and freed by the caller,
 * after a failure too; input and columns are borrowed for its life. */
dp2dp_status dp2dpi_csv_open(dp2dpi_csv *csv, dp2dpi_input *input,
                             const dp2dp_table_options *options, dp2dp_error *error);
void dp2dpi_csv_free(dp2dpi_csv *csv);

/* Fills the batch, or as much of it as there are rows left. */
dp2dp_status dp2dpi_csv_next(dp2dpi_csv *csv, dp2dpi_batch *batch, dp2dp_error *error);

#endif
