/* A stream that can be interrupted: Ctrl-C is checked between its batches, and at its end, before
 * the rows are used. */
#include "core.h"

#include <errno.h>
#include <stdlib.h>

typedef struct listener {
    struct ArrowArrayStream source;
    core_watch watch;
} listener;

static int listener_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    listener *l = stream->private_data;
    return l->source.get_schema(&l->source, out);
}

static int listener_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    listener *l = stream->private_data;
    int err = l->source.get_next(&l->source, out);
    if (err != 0) {
        return err;
    }
    if (out->release == NULL) {
        l->watch = (core_watch) {0}; /* the last check is made however early it is */
    }
    if (core_progress(&l->watch, 0, 0) == 0) {
        return 0;
    }
    if (out->release) {
        out->release(out);
    }
    return ECANCELED;
}

static const char *listener_error(struct ArrowArrayStream *stream) {
    listener *l = stream->private_data;
    return l->source.get_last_error(&l->source);
}

static void listener_release(struct ArrowArrayStream *stream) {
    listener *l = stream->private_data;
    l->source.release(&l->source);
    free(l);
    stream->release = NULL;
}

int core_listen(struct ArrowArrayStream *stream) {
    listener *l = calloc(1, sizeof *l);
    if (l == NULL) {
        return ENOMEM;
    }
    l->source = *stream;
    *stream = (struct ArrowArrayStream) {.get_schema = listener_schema,
                                         .get_next = listener_next,
                                         .get_last_error = listener_error,
                                         .release = listener_release,
                                         .private_data = l};
    return 0;
}
