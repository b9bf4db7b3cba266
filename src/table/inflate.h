#ifndef DP2DPI_TABLE_INFLATE_H
#define DP2DPI_TABLE_INFLATE_H

#include "table/input_raw.h"

typedef enum dp2dpi_inflate_kind {
    DP2DPI_INFLATE_NONE = 0,
    DP2DPI_INFLATE_GZIP,    /* file of one or more gzip members */
    DP2DPI_INFLATE_ZSTD,    /* file of one or more zstd frames */
    DP2DPI_INFLATE_STORED,  /* an uncompressed member of a ZIP archive */
    DP2DPI_INFLATE_DEFLATED /* a compressed member of a ZIP archive */
} dp2dpi_inflate_kind;

/* Returns NONE, GZIP or ZSTD for a file that begins with these bytes. `length` must be at least 4;
 * of a shorter file, give all bytes. */
dp2dpi_inflate_kind dp2dpi_inflate_kind_of(const char *bytes, size_t length);

typedef struct dp2dpi_inflate dp2dpi_inflate;

/* The size and CRC-32 that the directory of the ZIP archive gives for a member's plain bytes. */
typedef struct dp2dpi_inflate_promise {
    uint64_t size;
    uint32_t checksum;
} dp2dpi_inflate_promise;

/* Starts decompressing. The first `length` compressed bytes are at `first`; the rest is read from
 * raw. The promise is NULL for gzip and zstd. Ownership: raw is borrowed, first is copied; free
 * accepts NULL. */
dp2dp_status dp2dpi_inflate_new(dp2dpi_inflate_kind kind, dp2dpi_raw *raw, const char *first,
                                size_t length, const dp2dpi_inflate_promise *promise,
                                dp2dpi_inflate **out, dp2dp_error *error);
void dp2dpi_inflate_free(dp2dpi_inflate *inflate);

/* Reads up to `size` plain bytes; *got is 0 only at the end. Fails with DATA if the compressed
 * bytes end early, are damaged or lack the promised size or checksum. */
dp2dp_status dp2dpi_inflate_read(dp2dpi_inflate *inflate, void *bytes, size_t size, size_t *got,
                                 dp2dp_error *error);

#endif
