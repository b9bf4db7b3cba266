#ifndef DP2DPI_TABLE_CSV_BLOCK_H
#define DP2DPI_TABLE_CSV_BLOCK_H

#include "table/csv.h"

/* Reads records that begin before `limit` (a position in the buffer) and have the same form: either
 * all are as long as the first record and have digits and points at the same places, or all consist
 * of long numbers (csv_long.h). The rows are the same as if read one by one. Returns the number of
 * rows; 0 if the caller must read the next record with dp2dpi_csv_take_record. */
size_t dp2dpi_csv_take_block(dp2dpi_csv *csv, dp2dpi_batch *batch, size_t limit);

#endif
