/* The common part of our own Arrow streams. */
#ifndef DP2DPI_ARROW_STREAM_MAKE_H
#define DP2DPI_ARROW_STREAM_MAKE_H

#include <dp2dp/table.h>

typedef struct dp2dpi_stream_kind {
    dp2dp_status (*describe)(void *context, struct ArrowSchema *out, dp2dp_error *error);
    /* The next batch; *out, which is all zero, is left alone at the end. Never called again after a
     * failure: the rows behind a gap are not handed out. */
    dp2dp_status (*next)(void *context, struct ArrowArray *out, dp2dp_error *error);
    void (*free)(void *context);
} dp2dpi_stream_kind;

/* Ownership: takes the context, and frees it after a failure. */
dp2dp_status dp2dpi_stream_make(const dp2dpi_stream_kind *kind, void *context,
                                struct ArrowArrayStream *out, dp2dp_error *error);

/* The error of one of our streams; NULL: it has not failed, or is not ours. */
const dp2dp_error *dp2dpi_stream_error(const struct ArrowArrayStream *stream);

#endif
