/* Two threads on one buffer of CSV. The second starts in the middle, behind a line end, and guesses
 * that a record begins there; the first finds out when it arrives: the second's rows are used only
 * if the first ends a record exactly there. The result does not depend on timing. */
#ifndef DP2DPI_TABLE_CSV_HALVES_H
#define DP2DPI_TABLE_CSV_HALVES_H

#include "table/csv.h"

/* Fills the batch from the first half of what is in the buffer and csv->spare from the second. 1:
 * the guess was right. 0: the rest, or everything, is to be read in order; csv->status says whether
 * memory was out or a row was refused. */
int dp2dpi_csv_split(dp2dpi_csv *csv, dp2dpi_batch *batch);

#endif
