#ifndef DP2DPI_TABLE_CSV_SCAN_H
#define DP2DPI_TABLE_CSV_SCAN_H

#include "table/csv.h"

typedef enum dp2dpi_csv_step {
    DP2DPI_CSV_DONE,
    DP2DPI_CSV_MORE,  /* the record is incomplete: fill the buffer and read the record again */
    DP2DPI_CSV_FAILED /* the failure is in csv->status and *csv->error */
} dp2dpi_csv_step;

typedef struct dp2dpi_csv_field {
    const char *text; /* the text without the quotes around it */
    size_t length;
    const char *next;  /* the separator or line end after the field */
    int has_doubled;   /* 1: the text has doubled quotes, each of which stands for one quote */
    uint64_t newlines; /* number of line ends inside the quotes */
} dp2dpi_csv_field;

/* Sets targets[i] to the place where the batch stores the numbers of field i, and csv->targets to
 * `targets`. */
void dp2dpi_csv_find_numbers(dp2dpi_csv *csv, double **targets, const dp2dpi_batch *batch);
/* Reads the next record into the next row of the batch. The input must not be empty. */
dp2dpi_csv_step dp2dpi_csv_take_record(dp2dpi_csv *csv, dp2dpi_batch *batch);

void dp2dpi_csv_scan_init(dp2dpi_csv *csv);

/* Finds the end of the field at p. `index` is the position of the field in the record, for
 * messages. */
dp2dpi_csv_step dp2dpi_csv_scan(dp2dpi_csv *csv, const char *p, size_t index,
                                dp2dpi_csv_field *out);
/* Copies the text of a field to out, which has room for field->length bytes, and replaces each
 * doubled quote by one quote. Returns the length of the copy. */
size_t dp2dpi_csv_copy(const dp2dpi_csv_field *field, char *out);

/* Adds a line end to the last line of the file if the line has none. Call this after every fill. */
void dp2dpi_csv_close_last_line(dp2dpi_csv *csv);
dp2dpi_csv_step dp2dpi_csv_more(dp2dpi_csv *csv);

/* Refuses the file with an error that has the column, row and line of the field at `index` of the
 * current record. `what` says what is wrong and must not contain a value. */
dp2dpi_csv_step dp2dpi_csv_refuse(dp2dpi_csv *csv, size_t index, dp2dp_reason reason,
                                  const char *what);
/* Refuses the file for a fault of a whole line, with an error that has the row and line but no
 * column. `what` says what is wrong and must not contain a value. */
dp2dpi_csv_step dp2dpi_csv_refuse_line(dp2dpi_csv *csv, uint64_t line, dp2dp_reason reason,
                                       const char *what);

#endif
