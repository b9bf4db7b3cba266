/* CSV after RFC 4180, read strictly: a file that readers could understand differently is refused.
 */
#ifndef DP2DPI_TABLE_CSV_H
#define DP2DPI_TABLE_CSV_H

#include <stdint.h>

#include <dp2dp/table.h>

#include "arrow/batch.h"
#include "arrow/column_names.h"
#include "base/thread_pool.h"
#include "table/input.h"

typedef struct dp2dpi_csv {
    dp2dpi_input *input; /* borrowed */
    const dp2dp_table_column *columns;
    char separator;
    unsigned char stops[256]; /* which bytes end a run, in a field and in quotes */
    size_t fields;            /* of every record */
    size_t *slots;            /* field -> column of the batch, SIZE_MAX: skipped */
    double **numbers[2];      /* room for two of these: */
    double **targets;         /* field -> where its numbers go, NULL: needs the slow path */
    const dp2dpi_layout *layout;
    size_t chunk_rows;
    dp2dpi_thread_pool *workers; /* NULL: nothing was split yet */
    dp2dpi_batch spare;          /* the next batch, if already read */
    uint64_t bytes, rows;        /* read so far */
    unsigned alone;              /* records to read one by one before trying a block again */
    unsigned patience;           /* the same after the next failed try */
    const char *const *missing;
    size_t missing_count;
    int is_number_missing; /* a marker looks like a number */
    dp2dpi_name *names;    /* of the fields, in file order; NULL without a header */
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

/* Fills an empty batch of the layout with rows; no rows means the end. Ownership: the layout is
 * borrowed for the life of the csv. */
dp2dp_status dp2dpi_csv_next(dp2dpi_csv *csv, const dp2dpi_layout *layout, dp2dpi_batch *batch,
                             dp2dp_error *error);
/* 1 if all rows have been returned. */
int dp2dpi_csv_is_over(const dp2dpi_csv *csv);

#endif
