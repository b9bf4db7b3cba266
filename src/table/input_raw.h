/* The raw bytes of a file or standard input. Files are read, not mapped: truncation while reading
 * must give an error, not a signal. */
#ifndef DP2DPI_TABLE_INPUT_RAW_H
#define DP2DPI_TABLE_INPUT_RAW_H

#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/error.h"

typedef struct dp2dpi_raw {
    int fd;
    char *path;      /* NULL: standard input */
    char *name;      /* for messages */
    int64_t origin;  /* where reading began; −1 if the input is not seekable */
    uint64_t size;   /* of the part to read, UINT64_MAX: up to the end of the file */
    uint64_t left;   /* of that part */
    struct stat was; /* the file when it was opened */
    /* Called before every read, and at times while waiting for a pipe: nonzero stops. */
    int (*stop)(void *context);
    void *stop_context;
} dp2dpi_raw;

/* "-" is standard input. close after success only. */
dp2dp_status dp2dpi_raw_open(dp2dpi_raw *raw, const char *path, const char *name,
                             dp2dp_error *error);
void dp2dpi_raw_close(dp2dpi_raw *raw);

/* At least one byte, or 0 at the end. */
dp2dp_status dp2dpi_raw_read(dp2dpi_raw *raw, void *bytes, size_t size, size_t *got,
                             dp2dp_error *error);
/* Up to size bytes at `position` from the origin; fewer only at the end. */
dp2dp_status dp2dpi_raw_read_at(const dp2dpi_raw *raw, uint64_t position, void *bytes, size_t size,
                                size_t *got, dp2dp_error *error);
/* From here on only `size` bytes at `position` from the origin, which moves there. */
dp2dp_status dp2dpi_raw_narrow(dp2dpi_raw *raw, uint64_t position, uint64_t size,
                               dp2dp_error *error);
/* DATA if the file has changed since it was opened. */
dp2dp_status dp2dpi_raw_check_unchanged(const dp2dpi_raw *raw, dp2dp_error *error);

#endif
