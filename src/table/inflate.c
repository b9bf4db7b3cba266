#include "table/inflate.h"

#include <limits.h>
#include <string.h>

#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/alloc.h"

enum {
    BLOCK = 1 << 16 /* compressed bytes read at a time */
};

struct dp2dpi_inflate {
    dp2dpi_inflate_kind kind;
    dp2dpi_raw *raw;
    const char *word; /* name of the data for messages */
    char *buffer;     /* compressed bytes; those from start to end are not decompressed yet */
    size_t start, end;
    int is_whole; /* 1: a gzip member or zstd frame has just ended, so the file may end here */
    int is_over;
    int may_hold; /* 1: zlib or zstd may still hold plain bytes, which must be fetched before more
                     input is read */
    dp2dpi_inflate_promise promise,
        actual; /* `actual` has the size and checksum of the plain bytes so far */
    int has_z;  /* 1: z must be freed */
    z_stream z;
    ZSTD_DCtx *zstd;
};

dp2dpi_inflate_kind dp2dpi_inflate_kind_of(const char *bytes, size_t length) {
    if (length >= 3 && memcmp(bytes, "\x1F\x8B\x08", 3) == 0) {
        return DP2DPI_INFLATE_GZIP;
    }
    /* A zstd file begins with a data frame or with a skippable frame, which some compressors write
     * first. */
    if (length >= 4 && (memcmp(bytes, "\x28\xB5\x2F\xFD", 4) == 0 ||
                        ((bytes[0] & 0xF0) == 0x50 && memcmp(bytes + 1, "\x2A\x4D\x18", 3) == 0))) {
        return DP2DPI_INFLATE_ZSTD;
    }
    return DP2DPI_INFLATE_NONE;
}

static void *z_alloc(void *context, unsigned count, unsigned size) {
    (void)context;
    return dp2dpi_alloc(count, size);
}

static void z_free(void *context, void *memory) {
    (void)context;
    dp2dpi_free(memory);
}

static dp2dp_status out_of_memory(const dp2dpi_inflate *self, dp2dp_error *error) {
    return dp2dpi_fail(error, DP2DP_STATUS_MEMORY, "out of memory for %s: %s", self->word,
                       self->raw->name);
}

static dp2dp_status start_library(dp2dpi_inflate *self, dp2dp_error *error) {
    if (self->kind == DP2DPI_INFLATE_ZSTD) {
        self->zstd = ZSTD_createDCtx();
        return self->zstd ? DP2DP_STATUS_OK : out_of_memory(self, error);
    }
    if (self->kind == DP2DPI_INFLATE_STORED) {
        return DP2DP_STATUS_OK;
    }
    /* zlib expects a gzip header if 16 is added to the window size, and no header if the window
     * size is negative. */
    int window = self->kind == DP2DPI_INFLATE_GZIP ? MAX_WBITS + 16 : -MAX_WBITS;
    self->z = (z_stream) {.zalloc = z_alloc, .zfree = z_free};
    self->has_z = inflateInit2(&self->z, window) == Z_OK;
    return self->has_z ? DP2DP_STATUS_OK : out_of_memory(self, error);
}

dp2dp_status dp2dpi_inflate_new(dp2dpi_inflate_kind kind, dp2dpi_raw *raw, const char *first,
                                size_t length, const dp2dpi_inflate_promise *promise,
                                dp2dpi_inflate **out, dp2dp_error *error) {
    dp2dpi_inflate *self = NULL;
    dp2dp_status status = DP2DP_STATUS_OK;
    *out = NULL;
    DP2DPI_TRY(DP2DPI_ALLOC(self, 1, "compressed data", error));
    *self = (dp2dpi_inflate) {.kind = kind,
                              .raw = raw,
                              .word = kind == DP2DPI_INFLATE_GZIP   ? "the gzip data"
                                      : kind == DP2DPI_INFLATE_ZSTD ? "the zstd data"
                                                                    : "the data of the array",
                              .end = length};
    self->promise = promise ? *promise : (dp2dpi_inflate_promise) {.size = 0};
    DP2DPI_TRY_OR_DONE(
        DP2DPI_ALLOC(self->buffer, length > BLOCK ? length : BLOCK, "compressed data", error));
    DP2DPI_TRY_OR_DONE(start_library(self, error));
    memcpy(self->buffer, first, length);
    *out = self;
done:
    if (status != DP2DP_STATUS_OK) {
        dp2dpi_inflate_free(self);
    }
    return status;
}

void dp2dpi_inflate_free(dp2dpi_inflate *self) {
    if (self) {
        if (self->has_z) {
            (void)inflateEnd(&self->z);
        }
        (void)ZSTD_freeDCtx(self->zstd);
        dp2dpi_free(self->buffer);
        dp2dpi_free(self);
    }
}

