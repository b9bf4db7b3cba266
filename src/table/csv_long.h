#ifndef DP2DPI_TABLE_CSV_LONG_H
#define DP2DPI_TABLE_CSV_LONG_H

#include "table/csv.h"

/* Reads records that begin before `limit` (a position in the buffer) and hold only numbers without
 * quotes or blanks. Returns the number of records; *length is their size in bytes. Stores the
 * numbers after the complete rows of the batch; the caller then updates the number of rows and the
 * position in the input.
 *
 * This is fast if most numbers have one digit before the point and up to 22 decimals, like doubles
 * that a program printed in full. Returns 0 if fewer than half of the numbers in the first record
 * have one digit before the point. */
size_t dp2dpi_csv_take_long(const dp2dpi_csv *csv, const dp2dpi_batch *batch, size_t limit,
                            size_t *length);

#endif
