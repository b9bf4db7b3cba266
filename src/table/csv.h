/* Reads CSV as RFC 4180 defines it. Refuses a file that two programs could read differently. */
#ifndef DP2DPI_TABLE_CSV_H
#define DP2DPI_TABLE_CSV_H

#include <stdint.h>

#include <dp2dp/table.h>

#include "arrow/batch.h"
#include "arrow/column_names.h"
#include "base/thread_pool.h"
#include "table/input.h"

typedef struct dp2dpi_csv_progress {
    uint64_t bytes, rows; /* number of bytes and rows read so far */
    uint64_t line;        /* number of the line on which the next record begins, from 1 */
    uint64_t empty_line;  /* line number of the first of the empty lines directly before the next
                             record; 0 if there are no such lines */
    unsigned alone; /* number of records to read one by one before a whole block is tried again */
    unsigned patience; /* value that `alone` gets when the next block cannot be read as a
                          whole */
} dp2dpi_csv_progress;

typedef struct dp2dpi_csv {
    dp2dpi_input *input;                /* borrowed */
    const dp2dp_table_options *options; /* borrowed */
    char separator;
    unsigned char stops[256]; /* for each byte value, flags (see csv_scan.c) that say whether the
                                 byte ends plain text and whether it ends quoted text */
    size_t fields;            /* number of fields in every record */
    size_t *slots;            /* each field's column in the batch; SIZE_MAX if the field is not
                                 stored */
    double **numbers[2];      /* memory for `targets`, one array for each of two threads */
    double **targets; /* for each field, where its numbers are stored; NULL if take_numbers in csv.c
                         must not read the field */
    const dp2dpi_layout *layout;
    dp2dpi_thread_pool *workers; /* NULL until two threads are needed */
    dp2dpi_batch spare; /* rows that a second thread has read and that are returned next; a batch of
                           0 rows if there are none */
    int is_number_missing; /* 1: a marker of missing values looks like a number, so every number is
                              compared with the markers */
    dp2dpi_name *names;    /* column names in file order; NULL without a header */
    char *names_text;
    int is_closed; /* 1: the end of the file was reached, and the last line now ends with a line
                      feed */
    dp2dpi_csv_progress progress;
    dp2dp_error *error;  /* where the current call reports its failure */
    dp2dp_status status; /* status of the failure in *error */
} dp2dpi_csv;

/* Reads the header and finds the columns. Ownership: the caller zero-fills *csv first, and calls
 * dp2dpi_csv_free at the end, also after a failure. Input and options are borrowed until
 * dp2dpi_csv_free. */
dp2dp_status dp2dpi_csv_open(dp2dpi_csv *csv, dp2dpi_input *input, dp2dp_table_options *options,
                             dp2dp_error *error);
void dp2dpi_csv_free(dp2dpi_csv *csv);

/* Fills an empty batch with the next rows; the batch stays empty at the end of the file. Ownership:
 * the layout is borrowed until dp2dpi_csv_free. */
dp2dp_status dp2dpi_csv_next(dp2dpi_csv *csv, const dp2dpi_layout *layout, dp2dpi_batch *batch,
                             dp2dp_error *error);
int dp2dpi_csv_is_over(const dp2dpi_csv *csv);

#endif
