#ifndef DP2DPI_TABLE_CSV_STARTS_H
#define DP2DPI_TABLE_CSV_STARTS_H

#include <stddef.h>
#include <stdint.h>

enum {
    DP2DPI_STARTS_STEP = 64,           /* bytes that are searched at a time */
    DP2DPI_STARTS_BYTES_MOST = 1 << 15 /* most bytes to search, so that positions fit 16 bits */
};

/* Finds where cells start, if no cell has quotes: at 0 and after every separator and line feed.
 * Searches the first `size` bytes in steps of DP2DPI_STARTS_STEP, until it has found `most` ends of
 * cells. `starts` needs room for most + DP2DPI_STARTS_STEP + 1 positions. Returns the number of
 * ends, which may be larger than `most`. Cell i begins at starts[i] and ends before starts[i + 1] -
 * 1. */
size_t dp2dpi_csv_find_starts(const char *text, size_t size, char separator, size_t most,
                              uint16_t *starts);
/* Does the same as dp2dpi_csv_find_starts, but without vector registers, for processors that lack
 * them and for tests. */
size_t dp2dpi_csv_find_starts_plain(const char *text, size_t size, char separator, size_t most,
                                    uint16_t *starts);

#endif
