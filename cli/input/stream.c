#include "input/stream.h"

#include <pthread.h>
#include <string.h>

dp2dp_status cli_stream_type(struct ArrowArrayStream *stream, dp2dp_type *out, dp2dp_error *error) {
    struct ArrowSchema schema = {.release = NULL};
    if (stream->get_schema(stream, &schema) != 0) {
        stream->release(stream);
        return cli_fail(error, DP2DP_STATUS_INTERNAL,
                        "the Arrow stream of the table has no schema");
    }
    *out = strcmp(schema.children[0]->format, "f") == 0 ? DP2DP_FLOAT32 : DP2DP_FLOAT64;
    schema.release(&schema);
    return DP2DP_STATUS_OK;
}

int cli_watch_given_up(void *context) {
    cli_watch *watch = context;
    return atomic_load(&watch->given_up);
}

/* One batch, handed from the thread that reads a stream to the thread that uses the batches. */
typedef struct handover {
    struct ArrowArrayStream *stream; /* only the reading thread touches it */
    pthread_mutex_t lock;            /* guards the fields below */
    pthread_cond_t changed;
    int is_full;    /* a batch, a failure or the end of the stream is waiting to be taken */
    int is_stopped; /* no more batches are wanted */
    struct ArrowArray batch;
    dp2dp_status status;
    dp2dp_error error;
} handover;

static void *read_ahead(void *argument) {
    handover *h = argument;
    for (int more = 1; more;) {
        struct ArrowArray batch;
        dp2dp_error error = {0};
        dp2dp_status status = dp2dp_stream_next(h->stream, &batch, &error);
        (void)pthread_mutex_lock(&h->lock);
        while (h->is_full && !h->is_stopped) {
            (void)pthread_cond_wait(&h->changed, &h->lock);
        }
        more = status == DP2DP_STATUS_OK && batch.release && !h->is_stopped;
        if (!h->is_stopped) {
            h->batch = batch;
            h->status = status;
            h->error = error;
            h->is_full = 1;
            (void)pthread_cond_signal(&h->changed);
        } else if (batch.release) {
            batch.release(&batch);
        }
        (void)pthread_mutex_unlock(&h->lock);
    }
    return NULL;
}

/* Takes the next batch from the reading thread, and returns what dp2dp_stream_next returned there.
 * After the end of the stream or a failure, every later call gives the same result again. */
static dp2dp_status take(handover *h, struct ArrowArray *out, dp2dp_error *error) {
    (void)pthread_mutex_lock(&h->lock);
    while (!h->is_full) {
        (void)pthread_cond_wait(&h->changed, &h->lock);
    }
    *out = h->batch;
    dp2dp_status status = h->status;
    if (status != DP2DP_STATUS_OK) {
        *error = h->error;
    } else if (out->release) {
        h->is_full = 0;
        (void)pthread_cond_signal(&h->changed);
    }
    (void)pthread_mutex_unlock(&h->lock);
    return status;
}

/* Passes every batch to `use`. The batches come from a reading thread or, if h is NULL, from the
 * stream itself. */
static dp2dp_status each(struct ArrowArrayStream *stream, handover *h, cli_batch_use use,
                         void *context, dp2dp_error *error) {
    struct ArrowArray batch;
    dp2dp_status status = DP2DP_STATUS_OK;
    while (status == DP2DP_STATUS_OK) {
        CLI_TRY(h ? take(h, &batch, error) : dp2dp_stream_next(stream, &batch, error));
        if (batch.release == NULL) {
            break;
        }
        status = use(context, &batch, error);
        batch.release(&batch);
    }
    return status;
}

dp2dp_status cli_stream_each(struct ArrowArrayStream *stream, cli_batch_use use, void *context,
                             dp2dp_error *error) {
    dp2dp_status status = each(stream, NULL, use, context, error);
    stream->release(stream);
    return status;
}

dp2dp_status cli_stream_each_ahead(struct ArrowArrayStream *stream, cli_watch *watch,
                                   cli_batch_use use, void *context, dp2dp_error *error) {
    handover h = {.stream = stream};
    pthread_t reader;
    (void)pthread_mutex_init(&h.lock, NULL);
    (void)pthread_cond_init(&h.changed, NULL);
    int has_reader = pthread_create(&reader, NULL, read_ahead, &h) == 0;
    dp2dp_status status = each(stream, has_reader ? &h : NULL, use, context, error);
    if (has_reader) {
        atomic_store(&watch->given_up, 1);
        (void)pthread_mutex_lock(&h.lock);
        h.is_stopped = 1;
        (void)pthread_cond_signal(&h.changed);
        (void)pthread_mutex_unlock(&h.lock);
        (void)pthread_join(reader, NULL);
    }
    if (h.is_full && h.batch.release) {
        h.batch.release(&h.batch);
    }
    stream->release(stream);
    (void)pthread_cond_destroy(&h.changed);
    (void)pthread_mutex_destroy(&h.lock);
    return status;
}
