/* Many records at once, of long numbers. */
#ifndef DP2DPI_TABLE_CSV_LONG_H
#define DP2DPI_TABLE_CSV_LONG_H

#include "table/csv.h"

/* Reads records from the cursor that begin before `limit` and hold only numbers of one digit, a
 * point and sixteen to nineteen decimals, as programs write a double in full. They are stored
 * behind the rows of the batch, the same as if read one by one, but not counted. Returns how many,
 * of *length bytes together. */
size_t dp2dpi_csv_take_long(const dp2dpi_csv *csv, const dp2dpi_batch *batch, size_t limit,
                            size_t *length);

#endif
