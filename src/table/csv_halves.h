/* Reads one buffer of CSV with two threads. The second thread starts after a line end near the
 * middle and assumes that a record begins there. The rows of the second thread are used only if the
 * first thread ends a record exactly where the second began. So the result does not depend on
 * timing. */
#ifndef DP2DPI_TABLE_CSV_HALVES_H
#define DP2DPI_TABLE_CSV_HALVES_H

#include "table/csv.h"

/* Fills the batch from the first half of the buffer and csv->spare from the second half. *is_done
 * is 0 if the caller must read on with one thread: the buffer is too short, no record begins where
 * the second half begins, or a row is malformed. Fails only with MEMORY. */
dp2dp_status dp2dpi_csv_split(dp2dpi_csv *csv, dp2dpi_batch *batch, int *is_done);

#endif
