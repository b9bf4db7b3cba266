/* Reads the bytes of a file or of standard input. Files are not mapped into memory, because then a
 * file that is truncated during reading would raise a signal instead of an error. */
#ifndef DP2DPI_TABLE_INPUT_RAW_H
#define DP2DPI_TABLE_INPUT_RAW_H

#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/error.h"

typedef struct dp2dpi_raw {
    int fd;
    char *path; /* NULL for standard input */
    char *name;
    int64_t origin;  /* position of the first byte to read; −1 if the input is not seekable */
    uint64_t size;   /* bytes to read; UINT64_MAX: up to the end of the file */
    uint64_t left;   /* bytes not read yet */
    struct stat was; /* state of the file when it was opened */
    /* Called before every read and while waiting for a pipe. A result other than 0 cancels
     * reading. */
    int (*stop)(void *context);
    void *stop_context;
} dp2dpi_raw;

/* Opens a file, or standard input if the path is "-". Close raw only if this succeeds. */
dp2dp_status dp2dpi_raw_open(dp2dpi_raw *raw, const char *path, const char *name,
                             dp2dp_error *error);
void dp2dpi_raw_close(dp2dpi_raw *raw);

/* Reads up to `size` bytes; *got is 0 only at the end. */
dp2dp_status dp2dpi_raw_read(dp2dpi_raw *raw, void *bytes, size_t size, size_t *got,
                             dp2dp_error *error);
/* Reads `size` bytes at `position`, counted from the origin; fewer only at the end of the file. */
dp2dp_status dp2dpi_raw_read_at(const dp2dpi_raw *raw, uint64_t position, void *bytes, size_t size,
                                size_t *got, dp2dp_error *error);
/* Restricts reading to `size` bytes at `position`, counted from the origin. The first of these
 * bytes becomes the new origin. */
dp2dp_status dp2dpi_raw_narrow(dp2dpi_raw *raw, uint64_t position, uint64_t size,
                               dp2dp_error *error);
/* Fails with DATA if the file has changed since it was opened. */
dp2dp_status dp2dpi_raw_check_unchanged(const dp2dpi_raw *raw, dp2dp_error *error);

#endif