static dp2dp_status refuse(const dp2dpi_inflate *self, const char *reason, dp2dp_error *error) {
    return dp2dpi_fail(error, DP2DP_STATUS_DATA, "%s %s: %s", self->word, reason, self->raw->name);
}

/* Decompresses with zlib, which counts bytes in 32 bits. */
static dp2dp_status run_zlib(dp2dpi_inflate *self, char *bytes, size_t size, size_t *got,
                             dp2dp_error *error) {
    z_stream *z = &self->z;
    if (self->is_whole && inflateReset(z) != Z_OK) {
        return refuse(self, "are damaged", error);
    }
    z->next_in = (Bytef *)self->buffer + self->start;
    z->avail_in = (uInt)(self->end - self->start);
    z->next_out = (Bytef *)bytes;
    z->avail_out = size < UINT_MAX ? (uInt)size : UINT_MAX;
    uInt room = z->avail_out;
    int outcome = inflate(z, Z_NO_FLUSH);
    self->start = self->end - z->avail_in;
    self->is_whole = outcome == Z_STREAM_END;
    *got = room - z->avail_out;
    if (outcome == Z_MEM_ERROR) {
        return out_of_memory(self, error);
    }
    return outcome == Z_OK || outcome == Z_STREAM_END || outcome == Z_BUF_ERROR
               ? DP2DP_STATUS_OK
               : refuse(self, "are damaged", error);
}

static dp2dp_status run_zstd(dp2dpi_inflate *self, char *bytes, size_t size, size_t *got,
                             dp2dp_error *error) {
    ZSTD_inBuffer in = {self->buffer, self->end, self->start};
    ZSTD_outBuffer out = {bytes, size, 0};
    size_t hint = ZSTD_decompressStream(self->zstd, &out, &in);
    if (ZSTD_isError(hint)) {
        return ZSTD_getErrorCode(hint) == ZSTD_error_memory_allocation
                   ? out_of_memory(self, error)
                   : refuse(self, "are damaged", error);
    }
    self->start = in.pos;
    self->is_whole = hint == 0;
    *got = out.pos;
    return DP2DP_STATUS_OK;
}

static dp2dp_status run_stored(dp2dpi_inflate *self, char *bytes, size_t size, size_t *got) {
    size_t left = self->end - self->start;
    *got = left < size ? left : size;
    memcpy(bytes, self->buffer + self->start, *got);
    self->start += *got;
    self->is_whole = 1;
    return DP2DP_STATUS_OK;
}

/* Reads more compressed bytes if the buffer is used up. *has_more is 0 at the end of the file. */
static dp2dp_status refill(dp2dpi_inflate *self, int *has_more, dp2dp_error *error) {
    if (self->start == self->end) {
        self->start = 0;
        DP2DPI_TRY(dp2dpi_raw_read(self->raw, self->buffer, BLOCK, &self->end, error));
    }
    *has_more = self->end > 0;
    return DP2DP_STATUS_OK;
}

/* Returns 1 for a member of a ZIP archive. Only such a member has a promised size and checksum. */
static int is_member(const dp2dpi_inflate *self) {
    return self->kind == DP2DPI_INFLATE_STORED || self->kind == DP2DPI_INFLATE_DEFLATED;
}

/* Checks at the end of the file that the data are complete and have the promised size and
 * checksum. */
static dp2dp_status finish(dp2dpi_inflate *self, dp2dp_error *error) {
    self->is_over = 1;
    if (!self->is_whole) {
        return refuse(self, "end early", error);
    }
    if (is_member(self) && (self->actual.size != self->promise.size ||
                            self->actual.checksum != self->promise.checksum)) {
        return refuse(self, "do not have the size and checksum given in the archive", error);
    }
    return DP2DP_STATUS_OK;
}

static dp2dp_status run(dp2dpi_inflate *self, char *bytes, size_t size, size_t *got,
                        dp2dp_error *error) {
    switch (self->kind) {
    case DP2DPI_INFLATE_ZSTD:
        return run_zstd(self, bytes, size, got, error);
    case DP2DPI_INFLATE_STORED:
        return run_stored(self, bytes, size, got);
    default:
        return run_zlib(self, bytes, size, got, error);
    }
}

dp2dp_status dp2dpi_inflate_read(dp2dpi_inflate *self, void *bytes, size_t size, size_t *got,
                                 dp2dp_error *error) {
    *got = 0;
    while (*got == 0 && !self->is_over) {
        int has_more = 1;
        if (!self->may_hold) {
            DP2DPI_TRY(refill(self, &has_more, error));
        }
        if (!has_more) {
            return finish(self, error);
        }
        DP2DPI_TRY(run(self, bytes, size, got, error));
        self->may_hold = *got == size && !self->is_whole;
    }
    if (is_member(self)) {
        self->actual.checksum = (uint32_t)crc32_z(self->actual.checksum, bytes, *got);
        self->actual.size += *got;
    }
    return DP2DP_STATUS_OK;
}
