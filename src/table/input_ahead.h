/* Reads ahead: a separate thread fills (and decompresses) blocks while the caller works on earlier
 * ones. The result does not depend on it. */
#ifndef DP2DPI_TABLE_INPUT_AHEAD_H
#define DP2DPI_TABLE_INPUT_AHEAD_H

#include "table/inflate.h"

typedef struct dp2dpi_ahead dp2dpi_ahead;

enum {
    DP2DPI_INPUT_SPARE = 16 /* bytes of a buffer behind its capacity */
};

/* Blocks have `size` bytes. *out is NULL if no thread can be started: then read without. Ownership:
 * raw and inflate (NULL: plain bytes) are borrowed, and belong to the thread until free, which ends
 * it; raw->stop is asked on the caller's thread. free accepts NULL. */
dp2dp_status dp2dpi_ahead_new(dp2dpi_raw *raw, dp2dpi_inflate *inflate, size_t size,
                              dp2dpi_ahead **out, dp2dp_error *error);
void dp2dpi_ahead_free(dp2dpi_ahead *ahead);

/* A buffer's bytes from start to end that are not consumed yet; nothing follows if at_end. */
typedef struct dp2dpi_ahead_bytes {
    char *buffer;
    size_t start, end;
    int at_end;
} dp2dpi_ahead_bytes;

/* Gives the next block for a buffer of `size` bytes and SPARE, with the buffer's bytes in front of
 * the block's: nothing else is copied. Changes nothing if they do not fit there, or at the end. */
dp2dp_status dp2dpi_ahead_exchange(dp2dpi_ahead *ahead, dp2dpi_ahead_bytes *bytes,
                                   dp2dp_error *error);
/* At least one byte, or 0 at the end. */
dp2dp_status dp2dpi_ahead_read(dp2dpi_ahead *ahead, void *bytes, size_t size, size_t *got,
                               dp2dp_error *error);

#endif
