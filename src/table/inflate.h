/* Compressed bytes in, plain bytes out: gzip and zstd, and the two forms that a member of a ZIP
 * archive has. */
#ifndef DP2DPI_TABLE_INFLATE_H
#define DP2DPI_TABLE_INFLATE_H

#include "table/input_raw.h"

typedef enum dp2dpi_inflate_kind {
    DP2DPI_INFLATE_NONE = 0,
    DP2DPI_INFLATE_GZIP,   /* members one after the other */
    DP2DPI_INFLATE_ZSTD,   /* frames one after the other */
    DP2DPI_INFLATE_STORED, /* a member of a ZIP archive as it is */
    DP2DPI_INFLATE_DEFLATED
} dp2dpi_inflate_kind;

enum {
    DP2DPI_INFLATE_MAGIC_SIZE = 4
};

/* NONE, GZIP or ZSTD, from the first MAGIC_SIZE bytes or all there are. */
dp2dpi_inflate_kind dp2dpi_inflate_kind_of(const char *bytes, size_t length);

typedef struct dp2dpi_inflate dp2dpi_inflate;

/* What a ZIP archive says about the plain bytes of a member. */
typedef struct dp2dpi_inflate_promise {
    uint64_t size;
    uint32_t checksum;
} dp2dpi_inflate_promise;

/* `first`, of `length` bytes, was read from raw already. Ownership: raw is borrowed, first is
 * copied. The promise is for ZIP, NULL otherwise. free accepts NULL. */
dp2dp_status dp2dpi_inflate_new(dp2dpi_inflate_kind kind, dp2dpi_raw *raw, const char *first,
                                size_t length, const dp2dpi_inflate_promise *promise,
                                dp2dpi_inflate **out, dp2dp_error *error);
void dp2dpi_inflate_free(dp2dpi_inflate *inflate);

/* At least one plain byte, or 0 at the end. DATA if the compressed bytes end early, are damaged or
 * break the promise. */
dp2dp_status dp2dpi_inflate_read(dp2dpi_inflate *inflate, void *bytes, size_t size, size_t *got,
                                 dp2dp_error *error);

#endif
