/* Reads ahead: a thread of its own fills blocks, decompressed ones too, while the caller works on
 * those before. What is read does not depend on it. */
#ifndef DP2DPI_IO_INPUT_AHEAD_H
#define DP2DPI_IO_INPUT_AHEAD_H

#include "io/inflate.h"

typedef struct dp2dpi_ahead dp2dpi_ahead;

/* Blocks have `size` bytes. *out is NULL where no thread can be had: then one reads without.
 * Ownership: raw and inflate (NULL: plain bytes) are borrowed, and belong to the thread until free,
 * which ends it; raw->stop is asked on the caller's thread. free accepts NULL. */
dp2dp_status dp2dpi_ahead_new(dp2dpi_raw *raw, dp2dpi_inflate *inflate, size_t size,
                              dp2dpi_ahead **out, dp2dp_error *error);
void dp2dpi_ahead_free(dp2dpi_ahead *ahead);

/* At least one byte, or 0 at the end. */
dp2dp_status dp2dpi_ahead_read(dp2dpi_ahead *ahead, void *bytes, size_t size, size_t *got,
                               dp2dp_error *error);

#endif
