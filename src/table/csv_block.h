/* Many records at once, where they are written alike. */
#ifndef DP2DPI_TABLE_CSV_BLOCK_H
#define DP2DPI_TABLE_CSV_BLOCK_H

#include "table/csv.h"

/* Records from the cursor on that begin before `limit`, have the length of the first and in each
 * column the same digits' places: as programs write probabilities. They become rows of the batch,
 * the same as if read one by one; how many is returned. 0: the next record is to be read by itself.
 */
size_t dp2dpi_csv_take_block(dp2dpi_csv *csv, dp2dpi_batch *batch, size_t limit);

#endif
