/* Bytes of a file or of standard input, in blocks. What has not been consumed stays in the buffer,
 * in one piece and followed by a NUL. Files are read, not mapped: one that is truncated meanwhile
 * must give an error and not a signal. */
#ifndef DP2DPI_IO_INPUT_H
#define DP2DPI_IO_INPUT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

enum {
    DP2DPI_INPUT_BLOCK = 1 << 18,
    DP2DPI_INPUT_KEEP_MAX = 1 << 26, /* most bytes a reader may leave unconsumed */
    DP2DPI_INPUT_SPARE = 16          /* bytes of the buffer behind its capacity */
};

typedef struct dp2dpi_input {
    int fd;
    char *name; /* for messages */
    char *buffer;
    size_t capacity;
    size_t start, end; /* the unconsumed bytes */
    int at_end;        /* nothing follows them */
    int64_t origin;    /* where reading began; −1 where the input cannot be sought */
    int (*cancel)(void *context);
    void *cancel_context;
} dp2dpi_input;

/* "-" is standard input. block ≥ 1 is the first size of the buffer. close after success only. */
dp2dp_status dp2dpi_input_open(dp2dpi_input *input, const char *path, size_t block,
                               dp2dp_error *error);
void dp2dpi_input_close(dp2dpi_input *input);

/* Adds at least one byte to the unconsumed ones, or sets at_end. They may move. */
dp2dp_status dp2dpi_input_fill(dp2dpi_input *input, dp2dp_error *error);

/* Reads up to size bytes at `position` from the origin; fewer only at the end of the file. */
dp2dp_status dp2dpi_input_read_at(const dp2dpi_input *input, uint64_t position, void *bytes,
                                  size_t size, size_t *got, dp2dp_error *error);

#endif
