/* The bytes of a table, decompressed, in one piece: what has not been consumed stays in the buffer,
 * followed by a NUL. */
#ifndef DP2DPI_TABLE_INPUT_H
#define DP2DPI_TABLE_INPUT_H

#include "table/inflate.h"
#include "table/input_ahead.h"

enum {
    DP2DPI_INPUT_BLOCK = 1 << 21,
    DP2DPI_INPUT_KEEP_MAX = 1 << 26 /* most bytes a reader may leave unconsumed */
};

typedef struct dp2dpi_input {
    dp2dpi_raw raw;
    dp2dpi_inflate *inflate; /* NULL: plain bytes */
    dp2dpi_ahead *ahead;     /* NULL: read when they are asked for */
    const char *name;        /* for messages */
    char *buffer;
    size_t capacity;
    size_t block;      /* what it was at first */
    size_t start, end; /* the unconsumed bytes */
    int at_end;        /* nothing follows them */
    int can_seek;      /* dp2dpi_raw_read_at works */
} dp2dpi_input;

/* "-" is standard input; `name` is for messages, of other paths. block ≥ 1 is the first size of the
 * buffer. close after success only. */
dp2dp_status dp2dpi_input_open(dp2dpi_input *input, const char *path, const char *name,
                               size_t block, dp2dp_error *error);
void dp2dpi_input_close(dp2dpi_input *input);

/* Reads until `length` bytes are unconsumed, or the input ends. */
dp2dp_status dp2dpi_input_peek(dp2dpi_input *input, size_t length, dp2dp_error *error);

/* The bytes read so far, and the rest, are compressed. */
dp2dp_status dp2dpi_input_inflate(dp2dpi_input *input, dp2dpi_inflate_kind kind,
                                  dp2dp_error *error);
/* From now on reads a member of a ZIP archive, of `size` bytes at `position`, instead of the file.
 */
dp2dp_status dp2dpi_input_enter(dp2dpi_input *input, dp2dpi_inflate_kind kind, uint64_t position,
                                uint64_t size, const dp2dpi_inflate_promise *promise,
                                dp2dp_error *error);
/* From here on a thread reads ahead, if there is more to read. */
dp2dp_status dp2dpi_input_read_ahead(dp2dpi_input *input, dp2dp_error *error);

/* Adds at least one byte to the unconsumed ones, or sets at_end. They may move. */
dp2dp_status dp2dpi_input_fill(dp2dpi_input *input, dp2dp_error *error);

/* The unsigned number that `size` bytes are, the lowest first. */
static inline uint64_t dp2dpi_little_endian(const char *bytes, size_t size) {
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++) {
        value |= (uint64_t)(unsigned char)bytes[i] << (8 * i);
    }
    return value;
}

#endif
