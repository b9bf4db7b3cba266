/* Makes an Arrow stream from three callbacks. The stream itself stores the last error and remembers
 * whether get_next has failed. */
#ifndef DP2DPI_ARROW_STREAM_MAKE_H
#define DP2DPI_ARROW_STREAM_MAKE_H

#include <dp2dp/table.h>

typedef struct dp2dpi_stream_kind {
    dp2dp_status (*describe)(void *context, struct ArrowSchema *out, dp2dp_error *error);
    /* Writes the next batch to *out, which is all zero on entry. At the end of the rows, leaves
     * *out all zero. After a failure the stream does not call `next` again, so that no rows are
     * skipped silently. */
    dp2dp_status (*next)(void *context, struct ArrowArray *out, dp2dp_error *error);
    void (*free)(void *context);
} dp2dpi_stream_kind;

/* Makes a stream. Ownership: the stream takes the context; on failure the context is freed. */
dp2dp_status dp2dpi_stream_make(const dp2dpi_stream_kind *kind, void *context,
                                struct ArrowArrayStream *out, dp2dp_error *error);

/* Returns the error of a stream made by dp2dpi_stream_make; NULL if the stream has not failed or
 * was made by other code. */
const dp2dp_error *dp2dpi_stream_error(const struct ArrowArrayStream *stream);

#endif
