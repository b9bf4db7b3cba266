/* Where a field ends: the grammar of CSV, and nothing about what a field means. */
#ifndef DP2DPI_TABLE_CSV_SCAN_H
#define DP2DPI_TABLE_CSV_SCAN_H

#include "table/csv.h"

/* A record is read in place. If it is not complete, the result is MORE, and it is read again from
 * its start once more bytes are there. */
typedef enum dp2dpi_csv_step {
    DP2DPI_CSV_DONE,
    DP2DPI_CSV_MORE,
    DP2DPI_CSV_FAILED /* csv->status says how */
} dp2dpi_csv_step;

/* One field. `next` is at the separator or line end after it. */
typedef struct dp2dpi_csv_field {
    const char *text; /* without the quotes around it */
    size_t length;
    const char *next;
    int is_quoted;
    int has_doubled;   /* doubled quotes, each read as one */
    uint64_t newlines; /* within the quotes */
} dp2dpi_csv_field;

/* Takes the numbers of a batch's columns for csv->targets. */
void dp2dpi_csv_find_numbers(dp2dpi_csv *csv, double **targets, const dp2dpi_batch *batch);
/* The record at the cursor, of which there is at least a byte, becomes the next row of the batch.
 */
dp2dpi_csv_step dp2dpi_csv_take_record(dp2dpi_csv *csv, dp2dpi_batch *batch);

void dp2dpi_csv_scan_init(dp2dpi_csv *csv);

/* The field that starts at p, the index-th of its record. */
dp2dpi_csv_step dp2dpi_csv_scan(dp2dpi_csv *csv, const char *p, size_t index,
                                dp2dpi_csv_field *out);
/* Whether p, where a field ended, is at a separator or line end. */
dp2dpi_csv_step dp2dpi_csv_check_end(dp2dpi_csv *csv, const char *p, size_t index);
/* The field's content; out has room for field->length bytes. Returns its length. */
size_t dp2dpi_csv_copy(const dp2dpi_csv_field *field, char *out);

/* Gives the last line a line end if the file did not. Called after every fill. */
void dp2dpi_csv_close_last_line(dp2dpi_csv *csv);
/* More bytes of the record at the cursor. DONE: it may be read again. */
dp2dpi_csv_step dp2dpi_csv_more(dp2dpi_csv *csv);

/* Fails with the column, row and line of the record; `what` names no value. */
dp2dpi_csv_step dp2dpi_csv_refuse(dp2dpi_csv *csv, size_t index, dp2dp_reason reason,
                                  const char *what);
/* Fails without a column, at a line of its own. */
dp2dpi_csv_step dp2dpi_csv_refuse_line(dp2dpi_csv *csv, uint64_t line, dp2dp_reason reason,
                                       const char *what);

#endif
