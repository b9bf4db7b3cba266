/* Many records at once, if they have the same form. */
#ifndef DP2DPI_TABLE_CSV_BLOCK_H
#define DP2DPI_TABLE_CSV_BLOCK_H

#include "table/csv.h"

/* Reads records from the cursor that begin before `limit`, have the length of the first, and digits
 * at the same places: as programs write probabilities. They become rows of the batch, the same as
 * if read one by one. Returns how many; 0: read the next record by itself. */
size_t dp2dpi_csv_take_block(dp2dpi_csv *csv, dp2dpi_batch *batch, size_t limit);

#endif
