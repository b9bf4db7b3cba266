#include "arrow/stream_make.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"

typedef struct made {
    const dp2dpi_stream_kind *kind;
    void *context;
    dp2dp_error error; /* the last error; its status is OK if no callback has failed */
    int has_failed;    /* 1: get_next has failed */
} made;

/* Returns the errno value that stands for a status (docs/tables.md). */
static int number_of(dp2dp_status status) {
    switch (status) {
    case DP2DP_STATUS_OK:
        return 0;
    case DP2DP_STATUS_DATA:
        return EINVAL;
    case DP2DP_STATUS_MEMORY:
        return ENOMEM;
    case DP2DP_STATUS_CANCELLED:
        return ECANCELED;
    default:
        return EIO;
    }
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    made *m = stream->private_data;
    dp2dp_error error = {0};
    dp2dp_status status = m->kind->describe(m->context, out, &error);
    if (status != DP2DP_STATUS_OK && !m->has_failed) {
        m->error = error;
    }
    return number_of(status);
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    made *m = stream->private_data;
    memset(out, 0, sizeof *out);
    if (!m->has_failed) {
        dp2dp_status status = m->kind->next(m->context, out, &m->error);
        m->has_failed = status != DP2DP_STATUS_OK;
        return number_of(status);
    }
    return number_of(m->error.status);
}

static const char *get_last_error(struct ArrowArrayStream *stream) {
    const made *m = stream->private_data;
    return m->error.message[0] ? m->error.message : NULL;
}

const dp2dp_error *dp2dpi_stream_error(const struct ArrowArrayStream *stream) {
    const made *m = stream->get_next == get_next ? stream->private_data : NULL;
    return m && m->error.status != DP2DP_STATUS_OK ? &m->error : NULL;
}

static void release(struct ArrowArrayStream *stream) {
    made *m = stream->private_data;
    m->kind->free(m->context);
    dp2dpi_free(m);
    stream->private_data = NULL;
    stream->release = NULL;
}

dp2dp_status dp2dpi_stream_make(const dp2dpi_stream_kind *kind, void *context,
                                struct ArrowArrayStream *out, dp2dp_error *error) {
    made *m = NULL;
    dp2dp_status status = DP2DPI_ALLOC(m, 1, "a stream", error);
    if (status != DP2DP_STATUS_OK) {
        kind->free(context);
        return status;
    }
    *m = (made) {.kind = kind, .context = context};
    *out = (struct ArrowArrayStream) {.get_schema = get_schema,
                                      .get_next = get_next,
                                      .get_last_error = get_last_error,
                                      .release = release,
                                      .private_data = m};
    return DP2DP_STATUS_OK;
}
