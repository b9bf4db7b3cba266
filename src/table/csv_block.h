#ifndef DP2DPI_TABLE_CSV_BLOCK_H
#define DP2DPI_TABLE_CSV_BLOCK_H

#include "table/csv.h"

/* Reads a block of similar records. Either all records are as long as the first and have digits and
 * points at the same places, or all consist of long numbers (csv_long.h). Reads only records that
 * begin before `limit`, a position in the buffer. Returns the number of records. If the number is
 * 0, the caller must read the next record with dp2dpi_csv_take_record, which is slower but can read
 * every record. */
size_t dp2dpi_csv_take_block(dp2dpi_csv *csv, dp2dpi_batch *batch, size_t limit);

#endif
