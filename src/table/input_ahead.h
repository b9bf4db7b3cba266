/* Reads ahead: a thread reads and decompresses the next blocks while the caller works on the
 * current one. The caller gets the same bytes as without the thread. */
#ifndef DP2DPI_TABLE_INPUT_AHEAD_H
#define DP2DPI_TABLE_INPUT_AHEAD_H

#include "table/inflate.h"

typedef struct dp2dpi_ahead dp2dpi_ahead;
struct dp2dpi_input;

enum {
    DP2DPI_INPUT_SPARE = 16 /* bytes that every buffer has beyond its capacity */
};

/* Starts a thread that reads ahead in blocks of `size` bytes. *out is NULL if the system refuses a
 * thread. inflate is NULL if the file is not compressed. Ownership: until dp2dpi_ahead_free ends
 * the thread, only the thread may use raw and inflate. The caller's raw->stop is called only on the
 * caller's thread. dp2dpi_ahead_free accepts NULL. */
dp2dp_status dp2dpi_ahead_new(dp2dpi_raw *raw, dp2dpi_inflate *inflate, size_t size,
                              dp2dpi_ahead **out, dp2dp_error *error);
void dp2dpi_ahead_free(dp2dpi_ahead *ahead);

/* Swaps the input's buffer with the buffer of the next block; both have `size` + SPARE bytes.
 * Copies the bytes that the input has not consumed to just before the bytes of the block. *is_done
 * is 0 if there is no room for these bytes, or if no block follows. */
dp2dp_status dp2dpi_ahead_exchange(dp2dpi_ahead *ahead, struct dp2dpi_input *input, int *is_done,
                                   dp2dp_error *error);
/* Reads up to `size` bytes; *got is 0 only at the end. */
dp2dp_status dp2dpi_ahead_read(dp2dpi_ahead *ahead, void *bytes, size_t size, size_t *got,
                               dp2dp_error *error);

#endif
