/* Reads the bytes of a table, decompressed. Bytes that the caller has not consumed stay together in
 * one buffer, followed by a NUL. */
#ifndef DP2DPI_TABLE_INPUT_H
#define DP2DPI_TABLE_INPUT_H

#include "table/inflate.h"
#include "table/input_ahead.h"

enum {
    DP2DPI_INPUT_BLOCK = 1 << 20,   /* default size of the buffer, in bytes */
    DP2DPI_INPUT_KEEP_MAX = 1 << 26 /* largest number of bytes that a reader may leave unconsumed */
};

typedef struct dp2dpi_input {
    dp2dpi_raw raw;
    dp2dpi_inflate *inflate; /* NULL if the file is not compressed */
    dp2dpi_ahead *ahead;     /* NULL if no thread reads ahead */
    const char *name;
    char *buffer;
    size_t capacity;
    size_t block;
    size_t start, end; /* start and end of the unconsumed bytes in the buffer */
    int at_end;        /* 1: the buffer holds the last bytes of the file */
    int can_seek;      /* 1: bytes at any position can be read (dp2dpi_raw_read_at) */
} dp2dpi_input;

/* Opens a file, or standard input if the path is "-". `name` is the file's name for messages. The
 * buffer has `block` ≥ 1 bytes at first. Close the input only if this succeeds. */
dp2dp_status dp2dpi_input_open(dp2dpi_input *input, const char *path, const char *name,
                               size_t block, dp2dp_error *error);
void dp2dpi_input_close(dp2dpi_input *input);

/* Reads until there are `length` unconsumed bytes or the file ends. */
dp2dp_status dp2dpi_input_peek(dp2dpi_input *input, size_t length, dp2dp_error *error);

/* Starts to decompress the input, from its first unconsumed byte on. */
dp2dp_status dp2dpi_input_inflate(dp2dpi_input *input, dp2dpi_inflate_kind kind,
                                  dp2dp_error *error);
/* Makes the input read a member of a ZIP archive instead of the whole file. The member has `size`
 * bytes at `position`. */
dp2dp_status dp2dpi_input_enter(dp2dpi_input *input, dp2dpi_inflate_kind kind, uint64_t position,
                                uint64_t size, const dp2dpi_inflate_promise *promise,
                                dp2dp_error *error);
/* Starts a thread that reads ahead, unless all bytes have been read. */
dp2dp_status dp2dpi_input_read_ahead(dp2dpi_input *input, dp2dp_error *error);

/* Adds at least one byte to the unconsumed bytes, or sets at_end. The unconsumed bytes may move. */
dp2dp_status dp2dpi_input_fill(dp2dpi_input *input, dp2dp_error *error);

static inline uint64_t dp2dpi_little_endian(const char *bytes, size_t size) {
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++) {
        value |= (uint64_t)(unsigned char)bytes[i] << (8 * i);
    }
    return value;
}

#endif
